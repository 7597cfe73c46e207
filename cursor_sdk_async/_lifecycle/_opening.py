"""Something about to be opened, such as a client: await it, enter it, or give it to a task.

Nothing starts before that, so an opening that is dropped unused leaks nothing. It waits only as long as what
it opens.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine, Generator
from contextlib import AbstractAsyncContextManager
from types import TracebackType
from typing import Any, TypeVar

__all__ = ["Opening"]

T = TypeVar("T")


class Opening(Coroutine[Any, Any, T], AbstractAsyncContextManager[T, None]):
    """A coroutine and an async context manager in one; for one use.

    ``await opening``, ``async with opening as it``, ``create_task(opening)``, ``asyncio.run(opening)``.

    Args:
        open_fn: Opens it.
        close_fn: Closes what was opened, when an ``async with`` is left.
    """

    def __init__(
        self, open_fn: Callable[[], Awaitable[T]], close_fn: Callable[[T], Awaitable[object]]
    ) -> None:
        self._open = open_fn
        self._close = close_fn
        self._coroutine: Coroutine[Any, Any, T] | None = None
        self._opened: list[T] = []

    def _start(self) -> Coroutine[Any, Any, T]:
        if self._coroutine is not None:
            raise RuntimeError(
                "This opening was used already: it opens one thing, once. Call the function that made it "
                "again."
            )

        async def run() -> T:
            return await self._open()

        self._coroutine = run()
        return self._coroutine

    def __await__(self) -> Generator[Any, Any, T]:
        return self._start().__await__()

    def send(self, value: Any, /) -> Any:
        """Part of the coroutine protocol."""
        return (self._coroutine or self._start()).send(value)

    def throw(self, typ: Any, val: Any = None, tb: TracebackType | None = None, /) -> Any:
        """Part of the coroutine protocol."""
        coroutine = self._coroutine or self._start()
        if val is None and tb is None:
            return coroutine.throw(typ)
        error: BaseException = (
            val if isinstance(val, BaseException) else typ(*(() if val is None else (val,)))
        )
        return coroutine.throw(error.with_traceback(tb))

    def close(self) -> None:
        """Part of the coroutine protocol."""
        (self._coroutine or self._start()).close()

    async def __aenter__(self) -> T:
        opened = await self
        self._opened.append(opened)
        return opened

    async def __aexit__(
        self, exc_type: type[BaseException] | None, exc: BaseException | None, tb: TracebackType | None
    ) -> None:
        await self._close(self._opened.pop())
