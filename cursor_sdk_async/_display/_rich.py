"""Runs and tables for rich. Pure: renderables, no console."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.markdown import Markdown
from rich.padding import Padding
from rich.progress_bar import ProgressBar
from rich.segment import Segment
from rich.table import Table as RichTable
from rich.text import Text

from cursor_sdk_async._display._markdown import parsed
from cursor_sdk_async._display._state import Call, Note, Part, Prose, RunState
from cursor_sdk_async._display._tables import Table
from cursor_sdk_async._display._text import clip, count

__all__ = ["Tail", "part_rich", "run_rich", "status_rich", "table_rich"]

_STYLES = {
    "running": "blue",
    "finished": "green",
    "completed": "green",
    "error": "red",
    "cancelled": "yellow",
    "expired": "yellow",
}
_MARKS = {"running": "●", "completed": "✓", "error": "✗"}
BAR_WIDTH = 20
#: Lines and characters of a result that are shown below its call; a notebook shows more.
RESULT_LINES, RESULT_CHARACTERS = 6, 600
THOUGHT_CHARACTERS = 600


class Tail:
    """The last lines of something.

    Args:
        inner: What is drawn.
        height: How many lines of it are kept.
    """

    def __init__(self, inner: RenderableType, height: int) -> None:
        self._inner = inner
        self._height = height

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        lines = console.render_lines(self._inner, options.update(height=None), pad=False)
        for line in lines[-self._height :]:
            yield from line
            yield Segment.line()


def run_rich(state: RunState, elapsed: float | None = None) -> RenderableType:
    """The whole run: what was seen of it, then its status line."""
    dropped = [Text(f"{count(state.dropped, 'earlier step')} not shown", "dim")] if state.dropped else []
    return Group(*dropped, *map(part_rich, state.parts), status_rich(state, elapsed))


def status_rich(state: RunState, elapsed: float | None = None) -> RenderableType:
    """The status line, and the error below it."""
    style = "red" if state.error else _STYLES.get(state.status, "dim")
    line = Text.assemble(("● ", style), (state.activity, "bold"))
    for fact in (*state.facts(elapsed), state.run_id):
        if fact:
            line.append(f"  {fact}", "dim")
    return Group(line, Text(state.error, "red")) if state.error else line


def part_rich(part: Part) -> RenderableType:
    """One part of a run."""
    if isinstance(part, Call):
        return _call(part)
    if isinstance(part, Note):
        return Text(part.text, "dim")
    return _prose(part)


def table_rich(table: Table) -> RenderableType:
    """A table with its title and a note below."""
    made = RichTable(
        title=Text(table.title, "bold") if table.title else None,
        title_justify="left",
        caption=Text(table.note, "dim") if table.note else None,
        caption_justify="left",
        box=None,
        pad_edge=False,
        padding=(0, 2, 0, 0),
    )
    for at, column in enumerate(table.columns if table.rows else ()):
        made.add_column(Text(column), justify="right" if at in table.numbers else "left", overflow="fold")
    for row in table.rows:
        made.add_row(*(Text(cell) if isinstance(cell, str) else _bar(cell.share) for cell in row))
    return made


def _bar(share: float) -> ProgressBar:
    return ProgressBar(1.0, share, width=BAR_WIDTH, complete_style="blue", finished_style="blue")


def _prose(part: Prose) -> RenderableType:
    text = part.text
    if part.kind == "thinking":
        return Text(clip(" ".join(text.split()), THOUGHT_CHARACTERS), "dim italic")
    shown: list[RenderableType] = [_markdown(text)]
    if part.dropped:
        shown.insert(0, Text(f"{part.dropped:,} earlier characters not shown", "dim"))
    return Group(*shown)


def _markdown(text: str) -> RenderableType:
    made = Markdown("")
    made.markup, made.parsed = text, parsed(text)  # rich's own parser leaves out what looks like HTML
    return made


def _call(call: Call) -> RenderableType:
    style = _STYLES.get(call.status, "dim")
    line = Text.assemble((f"{_MARKS.get(call.status, '○')} ", style), (call.name, "bold"))
    if call.args:
        line.append(f"  {call.args}", "dim")
    if call.status not in ("completed", "running"):
        line.append(f"  {call.status}", style)
    if not call.result:
        return line
    return Group(line, Padding(Text("\n".join(_first_lines(call.result)), "dim"), (0, 0, 0, 2)))


def _first_lines(text: str) -> Iterable[str]:
    lines = clip(text, RESULT_CHARACTERS).split("\n")
    more = len(lines) - RESULT_LINES
    return lines if more <= 1 else [*lines[:RESULT_LINES], f"… ({count(more, 'more line')})"]
