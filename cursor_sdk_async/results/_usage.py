"""Tokens and cost. What was not reported is ``None``, never zero."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cursor_sdk_async._shown import Shown
from cursor_sdk_async.options._read import each, first, integer, mapping, number, object_of, text
from cursor_sdk_async.options._record import Record
from cursor_sdk_async.options._words import JsonObject

__all__ = ["AgentUsage", "RunUsage", "TokenUsage", "UsageCost", "sum_token_usage", "to_token_usage"]

_COUNTS = (
    ("input_tokens", "inputTokens"),
    ("output_tokens", "outputTokens"),
    ("cache_read_tokens", "cacheReadTokens"),
    ("cache_write_tokens", "cacheWriteTokens"),
)


@dataclass(frozen=True, slots=True, repr=False)
class TokenUsage(Record, Shown):
    """Tokens used.

    Attributes:
        input_tokens: Sent to the model.
        output_tokens: Written by the model.
        cache_read_tokens: Read from the cache.
        cache_write_tokens: Written to the cache.
        total_tokens: The total as it was reported: of a run it counts input and output only, of
            ``get_usage()`` all four. Where none was reported it is the sum of the four.
        reasoning_tokens: Of the output, the part spent on reasoning; ``None`` when it was not reported.
    """

    input_tokens: int
    output_tokens: int
    cache_read_tokens: int
    cache_write_tokens: int
    total_tokens: int
    reasoning_tokens: int | None = None

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> TokenUsage:
        """Read a mapping with keys in either spelling; counts may be text."""
        value = object_of(value, "Token usage")
        counts = [integer(first(value, *names)) or 0 for names in _COUNTS]
        sent, written, read, cached = counts
        total = integer(first(value, "totalTokens", "total_tokens"))
        reasoning = integer(first(value, "reasoningTokens", "reasoning_tokens"))
        return cls(sent, written, read, cached, sum(counts) if total is None else total, reasoning)

    def to_json(self) -> JsonObject:
        """The mapping with the wire's keys."""
        json: JsonObject = {wire: getattr(self, name) for name, wire in _COUNTS}
        json["totalTokens"] = self.total_tokens
        if self.reasoning_tokens is not None:
            json["reasoningTokens"] = self.reasoning_tokens
        return json


def to_token_usage(usage: Mapping[str, Any] | TokenUsage | None) -> TokenUsage | None:
    """Usage from a mapping; ``None`` when it has none of the four counts."""
    if usage is None or isinstance(usage, TokenUsage):
        return usage
    if not any(integer(first(usage, *names)) is not None for names in _COUNTS):
        return None
    return TokenUsage.from_json(usage)


def sum_token_usage(usages: Iterable[Mapping[str, Any] | TokenUsage | None]) -> TokenUsage | None:
    """The sum, field by field, totals as they were reported; ``None`` when nothing was."""
    known = [usage for usage in map(to_token_usage, usages) if usage is not None]
    if not known:
        return None
    reasoning = [usage.reasoning_tokens for usage in known if usage.reasoning_tokens is not None]
    return TokenUsage(
        sum(usage.input_tokens for usage in known),
        sum(usage.output_tokens for usage in known),
        sum(usage.cache_read_tokens for usage in known),
        sum(usage.cache_write_tokens for usage in known),
        sum(usage.total_tokens for usage in known),
        sum(reasoning) if reasoning else None,
    )


@dataclass(frozen=True, slots=True, repr=False)
class UsageCost(Record):
    """What was spent, in cents.

    Attributes:
        raw_cost_cents: The cost of the tokens.
        charged_cents: What is charged.
    """

    raw_cost_cents: float
    charged_cents: float

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> UsageCost:
        """Read a mapping with keys in either spelling; an absent member is 0.0."""
        value = object_of(value, "A cost")
        raw, charged = (
            first(value, "rawCostCents", "raw_cost_cents"),
            first(value, "chargedCents", "charged_cents"),
        )
        return cls(number(raw), number(charged))

    def to_json(self) -> JsonObject:
        """The mapping with the wire's keys."""
        return {"rawCostCents": self.raw_cost_cents, "chargedCents": self.charged_cents}


@dataclass(frozen=True, slots=True, repr=False)
class RunUsage(Record):
    """Tokens and cost of one run; ``cost`` is ``None`` when it is not known."""

    run_id: str
    usage: TokenUsage
    cost: UsageCost | None = None

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> RunUsage:
        """Read a mapping with keys in either spelling."""
        value = object_of(value, "The usage of a run")
        return cls(text(first(value, "runId", "run_id")), _tokens(value), _cost(value))

    def to_json(self) -> JsonObject:
        """The mapping with the wire's keys."""
        return _with_cost({"runId": self.run_id, "usage": self.usage.to_json()}, self.cost)


@dataclass(frozen=True, slots=True, repr=False)
class AgentUsage(Record, Shown):
    """Tokens and cost of an agent.

    Attributes:
        usage: The total.
        runs: Per run, newest first. The total of a local agent can exceed their sum.
        cost: ``None`` when it is not known.
    """

    usage: TokenUsage
    runs: Sequence[RunUsage] = ()
    cost: UsageCost | None = None

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> AgentUsage:
        """Read a mapping with keys in either spelling."""
        value = object_of(value, "The usage of an agent")
        return cls(_tokens(value), each(value.get("runs"), RunUsage.from_json), _cost(value))

    def to_json(self) -> JsonObject:
        """The mapping with the wire's keys."""
        json: JsonObject = {"usage": self.usage.to_json(), "runs": [run.to_json() for run in self.runs]}
        return _with_cost(json, self.cost)


def _tokens(value: Mapping[str, Any]) -> TokenUsage:
    return TokenUsage.from_json(mapping(value.get("usage")) or {})


def _cost(value: Mapping[str, Any]) -> UsageCost | None:
    cost = mapping(value.get("cost"))
    return None if cost is None else UsageCost.from_json(cost)


def _with_cost(json: JsonObject, cost: UsageCost | None) -> JsonObject:
    return json if cost is None else {**json, "cost": cost.to_json()}
