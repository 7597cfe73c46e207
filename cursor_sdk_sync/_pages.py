"""Pages of lists for callers who wait."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from cursor_sdk_async import AsyncListResult, ListResult
from cursor_sdk_sync._portal import Portal

__all__ = ["page_of"]

T = TypeVar("T")
H = TypeVar("H")


def page_of(portal: Portal, page: AsyncListResult[T], handle: Callable[[T], H]) -> ListResult[H]:
    """The blocking page of an asynchronous one.

    Args:
        portal: Where the next page is asked for.
        page: The page.
        handle: Makes an item of the one from an item of the other.
    """

    def following(_: str) -> ListResult[H]:
        return page_of(portal, portal.call(page.get_next_page), handle)

    return ListResult([handle(item) for item in page.items], page.next_cursor, following)
