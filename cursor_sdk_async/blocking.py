"""What a front without ``await`` builds on, such as ``cursor_sdk_sync``; for fronts of your own too.

Such a front runs the client in an event loop of another thread. Three things it cannot do from outside: have
the callbacks of a run called in the thread of whoever waits, take many events with one change of threads, and
tell an interrupted caller's run to stop. The last one is :meth:`AsyncRun.interrupt` and
:meth:`AsyncClient.settle`; the others are here, with :func:`on_both` for methods like ``Agent.archive``.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import AsyncIterator, Awaitable, Callable
from contextvars import ContextVar
from inspect import isawaitable
from typing import Any, TypeVar

from cursor_sdk_async._both import Both, on_both

__all__ = ["Both", "CallbackRunner", "ReadyIterator", "call_back", "callback_runner", "on_both"]

T = TypeVar("T")

#: Calls a callback with its argument, somewhere else; gives what it returned, raises what it raised.
CallbackRunner = Callable[[Callable[..., Any], Any], Awaitable[Any]]

#: Who calls ``on_delta``, ``on_step`` and listeners in this context; ``None`` means: they are just called.
callback_runner: ContextVar[CallbackRunner | None] = ContextVar(
    "cursor_sdk_async_callback_runner", default=None
)


async def call_back(callback: Callable[..., Any], argument: Any) -> None:
    """Call a callback of the user's, through the runner of the context if there is one.

    Args:
        callback: The callback; what it returns is awaited if it can be.
        argument: Its argument.
    """
    runner = callback_runner.get()
    outcome = callback(argument) if runner is None else await runner(callback, argument)
    if isawaitable(outcome):
        await outcome


class ReadyIterator(AsyncIterator[T]):
    """An asynchronous iterator that can hand out what is here already without a step of the event loop.

    Events that are made ready are still those of the run: whoever reads the run next gets them, in order.
    """

    @abstractmethod
    def make_ready(self, limit: int) -> None:
        """Make ready what has arrived, up to the next callback or change of status.

        To be called in the event loop.

        Args:
            limit: How many events at most.
        """

    @abstractmethod
    def next_ready(self) -> tuple[T] | None:
        """The next item alone in a tuple; ``None`` when only ``__anext__`` can tell.

        Can be called in any thread.
        """
