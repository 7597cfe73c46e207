"""The state file: what the service and the local store know, for a bridge that is started later."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from cursor_sdk_async.testing._records import KEPT, Agent, Record, Run

__all__ = ["Journal"]

RUN_FIELDS = (
    "model",
    "prompt",
    "created",
    "status",
    "started",
    "steps",
    "text",
    "result",
    "error_code",
    "error_message",
    "branches",
    "usage",
    "duration_ms",
)
AGENT_FIELDS = (
    "id",
    "cloud",
    "name",
    "options",
    "cwd",
    "created",
    "modified",
    "archived",
    "sends",
    "messages",
)


class Journal:
    """Lines of JSON, appended after each step; a later line of the same thing wins."""

    def __init__(self, path: str) -> None:
        self._path = Path(path) if path else None
        self._logged: dict[str, int] = {}

    def agent(self, agent: Agent, *, gone: bool = False) -> None:
        """Keep an agent, or forget it."""
        kept = {name: getattr(agent, name) for name in AGENT_FIELDS}
        kept["options"] = {name: value for name, value in agent.options.items() if name != "apiKey"}
        self._write({"gone": agent.id} if gone else {"agent": kept})

    def save(self, run: Run) -> None:
        """Keep a run and what its log has more than before."""
        if self._path is None:
            return
        self.agent(run.agent)
        done = self._logged.get(run.id, 0)
        log = [list(record) for record in run.log[done:] if record.kind in KEPT]
        self._logged[run.id] = len(run.log)
        kept = {name: getattr(run, name) for name in RUN_FIELDS}
        self._write({"run": run.id, "of": run.agent.id, "fields": kept, "log": log})

    def _write(self, line: dict[str, Any]) -> None:
        if self._path is not None:
            with self._path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(line) + "\n")

    def load(self, agents: dict[str, Agent], runs: dict[str, Run]) -> None:
        """Fill the tables."""
        if self._path is None or not self._path.exists():
            return
        for text in self._path.read_text(encoding="utf-8").splitlines():
            line = json.loads(text)
            if "gone" in line:
                agents.pop(line["gone"], None)
            elif "agent" in line:
                kept = line["agent"]
                agent = agents.setdefault(kept["id"], Agent(kept["id"], kept["cloud"], "", {}))
                for name, value in kept.items():
                    setattr(agent, name, value)
            elif line["of"] in agents:
                self._load_run(line, agents[line["of"]], runs)

    def _load_run(self, line: dict[str, Any], agent: Agent, runs: dict[str, Run]) -> None:
        run = runs.get(line["run"])
        if run is None:
            run = runs[line["run"]] = Run(line["run"], agent, None)
            agent.runs.append(run)
        for name, value in line["fields"].items():
            setattr(run, name, value)
        run.log.extend(Record(*record) for record in line["log"])
        self._logged[run.id] = len(run.log)
