"""The owner task: where everything long-lived of one client runs, detached from whoever made the client.

What an owner runs can never outlive it, and nothing escapes from it into the loop. Waiting for an owner never
hangs: it ends when it is asked to, and when its loop ends.
"""

from __future__ import annotations

import logging
import os
import warnings
from collections import deque
from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from typing import Any, Generic, Protocol, TypeVar, cast

import anyio
import anyio.abc
import anyio.lowlevel

from cursor_sdk_async._lifecycle._loops import Loop, current_loop
from cursor_sdk_async.errors import ClosedError

__all__ = ["LoopOwner", "Owner", "OwnerSource"]

logger = logging.getLogger("cursor_sdk_async")

T = TypeVar("T")

#: Steps that a forgotten owner lets pass before it complains: see ``_report_forgotten``.
_FORGOTTEN_STEPS = 4


class _Job(Generic[T]):
    """One function that runs in an owner, and its outcome."""

    __slots__ = ("_args", "_cancelled", "_error", "_fn", "_scope", "_value", "done")

    def __init__(self, fn: Callable[..., Awaitable[T]], args: tuple[Any, ...]) -> None:
        self._fn = fn
        self._args = args
        self._value: list[T] = []
        self._error: BaseException | None = None
        self._scope: anyio.CancelScope | None = None
        self._cancelled = False
        self.done: anyio.Event | None = None  # while somebody waits for the outcome

    async def run(self) -> None:
        try:
            # Made here and not before: a job may come from a callback of the loop, where anyio has no task.
            with anyio.CancelScope() as self._scope:
                if not self._cancelled:
                    self._value.append(await self._fn(*self._args))
        except (anyio.get_cancelled_exc_class(), GeneratorExit, KeyboardInterrupt):
            raise
        except BaseException as error:
            # It belongs to the caller; escaping from here it would end the whole loop on trio.
            self._error = error
            if self.done is None:
                logger.error("%s failed in the background", name_of(self._fn), exc_info=error)
        finally:
            self.tell()

    def tell(self) -> None:
        """Tell whoever waits that it is over."""
        if self.done is not None:
            self.done.set()

    def cancel(self) -> None:
        """Cancel it, now or before it starts."""
        self._cancelled = True
        if self._scope is not None:
            self._scope.cancel()

    def result(self) -> T:
        error, self._error = self._error, None
        try:
            if error is not None:
                raise error
        finally:
            del error  # its traceback holds this frame
        if not self._value:
            raise ClosedError(f"{name_of(self._fn)} was cut short: the client was closed meanwhile.")
        return self._value.pop()


