"""The run RPCs: send, wait, get, list, observe, conversation, cancel; and usage and artifacts.

Facts: docs/protocol.md, "Agents", "Run streams", "Losing and resuming", "Cancelling".
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from cursor_sdk_async.testing import _codec
from cursor_sdk_async.testing._agents import Agents, page
from cursor_sdk_async.testing._errors import RpcError, api_error, plain, sdk_error
from cursor_sdk_async.testing._handle import Handle
from cursor_sdk_async.testing._records import COUNTS, Agent, Run, prune

if TYPE_CHECKING:
    from cursor_sdk_async.testing._bridge import Bridge, OpenAgent

__all__ = ["Runs"]

Json = dict[str, Any]
UUID = r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"
RUN_ID = re.compile(f"run-{UUID}")
CLOUD_ID = re.compile(f"bc-{UUID}")
COST = {"rawCostCents": 1.5, "chargedCents": 1.25}


def no_run(run_id: str, *, cloud: bool) -> RpcError:
    """There is no such run."""
    if cloud:
        return api_error("not_found", "[run_not_found] Run not found.", "RUN_NOT_FOUND")
    return sdk_error("invalid_argument", f"Run {run_id} not found")


class Runs:
    """The handlers."""

    def __init__(self, bridge: Bridge, agents: Agents) -> None:
        self._bridge = bridge
        self._agents = agents

    def send(self, body: Json) -> Handle:
        """Start a run; gives its handle, for the stream."""
        opened = self._bridge.opened(body.get("agentId", ""))
        options, key = body.get("options", {}), body.get("idempotencyKey", "")
        model = options.get("model") or opened.model
        if opened.cloud:
            self._agents.check(opened.key)
            key = key or ("" if opened.agent is not None and opened.agent.runs else opened.idempotency_key)
            if key and key in self._bridge.keys:
                return self._bridge.hold(self._repeated(opened, self._bridge.keys[key]))
            run = self._cloud_run(opened, body, model)
            if key:
                self._bridge.keys[key] = run
        else:
            run = self._local_run(opened, body, model)
        agent = run.agent
        run.prompt = body.get("message", {}).get("text", "")
        agent.remember("user", run.prompt)
        agent.sends += 1
        run.started = True
        handle = self._bridge.hold(run, live=True)
        self._bridge.save(run)
        self._bridge.start(run, agent.sends - 1)
        return handle

    def _repeated(self, opened: OpenAgent, run: Run) -> Run:
        """The run that an idempotency key has already; it cannot be the first one of another agent."""
        if opened.agent is None and not opened.options.get("cloud", {}).get("envVars"):
            if run.agent.id != opened.id:
                raise sdk_error(
                    "internal",
                    f'The service answered with mismatched agent id "{run.agent.id}"; '
                    f'expected "{opened.id}".',
                )
            opened.agent = run.agent
        return run

    def _cloud_run(self, opened: OpenAgent, body: Json, model: Json | None) -> Run:
        agent = opened.agent
        if agent is None:
            # With variables the service chooses the id, and what Create answered is good for Send only.
            chosen = bool(opened.options.get("cloud", {}).get("envVars"))
            agent_id = self._bridge.new_id("bc-") if chosen else opened.id
            text = body.get("message", {}).get("text", "")
            name = opened.options.get("name") or text[:40] or "New Agent"
            agent = opened.agent = self._bridge.agents[agent_id] = Agent(agent_id, True, name, opened.options)
        elif agent.id not in self._bridge.agents:
            raise api_error("not_found", "[agent_not_found] Agent not found.", "AGENT_NOT_FOUND")
        if agent.archived:
            raise api_error("invalid_argument", "[agent_archived] This agent is archived.")
        if agent.active is not None:
            raise api_error("failed_precondition", "[agent_busy] The agent has an active run.", "AGENT_BUSY")
        return self._agents.new_run(agent, self._agents.checked_model(model, cloud=True))

    def _local_run(self, opened: OpenAgent, body: Json, model: Json | None) -> Run:
        options, agent = body.get("options", {}), opened.agent
        assert agent is not None
        if body.get("idempotencyKey"):
            raise plain("unimplemented", "Idempotency-Key is only supported for cloud Send in v1")
        if any("url" in image for image in body.get("message", {}).get("images", [])):
            raise plain("invalid_argument", "URL images are only supported for cloud-routed agents")
        if "cloud" in options:
            raise sdk_error("invalid_argument", "Cloud send options are only supported for cloud SDK agents.")
        if model is None:
            message = "Local SDK agents require an explicit `model`, of the agent or of this send."
            raise sdk_error("invalid_argument", message)
        self._agents.checked_model(model, cloud=False)
        active = agent.active
        if active is not None and active is not opened.pending:
            if not options.get("local", {}).get("force"):
                raise sdk_error("internal", f"Agent {agent.id} already has active run")
            if active.task is not None:
                active.task.cancel()
            active.error_message = "force_send"
            active.finish("ERROR")
        if agent.archived and opened.pending is None:  # the first run was made with the agent
            raise sdk_error("internal", f"Agent {agent.id} is archived and takes no follow-up.")
        run, opened.pending = opened.pending or self._agents.new_run(agent, model), None
        run.model = model
        return run

    async def wait_live_run(self, body: Json) -> Json:
        handle = self._bridge.handle(body.get("runId", ""))
        while not handle.over:
            await handle.run.changed()
        return {"result": handle.result()}

    def get_run(self, body: Json) -> Json:
        run_id, options = str(body.get("runId", "")), body.get("options", {})
        if options.get("runtime") != "RUNTIME_CLOUD":
            return {"run": self._local(run_id).run.snapshot()}
        if not options.get("agentId"):
            raise plain("invalid_argument", "Cloud getRun requests require agentId")
        if not RUN_ID.fullmatch(run_id):
            raise sdk_error("invalid_argument", "A run id has the form run-<uuid>")
        if not CLOUD_ID.fullmatch(options["agentId"]):
            raise sdk_error("invalid_argument", "A cloud agent id has the form bc-<uuid>")
        self._agents.check(self._agents.key(options))
        run = self._bridge.runs.get(run_id)
        if options["agentId"] not in self._bridge.agents:
            raise api_error("not_found", "[agent_not_found] Agent not found.", "AGENT_NOT_FOUND")
        if run is None or run.agent.id != options["agentId"]:
            raise no_run(run_id, cloud=True)
        self._bridge.hold(run)
        return {"run": run.snapshot(model=False, usage=False)}

    def _local(self, run_id: str) -> Handle:
        run = self._bridge.runs.get(run_id)
        if run is None or run.agent.cloud:
            raise no_run(run_id, cloud=False)
        return self._bridge.hold(run)

    def list_runs(self, body: Json) -> Json:
        agent_id, options = str(body.get("agentId", "")), body.get("options", {})
        cloud = options.get("runtime") == "RUNTIME_CLOUD"
        agent = self._bridge.agents.get(agent_id)
        if cloud:
            self._agents.check(self._agents.key(options))
            if agent is None or not agent.cloud:
                raise api_error("not_found", "[agent_not_found] Agent not found.", "AGENT_NOT_FOUND")
        elif agent is None or agent.cloud:
            raise sdk_error("not_found", f"Agent {agent_id} not found", "AGENT_NOT_FOUND")
        runs = list(reversed(agent.runs)) if cloud else agent.runs
        items, cursor = page(runs, options, cloud=cloud)
        for run in items:
            self._bridge.hold(run)
        shown = [run.snapshot(model=not cloud, usage=not cloud) for run in items]
        return prune({"items": shown, "nextCursor": cursor})

    def observe_run(self, body: Json) -> Handle:
        """The handle to read: the one that is held, else a new one of a local run."""
        run_id = str(body.get("runId", ""))
        return self._bridge.handles.get(run_id) or self._local(run_id)

    async def get_run_conversation(self, body: Json) -> Json:
        handle = self._bridge.handle(body.get("runId", ""))
        while not handle.over:
            await handle.run.changed()
        run = handle.run
        turn = prune({"userMessage": {"text": run.prompt} if run.prompt else None, "steps": run.steps})
        turns = [{"type": "agentConversationTurn", "turn": turn}] if run.steps else []
        return {"conversationJson": _codec.dumps(turns).decode()}

    def cancel_run(self, body: Json) -> Json:
        run_id, agent_id = str(body.get("runId", "")), body.get("agentId", "")
        handle = self._bridge.handles.get(run_id)
        if handle is None and agent_id:
            if not RUN_ID.fullmatch(run_id):
                raise sdk_error("invalid_argument", "A run id has the form run-<uuid>")
            # The request has no key: an unknown run is cancelled with the process's own.
            self._agents.check(self._agents.key({}))
            run = self._bridge.runs.get(run_id)
            if run is None or run.agent.id != agent_id:
                raise no_run(run_id, cloud=True)
        else:
            handle = handle or self._local(run_id)
            run = handle.run
        if handle is not None and handle.cancelled:
            return {}
        if run.terminal:
            if run.agent.cloud:
                raise api_error("invalid_argument", "[run_not_cancellable] This run is over.")
            return {}
        if handle is not None:
            handle.cancelled = True
            if run.agent.cloud and handle.live:
                handle.end("CANCELLED")
        self._cancel(run)
        return {}

    def _cancel(self, run: Run) -> None:
        if run.task is not None:
            run.task.cancel()
        run.log.append(run.say("status", {"status": "CANCELLED"}))
        run.finish("CANCELLED")
        self._bridge.save(run)

    def get_usage(self, body: Json) -> Json:
        opened = self._bridge.opened(body.get("agentId", ""))
        agent = opened.agent
        if agent is None or agent.id not in self._bridge.agents:
            raise api_error("not_found", "[agent_not_found] Agent not found.", "AGENT_NOT_FOUND")
        self._agents.check(opened.key)
        runs = [run for run in reversed(agent.runs) if run.usage is not None]
        if "runId" in body:
            runs = [run for run in runs if run.id == body["runId"]]
            if not runs:
                raise no_run(body["runId"], cloud=True)
        totals = {name: sum((run.usage or {}).get(name, 0) for run in runs) for name in COUNTS}
        cost = {name: value * len(runs) for name, value in COST.items()} if runs else None
        rows = [{"runId": run.id, "usage": usage_row(run.usage or {}), "cost": COST} for run in runs]
        return {"usage": prune({"usage": usage_row(totals), "cost": cost, "runs": rows})}

    def list_artifacts(self, body: Json) -> Json:
        opened = self._bridge.opened(body.get("agentId", ""))
        if not opened.cloud or opened.agent is None or not opened.agent.runs:
            return {}
        rows = [
            prune({"path": one.path, "sizeBytes": str(size) if size else "", "updatedAt": one.updated_at})
            for one in self._bridge.script.artifacts
            for size in (one.size if one.size is not None else len(one.data),)
        ]
        return prune({"artifacts": rows})

    def download_artifact(self, body: Json) -> bytes:
        """The whole file; the stream cuts it into chunks."""
        opened = self._bridge.opened(body.get("agentId", ""))
        if not opened.cloud:
            raise sdk_error("invalid_argument", "Artifacts are not implemented for local SDK agents")
        if opened.agent is None or not opened.agent.runs:
            raise sdk_error("invalid_argument", "The agent does not exist yet: call send() first.")
        for one in self._bridge.script.artifacts:
            if one.path == body.get("path"):
                return one.read()
        raise api_error("invalid_argument", "[artifact_not_found] Artifact not found.")


def usage_row(counts: dict[str, int]) -> Json:
    """Token counts as typed messages have them; this total has the caches in it."""
    known = {name: counts.get(name, 0) for name in COUNTS}
    return {
        name: str(value) for name, value in {**known, "totalTokens": sum(known.values())}.items() if value
    }
