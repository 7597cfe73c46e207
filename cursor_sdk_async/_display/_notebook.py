"""A run in a notebook: three outputs that are replaced in place.

The status line changes every second and the text several times a second; a tool call that somebody has opened
folds again whenever its output is replaced. So the parts that no longer change have an output of their own.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from cursor_sdk_async._display._html import header_html, parts_html
from cursor_sdk_async._display._state import RunState
from cursor_sdk_async._display._views import parts_text, status_text

__all__ = ["NotebookView"]

DRAWINGS_PER_SECOND = 10


class NotebookView:
    """A run in a notebook; all outputs appear at once, since they stay where they appear."""

    interval = 1 / DRAWINGS_PER_SECOND

    def __init__(self) -> None:
        page: Any = import_module("IPython.display")  # its functions have no types
        self._header = _Output(page)
        self._past = _Output(page)
        self._now = _Output(page)
        self._past_drawn = -1

    def draw(self, state: RunState, elapsed: float) -> None:
        """Replace the outputs that have changed."""
        self._header.show(header_html(state, elapsed), status_text(state, elapsed))
        past, now = state.parts[:-1], state.parts[-1:]
        if state.past != self._past_drawn:
            self._past.show(parts_html(state, past, state.dropped), parts_text(past))
            self._past_drawn = state.past
        self._now.show(parts_html(state, now), parts_text(now))

    def close(self, state: RunState, elapsed: float) -> None:
        """Show the last state."""
        self.draw(state, elapsed)


class _Output:
    """One output of the cell."""

    def __init__(self, page: Any) -> None:
        self._page = page
        self._id: str | None = None
        self._html = ""

    def show(self, html: str, text: str) -> None:
        if html == self._html and self._id is not None:
            return
        self._html = html
        data: dict[str, Any] = {"text/html": html or "<div></div>", "text/plain": text}
        if self._id is None:
            self._id = str(self._page.display(data, raw=True, display_id=True).display_id)
        else:
            self._page.update_display(data, display_id=self._id, raw=True)
