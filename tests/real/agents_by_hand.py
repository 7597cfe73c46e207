"""Calls on a raw bridge that several tests make. Pure but for the bridge."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tests.real.raw_bridge import RawBridge
from tests.rest_standin import ACCEPTED_KEY

__all__ = ["AGENT", "CURSOR", "KEY", "Json", "brief", "cloud_agent", "kinds", "result_of", "send", "texts"]

Json = dict[str, Any]
AGENT = "SdkAgentService/"
CURSOR = "SdkCursorService/"
KEY = {"apiKey": ACCEPTED_KEY}


def cloud_agent(bridge: RawBridge, *, idempotency_key: str | None = None, **options: Any) -> str:
    """Create a cloud agent; its id."""
    body: Json = {"options": {**KEY, "cloud": {}, **options}}
    if idempotency_key is not None:
        body["idempotencyKey"] = idempotency_key
    agent: str = bridge.call(f"{AGENT}CreateAgent", body)["agentId"]
    return agent


def send(bridge: RawBridge, agent: str, text: str, **more: Any) -> list[Json]:
    """Send a prompt and read its stream to the end."""
    return list(bridge.stream(f"{AGENT}Send", {"agentId": agent, "message": {"text": text}, **more}))


def brief(frame: Json) -> str:
    """A frame in one word or two: ``status RUNNING``, ``assistant``, ``text-delta``, ``result``."""
    for kind in ("sdkMessage", "interactionUpdate", "step"):
        if kind in frame:
            name: str = frame[kind]["type"]
            return f"status {frame[kind]['message']['status']}" if name == "status" else name
    return next((kind for kind in frame if kind != "offset"), "keepalive")


def kinds(frames: Iterable[Json]) -> list[str]:
    """All frames in brief, without keep-alives."""
    return [word for word in map(brief, frames) if word != "keepalive"]


def texts(frames: Iterable[Json]) -> str:
    """The answer, put together from its pieces."""
    return "".join(
        frame["sdkMessage"]["message"]["message"]["content"][0]["text"]
        for frame in frames
        if brief(frame) == "assistant"
    )


def result_of(frames: Iterable[Json]) -> Json:
    """The run's result."""
    result: Json = next(frame["result"]["result"] for frame in frames if "result" in frame)
    return result
