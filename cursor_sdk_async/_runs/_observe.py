"""An observation of a run: a stream of its own, opened at the first step.

Nothing leaks: the end, an error and ``aclose()`` drop the connection, and so does forgetting the observation.
"""

from __future__ import annotations

from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable

import anyio

from cursor_sdk_async._connect._frames import RunFrame
from cursor_sdk_async._convert import stream_event
from cursor_sdk_async._runs._reader import Frames
from cursor_sdk_async.events import RunStreamEvent

__all__ = ["Observation"]


class Observation(AsyncIterator[RunStreamEvent]):
    """The events of an ``ObserveRun`` stream, keep-alives left out.

    Args:
        open_stream: Sends the request; called at the first step.
        keep_alive: The public handle that must live as long.
    """

    def __init__(self, open_stream: Callable[[], Awaitable[Frames]], keep_alive: object = None) -> None:
        self._open_stream = open_stream
        self._keep_alive = keep_alive
        self._stream: Frames | None = None
        self._frames: deque[RunFrame] = deque()
        self._closed = False

    def __aiter__(self) -> Observation:
        return self

    async def __anext__(self) -> RunStreamEvent:
        while True:
            while self._frames:
                frame = self._frames.popleft()
                if frame.kind != "keepalive":
                    return stream_event(frame.kind, frame.payload, frame.offset)
            if self._closed:
                raise StopAsyncIteration
            if self._stream is None:
                self._stream = await self._open_stream()
            try:
                self._frames.extend(await self._stream.receive())
            except anyio.EndOfStream:
                await self.aclose()

    async def aclose(self) -> None:
        """Stop observing; the run goes on. Closing twice is harmless."""
        self._closed = True
        stream, self._stream = self._stream, None
        if stream is not None:
            await stream.aclose()
