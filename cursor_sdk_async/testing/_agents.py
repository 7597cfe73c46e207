"""The agent RPCs: create, resume, reload, close, get, list, archive, delete, messages.

Facts: docs/protocol.md, "Agents".
"""

from __future__ import annotations

import base64
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from cursor_sdk_async.testing._errors import api_error, plain, sdk_error
from cursor_sdk_async.testing._records import Agent, Run, now, prune

if TYPE_CHECKING:
    from cursor_sdk_async.testing._bridge import Bridge, OpenAgent

__all__ = ["Agents", "page"]

Json = dict[str, Any]
CLOUD = "bc-"
LARGEST_PAGE = 100


def page(items: Sequence[Any], options: Json, *, cloud: bool) -> tuple[Sequence[Any], str]:
    """One page and the cursor of the next."""
    limit, cursor = int(options.get("limit", 0)), str(options.get("cursor", ""))
    if cloud and limit > LARGEST_PAGE:
        raise api_error("invalid_argument", f"[validation_error] limit is at most {LARGEST_PAGE}")
    start = 0
    if cursor:
        try:
            start = int(
                base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)).decode().removeprefix("at:")
            )
        except ValueError:
            raise sdk_error("internal", "Invalid list cursor") from None
    end = start + limit if limit else len(items)
    following = (
        base64.urlsafe_b64encode(f"at:{end}".encode()).decode().rstrip("=") if end < len(items) else ""
    )
    return items[start:end], following


