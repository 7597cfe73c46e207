"""Agents and runs as the service (cloud) or the local store knows them: they outlive the bridge's handles."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Coroutine, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timezone
from typing import Any, NamedTuple
from uuid import uuid4

__all__ = ["KEPT", "Agent", "Record", "Run", "now", "prune"]

Json = dict[str, Any]
TERMINAL = ("FINISHED", "ERROR", "CANCELLED", "EXPIRED")
KEPT = ("message", "update", "step")
COUNTS = ("inputTokens", "outputTokens", "cacheReadTokens", "cacheWriteTokens")


def now() -> str:
    """The time as the wire has it."""
    return datetime.now(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def prune(value: Mapping[str, Any]) -> Json:
    """Without the fields that hold their default, which are never written; empty objects stay."""
    return {key: item for key, item in value.items() if item not in (None, "", 0, False, []) or item == {}}


class Record(NamedTuple):
    """One thing in the life of a run: a message, an update, a step, or an oddity of the script."""

    kind: str
    type: str = ""
    payload: Any = None


@dataclass(eq=False)
class Agent:
    """One agent."""

    id: str
    cloud: bool
    name: str
    options: Json
    cwd: str = ""
    created: str = field(default_factory=now)
    modified: str = field(default_factory=now)
    archived: bool = False
    runs: list[Run] = field(default_factory=list["Run"])
    sends: int = 0
    messages: list[Json] = field(default_factory=list[Json])

    @property
    def active(self) -> Run | None:
        """The run that is not over."""
        return next((run for run in reversed(self.runs) if not run.terminal), None)

    def remember(self, kind: str, text: str) -> None:
        """Add to what ListAgentMessages shows."""
        content = {"role": kind, "content": [{"type": "text", "text": text}]}
        self.messages.append({"type": kind, "uuid": str(uuid4()), "agentId": self.id, "message": content})

    def info(self, *, listed: bool = False) -> Json:
        """As GetAgent and ListAgents show it."""
        shown: Json = {
            "agentId": self.id,
            "name": self.name,
            "summary": self.name if self.cloud else "",
            "lastModified": self.modified,
            "status": "" if self.cloud or self.archived else f"AGENT_INFO_STATUS_{self._status()}",
            "createdAt": self.created,
            "archived": self.archived,
        }
        if not self.cloud:
            return prune({**shown, "local": prune({"cwd": self.cwd})})
        cloud = self.options.get("cloud", {})
        env = {"type": "CLOUD_ENVIRONMENT_TYPE_CLOUD", **cloud.get("env", {})}
        repos = [] if listed else [repo.get("url", "") for repo in cloud.get("repos", [])]
        metadata = None if listed else cloud.get("metadata")
        return prune({**shown, "cloud": prune({"env": env, "repos": repos, "metadata": metadata})})

    def _status(self) -> str:
        started = [run for run in self.runs if run.started]
        if not started:
            return "FINISHED"
        if not started[-1].terminal:
            return "RUNNING"
        return "ERROR" if started[-1].status in ("ERROR", "EXPIRED") else "FINISHED"


class Run:
    """One run: its log grows until the run is over."""

    def __init__(self, run_id: str, agent: Agent, model: Json | None) -> None:
        self.id = run_id
        self.agent = agent
        self.model = model
        self.prompt = ""
        self.created = now()
        self.status = "CREATING" if agent.cloud else "RUNNING"
        self.started = False
        self.log: list[Record] = []
        self.steps: list[Json] = []
        self.text: list[str] = []
        self.result: str | None = None
        self.error_code: str | None = None
        self.error_message: str | None = None
        self.branches: list[Json] = []
        self.usage: dict[str, int] | None = None
        self.duration_ms = 0
        self.task: asyncio.Task[None] | None = None
        self.skip = 0  # so many records are in the log already, from a process before this one
        self._began = time.monotonic()
        self._changed = asyncio.Event()

    @property
    def terminal(self) -> bool:
        """Whether it is over."""
        return self.status in TERMINAL

    def append(self, *records: Record) -> None:
        """Add to the log and wake the readers."""
        for record in records:
            if self.skip > 0 and record.kind in KEPT:
                self.skip -= 1
            else:
                self.log.append(record)
        self.wake()

    def wake(self) -> None:
        """Wake the readers."""
        self._changed.set()
        self._changed = asyncio.Event()

    def changed(self) -> Coroutine[Any, Any, Any]:
        """Waits for the next :meth:`wake` from now on, not from the first step of the waiting."""
        return self._changed.wait()

    def begin(self) -> None:
        """The prompt is there: the clock starts."""
        self.started = True
        self._began = time.monotonic()

    def finish(self, status: str) -> None:
        """The end."""
        self.duration_ms = max(1, round(1000 * (time.monotonic() - self._began)))
        self.agent.modified = now()
        self.status = status
        self.wake()

    def say(self, kind: str, payload: Mapping[str, Any]) -> Record:
        """A message of this run."""
        shown = {"type": kind, "agent_id": self.agent.id, "run_id": self.id, **payload}
        return Record("message", kind, shown)

    def count(self, usage: Mapping[str, int]) -> None:
        """Add the tokens of a turn."""
        total = self.usage or {}
        for name, value in usage.items():
            total[name] = total.get(name, 0) + value
        self.usage = total

    def snapshot(self, *, model: bool = True, usage: bool = True) -> Json:
        """As GetRun, ListRuns and the result frame show it."""
        word = "ERROR" if self.status == "EXPIRED" else self.status
        text = self.result if self.result is not None else "".join(self.text)
        counts = None
        if usage and self.usage is not None:
            counts = {name: str(value) for name, value in self.usage.items() if value}
        shown = {
            "runId": self.id,
            "agentId": self.agent.id,
            "status": f"RUN_LIFECYCLE_STATUS_{word}",
            "result": text if self.terminal else "",
            "model": self.model if model else None,
            "durationMs": str(self.duration_ms) if self.duration_ms else "",
            "git": {"branches": self.branches} if self.branches else None,
            "createdAt": self.created,
            "usage": counts,
            "errorCode": self.error_code,
            "errorMessage": self.error_message,
        }
        return prune(shown)
