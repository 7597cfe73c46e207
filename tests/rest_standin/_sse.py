"""The stream of one run as an ASGI response: backlog first, then what happens, until ``done``.

A reader that goes away ends its stream at once; a stream that is cut in the middle of the body ends without
the last chunk, so that every client sees a broken answer.
"""

from __future__ import annotations

import anyio
from starlette.types import Receive, Scope, Send

from tests.rest_standin._errors import ApiError
from tests.rest_standin._play import block, tell_status
from tests.rest_standin._state import Run, World

__all__ = ["HEARTBEAT_SECONDS", "RunStream"]

HEARTBEAT_SECONDS = 10.0
HEADERS = [
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", b"no-cache"),
    (b"x-cursor-stream-retention-seconds", b"86400"),
]


class RunStream:
    """A response that follows a run."""

    def __init__(self, world: World, run: Run, last_event_id: str | None) -> None:
        self._world = world
        self._run = run
        self._next = _position(run, last_event_id)
        self._joined = len(run.log)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async with anyio.create_task_group() as group:

            async def stop_when_left() -> None:
                while (await receive())["type"] != "http.disconnect":
                    pass
                group.cancel_scope.cancel()

            group.start_soon(stop_when_left)
            self._world.streams += 1
            try:
                await self._answer(send)
            finally:
                self._world.streams -= 1
            group.cancel_scope.cancel()

    async def _answer(self, send: Send) -> None:
        async def say(data: bytes, more: bool = True) -> None:
            await send({"type": "http.response.body", "body": data, "more_body": more})

        await send({"type": "http.response.start", "status": 200, "headers": HEADERS})
        await say(tell_status(self._run))
        self._run.watched.set()
        while True:
            data, abort = self._ready()
            if data:
                await say(data)
            if abort is not None:
                if not abort:
                    await say(b"", more=False)
                return
            if not data:
                with anyio.move_on_after(HEARTBEAT_SECONDS) as idle:
                    await self._run.changed.wait()
                if idle.cancelled_caught:
                    await say(block("heartbeat", {}))

    def _ready(self) -> tuple[bytes, bool | None]:
        """What can be said now, and the end after it: False is a good one, True a cut, None none yet."""
        blocks: list[bytes] = []
        log = self._run.log
        while self._next < len(log):
            entry = log[self._next]
            if entry.cuts:
                entry.cuts -= 1
                return b"".join(blocks), entry.abort
            if not entry.live or self._next >= self._joined:
                blocks.append(entry.block)
            self._next += 1
        ended = (
            self._run.over
            and bool(log)
            and log[-1].block.startswith(b"id: ")
            and b"event: done" in log[-1].block
        )
        return b"".join(blocks), False if ended else None


def _position(run: Run, last_event_id: str | None) -> int:
    """The place in the log after the last event of this id."""
    if last_event_id is None:
        return 0
    places = [place for place, entry in enumerate(run.log) if entry.id == last_event_id]
    if not places:
        raise ApiError(400, "invalid_last_event_id", "This event does not belong to this run.")
    return places[-1] + 1