class Agents:
    """The handlers."""

    def __init__(self, bridge: Bridge) -> None:
        self._bridge = bridge

    def key(self, options: Json) -> str:
        """The key of a cloud operation.

        Raises:
            RpcError: There is none, in the request or in the process.
        """
        key = str(options.get("apiKey") or self._bridge.options.api_key)
        if not key:
            message = "API key is required for cloud operations: set CURSOR_API_KEY or pass apiKey."
            raise sdk_error("unauthenticated", message, "UNAUTHORIZED")
        return key

    def check(self, key: str) -> None:
        """Whether the service knows a key.

        Raises:
            RpcError: It does not.
        """
        accepted = self._bridge.script.accepted_keys
        if accepted is not None and key not in accepted:
            raise api_error("unauthenticated", "Invalid API key.")

    def checked_model(self, model: Json | None, *, cloud: bool) -> Json | None:
        """A model of the catalogue.

        Raises:
            RpcError: The catalogue does not have it.
        """
        ids = [str(row["id"]) for row in self._bridge.script.models]
        if model is None or model.get("id") in ids:
            return model
        if cloud:
            message = f"Model '{model.get('id', '')}' is not available or invalid."
            raise sdk_error("invalid_argument", message, "INVALID_MODEL")
        listed = ", ".join(ids)
        raise sdk_error(
            "invalid_argument", f"Cannot use this model: {model.get('id', '')}. Available models: {listed}."
        )

    def create_agent(self, body: Json) -> Json:
        options = body.get("options", {})
        if "cloud" in options:
            return self._create_cloud(options, body.get("idempotencyKey", ""))
        if body.get("idempotencyKey"):
            raise plain("unimplemented", "Idempotency-Key is only supported for cloud CreateAgent in v1")
        return self._create_local(options)

    def _create_cloud(self, options: Json, idempotency_key: str) -> Json:
        variables = options["cloud"].get("envVars", {})
        if options.get("local", {}).get("customTools"):
            raise plain("invalid_argument", "local.custom_tools is only supported for local SDK agents")
        if variables and options.get("agentId"):
            raise plain("invalid_argument", "cloud.envVars cannot be used with a caller-supplied agentId")
        if any(name.startswith("CURSOR_") for name in variables):
            raise plain("invalid_argument", "cloud.envVars names cannot start with CURSOR_")
        if "tools" in options or options.get("disallowedTools"):
            raise sdk_error("invalid_argument", "`tools` is not supported for cloud agents")
        key = self.key(options)
        model = self.checked_model(options.get("model"), cloud=True)
        agent_id = options.get("agentId") or self._bridge.new_id(CLOUD)
        opened = self._opened(agent_id, True, options, key, model)
        opened.idempotency_key = idempotency_key
        return prune({"agentId": agent_id, "model": model})

    def _create_local(self, options: Json) -> Json:
        local = options.get("local", {})
        custom = bool(local.get("customTools"))
        if custom and not self._bridge.tools.registered:
            raise plain("failed_precondition", "local.custom_tools requires a host tool callback server")
        model = self.checked_model(options.get("model"), cloud=False)
        agent_id = options.get("agentId") or self._bridge.new_id("" if custom else "agent-")
        if agent_id in self._bridge.agents:
            raise sdk_error("internal", f"Agent {agent_id} already exists")
        cwd = os.path.abspath(next(iter(local.get("cwd", [])), self._bridge.options.workspace))
        agent = Agent(agent_id, False, options.get("name") or "New Agent", options, cwd)
        self._bridge.agents[agent_id] = agent
        opened = self._opened(agent_id, False, options, options.get("apiKey", ""), model)
        opened.agent, opened.pending = agent, self.new_run(agent, model)
        self._bridge.save(opened.pending)
        return prune({"agentId": agent_id, "model": model})

    def _opened(self, agent_id: str, cloud: bool, options: Json, key: str, model: Json | None) -> OpenAgent:
        from cursor_sdk_async.testing._bridge import OpenAgent

        made = self._bridge.open[agent_id] = OpenAgent(agent_id, cloud, options, key, model)
        return made

    def new_run(self, agent: Agent, model: Json | None) -> Run:
        """A run in the queue."""
        run = Run(self._bridge.new_id("run-"), agent, model)
        agent.runs.append(run)
        self._bridge.runs[run.id] = run
        return run

    def resume_agent(self, body: Json) -> Json:
        agent_id, options = body.get("agentId", ""), body.get("options", {})
        cloud = agent_id.startswith(CLOUD)
        key = self.key(options) if cloud else options.get("apiKey", "")
        agent = self._bridge.agents.get(agent_id)
        if not cloud and agent is None:
            raise sdk_error("not_found", f"Agent {agent_id} not found", "AGENT_NOT_FOUND")
        model = self.checked_model(options.get("model"), cloud=cloud)
        known = agent.options if agent is not None else {}
        opened = self._opened(agent_id, cloud, {**known, **options}, key, model)
        opened.agent = agent or Agent(agent_id, True, "", {})
        return prune({"agentId": agent_id, "model": model})

    def reload_agent(self, body: Json) -> Json:
        self._bridge.opened(body.get("agentId", ""))
        return {}

    def close_agent(self, body: Json) -> Json:
        opened = self._bridge.opened(body.get("agentId", ""))
        del self._bridge.open[opened.id]
        for run in opened.agent.runs if opened.agent is not None else ():
            handle = self._bridge.handles.pop(run.id, None)
            # The streams of a local run go on to its end; those of a cloud run end, and the run goes on.
            if handle is not None and opened.cloud and not run.terminal:
                handle.end("ERROR")
        return {}

    # What needs no open agent.

    def find(self, body: Json, code: str = "not_found") -> Agent:
        """The agent that a management call names.

        Raises:
            RpcError: None of that id, or no key for a cloud one.
        """
        agent_id, options = str(body.get("agentId", "")), body.get("options", {})
        agent = self._bridge.agents.get(agent_id)
        if agent_id.startswith(CLOUD) and (agent is None or agent.cloud):
            self.check(self.key(options))
            if agent is None:
                raise api_error("not_found", "[agent_not_found] Agent not found.", "AGENT_NOT_FOUND")
        elif agent is None or os.path.abspath(options.get("cwd", agent.cwd)) != agent.cwd:
            word = "AGENT_NOT_FOUND" if code == "not_found" else ""
            raise sdk_error(code, f"Agent {agent_id} not found", word)
        return agent

    def get_agent(self, body: Json) -> Json:
        return {"agent": self.find(body).info()}

    def list_agents(self, body: Json) -> Json:
        options = body.get("options", {})
        cloud = options.get("runtime") == "RUNTIME_CLOUD"
        if cloud:
            self.check(self.key(options))
        cwd = os.path.abspath(options.get("cwd") or self._bridge.options.workspace)
        found = [
            agent
            for agent in sorted(
                self._bridge.agents.values(), key=lambda one: (one.modified, one.id), reverse=True
            )
            if agent.cloud == cloud and (self._listed(agent, options) if cloud else agent.cwd == cwd)
        ]
        items, cursor = page(found, options, cloud=cloud)
        return prune({"items": [agent.info(listed=True) for agent in items], "nextCursor": cursor})

    def _listed(self, agent: Agent, options: Json) -> bool:
        if agent.archived and options.get("includeArchived") is False:
            return False
        repos = agent.options.get("cloud", {}).get("repos", [])
        wanted = options.get("prUrl")
        made = [branch.get("prUrl") for run in agent.runs for branch in run.branches]
        return not wanted or wanted in [*(repo.get("prUrl") for repo in repos), *made]

    def archive_agent(self, body: Json) -> Json:
        return self._archived(body, True)

    def unarchive_agent(self, body: Json) -> Json:
        return self._archived(body, False)

    def _archived(self, body: Json, archived: bool) -> Json:
        agent = self.find(body, "internal")
        agent.archived, agent.modified = archived, now()
        self._bridge.journal.agent(agent)
        return {}

    def delete_agent(self, body: Json) -> Json:
        agent = self.find(body, "internal")
        active = agent.active
        if active is not None:
            if not agent.cloud:  # a run that is only queued counts
                message = f"Cannot delete agent {agent.id}: active run {active.id} is not terminal."
                raise sdk_error("internal", message)
            if active.task is not None:
                active.task.cancel()
            active.finish("CANCELLED")
        del self._bridge.agents[agent.id]
        for run in agent.runs:
            self._bridge.runs.pop(run.id, None)
        self._bridge.journal.agent(agent, gone=True)
        return {}

    def list_agent_messages(self, body: Json) -> Json:
        agent_id, options = str(body.get("agentId", "")), body.get("options", {})
        if agent_id.startswith(CLOUD):
            raise plain("unimplemented", "Cloud ListAgentMessages is not supported")
        agent = self.find(body)
        start = int(options.get("offset", 0))
        limit = int(options.get("limit", 0)) or len(agent.messages)
        return prune({"messages": agent.messages[start : start + limit]})
