"""Pages of lists. A page is plain data; a further page is asked for only when it is wanted."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar, overload

from cursor_sdk_async._shown import Shown
from cursor_sdk_async.errors import ConfigurationError, ProtocolError
from cursor_sdk_async.options._record import Record, plain

__all__ = ["AsyncListResult", "ListResult"]

T = TypeVar("T")


class _Page(Record, Shown, Generic[T]):
    """What both kinds of page share: the current page as a sequence."""

    __slots__ = ()
    items: list[T]
    next_cursor: str

    def __iter__(self) -> Iterator[T]:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> list[T]: ...
    def __getitem__(self, index: int | slice) -> T | list[T]:
        return self.items[index]

    def has_next_page(self) -> bool:
        """Whether there is more."""
        return bool(self.next_cursor)

    def next_page_info(self) -> dict[str, str]:
        """``{"cursor": ...}`` for the next page, ``{}`` at the end."""
        return {"cursor": self.next_cursor} if self.next_cursor else {}

    def to_dict(self) -> dict[str, Any]:
        """The page as plain data."""
        return {"items": plain(self.items), "next_cursor": self.next_cursor}

    def __repr__(self) -> str:
        return f"{type(self).__name__}(<{len(self.items)} items>, next_cursor={self.next_cursor!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.items, self.next_cursor)


def _cannot_continue() -> ConfigurationError:
    return ConfigurationError(
        "This page did not come from a list call, so it cannot ask for the next one. Call list() with "
        "cursor=page.next_cursor instead.",
        code="pagination_unavailable",
        is_safe_to_retry=True,
    )


def _checked(before: str, after: str) -> str:
    """A cursor that repeats itself would make the list endless."""
    if before and before == after:
        raise ProtocolError("The list gave the same cursor twice in a row; it would never end.")
    return after


@dataclass(frozen=True, repr=False)  # no slots: those and Generic do not go together before Python 3.12
class ListResult(_Page[T]):
    """One page of a list.

    Iterating, ``len`` and indexing see this page; ``auto_paging_iter()`` goes on to the end of the list.

    Attributes:
        items: The items of the page.
        next_cursor: Where the next page starts, empty at the end.
    """

    items: list[T]
    next_cursor: str = ""
    _get_next_page: Callable[[str], ListResult[T]] | None = field(default=None, compare=False)

    def get_next_page(self) -> ListResult[T]:
        """The next page, an empty one at the end.

        Raises:
            ConfigurationError: The page did not come from a list call; code ``pagination_unavailable``.
        """
        if not self.next_cursor:
            return ListResult([])
        if self._get_next_page is None:
            raise _cannot_continue()
        page = self._get_next_page(self.next_cursor)
        _checked(self.next_cursor, page.next_cursor)
        return page

    def auto_paging_iter(self) -> Iterator[T]:
        """The items of this page and of all that follow."""
        page = self
        while True:
            yield from page.items
            if not page.next_cursor:
                return
            page = page.get_next_page()


@dataclass(frozen=True, repr=False)
class AsyncListResult(_Page[T]):
    """One page of a list; further pages are awaited.

    Iterating (with ``for`` or ``async for``), ``len`` and indexing see this page; ``auto_paging_iter()``
    goes on to the end of the list.

    Attributes:
        items: The items of the page.
        next_cursor: Where the next page starts, empty at the end.
    """

    items: list[T]
    next_cursor: str = ""
    _get_next_page: Callable[[str], Awaitable[AsyncListResult[T]]] | None = field(default=None, compare=False)

    def __aiter__(self) -> AsyncIterator[T]:
        return _Items(AsyncListResult(self.items))

    async def get_next_page(self) -> AsyncListResult[T]:
        """The next page, an empty one at the end.

        Raises:
            ConfigurationError: The page did not come from a list call; code ``pagination_unavailable``.
        """
        if not self.next_cursor:
            return AsyncListResult([])
        if self._get_next_page is None:
            raise _cannot_continue()
        page = await self._get_next_page(self.next_cursor)
        _checked(self.next_cursor, page.next_cursor)
        return page

    def auto_paging_iter(self) -> AsyncIterator[T]:
        """The items of this page and of all that follow; a step that failed can be tried again."""
        return _Items(self)


class _Items(AsyncIterator[T]):
    """An iterator, not a generator: it holds nothing open between steps."""

    __slots__ = ("_at", "_page")

    def __init__(self, page: AsyncListResult[T]) -> None:
        self._page = page
        self._at = 0

    async def __anext__(self) -> T:
        while self._at >= len(self._page.items):
            if not self._page.next_cursor:
                raise StopAsyncIteration
            self._page = await self._page.get_next_page()
            self._at = 0
        item = self._page.items[self._at]
        self._at += 1
        return item
