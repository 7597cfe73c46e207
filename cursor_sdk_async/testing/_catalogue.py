"""The catalogue RPCs, and those of the bridge itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cursor_sdk_async.testing._errors import plain

if TYPE_CHECKING:
    from cursor_sdk_async.testing._agents import Agents
    from cursor_sdk_async.testing._bridge import Bridge

__all__ = ["VERSION", "Catalogue"]

Json = dict[str, Any]
VERSION = "1.0.0"
CAPABILITIES = [
    "agent.create",
    "agent.resume",
    "agent.send",
    "run.observe",
    "run.wait",
    "run.cancel",
    "agent.management",
    "cursor.catalog",
    "artifacts.chunked",
    "agent.usage",
]


class Catalogue:
    """The handlers."""

    def __init__(self, bridge: Bridge, agents: Agents) -> None:
        self._bridge = bridge
        self._agents = agents

    def _check(self, body: Json) -> None:
        key = body.get("options", {}).get("apiKey", "")
        if not key:
            raise plain("unauthenticated", "API key is required for cloud catalog calls.")
        self._agents.check(key)

    def me(self, body: Json) -> Json:
        self._check(body)
        return {"user": dict(self._bridge.script.user)}

    def list_models(self, body: Json) -> Json:
        self._check(body)
        return {"items": [dict(model) for model in self._bridge.script.models]}

    def list_repositories(self, body: Json) -> Json:
        self._check(body)
        return {"items": [{"url": url} for url in self._bridge.script.repositories]}

    def ping(self, _: Json) -> Json:
        return {"message": "pong"}

    def get_version(self, _: Json) -> Json:
        return {"bridgeVersion": VERSION, "protocolVersion": "sdk.v1", "capabilities": CAPABILITIES}

    def set_tool_callback(self, body: Json) -> Json:
        url, token = body.get("url", ""), body.get("authToken", "")
        if url and not token:
            raise plain("invalid_argument", "SetToolCallback requires an auth_token when url is set.")
        self._bridge.tools.register(url, token)
        return {}
