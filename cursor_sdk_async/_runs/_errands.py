"""Work that the owner finishes also for a caller who was cancelled: such as cancelling the run he leaves.

Nothing leaks: closing the client waits for what is open here. Nothing hangs: that wait is bounded by the
caller, and what belongs to another event loop is not waited for.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection
from typing import Any, TypeVar

import anyio

from cursor_sdk_async._lifecycle import Owner

__all__ = ["Errands"]

T = TypeVar("T")


class Errands:
    """The errands of one client."""

    def __init__(self) -> None:
        self._open: dict[object, tuple[Owner, str]] = {}
        self._waiting: dict[anyio.Event, Owner] = {}

    def __len__(self) -> int:
        return len(self._open)

    async def run(self, owner: Owner, fn: Callable[..., Awaitable[T]], *args: Any, about: str = "") -> T:
        """Run ``fn(*args)`` in the owner to its end, and wait for its result unless cancelled.

        Args:
            owner: The owner.
            fn: What is to be done.
            args: Its arguments.
            about: The agent that must not be closed before.

        Raises:
            ClosedError: The owner has ended, or belongs to another loop.
        """
        token = object()

        async def errand() -> T:
            try:
                return await fn(*args)
            finally:
                self._done(token)

        self._open[token] = owner, about  # from here on, not from when it starts: closing may come between
        try:
            return await owner.call(errand, keep=True)
        except anyio.get_cancelled_exc_class():
            raise  # it goes on without the caller
        except BaseException:
            self._done(token)  # if it never ran
            raise

    def post(self, owner: Owner, fn: Callable[..., Awaitable[object]], *args: Any, about: str = "") -> None:
        """The same without waiting; what it raises is logged."""
        token = object()

        async def errand() -> None:
            try:
                await fn(*args)
            finally:
                self._done(token)

        if not owner.ended:
            self._open[token] = owner, about
            owner.post(errand)

    async def settled(self, owner: Owner, about: Collection[str] | None = None) -> None:
        """Wait until no errand of this owner is open; or none about these agents."""
        while not owner.ended and any(
            other is owner and (about is None or subject in about) for other, subject in self._open.values()
        ):
            changed = anyio.Event()
            self._waiting[changed] = owner
            try:
                await changed.wait()
            finally:
                del self._waiting[changed]

    def _done(self, token: object) -> None:
        owner, _ = self._open.pop(token, (None, ""))
        for changed, other in self._waiting.items():
            if other is owner:  # the others may belong to another loop
                changed.set()
