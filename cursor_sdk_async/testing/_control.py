"""The test's own way in: ``POST /_scripted/<what>`` with the bridge's token and a JSON body.

``state``, ``requests``, ``forget``, ``release``, ``hold``, ``faults``, ``script``: see
``ScriptedControl``, which is the client of it.
"""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

from cursor_sdk_async.testing import _codec
from cursor_sdk_async.testing._http import Exchange
from cursor_sdk_async.testing.faults import Faults
from cursor_sdk_async.testing.script import Script

if TYPE_CHECKING:
    from cursor_sdk_async.testing._bridge import Bridge

__all__ = ["Control"]

Json = dict[str, Any]


class Control:
    """The handlers."""

    def __init__(self, bridge: Bridge) -> None:
        self._bridge = bridge

    async def handle(self, exchange: Exchange, *, allowed: bool) -> None:
        """Answer one request."""
        name = exchange.path.removeprefix("/_scripted/")
        handler = getattr(type(self), f"_{name}", None)
        if not allowed:
            await exchange.answer(401)
        elif handler is None or exchange.method != "POST":
            await exchange.answer(404)
        else:
            try:
                answer = handler(self, json.loads(exchange.body or b"{}"))
            except (ValueError, KeyError) as error:
                await exchange.answer(400, _codec.dumps({"error": str(error)}), "application/json")
                return
            await exchange.answer(200, _codec.dumps(answer), "application/json")

    def _state(self, _: Json) -> Json:
        bridge = self._bridge
        return {
            "pid": os.getpid(),
            "open_streams": bridge.open_streams,
            "open_agents": sorted(bridge.open),
            "handles": sorted(bridge.handles),
            "live_runs": sorted(run.id for run in bridge.runs.values() if run.started and not run.terminal),
            "waiting": {name: count for name, count in bridge.holds.waiting.items() if count},
            "tool_callback": bridge.tools.url,
        }

    def _requests(self, body: Json) -> Json:
        wanted = body.get("rpc")
        return {"requests": [row for row in self._bridge.requests if wanted in (None, row["rpc"])]}

    def _forget(self, _: Json) -> Json:
        self._bridge.requests.clear()
        return {}

    def _release(self, body: Json) -> Json:
        self._bridge.holds.release(body["name"])
        return {}

    def _hold(self, body: Json) -> Json:
        self._bridge.holds.close(body["name"])
        return {}

    def _faults(self, body: Json) -> Json:
        self._bridge.faulty.set(Faults.from_json(body["faults"]))
        return {}

    def _script(self, body: Json) -> Json:
        self._bridge.script = Script.from_json(body["script"])
        return {}
