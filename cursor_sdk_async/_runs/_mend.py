"""A run stream that is taken up again when it breaks, while its reader notices nothing.

Nothing leaks: each broken stream is closed before the next one is opened, and ``aclose`` closes the present
one. Nothing hangs: the attempts that bring nothing new are bounded, with ``PAUSES`` between them, and
``aclose`` ends a pause.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import anyio

from cursor_sdk_async._connect._frames import RunFrame
from cursor_sdk_async._lifecycle import Owner
from cursor_sdk_async._runs._reader import Frames, LateFrames
from cursor_sdk_async._runs._resume import Journal, Mismatch
from cursor_sdk_async.errors import (
    APITimeoutError,
    BridgeError,
    ClosedError,
    CursorSDKError,
    ProtocolError,
    StreamInterruptedError,
)
from cursor_sdk_async.errors._base import fresh

__all__ = ["PAUSES", "MendedStream"]

T = TypeVar("T")

logger = logging.getLogger("cursor_sdk_async")

#: Seconds before each attempt to take a stream up again; what is new starts the row again.
PAUSES = (0.0, 0.1, 0.3, 1.0, 2.0)


def final(error: CursorSDKError) -> bool:
    """Whether nothing can be asked of the bridge any more."""
    return isinstance(error, BridgeError | ClosedError)


def is_break(error: CursorSDKError) -> bool:
    """Whether a stream that ended so may be taken up again.

    Not so when the bridge died, when we closed it, when a limit of the caller's passed, and when the bridge
    broke the contract.
    """
    if final(error) or isinstance(error, ProtocolError | APITimeoutError):
        return False
    return isinstance(error, StreamInterruptedError) or error.is_retryable


def done_after(result: dict[str, Any]) -> RunFrame:
    """The end marker that should have followed a result."""
    return RunFrame("done", {name: result[name] for name in ("agentId", "runId") if name in result}, None)


class MendedStream:
    """The ``Frames`` of a run, over as many streams as it takes.

    Args:
        journal: What was received.
        again: Makes a stream of the run that begins at its first message.
        ask: Waits for the result, and gives it as the payload of a result frame.
        owner: The owner of the loop that the streams belong to.
        run_id: The run.
        stream: The first stream, where it is open already.
        updates: Whether the first stream has updates or steps, which no later one has.
        pauses: Seconds before each attempt.
    """

    def __init__(
        self,
        journal: Journal,
        again: Callable[[], LateFrames],
        ask: Callable[[], Awaitable[dict[str, Any]]],
        owner: Owner,
        *,
        run_id: str,
        stream: Frames | None = None,
        updates: bool = False,
        pauses: tuple[float, ...] = PAUSES,
    ) -> None:
        self.journal = journal
        self.owner = owner
        self._again = again
        self._ask = ask
        self._late: LateFrames | None = again() if stream is None else None
        self._stream: Frames | None = self._late or stream
        self._replays = False
        self._run_id = run_id
        self._updates = updates
        self._pauses = pauses
        self._attempts = 0
        self._pausing = False
        self._broken: CursorSDKError | None = None
        self._answer: dict[str, Any] | None = None
        self._failure: CursorSDKError | None = None
        self._waiting: anyio.CancelScope | None = None
        self._closed = False

    @property
    def opened(self) -> bool:
        """Whether the first stream was opened."""
        return self._replays or self._late is None or self._late.opened

    async def receive(self) -> list[RunFrame]:
        """The frames that are new. A cancelled call loses nothing.

        Raises:
            anyio.EndOfStream: The run has ended.
            StreamInterruptedError: The stream could not be taken up again, or its replay differs from it.
            CursorSDKError: It ended in a way that is no break.
        """
        while True:
            if self._failure is not None:
                raise fresh(self._failure)
            new = await self._step()
            if new:
                return new

    async def aclose(self) -> None:
        """Drop the connection, whichever it is."""
        self._closed = True
        if self._waiting is not None:
            self._waiting.cancel()
        stream, self._stream = self._stream, None
        if stream is not None:
            await stream.aclose()

    async def _step(self) -> list[RunFrame]:
        if self._stream is None:
            await self._reopen()
            return []
        try:
            frames = await self._stream.receive()
        except anyio.EndOfStream:
            if self.journal.done:
                raise
            frames = await self._ended()
        except CursorSDKError as error:
            frames = await self._failed(error)
        return await self._take(frames)

    async def _take(self, frames: list[RunFrame]) -> list[RunFrame]:
        journal, before = self.journal, self.journal.count
        try:
            new = journal.take(frames)
        except Mismatch as mismatch:
            await self._give_up(self._differs(mismatch))
            return []
        if journal.count > before:
            self._attempts = 0
        if self._broken is not None and frames and self._replays and not journal.skipping:
            self._mended(self._broken, new)
        return new

    def _mended(self, broken: CursorSDKError, new: list[RunFrame]) -> None:
        """The place was found: say so, and once what is lost from here on."""
        self._broken = None
        name, count = self._run_id, self.journal.count
        logger.info("run %s: the stream broke (%s) and goes on after message %d", name, broken, count)
        if self._updates:
            self._updates = False
            logger.info("run %s: its updates and steps are lost from here on", name)
            new.insert(0, RunFrame("gap", {"reason": str(broken)}, None))

    async def _ended(self) -> list[RunFrame]:
        """A stream ended well before its end marker: a replay may go on, or else the bridge is asked."""
        result = self.journal.result
        if result is not None:
            return [done_after(result.payload)]
        broken = self._interrupted(f"The stream of run {self._run_id} ended without a result.")
        try:
            self.journal.closed()
        except Mismatch as mismatch:
            broken = self._differs(mismatch)
        else:
            if self._answer is not None:
                return [RunFrame("result", self._answer, None), done_after(self._answer)]
            if self._replays:
                self._answer = await self._wait(self._asked)  # it has ended now: the next replay is whole
        await self._give_up(broken)
        return []

    async def _asked(self) -> dict[str, Any]:
        try:
            return await self._ask()
        except CursorSDKError as error:
            if final(error):
                raise
            raise self._fail(self._exhausted(error)) from error

    async def _failed(self, error: CursorSDKError) -> list[RunFrame]:
        if self._closed or final(error):
            raise error
        result = self.journal.result
        if result is not None and is_break(error):
            if self.journal.done:
                raise anyio.EndOfStream
            return [done_after(result.payload)]
        if self._late is not None and not self._late.opened:
            if not self._replays:
                raise error  # nothing was lost; the next step opens it
            if not error.is_retryable:
                raise self._fail(self._exhausted(error))
        elif not is_break(error):
            raise error
        await self._give_up(error)
        return []

    async def _give_up(self, broken: CursorSDKError) -> None:
        """Let a stream go, and the next step open another one; raise when that was the last attempt."""
        self._broken = self._broken or broken
        error = None if self._attempts < len(self._pauses) else self._fail(self._exhausted(broken))
        self._pausing = True
        stream, self._stream = self._stream, None
        if stream is not None:
            await stream.aclose()
        if error is not None:
            raise error

    async def _reopen(self) -> None:
        if self._pausing:
            await self._wait(anyio.sleep, self._pauses[self._attempts])
            self._attempts += 1
            self._pausing = False
        self._check()
        self.journal.replay()
        self._replays = True
        self._stream = self._late = self._again()

    async def _wait(self, fn: Callable[..., Awaitable[T]], *args: Any) -> T:
        """Wait for something else than the stream; ``aclose`` ends that."""
        self._check()
        with anyio.CancelScope() as scope:
            self._waiting = scope
            try:
                return await fn(*args)
            finally:
                self._waiting = None
        self._check()
        raise AssertionError("cancelled by nobody")

    def _check(self) -> None:
        if self._closed:
            raise ClosedError(f"The stream of run {self._run_id} was closed on this side.", code="closed")

    def _fail(self, error: CursorSDKError) -> CursorSDKError:
        self._failure = error.with_traceback(None)
        return fresh(error)

    def _differs(self, mismatch: Mismatch) -> CursorSDKError:
        ends = "ends before" if mismatch.short else "differs from what was read at"
        return self._interrupted(
            f"The stream of run {self._run_id} broke, and its replay {ends} message {mismatch.index + 1} of "
            f"{self.journal.count}.",
            code="replay_differs",
        )

    def _exhausted(self, last: CursorSDKError) -> CursorSDKError:
        """The error for users, when no more attempt is made."""
        return self._interrupted(
            f"The stream of run {self._run_id} broke after message {self.journal.count}, and could not be "
            f"taken up again: {last} The run itself may still be going on; wait() for its result, or read it "
            "from the start with observe().",
            code=last.code if isinstance(last, StreamInterruptedError) else None,
            cause=last,
        )

    @staticmethod
    def _interrupted(
        message: str, *, code: str | None = None, cause: Exception | None = None
    ) -> CursorSDKError:
        return StreamInterruptedError(
            message, code=code or "stream_interrupted", is_retryable=True, cause=cause
        )
