"""The thread in which the asynchronous package works for callers who wait.

Nothing leaks: the thread ends with its portal or with the process, and closes first what was opened in it.
Nothing hangs: it never keeps the process from ending, a forked child is refused at once, and so is a call
from the thread itself.
"""

from __future__ import annotations

import atexit
import os
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from concurrent.futures import CancelledError
from contextlib import suppress
from functools import partial
from typing import ParamSpec, Protocol, TypeVar
from weakref import WeakSet

import anyio
from anyio.from_thread import BlockingPortal
from typing_extensions import Self

from cursor_sdk_async.errors import ClosedError, SyncUsageError
from cursor_sdk_sync._steps import Steps
from cursor_sdk_sync._work import Work

__all__ = ["Portal", "shared_portal"]

P = ParamSpec("P")
T = TypeVar("T")

#: How long closing may take to close the clients that are still open; their tasks are cancelled then.
FAREWELL_SECONDS = 5.0
#: And how long the thread may take to end after that.
END_SECONDS = 2.0


class _Closable(Protocol):
    async def aclose(self) -> None: ...


class Portal:
    """A thread with an event loop of its own, started at the first call.

    All clients share one unless they are given another (``portal=``), for example to keep a client whose
    callbacks block from delaying the rest. Closing it closes the clients that were opened in it, at the
    latest at the end of the process.

    Args:
        name: The name of the thread.
    """

    def __init__(self, name: str = "cursor_sdk_sync portal") -> None:
        self._name = name
        self._pid = os.getpid()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._portal: BlockingPortal | None = None
        self._started = threading.Event()
        self._closed = False
        self._clients: WeakSet[_Closable] = WeakSet()
        _portals.add(self)

    @property
    def closed(self) -> bool:
        """Whether it is closed, or belongs to the process that forked this one."""
        return self._closed or self._pid != os.getpid()

    # Calls

    def call(self, fn: Callable[P, Awaitable[T]], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Await ``fn(*args, **kwargs)`` in the portal and wait for it.

        Ctrl-C cancels it, waits for its cleanup (1.5 s at most), and is raised then.

        Raises:
            SyncUsageError: Called in the portal's own thread, or in a forked child.
            ClosedError: The portal is closed.
        """
        return Work(self._open(), partial(fn, *args, **kwargs)).outcome()

    def do(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """The same for a function that is not awaited, but belongs into the loop."""

        async def called() -> T:
            return fn(*args, **kwargs)

        return self.call(called)

    def watch(
        self,
        give_up: Callable[[], Awaitable[object]],
        fn: Callable[P, Awaitable[T]],
        /,
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> T:
        """The same; after Ctrl-C ``give_up()`` is awaited too."""
        return Work(self._open(), partial(fn, *args, **kwargs), give_up).outcome()

    def obtain(
        self,
        undo: Callable[[T], Awaitable[object]],
        give_up: Callable[[], Awaitable[object]] | None,
        fn: Callable[P, Awaitable[T]],
        /,
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> T:
        """The same; ``undo(result)`` is awaited when Ctrl-C keeps the caller from getting the result."""
        return Work(self._open(), partial(fn, *args, **kwargs), give_up, undo).outcome()

    def finish(self, close: Callable[[], Awaitable[object]]) -> None:
        """Await ``close()``; a closed portal has closed everything, and a forked child owns nothing."""
        if not self.closed:
            self.call(close)

    def iterate(self, iterator: AsyncIterator[T], give_up: Callable[[], Awaitable[object]]) -> Steps[T]:
        """The items of an asynchronous iterator; what has arrived together costs one change of threads."""
        return Steps(partial(self.watch, give_up), iterator)

    def keep(self, client: _Closable) -> None:
        """Close ``client``, if it still lives then, before the portal ends."""
        with self._lock:
            self._clients.add(client)

    def check(self) -> None:
        """Refuse what would hang.

        Raises:
            SyncUsageError: The caller is the portal's own thread, or a forked child.
            ClosedError: The portal is closed.
        """
        if self._pid != os.getpid():
            raise SyncUsageError(
                "This handle belongs to the process that forked this one; its connection and its bridge "
                "cannot be shared. Make a new client in each process, after the fork."
            )
        if self._thread is threading.current_thread():
            raise SyncUsageError(
                "A blocking call was made in the event loop that would have to do the work, so it would wait "
                "for itself. Make it in another thread, or use the handles of cursor_sdk_async here."
            )
        if self._closed:
            raise ClosedError("The portal is closed. Make a new client.", code="closed")

    # The thread

    def _open(self) -> BlockingPortal:
        self.check()
        if self._portal is None:
            with self._lock:
                if self._thread is None and not self._closed:
                    # A thread that is no daemon would be waited for before atexit could end it.
                    thread = threading.Thread(target=self._main, name=self._name, daemon=True)
                    thread.start()
                    self._thread = thread
                    atexit.register(self.close)
            self._started.wait()
        if self._portal is None:
            raise ClosedError("The portal is closed. Make a new client.", code="closed")
        return self._portal

    def _main(self) -> None:
        try:
            anyio.run(self._serve)
        finally:
            self._started.set()

    async def _serve(self) -> None:
        async with BlockingPortal() as self._portal:
            self._started.set()
            await self._portal.sleep_until_stopped()

    def close(self) -> None:
        """Close the clients that are still open and end the thread; bounded by 9 s, and usually at once.

        Closing twice, or in a forked child, is harmless.

        Raises:
            SyncUsageError: Called in the portal's own thread.
        """
        if self.closed:
            return
        self.check()
        with self._lock:
            portal, self._portal, self._closed = self._portal, None, True
        if portal is None or self._thread is None:
            return
        atexit.unregister(self.close)
        with suppress(Exception, CancelledError):  # its event loop may have ended; the end cancels this too
            portal.start_task_soon(self._end, portal).result(FAREWELL_SECONDS + END_SECONDS)
        self._thread.join(END_SECONDS)  # a worker thread that never ends keeps it, and ends with the process

    async def _end(self, portal: BlockingPortal) -> None:
        try:
            with self._lock:
                clients = list(self._clients)
            with anyio.move_on_after(FAREWELL_SECONDS):
                async with anyio.create_task_group() as group:
                    for client in clients:
                        group.start_soon(_close, client)
        finally:
            await portal.stop(cancel_remaining=True)

    def __enter__(self) -> Self:
        self.check()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        state = "closed" if self._closed else "not started" if self._portal is None else "running"
        return f"<Portal {self._name!r} {state}>"


async def _close(client: _Closable) -> None:
    with suppress(Exception):  # the others are to be closed all the same
        await client.aclose()


_portals: WeakSet[Portal] = WeakSet()
_parents: list[object] = []
_lock = threading.Lock()
_shared: Portal | None = None


def shared_portal() -> Portal:
    """The portal of this process; a fresh one after a fork."""
    global _shared
    with _lock:
        if _shared is None or _shared.closed:
            _shared = Portal()
        return _shared


def _forget_after_fork() -> None:
    # Its thread is not in the child, and its lock may be held for ever.
    global _lock, _shared
    _lock, _shared = threading.Lock(), None
    # What belongs to the parent's event loop must not be finalised here, so it is kept.
    _parents.extend((portal, list(portal._clients)) for portal in list(_portals))


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_after_fork)
