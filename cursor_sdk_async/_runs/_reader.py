"""The one stream of a run, shared by everybody who reads it.

Nothing leaks: whoever drops the reader drops the connection with it. Nothing hangs: a reader holds its turn
only while it waits for the next frame, a cancelled step gives the turn back, and the next step goes on where
it stood.
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable
from math import inf
from typing import Any, Protocol
from weakref import WeakSet

import anyio

from cursor_sdk_async._connect._frames import RunFrame
from cursor_sdk_async._lifecycle import Owner
from cursor_sdk_async._runs._deadline import Limit
from cursor_sdk_async._runs._feed import RunFeed, changes_status
from cursor_sdk_async._runs._resume import NEVER_COMPARED, Journal, Mark
from cursor_sdk_async.blocking import call_back
from cursor_sdk_async.errors import ClosedError, ConfigurationError, CursorSDKError
from cursor_sdk_async.errors._base import fresh
from cursor_sdk_async.events import RunStreamEvent
from cursor_sdk_async.results import RunResult

__all__ = ["Frames", "LateFrames", "RunReader", "placed"]

logger = logging.getLogger("cursor_sdk_async.runs")

Callback = Callable[[Any], Any]

#: After the result only the end marker and the end record are missing; this long is waited for them.
AFTER_RESULT_SECONDS = 1.0


class Frames(Protocol):
    """What the reader needs of a stream of the channel."""

    async def receive(self) -> list[RunFrame]:
        """At least one frame; ``anyio.EndOfStream`` after a clean end; an error of ours otherwise."""
        ...

    async def aclose(self) -> None:
        """Drop the connection."""
        ...


class LateFrames(Frames, Protocol):
    """A stream that opens itself when it is first read."""

    @property
    def opened(self) -> bool:
        """Whether it was opened."""
        ...

    @property
    def owner(self) -> Owner:
        """Where that was done."""
        ...


def placed(error: CursorSDKError, run_id: str, offset: str | None) -> CursorSDKError:
    """The error of a stream, with the run and the place where it failed."""
    error.run_id = error.run_id or run_id
    error.offset = offset if error.offset is None else error.offset
    return error


class RunReader:
    """Hands out each event of a run once, to whichever reader asks first.

    Args:
        feed: The state that the events bring up to date.
        stream: The open stream, ``None`` when there is none (yet).
        open_stream: Makes one at the first step, for a handle that was not made by ``send()``.
        frames: Frames that were read already.
        on_delta: Called with each interaction update before the event is handed out.
        on_step: Called with each completed step, likewise.
        home: The owner of the loop that the stream belongs to.
        journal: What was received, for the position.
    """

    def __init__(
        self,
        feed: RunFeed,
        stream: Frames | None = None,
        *,
        open_stream: Callable[[], LateFrames] | None = None,
        frames: list[RunFrame] | None = None,
        on_delta: Callback | None = None,
        on_step: Callback | None = None,
        home: Owner | None = None,
        journal: Journal | None = None,
    ) -> None:
        self.feed = feed
        self.journal: Journal = Journal() if journal is None else journal
        self.home = home
        self.listeners: list[Callback] = []
        self.iterators: WeakSet[Any] = WeakSet()
        self.on_end: Callable[[RunReader], None] | None = None
        self.limit: Limit | None = None
        self.heard: float = -inf  # when a frame came that was no keep-alive
        self._stream = stream
        self._open_stream = open_stream
        self._late: LateFrames | None = None
        self._frames = deque(frames or ())
        self._on_delta = on_delta
        self._on_step = on_step
        self._turn = anyio.Lock(fast_acquire=True)
        self._current: RunStreamEvent | None = None
        self._due: deque[tuple[Callback, Any]] = deque()
        self._ready: deque[RunStreamEvent] = deque()
        self._read = 0
        self._over = stream is None and open_stream is None
        self._failure: CursorSDKError | None = None

    @property
    def over(self) -> bool:
        """Whether nothing more will come."""
        return self._over and not self._ready and not self._frames and self._current is None

    @property
    def streaming(self) -> bool:
        """Whether there is a stream that can still be read, or something of it is left."""
        return not self.over and (self._stream is not None or bool(self._frames or self._ready))

    @property
    def busy(self) -> bool:
        """Whether somebody reads, or holds an iterator that has not ended."""
        return self._turn.locked() or bool(self.iterators)

    def mark(self) -> Mark:
        """How far events were handed out."""
        return self.journal.mark(self.journal.before + self._read)

    async def next(self) -> RunStreamEvent | None:
        """The next event; ``None`` at the end.

        Raises:
            CursorSDKError: The stream broke off or ended in an error; raised again at every further step.
            ConfigurationError: A callback of the run reads the run.
            RunTimeoutError: The limit of the run has passed.
        """
        if self.limit is not None:
            return await self.limit.next(self._step)
        return self._at_hand() or await self._step()

    def _at_hand(self) -> RunStreamEvent | None:
        """The next event, if it has arrived and no callback is due before it: then nobody has to wait."""
        if self._turn.locked() or self._current is not None or self._due:
            return None
        if self._ready:
            return self.next_ready()
        frames = self._frames
        while frames:
            event = self._advance(frames.popleft())
            if self._due:
                return None  # the event is kept until they have been called
            if event is not None:
                self._current = None
                return self._handed_out(event)
        return None

    async def _step(self) -> RunStreamEvent | None:
        await self._take_turn()
        try:
            return await self._next()
        finally:
            self._turn.release()

    async def _take_turn(self) -> None:
        try:
            await self._turn.acquire()
            return
        except RuntimeError:  # how anyio says that this task has it already
            pass
        raise ConfigurationError(
            f"A callback of run {self.feed.run_id} reads the run while the run is read on its behalf; "
            "neither could go on. Let another task read, or use wait().",
            code="stream_busy",
        )

    async def _next(self) -> RunStreamEvent | None:
        ready = self.next_ready()
        if ready is not None:
            return ready
        while self._current is None:
            if self._frames:
                self._advance(self._frames.popleft())
            elif self._over:
                if self._failure is not None:
                    raise fresh(self._failure)
                return None
            else:
                await self._fill()
        while self._due:
            # Taken out before it runs: what a callback raises is raised once, and the event is not lost.
            await call_back(*self._due.popleft())
        event, self._current = self._current, None
        return self._handed_out(event)

    def make_ready(self, limit: int) -> None:
        """Make events ready to be taken in any thread, without waiting.

        Only such as change nothing that a handle tells of the run but its usage: the reader may take them
        later.

        Args:
            limit: How many at most.
        """
        if self._turn.locked() or self._current is not None:
            return
        frames, ready = self._frames, self._ready
        while not self._due and frames and len(ready) < limit and not changes_status(frames[0]):
            event = self._advance(frames.popleft())
            if event is not None and not self._due:
                ready.append(event)
                self._current = None

    def next_ready(self) -> RunStreamEvent | None:
        """The next event that was made ready. May be called in any thread."""
        try:
            return self._handed_out(self._ready.popleft())
        except IndexError:
            return None

    def _handed_out(self, event: RunStreamEvent) -> RunStreamEvent:
        message = event.sdk_message
        if message is not None and message.type not in NEVER_COMPARED:
            self._read += 1
        return event

    async def drain(self) -> None:
        """Read on to the result, and shortly beyond it to the end; stop early when somebody else reads."""
        while self.feed.result is None and not self.over:
            if self.busy:
                return
            await self.next()
        with anyio.move_on_after(AFTER_RESULT_SECONDS):
            while not self.over and not self.busy:
                await self.next()

    async def settle(self, result: RunResult) -> None:
        """Take a result that came by another way than the stream, and tell the listeners."""
        before = self.feed.status
        self.feed.settle(result)
        failed: list[Exception] = []
        if self.feed.status != before:
            for listener in tuple(self.listeners):
                try:
                    await call_back(listener, self.feed.status)
                except Exception as error:  # noqa: BLE001 - the user's; the other listeners hear of it too
                    failed.append(error)
        if failed:
            raise failed[0]

    async def aclose(self) -> None:
        """Drop the connection; what was read and not yet handed out stays, and then readers get an error."""
        if not self.over and not self.feed.ended and self._failure is None:
            feed = self.feed
            self._failure = ClosedError(
                f"The stream of run {feed.run_id} was closed on this side before the run had ended. "
                "Read the run again with observe() or get_run(), or wait() for its result.",
                code="closed",
                is_safe_to_retry=True,
            )
            placed(self._failure, feed.run_id, feed.offset)
        self._finish()
        stream, self._stream = self._stream, None
        if stream is not None:
            await stream.aclose()

    def drop(self) -> None:
        """Nobody holds the handle any more: drop the connection. May be called in any thread."""
        if self.home is not None and self._stream is not None and not self._over:
            self.home.post_threadsafe(self.aclose)

    async def interrupt(self, error: CursorSDKError) -> None:
        """End the stream from our side: readers get ``error`` after what was already read."""
        if not self._over:
            self._failure = error
            await self.aclose()

    async def _fill(self) -> None:
        """Wait for the next frames of the stream."""
        late: LateFrames | None = None
        try:
            if self._stream is None:
                assert self._open_stream is not None
                self._stream = self._late = self._open_stream()
                self.home = self._late.owner
            late = self._late
            frames = await self._stream.receive()
            self._frames.extend(frames)
            if frames[-1].kind != "keepalive":
                self.heard = anyio.current_time()
        except anyio.EndOfStream:
            self._end(None)
        except CursorSDKError as error:
            if late is not None and not late.opened and not self._over:
                raise  # nothing was lost; the next step tries again
            self._end(error)

    def _finish(self) -> None:
        self._over = True
        if self.on_end is not None:
            self.on_end(self)

    def _end(self, error: CursorSDKError | None) -> None:
        if self._over:  # interrupted or closed by us meanwhile: that reason stands
            return
        self._finish()
        if error is not None and self.feed.done:
            logger.debug("run %s: the stream broke after its end marker: %s", self.feed.run_id, error)
        elif error is not None:
            self._failure = placed(error, self.feed.run_id, self.feed.offset).with_traceback(None)

    def _advance(self, frame: RunFrame) -> RunStreamEvent | None:
        """Take one frame and line up the callbacks that it calls for."""
        before = self.feed.status
        event = self._current = self.feed.take(frame)
        if event is None:
            return None
        if self.feed.status != before:
            for listener in tuple(self.listeners):
                self._line_up(listener, self.feed.status)
        if self._on_delta is not None and event.interaction_update is not None:
            self._line_up(self._on_delta, event.interaction_update)
        if self._on_step is not None and event.step is not None:
            self._line_up(self._on_step, event.step)
        return event

    def _line_up(self, callback: Callback, argument: Any) -> None:
        self._due.append((callback, argument))
