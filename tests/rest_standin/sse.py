"""Reads a run's stream, for the stand-in's own tests. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

__all__ = ["Event", "read_events"]


class Event(NamedTuple):
    """One event."""

    id: str | None
    name: str
    data: Any


def read_events(lines: Iterable[str]) -> Iterator[Event]:
    """The events in the lines of a stream."""
    fields: dict[str, str] = {}
    for line in lines:
        if line:
            name, _, value = line.partition(": ")
            fields[name] = value
        elif fields:
            yield Event(fields.get("id"), fields["event"], json.loads(fields["data"]))
            fields = {}
