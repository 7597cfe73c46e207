"""One piece of work in a portal, and the caller who waits for it.

Nothing hangs: the caller is told of the end of the work whatever ends it, and after Ctrl-C waits for its
cleanup for ``CLEANUP_SECONDS`` at most.
"""

from __future__ import annotations

import sys
from collections.abc import Awaitable, Callable
from concurrent.futures import Future
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import Any, Generic, TypeVar

import anyio
from anyio.from_thread import BlockingPortal

from cursor_sdk_async.blocking import callback_runner
from cursor_sdk_async.errors import ClosedError

__all__ = ["Work"]

T = TypeVar("T")

#: After Ctrl-C: cancelling the work, its own cleanup and the cancel of its run, all together.
CLEANUP_SECONDS = 1.5
SLACK_SECONDS = 0.2
#: Waiting without a limit cannot be interrupted on Windows.
TICK_SECONDS = 0.2 if sys.platform == "win32" else None


class Work(Generic[T]):
    """What one caller waits for.

    Args:
        portal: Where the work is done.
        work: The work.
        give_up: Awaited in the portal when the caller is interrupted, once the work has been cancelled.
        undo: Awaited likewise, with the result, when the work had just come to one.
    """

    def __init__(
        self,
        portal: BlockingPortal,
        work: Callable[[], Awaitable[T]],
        give_up: Callable[[], Awaitable[object]] | None = None,
        undo: Callable[[T], Awaitable[object]] | None = None,
    ) -> None:
        self._portal = portal
        self._work: Callable[[], Awaitable[T]] | None = work
        self._give_up: Callable[[], Awaitable[object]] | None = give_up
        self._undo: Callable[[T], Awaitable[object]] | None = undo
        self._results: list[T] = []
        self._error: BaseException | None = None
        self._scope: anyio.CancelScope | None = None
        self._over: anyio.Event | None = None
        #: What the caller is to do while it waits; ``None`` at the end.
        self._errands: SimpleQueue[Callable[[], None] | None] = SimpleQueue()

    # In the thread of the caller

    def outcome(self) -> T:
        """Have the work done and wait for it, serving its callbacks meanwhile."""
        try:
            future = self._portal.start_task_soon(self._run)
            future.add_done_callback(self._ended)  # also when it never ran
            while (errand := self._next()) is not None:
                errand()
        except BaseException:  # Ctrl-C, or a callback that ends the program
            self._clean_up()
            raise
        finally:
            # The context of the work outlives it in sockets that it opened, and must hold no handles.
            self._work = self._give_up = self._undo = None
        return self._result()

    def _next(self) -> Callable[[], None] | None:
        while True:
            try:
                return self._errands.get(timeout=TICK_SECONDS)
            except Empty:
                continue

    def _ended(self, _: Future[None]) -> None:
        self._errands.put(None)

    def _result(self) -> T:
        error, self._error = self._error, None
        try:
            if error is not None:
                raise error
        finally:
            del error  # its traceback holds this frame
        if not self._results:
            raise ClosedError("The call was cut short: the portal was closed meanwhile.", code="closed")
        return self._results.pop()

    def _clean_up(self) -> None:
        # What interrupted the caller matters more than how this ends. Who presses twice is in a hurry.
        with suppress(BaseException):
            self._portal.start_task_soon(self._put_away).result(CLEANUP_SECONDS + SLACK_SECONDS)

    def _serve(self, callback: Callable[..., Any], argument: Any, reply: Future[Any]) -> None:
        try:
            reply.set_result(callback(argument))
        except Exception as error:  # noqa: BLE001 - the user's; it goes to the work, which raises it to us
            reply.set_exception(error)

    # In the portal

    async def _run(self) -> None:
        callback_runner.set(self._call_back)
        self._over = anyio.Event()
        try:
            assert self._work is not None
            with anyio.CancelScope() as self._scope:
                self._results.append(await self._work())
        except (anyio.get_cancelled_exc_class(), GeneratorExit):
            raise
        except BaseException as error:  # noqa: BLE001 - it belongs to the caller, and must not end the portal
            self._error = error
        finally:
            self._over.set()

    async def _call_back(self, callback: Callable[..., Any], argument: Any) -> Any:
        """Have a callback called in the thread of the caller; when that waits no more, in a worker thread."""
        if self._over is None or self._over.is_set():
            return await anyio.to_thread.run_sync(callback, argument)
        reply: Future[Any] = Future()
        answered = anyio.Event()

        def errand() -> None:
            self._serve(callback, argument, reply)
            self._portal.start_task_soon(answered.set)

        self._errands.put(errand)
        await answered.wait()
        return reply.result()

    async def _put_away(self) -> None:
        undo, give_up = self._undo, self._give_up
        with anyio.move_on_after(CLEANUP_SECONDS):
            if self._scope is not None and self._over is not None:
                self._scope.cancel()
                await self._over.wait()
            if undo is not None and self._results:
                await undo(self._results.pop())
            if give_up is not None:
                await give_up()