class Owner:
    """A detached task that everything long-lived of one client runs in.

    ``main(owner)`` runs in it, together with the jobs that others give it. The owner ends when ``main``
    returns; ``main`` should do so once ``wait_close_requested`` returns. Jobs that are still running then are
    cancelled. When the loop ends first, ``main`` is cancelled, and may not count on the loop any more. It
    must hold no reference to the public client, or a forgotten client is never collected.

    Args:
        name: The name of the task.
        main: What runs in it; by default it only waits for the request to close.
    """

    def __init__(self, name: str, main: Callable[[Owner], Awaitable[None]] | None = None) -> None:
        self.name = name
        self._main = main or Owner.wait_close_requested
        self._pid = os.getpid()
        self._loop: Loop | None = None
        self._inbox: deque[_Job[Any]] = deque()
        self._news: anyio.Event | None = None
        self._close_requested = False
        self._ended = False
        self._forgotten: str | None = None

    def start(self) -> None:
        """Start the task in the loop that is running."""
        if self._loop is not None:
            raise RuntimeError("an owner is started once")
        self._pid = os.getpid()
        self._closing_event = anyio.Event()
        self._ended_event = anyio.Event()
        self._loop = current_loop()
        self._loop.spawn(self._run, self.name, self._finish)

    async def _run(self) -> None:
        _inside.set(self)
        async with anyio.create_task_group() as jobs:
            jobs.start_soon(self._take_jobs, jobs)
            try:
                await self._main(self)
                self._warn_forgotten()
            except Exception:
                # Escaping from here it would end the whole loop on trio.
                logger.exception("%s failed", self.name)
            finally:
                self._ended = self._close_requested = True
            jobs.cancel_scope.cancel()

    async def _take_jobs(self, jobs: anyio.abc.TaskGroup) -> None:
        # Jobs are started from here, so that they run in the owner's context and not in that of whoever asks.
        while True:
            self._news = anyio.Event()
            while self._inbox:
                jobs.start_soon(self._inbox.popleft().run)
            await self._news.wait()

    def _finish(self) -> None:
        self._ended = self._close_requested = True
        try:
            while self._inbox:
                self._inbox.popleft().tell()
            self._closing_event.set()
            self._ended_event.set()
        except RuntimeError:
            pass  # the loop is closed, and whoever waited in it is gone

    # State

    @property
    def closed(self) -> bool:
        """Whether it has ended, or was asked to."""
        return self._close_requested

    @property
    def ended(self) -> bool:
        """Whether its task is over."""
        return self._ended

    @property
    def is_current(self) -> bool:
        """Whether the caller runs in the loop of this owner, or it was not started yet."""
        return self._loop is None or (self._pid == os.getpid() and self._loop.is_current())

    def check(self, what: str) -> None:
        """Refuse ``what`` when the owner is closed, its own jobs excepted, or belongs to another loop.

        Raises:
            ClosedError: It is closed, or belongs to another loop.
        """
        if not self.is_current:
            raise ClosedError(
                f"{what} is not possible here: this client belongs to another event loop, or to the "
                "process that "
                "forked this one. Make a client in each loop that uses one."
            )
        if self._close_requested and _inside.get() is not self:
            raise ClosedError(f"{what} is not possible: the client is closed. Make a new one.")

    # Jobs

    async def call(self, fn: Callable[..., Awaitable[T]], *args: Any, keep: bool = False) -> T:
        """Run ``fn(*args)`` in the owner and wait for its result.

        A cancelled caller cancels the job and does not wait for it; with ``keep`` the job goes on without it.
        A result that nobody waits for any more is dropped: a job that acquires something must itself keep
        track of it.

        Raises:
            ClosedError: The owner is closed, or belongs to another loop.
        """
        self.check(name_of(fn))
        job = _Job(fn, args)
        job.done = anyio.Event()
        self._submit(job)
        try:
            await job.done.wait()
        except anyio.get_cancelled_exc_class():
            job.done = None
            if not keep:
                job.cancel()
            raise
        return job.result()

    def post(self, fn: Callable[..., Awaitable[object]], *args: Any) -> None:
        """Run ``fn(*args)`` in the owner, some time; what it raises is logged.

        Dropped when the owner has ended.
        """
        if not self._ended:
            self._submit(_Job(fn, args))

    def post_threadsafe(self, fn: Callable[..., Awaitable[object]], *args: Any) -> None:
        """The same from any thread; after a fork, or after the end of the loop, it does nothing."""
        if self._loop is not None and self._pid == os.getpid():
            self._loop.post(lambda: self.post(fn, *args))

    def _submit(self, job: _Job[Any]) -> None:
        if self._loop is None:
            raise RuntimeError("the owner was not started")
        if self._ended:
            job.tell()  # its result is then that the client was closed
            return
        self._inbox.append(job)
        if self._news is not None:
            self._news.set()

    # Closing

    async def wait_close_requested(self) -> None:
        """Wait until somebody wants the owner to end."""
        await self._closing_event.wait()

    async def wait_ended(self) -> None:
        """Wait until the owner has ended."""
        await self._ended_event.wait()

    def request_close(self) -> None:
        """Ask the owner to end; to be called in its loop."""
        self._close_requested = True
        if self._loop is not None:
            self._closing_event.set()

    def request_close_threadsafe(self, forgotten: str | None = None) -> bool:
        """Ask the owner to end, from anywhere; harmless after a fork and after the end of the loop.

        Args:
            forgotten: The text of a ResourceWarning, which is given unless the loop itself is ending.

        Returns:
            False when the loop is gone without having ended the owner.
        """
        if self._loop is None or self._ended or self._pid != os.getpid():
            return True

        def request() -> None:
            if forgotten is not None and not self._close_requested:
                self._forgotten = forgotten
                self.post(self._report_forgotten)
            self.request_close()

        return self._loop.post(request)

    async def aclose(self) -> None:
        """Ask the owner to end and wait for it; a cancelled caller leaves it ending.

        Raises:
            ClosedError: It belongs to another loop that is still running; it was asked to end there.
        """
        if self._loop is None or self._ended or self._pid != os.getpid():
            self._close_requested = True
        elif self._loop.is_current():
            self.request_close()
            if _inside.get() is not self:  # it cannot wait for itself
                await self.wait_ended()
        elif self.request_close_threadsafe():
            raise ClosedError(
                "This client belongs to another event loop. It was asked to close there, and nobody waited "
                "for it."
            )

    async def _report_forgotten(self) -> None:
        # A program that ends without closing often drops its last reference while the loop still runs. The
        # end of the loop then cancels this task within a step or two, and there is nothing to complain about.
        for _ in range(_FORGOTTEN_STEPS):
            await anyio.lowlevel.checkpoint()
        self._warn_forgotten()

    def _warn_forgotten(self) -> None:
        message, self._forgotten = self._forgotten, None
        if message is not None:
            _Unclosed(message)


