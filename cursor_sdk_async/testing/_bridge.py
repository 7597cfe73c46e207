"""The scripted bridge's memory: agents, runs, handles, holds, faults, what was asked.

What the service or the local store knows (``agents``, ``runs``) outlives what the bridge holds (``open``,
``handles``): only Create, Resume and the calls that name runs fill the latter.
"""

from __future__ import annotations

import asyncio
from collections import deque
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from cursor_sdk_async.testing import _stderr
from cursor_sdk_async.testing._argv import Options
from cursor_sdk_async.testing._errors import plain
from cursor_sdk_async.testing._faulty import Faulty
from cursor_sdk_async.testing._handle import Handle
from cursor_sdk_async.testing._journal import Journal
from cursor_sdk_async.testing._play import play
from cursor_sdk_async.testing._records import Agent, Run
from cursor_sdk_async.testing._tools import Tools

__all__ = ["Bridge", "Holds", "OpenAgent"]

Json = dict[str, Any]
REMEMBERED_REQUESTS = 20_000


@dataclass(eq=False)
class OpenAgent:
    """An agent that this process holds.

    Attributes:
        id: As it was given out; provisional when the service chooses another.
        agent: None before the first Send of a cloud agent.
        pending: The queued run of a new local agent.
    """

    id: str
    cloud: bool
    options: Json
    key: str
    model: Json | None
    agent: Agent | None = None
    pending: Run | None = None
    idempotency_key: str = ""


class Holds:
    """Names that a script waits for."""

    def __init__(self) -> None:
        self._events: dict[str, asyncio.Event] = {}
        self.waiting: dict[str, int] = {}

    async def wait(self, name: str) -> None:
        """Wait until the name is released; at once if it was."""
        self.waiting[name] = self.waiting.get(name, 0) + 1
        try:
            await self._event(name).wait()
        finally:
            self.waiting[name] -= 1

    def release(self, name: str) -> None:
        """Let everybody go who waits for it, now and later."""
        self._event(name).set()

    def close(self, name: str) -> None:
        """Make it wait again."""
        self._events.pop(name, None)

    def _event(self, name: str) -> asyncio.Event:
        return self._events.setdefault(name, asyncio.Event())


class Bridge:
    """All that the handlers share."""

    def __init__(self, options: Options) -> None:
        self.options = options
        self.script = options.script
        self.faulty = Faulty(options.faults)
        self.holds = Holds()
        self.tools = Tools(options.tool_url, options.tool_token)
        self.agents: dict[str, Agent] = {}
        self.runs: dict[str, Run] = {}
        self.keys: dict[str, Run] = {}
        self.open: dict[str, OpenAgent] = {}
        self.handles: dict[str, Handle] = {}
        self.requests: deque[Json] = deque(maxlen=REMEMBERED_REQUESTS)
        self.open_streams = 0
        self.journal = Journal(options.state_file)
        self.journal.load(self.agents, self.runs)

    def new_id(self, prefix: str) -> str:
        """A fresh id."""
        return f"{prefix}{uuid4()}"

    def opened(self, agent_id: str) -> OpenAgent:
        """An agent that Create or Resume opened.

        Raises:
            RpcError: None of that id.
        """
        found = self.open.get(agent_id)
        if found is None:
            raise plain("not_found", f"Unknown agent: {agent_id}")
        return found

    def hold(self, run: Run, *, live: bool = False) -> Handle:
        """A new handle of a run; it takes the place of the old one."""
        handle = self.handles[run.id] = Handle(run, live=live)
        return handle

    def handle(self, run_id: str) -> Handle:
        """The handle of a run.

        Raises:
            RpcError: The bridge holds no such run.
        """
        found = self.handles.get(run_id)
        if found is None:
            raise plain("not_found", f"Unknown run: {run_id}")
        return found

    def go_on(self) -> None:
        """Cloud runs that outlived the process before this one go on; local ones ended with it."""
        for run in self.runs.values():
            if run.agent.cloud and run.started and not run.terminal:
                run.skip, run.steps, run.text, run.usage = len(run.log), [], [], None
                self.start(run, max(0, run.agent.sends - 1))

    def start(self, run: Run, number: int) -> None:
        """Play the turn for that prompt."""
        turn = self.script.turn(number, run.prompt)
        run.task = asyncio.get_running_loop().create_task(play(self, run, turn))
        run.task.add_done_callback(lambda task: self._played(run, task))

    def _played(self, run: Run, task: asyncio.Task[None]) -> None:
        error = None if task.cancelled() else task.exception()
        if error is not None:  # such as a step with a value of the wrong type: the run is not left live
            _stderr.mistake(error)
            run.error_message = f"the script failed: {error!r}"
            run.finish("ERROR")

    def save(self, run: Run) -> None:
        """Keep what is new of a run, if there is a state file."""
        self.journal.save(run)
