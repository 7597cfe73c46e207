"""How values show themselves in a notebook and in rich: drawn when asked, by ``_display``."""

from __future__ import annotations

from typing import Any, TypeVar

__all__ = ["Shown", "ShownList"]

T = TypeVar("T")


class Shown:
    """A value that notebooks draw as HTML, and rich as a renderable."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        from cursor_sdk_async import _display

        return _display.html(self)

    def __rich__(self) -> Any:
        from cursor_sdk_async import _display

        return _display.renderable(self)


class ShownList(list[T], Shown):
    """A list that a notebook draws as a table; in everything else a list."""

    __slots__ = ()
