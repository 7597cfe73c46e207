"""Lists and usage as tables: rows of short texts and small bars. Pure.

A list is drawn by what its first item is; items of a kind that is not known are shown by their ``repr``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from cursor_sdk_async._display._text import clean, clip, count, hidden, one_line, seconds, size
from cursor_sdk_async.results import (
    AgentMessage,
    AgentUsage,
    RunResult,
    RunUsage,
    SDKAgentInfo,
    SDKArtifact,
    SDKModel,
    SDKRepository,
    TokenUsage,
    UsageCost,
)

__all__ = ["Bar", "Cell", "Table", "agent_usage_table", "list_table", "token_table"]

ROWS_LIMIT = 200
CELL_LIMIT = 80


@dataclass(frozen=True)
class Bar:
    """A bar of a chart: its share of the longest, from 0 to 1."""

    share: float


Cell: TypeAlias = str | Bar


@dataclass(frozen=True)
class Table:
    """A table.

    Attributes:
        title: What it shows, empty for none.
        columns: The names of the columns.
        rows: As many cells as there are columns, each.
        numbers: Which columns are numbers, by position.
        note: A line below.
    """

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    numbers: frozenset[int] = field(default=frozenset())
    note: str = ""


def list_table(items: Sequence[Any], *, more: bool = False) -> Table:
    """A list as a table.

    Args:
        items: The items, all of one kind.
        more: Whether there are further pages.
    """
    kind = _kind(items[0]) if items else _OTHER
    shown = items[:ROWS_LIMIT]
    notes = [count(len(items), kind.noun)]
    if len(shown) < len(items):
        notes.append(f"the first {len(shown)} shown")
    if more:
        notes.append("more pages follow: auto_paging_iter() or get_next_page()")
    # An item of another kind than the first falls back to one cell, and leaves the others empty.
    rows = [
        [*map(_cell, kind.row(item))]
        if _kind(item) is kind
        else [_cell(repr(item))] + [""] * (len(kind.columns) - 1)
        for item in shown
    ]
    return Table("", kind.columns, rows, kind.numbers, "; ".join(notes))


def token_table(usage: TokenUsage, title: str = "", note: str = "") -> Table:
    """Token counts with bars; reasoning is a part of the output."""
    counts = [
        ("input", usage.input_tokens),
        ("output", usage.output_tokens),
        *([] if usage.reasoning_tokens is None else [("of it reasoning", usage.reasoning_tokens)]),
        ("cache read", usage.cache_read_tokens),
        ("cache write", usage.cache_write_tokens),
    ]
    shares = _shares([number for _, number in counts])
    rows = [(name, f"{number:,}", Bar(share)) for (name, number), share in zip(counts, shares, strict=True)]
    note = "; ".join(part for part in (f"total {usage.total_tokens:,}", note) if part)
    return Table(title, ("tokens", "count", ""), rows, frozenset({1}), note)


def agent_usage_table(usage: AgentUsage) -> Table:
    """The usage of an agent: a bar for each run, or by kind of token where no runs are listed."""
    total = f"total {usage.usage.total_tokens:,} tokens{_money(usage.cost, ', ')}"
    if not usage.runs:
        return token_table(usage.usage, "Usage of the agent", _money(usage.cost))
    runs = usage.runs[:ROWS_LIMIT]
    shares = _shares([run.usage.total_tokens for run in runs])
    rows: list[list[Cell]] = [
        [*map(_cell, _usage_row(run)), Bar(share)] for run, share in zip(runs, shares, strict=True)
    ]
    if len(runs) < len(usage.runs):
        total += f"; the newest {len(runs)} of {len(usage.runs)} runs shown"
    return Table("Usage of the agent", (*_USAGE_COLUMNS, ""), rows, frozenset({1, 2, 3, 4}), total)


def _shares(numbers: Sequence[int]) -> list[float]:
    largest = max(numbers, default=0)
    return [min(1.0, max(0.0, number / largest)) if largest > 0 else 0.0 for number in numbers]


def _money(cost: UsageCost | None, before: str = "") -> str:
    return "" if cost is None else f"{before}{cost.charged_cents:,.2f} cents"


def _cell(value: object) -> str:
    text = value if isinstance(value, str) else "" if value is None else str(value)
    return clip(" ".join(hidden(clean(text[: 4 * CELL_LIMIT])).split()), CELL_LIMIT)


@dataclass(frozen=True)
class _Kind:
    noun: str
    columns: Sequence[str]
    row: Callable[[Any], Sequence[object]]
    numbers: frozenset[int] = field(default=frozenset())


def _when(moment: str | None) -> str:
    """An RFC 3339 time, to the minute."""
    return (moment or "")[:16].replace("T", " ")


def _agent_row(agent: SDKAgentInfo) -> Sequence[object]:
    place = agent.cwd if agent.runtime == "local" else ", ".join(agent.repos[:3])
    status = "archived" if agent.archived else agent.status
    return agent.agent_id, agent.name, status, agent.runtime, place, _when(agent.last_modified)


def _run_row(run: Any) -> Sequence[object]:
    tokens = "" if run.usage is None else f"{run.usage.total_tokens:,}"
    took = seconds(run.duration_ms / 1000) if run.duration_ms else ""
    return (
        run.id,
        run.status,
        None if run.model is None else run.model.id,
        took,
        tokens,
        _when(run.created_at),
    )


def _model_row(model: SDKModel) -> Sequence[object]:
    names = ", ".join(
        f"{item.id} ({len(item.values)})" if item.values else item.id for item in model.parameters
    )
    return model.id, model.display_name, names, str(len(model.variants) or ""), model.description


def _artifact_row(file: SDKArtifact) -> Sequence[object]:
    return file.path, size(file.size_bytes), _when(file.updated_at)


def _message_row(message: AgentMessage) -> Sequence[object]:
    return message.type, message.uuid, one_line(message.message, CELL_LIMIT)


def _usage_row(run: RunUsage) -> Sequence[object]:
    usage = run.usage
    cache = usage.cache_read_tokens + usage.cache_write_tokens
    return run.run_id, *(
        f"{n:,}" for n in (usage.input_tokens, usage.output_tokens, cache, usage.total_tokens)
    )


_USAGE_COLUMNS = ("run", "input", "output", "cache", "total")
_OTHER = _Kind("item", ("item",), lambda item: (repr(item),))
_RUN = _Kind("run", ("run", "status", "model", "took", "tokens", "created"), _run_row, frozenset({3, 4}))
_KINDS: Mapping[type, _Kind] = {
    SDKAgentInfo: _Kind("agent", ("agent", "name", "status", "runtime", "place", "changed"), _agent_row),
    RunResult: _RUN,
    SDKModel: _Kind(
        "model", ("model", "name", "parameters", "variants", "description"), _model_row, frozenset({3})
    ),
    SDKRepository: _Kind("repository", ("repository",), lambda item: (item.url,)),
    SDKArtifact: _Kind("artifact", ("path", "size", "written"), _artifact_row, frozenset({1})),
    AgentMessage: _Kind("message", ("type", "id", "content"), _message_row),
    RunUsage: _Kind("run", _USAGE_COLUMNS, _usage_row, frozenset({1, 2, 3, 4})),
}


def _kind(item: object) -> _Kind:
    for known, kind in _KINDS.items():
        if isinstance(item, known):
            return kind
    # A run handle of either face: it has the facts of a result, and stays where it is.
    return _RUN if all(hasattr(item, name) for name in ("cancel", "duration_ms", "usage")) else _OTHER
