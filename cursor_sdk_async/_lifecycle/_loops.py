"""The event loops that an owner may run on: the one file that names asyncio and trio.

A task spawned here is held until it ends, and its end is always reported. Posting to a loop never blocks and
never raises, from any thread, also when the loop is over.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Coroutine
from contextvars import Context
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    import trio

__all__ = ["Loop", "current_loop", "in_loop"]

Main = Callable[[], Coroutine[Any, Any, None]]


class Loop(Protocol):
    """An event loop."""

    def is_current(self) -> bool:
        """Whether the caller runs in this loop."""
        ...

    def spawn(self, main: Main, name: str, done: Callable[[], None]) -> None:
        """Start a detached task in an empty context; ``done`` is called however it ends."""
        ...

    def post(self, fn: Callable[[], None]) -> bool:
        """Have the loop call ``fn``, from any thread; False when the loop is over."""
        ...


#: The loop itself knows its tasks only weakly.
_TASKS: set[asyncio.Task[None]] = set()


class _AsyncioLoop:
    __slots__ = ("_loop",)

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()

    def is_current(self) -> bool:
        try:
            return asyncio.get_running_loop() is self._loop
        except RuntimeError:
            return False

    def spawn(self, main: Main, name: str, done: Callable[[], None]) -> None:
        # create_task(context=) is new in 3.11; a task copies the context it is made in.
        task: asyncio.Task[None] = Context().run(lambda: self._loop.create_task(main(), name=name))
        _TASKS.add(task)

        def ended(task: asyncio.Task[None]) -> None:
            _TASKS.discard(task)
            done()  # also when it was cancelled before its first step, and no finally of its own ran

        task.add_done_callback(ended)

    def post(self, fn: Callable[[], None]) -> bool:
        try:
            self._loop.call_soon_threadsafe(fn, context=Context())
        except RuntimeError:  # closed
            return False
        return True


class _TrioLoop:
    __slots__ = ("_token", "_trio")

    def __init__(self) -> None:
        import trio

        self._trio = trio
        self._token: trio.lowlevel.TrioToken = trio.lowlevel.current_trio_token()

    def is_current(self) -> bool:
        try:
            return self._trio.lowlevel.current_trio_token() is self._token
        except RuntimeError:
            return False

    def spawn(self, main: Main, name: str, done: Callable[[], None]) -> None:
        async def run() -> None:
            try:
                await main()
            finally:
                done()

        self._trio.lowlevel.spawn_system_task(run, name=name, context=Context())

    def post(self, fn: Callable[[], None]) -> bool:
        try:
            self._token.run_sync_soon(fn)
        except self._trio.RunFinishedError:
            return False
        return True


def current_loop() -> Loop:
    """The loop that runs the caller.

    Raises:
        RuntimeError: There is none.
    """
    trio_module = sys.modules.get("trio")
    if trio_module is not None and trio_module.lowlevel.in_trio_run():
        return _TrioLoop()
    return _AsyncioLoop()


def in_loop() -> bool:
    """Whether an event loop runs the caller."""
    try:
        current_loop()
    except RuntimeError:
        return False
    return True