#: The owner whose task, or whose job, is running.
_inside: ContextVar[Owner | None] = ContextVar("cursor_sdk_async_owner", default=None)


class _Unclosed:
    """Warns when it is collected: where warnings are errors, this one then reaches ``sys.unraisablehook``."""

    __slots__ = ("_message",)

    def __init__(self, message: str) -> None:
        self._message = message

    def __del__(self) -> None:
        warnings.warn(self._message, ResourceWarning, stacklevel=2)


def name_of(fn: Callable[..., Any]) -> str:
    """The name of a function, for people."""
    return cast("str", getattr(fn, "__qualname__", None) or type(fn).__qualname__)


class OwnerSource(Protocol):
    """Gives the owner task of a client for the loop that runs now."""

    def __call__(self) -> Owner:
        """The owner, started."""
        ...


class LoopOwner:
    """The owner for whichever loop is running: a client that holds no process may move from loop to loop.

    Args:
        name: The name of the tasks.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._owner: Owner | None = None
        self._closed = False

    def __call__(self) -> Owner:
        """The owner of the running loop, started; a fresh one where the last belongs to another loop.

        Raises:
            ClosedError: ``aclose`` was called.
        """
        owner = self._owner
        if self._closed:
            if owner is None or not owner.is_current:
                raise ClosedError("The client is closed. Make a new one.")
            return owner  # what is still ending may use it; its own check refuses the rest
        if owner is None or owner.ended or not owner.is_current:
            if owner is not None:
                owner.request_close_threadsafe()
            self._owner = owner = Owner(self._name)
            owner.start()
        return owner

    @property
    def closed(self) -> bool:
        """Whether it was closed, or asked to."""
        return self._closed

    def request_close_threadsafe(self, forgotten: str | None = None) -> bool:
        """As ``Owner.request_close_threadsafe``."""
        self._closed = True
        return self._owner is None or self._owner.request_close_threadsafe(forgotten)

    async def aclose(self) -> None:
        """End the owner; twice is harmless."""
        self._closed = True
        if self._owner is not None:
            if self._owner.is_current:
                await self._owner.aclose()
            else:
                self._owner.request_close_threadsafe()
