"""A run in a terminal: what is complete scrolls by, what happens now stands below it and is drawn anew.

Nothing leaks: no thread refreshes the display, and ``close()`` gives the terminal back, whatever happened.
"""

from __future__ import annotations

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.text import Text

from cursor_sdk_async._display._rich import Tail, part_rich, status_rich
from cursor_sdk_async._display._state import Call, Part, Prose, RunState

__all__ = ["TerminalView"]

#: Lines of the terminal that the part below leaves free: the status line, and the prompt above.
FREE_LINES = 3
#: How much of a growing text is laid out at a drawing.
TAIL_CHARACTERS = 6_000
DRAWINGS_PER_SECOND = 10


class TerminalView:
    """A run in a terminal.

    Args:
        console: Where to; standard output if it is not given.
    """

    interval = 1 / DRAWINGS_PER_SECOND

    def __init__(self, console: Console | None = None) -> None:
        self._console = console or Console(highlight=False)
        self._live = Live(console=self._console, auto_refresh=False, transient=True, redirect_stderr=False)
        self._live.start()
        self._printed = 0  # parts, counted from the beginning of the run

    def draw(self, state: RunState, elapsed: float) -> None:
        """Print the parts that are complete, and draw the others."""
        self._print(state, len(state.parts) - 1)
        if self._console.is_terminal:
            self._live.update(self._below(state, elapsed), refresh=True)

    def close(self, state: RunState, elapsed: float) -> None:
        """Print what is left, and the status line."""
        self._live.update(Text(""))
        try:
            self._print(state, len(state.parts), all_of_them=True)
        finally:
            self._live.stop()
        self._console.print(status_rich(state, elapsed))

    def _print(self, state: RunState, end: int, *, all_of_them: bool = False) -> None:
        """Print parts up to ``end``, in order; a call that runs holds up what is behind it."""
        while (at := max(self._printed - state.dropped, 0)) < end:
            part = state.parts[at]
            if not all_of_them and isinstance(part, Call) and part.status == "running":
                break
            self._printed = state.dropped + at + 1
            self._console.print(part_rich(part))

    def _below(self, state: RunState, elapsed: float) -> RenderableType:
        rest = state.parts[max(self._printed - state.dropped, 0) :]
        height = max(self._console.height - FREE_LINES, 1)
        drawn = [_growing(part) for part in rest[-height:]]
        return Group(Tail(Group(*drawn), height), status_rich(state, elapsed))


def _growing(part: Part) -> RenderableType:
    """A part that is not complete: of a long text only the end is laid out."""
    if not isinstance(part, Prose) or part.end <= TAIL_CHARACTERS:
        return part_rich(part)
    tail = Prose(part.kind)
    text = part.text[-TAIL_CHARACTERS:]
    tail.append(text[text.find("\n") + 1 :])
    return part_rich(tail)
