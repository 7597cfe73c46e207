"""Runs and tables as static HTML for dark and light pages: inline styles, all escaped, no scripts. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from cursor_sdk_async._display._markdown import markdown_html, plain_html
from cursor_sdk_async._display._state import Call, Note, Part, Prose, RunState
from cursor_sdk_async._display._tables import Bar, Table
from cursor_sdk_async._display._text import count

__all__ = ["card_html", "header_html", "parts_html", "table_html"]

#: Middle tones: they can be read on white and on black.
_COLOURS = {
    "running": "#3f8fd9",
    "finished": "#3a9b4d",
    "completed": "#3a9b4d",
    "error": "#d9534f",
    "cancelled": "#b8862b",
    "expired": "#b8862b",
}
_GREY = "#848484"
_LINE = "rgba(127,127,127,.35)"
_FONT = (
    "font-family:system-ui,-apple-system,'Segoe UI',sans-serif;font-size:14px;line-height:1.5;color:inherit"
)
_MONO = "font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:12.5px"
_MARKS = {"running": "&#9679;", "completed": "&#10003;", "error": "&#10007;"}
_THOUGHT = "opacity:.7;font-style:italic;padding:.3em 0 .3em 1.3em"
_OUTPUT = (
    f"{_MONO};margin:.3em 0 .5em 1.3em;padding:.5em .7em;white-space:pre-wrap;overflow-wrap:anywhere;"
    "max-height:24em;overflow:auto;border-radius:6px;background:rgba(127,127,127,.14);color:inherit"
)


def _box(inner: str, extra: str = "") -> str:
    # The class names keep MathJax from taking the dollar signs of a shell command for formulas.
    return f'<div class="tex2jax_ignore mathjax_ignore" style="{_FONT};max-width:60em;{extra}">{inner}</div>'


def _div(style: str, inner: str) -> str:
    return f'<div style="{style}">{inner}</div>'


def card_html(state: RunState, elapsed: float | None = None) -> str:
    """The whole run: its status line, and what was seen of it."""
    body = _parts(state, state.parts, state.dropped)
    divided = _div(f"border-top:1px solid {_LINE};margin-top:.4em;padding-top:.4em", body)
    frame = f"border:1px solid {_LINE};border-radius:8px;padding:.5em .9em"
    return _box(_header(state, elapsed) + (divided if body else ""), frame)


def header_html(state: RunState, elapsed: float | None = None) -> str:
    """The status line alone."""
    return _box(_header(state, elapsed), f"border-bottom:1px solid {_LINE};padding:.2em 0")


def parts_html(state: RunState, parts: list[Part], dropped: int = 0) -> str:
    """Some parts of a run; the empty text for none."""
    body = _parts(state, parts, dropped)
    return _box(body) if body else ""


def table_html(table: Table) -> str:
    """A table with its title and a note below."""
    cell = "padding:.25em .8em;border:0;white-space:nowrap"
    head = "".join(
        f'<th style="{cell};text-align:{_side(table, at)};font-weight:600">{escape(column)}</th>'
        for at, column in enumerate(table.columns)
    )
    rows = "".join(
        f'<tr style="border-top:1px solid {_LINE};background:none">'
        + "".join(
            f'<td style="{cell};text-align:{_side(table, at)}">{_cell(value)}</td>'
            for at, value in enumerate(row)
        )
        + "</tr>"
        for row in table.rows
    )
    title = (
        f'<div style="font-weight:600;padding:.2em .8em">{escape(table.title)}</div>' if table.title else ""
    )
    note = _div("opacity:.7;padding:.3em .8em", escape(table.note)) if table.note else ""
    grid = (
        '<table style="border-collapse:collapse;border:0;margin:0;font-size:inherit;color:inherit">'
        f"<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
    )
    return _box(f"{title}{grid if table.rows else ''}{note}", "max-width:none;overflow-x:auto")


def _side(table: Table, at: int) -> str:
    return "right" if at in table.numbers else "left"


def _cell(value: str | Bar) -> str:
    if isinstance(value, str):
        return escape(value)
    # The width is a number of ours between 0 and 100.
    shape = "height:.7em;border-radius:3px;background:"
    bar = _div(f"width:{100 * value.share:.1f}%;{shape}{_COLOURS['running']}", "")
    return _div(f"width:12em;{shape}rgba(127,127,127,.18)", bar)


def _header(state: RunState, elapsed: float | None) -> str:
    colour = _COLOURS["error"] if state.error else _COLOURS.get(state.status, _GREY)
    dot = f'<span style="color:{colour}">&#9679;</span> <b>{escape(state.activity)}</b>'
    facts = "".join(
        f'<span style="opacity:.7;margin-left:1.1em">{escape(fact)}</span>' for fact in state.facts(elapsed)
    )
    run = f'<span style="{_MONO};opacity:.7;margin-left:1.1em">{escape(state.run_id)}</span>'
    style = f"color:{_COLOURS['error']};white-space:pre-wrap;overflow-wrap:anywhere"
    error = _div(style, escape(state.error)) if state.error else ""
    return f"<div>{dot}{facts}{run if state.run_id else ''}</div>{error}"


def _parts(state: RunState, parts: Iterable[Part], dropped: int) -> str:
    inner = "".join(_part(part) for part in parts)
    if not dropped:
        return inner
    return _div("opacity:.7", f"{count(dropped, 'earlier step')} not shown") + inner


def _part(part: Part) -> str:
    if isinstance(part, Call):
        return _call(part)
    if isinstance(part, Note):
        return _div("opacity:.7;padding:.1em 0", escape(part.text))
    return _prose(part)


def _prose(part: Prose) -> str:
    text = part.text
    cut = f"{part.dropped:,} earlier characters not shown"
    if part.kind == "thinking":
        body = plain_html(text if not part.dropped else f"({cut})\n{text}")
        title = '<span style="opacity:.7">thought</span>'
        return _folded(title, _div(_THOUGHT, body))
    note = _div("opacity:.7", cut) if part.dropped else ""
    return _div("overflow-wrap:anywhere", note + markdown_html(text))


def _call(call: Call) -> str:
    colour = _COLOURS.get(call.status, _GREY)
    mark = f'<span style="color:{colour}">{_MARKS.get(call.status, "&#9675;")}</span>'
    title = (
        f"{mark} <b>{escape(call.name)}</b> "
        f'<span style="{_MONO};opacity:.8;overflow-wrap:anywhere">{escape(call.args)}</span>'
    )
    if call.status not in ("completed", "running"):
        title += f' <span style="color:{colour}">{escape(call.status)}</span>'
    if not call.result:
        return _div("padding:.1em 0 .1em 1.15em", title)
    return _folded(title, f'<pre style="{_OUTPUT}">{escape(call.result)}</pre>')


def _folded(title: str, body: str) -> str:
    return (
        f'<details style="padding:.1em 0"><summary style="cursor:pointer">{title}</summary>{body}</details>'
    )
