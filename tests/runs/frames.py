"""Frames and streams for tests of the run engine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import anyio
import anyio.lowlevel

from cursor_sdk_async._connect._frames import RunFrame
from cursor_sdk_async.errors import ClosedError

RUN, AGENT = "run-1", "agent-1"


def message(type_: str, offset: int | None = None, **body: Any) -> RunFrame:
    inner = {"type": type_, "agent_id": AGENT, "run_id": RUN, **body}
    return RunFrame("sdk_message", {"type": type_, "message": inner}, None if offset is None else str(offset))


def text(value: str) -> RunFrame:
    return message("assistant", message={"role": "assistant", "content": [{"type": "text", "text": value}]})


def tool(status: str = "completed") -> RunFrame:
    return message("tool_call", call_id="c1", name="shell", status=status)


def status(word: str) -> RunFrame:
    return message("status", status=word)


def usage(**counts: int) -> RunFrame:
    return message("usage", usage=counts)


def delta(value: str) -> RunFrame:
    body = {"type": "text-delta", "update": {"type": "text-delta", "text": value}}
    return RunFrame("interaction_update", body, None)


def result(word: str = "FINISHED", **facts: Any) -> RunFrame:
    code = f"RUN_LIFECYCLE_STATUS_{word}"
    inner = {"runId": RUN, "agentId": AGENT, "status": code, **facts}
    return RunFrame("result", {"agentId": AGENT, "runId": RUN, "status": code, "result": inner}, None)


def done() -> RunFrame:
    return RunFrame("done", {"agentId": AGENT, "runId": RUN}, None)


def keepalive() -> RunFrame:
    return RunFrame("keepalive", {}, None)


class FakeStream:
    """Plays batches of frames; an exception in place of a batch is raised; ``None`` waits for ever."""

    def __init__(self, *batches: Sequence[RunFrame] | Exception | None) -> None:
        self.batches: list[Sequence[RunFrame] | Exception | None] = list(batches)
        self.closed = anyio.Event()

    async def receive(self) -> list[RunFrame]:
        await anyio.lowlevel.checkpoint()
        if self.closed.is_set():
            raise ClosedError("the stream is closed")
        if not self.batches:
            raise anyio.EndOfStream
        batch = self.batches[0]
        if batch is None:
            await self.closed.wait()
            raise ClosedError("the stream is closed")
        self.batches.pop(0)
        if isinstance(batch, Exception):
            raise batch
        return list(batch)

    async def aclose(self) -> None:
        self.closed.set()
