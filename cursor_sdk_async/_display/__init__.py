"""Seeing runs and lists: live in a notebook or a terminal, static wherever they are shown.

Uses public names only. What needs rich, IPython or markdown-it-py is imported when it is used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from cursor_sdk_async._display._show import show
from cursor_sdk_async._display._state import RunState

if TYPE_CHECKING:
    from rich.console import RenderableType

    from cursor_sdk_async._display._tables import Table

__all__ = ["RunState", "html", "renderable", "show"]


def html(value: object) -> str:
    """A static picture of a run, a result, a list or of usage, for notebooks."""
    from cursor_sdk_async._display import _html

    drawn = _drawn(value)
    return _html.card_html(drawn) if isinstance(drawn, RunState) else _html.table_html(drawn)


def renderable(value: object) -> RenderableType:
    """The same for rich."""
    from cursor_sdk_async._display import _rich

    drawn = _drawn(value)
    return _rich.run_rich(drawn) if isinstance(drawn, RunState) else _rich.table_rich(drawn)


def _drawn(value: Any) -> RunState | Table:
    from cursor_sdk_async._display import _tables
    from cursor_sdk_async.results import AgentUsage, AsyncListResult, ListResult, RunResult, TokenUsage

    if isinstance(value, RunState):
        return value
    if isinstance(value, RunResult):
        state = RunState(value.id, value.agent_id)
        state.settle(value)
        return state
    if isinstance(value, TokenUsage):
        return _tables.token_table(value)
    if isinstance(value, AgentUsage):
        return _tables.agent_usage_table(value)
    if isinstance(value, ListResult | AsyncListResult):
        page = cast("ListResult[Any]", value)
        return _tables.list_table(page.items, more=page.has_next_page())
    return _tables.list_table(value)
