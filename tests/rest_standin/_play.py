"""Plays the script of a run into its log, in a task of the application.

A run that waits cannot hang the process: cancel, release, reset and the end of the application each end the
wait.
"""

from __future__ import annotations

import json
import time
from typing import Any

import anyio

from tests.rest_standin._state import Agent, Entry, Run, World, now
from tests.rest_standin.script import Beat, events, pieces, update

__all__ = ["block", "git", "play", "tell_status", "total"]


def block(event: str, data: Any, event_id: str | None = None) -> bytes:
    """One event of a stream."""
    head = "" if event_id is None else f"id: {event_id}\n"
    return f"{head}event: {event}\ndata: {json.dumps(data, separators=(',', ':'))}\n\n".encode()


def tell_status(run: Run) -> bytes:
    """The status event, which has no id."""
    return block("status", {"runId": run.id, "status": run.status})


def git(agent: Agent) -> dict[str, Any] | None:
    """The branches of an agent: one for each repository."""
    branches = [
        {
            "repoUrl": repo["url"].split("://")[-1],
            "branch": f"cursor/work-{agent.number}",
            **({"prUrl": pr_url(agent, repo)} if pr_url(agent, repo) else {}),
        }
        for repo in agent.settings.get("repos") or ()
    ]
    return {"branches": branches} if branches else None


def pr_url(agent: Agent, repo: dict[str, Any]) -> str:
    """The pull request of a repository: the given one, or the one that the agent opened."""
    if repo.get("prUrl"):
        return str(repo["prUrl"])
    return f"{repo['url']}/pull/{agent.number}" if agent.settings.get("autoCreatePR") else ""


def total(usage: dict[str, int]) -> dict[str, int]:
    """The four counts and their sum."""
    counts = {
        name: usage.get(name, 0)
        for name in ("inputTokens", "outputTokens", "cacheWriteTokens", "cacheReadTokens")
    }
    return {**counts, "totalTokens": sum(counts.values())}


async def play(world: World, agent: Agent, run: Run) -> None:
    """From CREATING to the end of the stream."""
    started = time.monotonic()
    with run.scope:
        with anyio.move_on_after(run.script.creating):
            await run.watched.wait()
        _enter(run, "RUNNING")
        _say(run, (update("step-started", stepId=1),))
        for number, beat in enumerate(run.script.beats):
            await _perform(world, run, beat, f"call-{run.id[4:12]}-{number}")
    run.duration_ms = max(1, round((time.monotonic() - started) * 1000))
    if run.script.result is not None and not run.cancelled:
        run.text = run.script.result
    _enter(run, "CANCELLED" if run.scope.cancel_called else run.script.finish)
    agent.updated = run.updated
    _finish(agent, run)


def _enter(run: Run, status: str) -> None:
    run.status, run.updated = status, now()
    run.add(Entry(tell_status(run), live=True))


async def _perform(world: World, run: Run, beat: Beat, call_id: str) -> None:
    run.text += "".join(pieces(beat, run.prompt))
    for group in events(beat, run.prompt, call_id):
        _say(run, group)
    if beat["do"] == "turn-ended":
        run.usage = {
            name: (run.usage or {}).get(name, 0) + beat["usage"].get(name, 0) for name in beat["usage"]
        }
    elif beat["do"] == "pause":
        await anyio.sleep(beat["seconds"])
    elif beat["do"] == "hold":
        await world.gate(beat["name"]).wait()
    elif beat["do"] == "cut":
        run.add(Entry(b"", cuts=beat["times"], abort=beat["how"] == "abort"))
    elif beat["do"] == "raw":
        run.add(Entry(beat["block"].encode()))
    await anyio.lowlevel.checkpoint()


def _say(run: Run, group: tuple[tuple[str, dict[str, Any]], ...]) -> None:
    """Log the events of one group, as far as the script's family of events wants them, under one id."""
    family = run.script.family
    chosen = [
        (name, data)
        for name, data in group
        if not (family == "simple" and name == "interaction_update")
        and not (family == "updates" and name in ("assistant", "thinking", "tool_call"))
    ]
    event_id = f"{run.id}:{len(run.log)}"
    for name, data in chosen:
        run.add(Entry(block(name, data, event_id), id=event_id))


def _finish(agent: Agent, run: Run) -> None:
    data: dict[str, Any] = {"runId": run.id, "status": run.status, "durationMs": run.duration_ms}
    if run.text:
        data["text"] = run.text
    if run.script.error is not None and run.status == "ERROR":
        data["error"] = dict(run.script.error)
    branches = git(agent)
    if branches is not None:
        data["git"] = branches
    for name, payload in (("result", data), ("done", {})):
        event_id = f"{run.id}:{len(run.log)}"
        run.add(Entry(block(name, payload, event_id), id=event_id))
