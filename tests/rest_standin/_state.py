"""What the stand-in knows: agents, their runs, and what tests told it to do. No HTTP here.

Nothing outlives the process and nothing is written anywhere. Everybody who waits here waits for an event that
a cancel, a release or the end of the process sets.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timezone
from itertools import count
from typing import Any

import anyio
from anyio.abc import TaskGroup

from tests.rest_standin.script import Script

__all__ = ["TERMINAL", "Agent", "Failure", "Planned", "Run", "World", "now"]

TERMINAL = frozenset({"FINISHED", "ERROR", "CANCELLED", "EXPIRED"})
Json = dict[str, Any]


def now() -> str:
    """The time as the API writes it."""
    return datetime.now(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")


@dataclass
class Entry:
    """One step of a run's stream.

    Attributes:
        block: The bytes of the event.
        id: Its event id; several entries can share one.
        live: Said only to those who were already reading (changes of status).
        cuts: How many streams still end here.
        abort: They end in the middle of the body.
    """

    block: bytes
    id: str | None = None
    live: bool = False
    cuts: int = 0
    abort: bool = True


@dataclass
class Run:
    """One run and the log of its stream."""

    id: str
    agent_id: str
    prompt: str
    script: Script
    status: str = "CREATING"
    created: str = field(default_factory=now)
    updated: str = field(default_factory=now)
    text: str = ""
    duration_ms: int = 0
    usage: Json | None = None
    cancelled: bool = False
    log: list[Entry] = field(default_factory=list[Entry])
    changed: anyio.Event = field(default_factory=anyio.Event)
    watched: anyio.Event = field(default_factory=anyio.Event)
    scope: anyio.CancelScope = field(default_factory=anyio.CancelScope)

    @property
    def over(self) -> bool:
        """Whether the status is final."""
        return self.status in TERMINAL

    def add(self, entry: Entry) -> None:
        """Append to the log and wake the readers."""
        self.log.append(entry)
        self.changed.set()
        self.changed = anyio.Event()


@dataclass
class Agent:
    """One agent: what it was created with, and its runs, oldest first."""

    id: str
    name: str
    settings: Json
    number: int
    created: str = field(default_factory=now)
    updated: str = field(default_factory=now)
    archived: bool = False
    runs: list[Run] = field(default_factory=list[Run])

    @property
    def live(self) -> Run | None:
        """The run that is not over, if any."""
        return next((run for run in self.runs if not run.over), None)

    @property
    def status(self) -> str:
        """The agent's life, which is not the state of a run."""
        return "ARCHIVED" if self.archived else "ACTIVE" if self.live else "IDLE"


@dataclass
class Planned:
    """A script that waits for its run: ``when`` is a part of the prompt, ``times`` None is for ever."""

    script: Script
    when: str = ""
    times: int | None = 1


@dataclass
class Failure:
    """What to answer instead of the truth, to requests that match."""

    method: str = "*"
    path: str = "*"
    times: int | None = 1
    status: int = 500
    error: Json | None = None
    headers: dict[str, str] = field(default_factory=dict[str, str])
    body: str | None = None
    drop: bool = False
    hold: str | None = None


class World:
    """All of it."""

    def __init__(self) -> None:
        self.agents: dict[str, Agent] = {}
        self.requests: list[Json] = []
        self.recorded = anyio.Event()
        self.planned: list[Planned] = []
        self.failures: list[Failure] = []
        self.replays: dict[tuple[str, str], Json] = {}
        self.gates: dict[str, anyio.Event] = {}
        self.streams = 0
        self.serial: Iterator[int] = count(1)
        self.tasks: TaskGroup | None = None

    def script_for(self, prompt: str) -> Script:
        """The script of the next run with this prompt."""
        for planned in self.planned:
            if planned.when in prompt and planned.times != 0:
                if planned.times is not None:
                    planned.times -= 1
                return planned.script
        return Script()

    def record(self, request: Json) -> None:
        """Note a request and wake those who wait for it."""
        self.requests.append(request)
        self.recorded.set()
        self.recorded = anyio.Event()

    def gate(self, name: str) -> anyio.Event:
        """The event that a hold of this name waits for."""
        return self.gates.setdefault(name, anyio.Event())

    def release(self, name: str | None) -> None:
        """Open a gate (all gates that somebody asked for); it stays open until the next reset."""
        for key in [name] if name is not None else list(self.gates):
            self.gate(key).set()

    def reset(self, *, agents: bool) -> None:
        """Forget what tests asked for; with ``agents`` also all agents, whose runs end."""
        self.planned.clear()
        self.failures.clear()
        self.requests.clear()
        if agents:
            for agent in self.agents.values():
                for run in agent.runs:
                    run.scope.cancel()
            self.agents.clear()
            self.replays.clear()
        self.release(None)
        self.gates.clear()
