"""An observation of a run: a stream of its own, opened at the first step.

Nothing leaks: the end, an error and ``aclose()`` drop the connection, and so does forgetting the observation.
Nothing hangs: a step waits only for the next frame, and closing in another task ends that wait.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Awaitable, Callable
from typing import Any
from weakref import finalize

import anyio

from cursor_sdk_async._connect._frames import RunFrame
from cursor_sdk_async._convert import stream_event
from cursor_sdk_async._runs._reader import LateFrames, placed
from cursor_sdk_async.blocking import ReadyIterator
from cursor_sdk_async.errors import ConfigurationError, CursorSDKError
from cursor_sdk_async.events import RunStreamEvent

__all__ = ["Observation", "checked_offset"]


def checked_offset(offset: Any) -> int:
    """What was given as ``after_offset``, as a number; 0 for nothing.

    Raises:
        ConfigurationError: It is no offset. The bridge would take it for 0 and repeat the whole run.
    """
    if offset is None or offset == "":
        return 0
    if isinstance(offset, str) and offset.isascii() and offset.isdecimal():
        return int(offset)
    raise ConfigurationError(
        f"after_offset must be the offset of an event, such as '12', not {offset!r}.", is_safe_to_retry=True
    )


class Observation(ReadyIterator[RunStreamEvent]):
    """The events of an ``ObserveRun`` stream, keep-alives left out.

    Args:
        open_stream: Makes the stream, which sends the request when it is first read.
        run_id: The run.
        keep_alive: The public handle that must live as long.
        after_offset: Frames up to this offset of the first stream are left out.
    """

    def __init__(
        self,
        open_stream: Callable[[], Awaitable[LateFrames]],
        run_id: str,
        keep_alive: object = None,
        *,
        after_offset: int = 0,
    ) -> None:
        self._open_stream = open_stream
        self._run_id = run_id
        self._keep_alive = keep_alive
        self._turn = anyio.Lock(fast_acquire=True)
        self._stream: LateFrames | None = None
        self._frames: deque[RunFrame] = deque()
        self._offset: str | None = None
        self._after = after_offset  # 0 once it was reached: later streams count differently
        self._closed = False
        self._finalizer: finalize[..., Observation] | None = None

    def __aiter__(self) -> Observation:
        return self

    async def __anext__(self) -> RunStreamEvent:
        while True:
            async with self._turn:
                event = self._received()
                if event is not None:
                    return event
                if self._closed:
                    raise StopAsyncIteration
                await self._fill()

    def make_ready(self, limit: int) -> None:
        """Nothing to do: what was received calls no callbacks and belongs to this iterator alone."""

    def next_ready(self) -> tuple[RunStreamEvent] | None:
        """As :class:`ReadyIterator` says."""
        event = self._received()
        return None if event is None else (event,)

    def _received(self) -> RunStreamEvent | None:
        """The next event that has arrived."""
        while self._frames:
            frame = self._frames.popleft()
            self._offset = frame.offset or self._offset
            if self._after and int(frame.offset or 0) <= self._after:
                continue
            if frame.kind != "keepalive":
                self._after = 0
                return stream_event(frame.kind, frame.payload, frame.offset)
        return None

    async def _fill(self) -> None:
        try:
            if self._stream is None:
                stream = await self._open_stream()
                if self._closed:  # in another task, meanwhile
                    return
                self._stream = stream
                self._finalizer = finalize(self, stream.owner.post_threadsafe, stream.aclose)
                self._finalizer.atexit = False
            self._frames.extend(await self._stream.receive())
        except anyio.EndOfStream:
            await self.aclose()
        except CursorSDKError as error:
            if not self._closed:
                raise placed(error, self._run_id, self._offset) from error.cause

    async def aclose(self) -> None:
        """Stop observing; the run goes on. Closing twice is harmless."""
        self._closed = True
        if self._finalizer is not None:
            self._finalizer.detach()
        stream, self._stream = self._stream, None
        if stream is not None:
            await stream.aclose()
