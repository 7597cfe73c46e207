"""Where a run is shown while it goes on: what each of those places can do, and plain text for any of them."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Protocol, TextIO

from cursor_sdk_async._display._state import Call, Note, Part, Prose, RunState
from cursor_sdk_async._display._text import clean

__all__ = ["PlainView", "View", "parts_text", "printable", "status_text"]


class View(Protocol):
    """A place that shows one run.

    Attributes:
        interval: The least time between two drawings, in seconds.
    """

    interval: float

    def draw(self, state: RunState, elapsed: float) -> None:
        """Show the state as it is now; called again when it has changed, and while time goes by."""
        ...

    def close(self, state: RunState, elapsed: float) -> None:
        """Show the last state, and let go of the place. Never waits."""
        ...


def status_text(state: RunState, elapsed: float | None = None) -> str:
    """The status line as text, and the error below it."""
    facts = state.facts(elapsed)
    line = f"{state.activity}: {', '.join(facts)}" if facts else state.activity
    line = f"{line} (run {state.run_id})" if state.run_id else line
    return f"{line}\n{state.error}" if state.error else line


def parts_text(parts: Sequence[Part]) -> str:
    """Parts as text, thinking left out."""
    lines: list[str] = []
    for part in parts:
        if isinstance(part, Call):
            lines.append(f"[{part.name}] {part.args} ({part.status})")
        elif isinstance(part, Note) or part.kind == "text":
            lines.append(part.text)
    return "\n".join(lines)


def printable(text: str, file: TextIO) -> str:
    """The text as the file's encoding can show it."""
    encoding = file.encoding or "utf-8"
    return text.encode(encoding, "replace").decode(encoding)


class PlainView:
    """Text as it streams, a line for each tool call, and a status line at the end.

    Args:
        file: Where to; standard output at the time of writing if it is not given.
    """

    interval = 0.0  # a piece that waits could grow past what is kept

    def __init__(self, file: TextIO | None = None) -> None:
        self._file = file
        self._begun = 0  # parts, counted from the beginning of the run
        self._shown = 0  # characters of the last of them
        self._at_line_start = True

    def draw(self, state: RunState, elapsed: float) -> None:
        """Write what is new."""
        at = max(self._begun - 1 - state.dropped, 0)
        for number, part in enumerate(state.parts[at:], state.dropped + at + 1):
            if number > self._begun:
                self._begun, self._shown = number, 0
                self._begin(part)
            if isinstance(part, Prose) and part.kind == "text":
                self._write(clean(part.since(self._shown)))
                self._shown = part.end
        self._flush()

    def close(self, state: RunState, elapsed: float) -> None:
        """Write what is new, and the status line."""
        self.draw(state, elapsed)
        self._break()
        self._write(f"{status_text(state, elapsed)}\n")
        self._flush()

    def _begin(self, part: Part) -> None:
        self._break()
        if isinstance(part, Call):
            self._write(f"[{part.name}] {part.args}\n")
        elif isinstance(part, Note):
            self._write(f"{part.text}\n")

    def _break(self) -> None:
        if not self._at_line_start:
            self._write("\n")

    def _write(self, text: str) -> None:
        if text:
            file = self._file or sys.stdout
            file.write(printable(text, file))
            self._at_line_start = text.endswith("\n")

    def _flush(self) -> None:
        (self._file or sys.stdout).flush()
