"""Iterators that wait: objects, never generators, so that dropping one half-read leaves nothing open."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any, TypeVar

from cursor_sdk_async.blocking import ReadyIterator

__all__ = ["Steps"]

T = TypeVar("T")

#: Items that are made ready with one change of threads.
BATCH = 256


class Steps(Iterator[T]):
    """The items of an asynchronous iterator.

    Args:
        wait: Has a coroutine function run in the portal and waits for it.
        iterator: The iterator.
    """

    def __init__(self, wait: Callable[..., Any], iterator: AsyncIterator[T]) -> None:
        self._wait = wait
        self._iterator = iterator
        self._next_ready = iterator.next_ready if isinstance(iterator, ReadyIterator) else lambda: None

    def __next__(self) -> T:
        found: tuple[T] | None = self._next_ready() or self._wait(self._step)
        if found is None:
            raise StopIteration
        return found[0]

    async def _step(self) -> tuple[T] | None:
        try:
            item = await anext(self._iterator)
        except StopAsyncIteration:
            return None
        if isinstance(self._iterator, ReadyIterator):
            self._iterator.make_ready(BATCH)
        return (item,)

    def close(self) -> None:
        """Stop iterating; the run goes on. Closing twice is harmless."""
        aclose = getattr(self._iterator, "aclose", None)
        if aclose is not None:
            self._wait(aclose)
