"""What all calls over one lane share: whether it is still up, what waits on it, and why a call was lost.

Nothing hangs: ``fail`` ends the wait of every pending call and stream at once, each with an error of its own.
Nothing leaks: a call is registered only while it waits.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager
from typing import Any
from weakref import WeakSet

import anyio

from cursor_sdk_async._connect._seam import Lane, TransportFailure
from cursor_sdk_async._lifecycle import interrupt_in
from cursor_sdk_async.errors import APITimeoutError, ClosedError, CursorSDKError, NetworkError

__all__ = ["ExplainLoss", "Line"]

ExplainLoss = Callable[[], Awaitable["CursorSDKError | None"]]

#: The end of a process is known a moment after its connections broke.
EXPLAIN_SECONDS = 2.0


class Line:
    """The shared state of the channels over one lane.

    Args:
        lane: Carries the bytes.
        explain_loss: Asked for the reason when the transport has failed.

    Attributes:
        streams: The streams that are open.
    """

    def __init__(self, lane: Lane, explain_loss: ExplainLoss | None) -> None:
        self.lane = lane
        self.streams: WeakSet[Any] = WeakSet()
        self._explain_loss = explain_loss
        self._waiting: set[anyio.CancelScope] = set()
        self._make_error: Callable[[], CursorSDKError] | None = None
        self._closed = False

    @property
    def down(self) -> bool:
        """Whether it was closed, or has failed for good."""
        return self._closed or self._make_error is not None

    def check(self, rpc: str) -> None:
        """Refuse a call when the line is down.

        Raises:
            ClosedError: It was closed.
            CursorSDKError: What it failed with.
        """
        if self.down:
            raise self.reason(rpc, sent=False)

    def reason(self, rpc: str, *, sent: bool) -> CursorSDKError:
        """A fresh error that says why the line is down."""
        if self._make_error is not None and not (self._closed and not sent):
            error = self._make_error()
            error.is_safe_to_retry = error.is_safe_to_retry or not sent
        else:
            what = (
                "was cut short: the client was closed meanwhile."
                if sent
                else "was not sent: the client is closed."
            )
            error = ClosedError(f"{rpc} {what} Make a new client.", code="closed", is_safe_to_retry=not sent)
        error.rpc = error.rpc or rpc
        return error

    def fail(self, make_error: Callable[[], CursorSDKError]) -> None:
        """End every wait, now and later. The first reason stands."""
        if self._make_error is None:
            self._make_error = make_error
        self._interrupt()

    def close(self) -> None:
        """Refuse new calls and end those that wait."""
        self._closed = True
        self._interrupt()

    def _interrupt(self) -> None:
        for scope in tuple(self._waiting):
            scope.cancel()

    @contextmanager
    def waiting(self, limit: float | None) -> Generator[anyio.CancelScope, None, None]:
        """A scope around one wait, which ends at the limit and when the line goes down."""
        scope = anyio.CancelScope()
        if limit is not None:
            scope.deadline = anyio.current_time() + limit
        self._waiting.add(scope)
        try:
            with scope:
                yield scope
        except BaseException as error:
            interrupt = interrupt_in(error)  # connecting waits in a task group
            if interrupt is None:
                raise
            raise interrupt from None
        finally:
            self._waiting.discard(scope)

    async def sleep(self, seconds: float) -> None:
        """Wait that long, or until the line goes down."""
        with self.waiting(seconds):
            await anyio.sleep_forever()

    async def explain(self, rpc: str, failure: TransportFailure, *, safe: bool) -> CursorSDKError:
        """The error for a lost connection: what the end of the bridge says, or that the network is to blame.

        Args:
            rpc: The call.
            failure: What the lane saw.
            safe: Whether the call only reads.
        """
        error = await self._ask()
        if error is None:
            error = _lost(rpc, failure, safe=safe)
        error.is_safe_to_retry = safe or not failure.sent
        error.rpc = error.rpc or rpc
        return error

    async def _ask(self) -> CursorSDKError | None:
        if self._make_error is not None:
            return self._make_error()
        error: CursorSDKError | None = None
        if self._explain_loss is not None:
            with anyio.move_on_after(EXPLAIN_SECONDS):
                error = await self._explain_loss()
        return error


def _lost(rpc: str, failure: TransportFailure, *, safe: bool) -> CursorSDKError:
    """The one place where a transport failure becomes an error for users."""
    if not failure.sent:
        outcome = "Nothing was sent, so the call may be repeated. Is the bridge running, and at this address?"
    elif safe:
        outcome = "It only reads, so it may be repeated."
    else:
        outcome = (
            "The outcome is unknown: the request may have been accepted before the answer was lost. "
            "Look at the state before you repeat it."
        )
    kind = APITimeoutError if failure.timed_out else NetworkError
    return kind(
        f"{rpc} got no complete answer: {failure.reason}. {outcome}",
        code="timeout" if failure.timed_out else "network",
        is_retryable=True,
        cause=failure.cause,
    )
