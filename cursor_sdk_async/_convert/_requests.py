"""From public types to requests, one function for each RPC, by way of the wire's JSON form."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from uuid import uuid4

from cursor_sdk_async._connect._draft import Draft
from cursor_sdk_async.errors import BadRequestError, ConfigurationError
from cursor_sdk_async.options import AgentOptions, SDKImage, SendOptions, UserMessage
from cursor_sdk_async.options._input import pruned
from cursor_sdk_async.options._record import plain
from cursor_sdk_async.options._requests import AgentListOptions, MessageListOptions, RunListOptions

__all__ = [
    "agent_operation_request",
    "cancel_run_request",
    "close_agent_request",
    "create_agent_request",
    "download_artifact_request",
    "extra_fields",
    "get_agent_request",
    "get_run_request",
    "get_usage_request",
    "get_version_request",
    "list_agent_messages_request",
    "list_agents_request",
    "list_artifacts_request",
    "list_models_request",
    "list_repositories_request",
    "list_runs_request",
    "me_request",
    "observe_run_request",
    "ping_request",
    "reload_agent_request",
    "resume_agent_request",
    "run_conversation_request",
    "send_request",
    "set_tool_callback_request",
    "shutdown_request",
    "wait_live_run_request",
]


def _draft(name: str, json: Mapping[str, Any]) -> Draft:
    return Draft(name, plain(json))


def extra_fields(options: AgentOptions | SendOptions) -> Mapping[str, Any]:
    """The fields of a newer contract, in the shape of the request; empty when there are none."""
    return {"options": dict(options.extra)} if options.extra else {}


def create_agent_request(options: AgentOptions, *, api_key: str | None, agent_id: str | None = None) -> Draft:
    """A new agent.

    Args:
        options: In canonical form.
        api_key: The key to use, instead of the one in the options.
        agent_id: The id to give, instead of the one in the options.

    Raises:
        ConfigurationError: A local agent without a model, or with an idempotency key.
    """
    json = _agent_options(options, api_key)
    if agent_id is not None:
        json["agentId"] = agent_id
    if options.cloud is not None:
        return _draft(
            "CreateAgentRequest",
            {"options": json, "idempotencyKey": options.idempotency_key or str(uuid4())},
        )
    if options.idempotency_key:
        raise ConfigurationError(
            "Local agents take no idempotency_key. Leave it out, or make a cloud agent with cloud={...}.",
            code="local_idempotency_key_unsupported",
            is_safe_to_retry=True,
        )
    if options.model is None:
        raise ConfigurationError(
            "A local agent needs a model. Pass model=..., for example one that client.models.list() gives; "
            "for a cloud agent pass cloud={...}.",
            code="missing_model",
            is_safe_to_retry=True,
        )
    return _draft("CreateAgentRequest", {"options": json})


def resume_agent_request(agent_id: str, options: AgentOptions, *, api_key: str | None) -> Draft:
    """An agent taken up again."""
    json = _agent_options(options, api_key)
    return _draft("ResumeAgentRequest", pruned({"agentId": agent_id, "options": json}))


def _agent_options(options: AgentOptions, api_key: str | None) -> dict[str, Any]:
    json = options.to_json()
    return json if api_key is None else {**json, "apiKey": api_key}


def send_request(agent_id: str, message: UserMessage, options: SendOptions) -> Draft:
    """A prompt.

    Raises:
        BadRequestError: A picture by its address, for a local agent.
    """
    if not agent_id.startswith("bc-") and any(SDKImage.from_value(item).url for item in message.images or ()):
        raise BadRequestError(
            "Local agents take no pictures by URL. Pass the content: SDKImage.from_file() or from_data().",
            code="invalid_argument",
            is_safe_to_retry=True,
        )
    body = {
        "agentId": agent_id,
        "message": message.to_json(),
        "options": options.to_json(),
        "idempotencyKey": options.idempotency_key,
    }
    return _draft("SendRequest", {name: value for name, value in body.items() if value or name == "message"})


def reload_agent_request(agent_id: str) -> Draft:
    """Files read again."""
    return Draft("ReloadAgentRequest", {"agentId": agent_id})


def close_agent_request(agent_id: str) -> Draft:
    """An agent let go."""
    return Draft("CloseAgentRequest", {"agentId": agent_id})


def get_agent_request(agent_id: str, *, cwd: str | None = None, api_key: str | None = None) -> Draft:
    """One agent."""
    return _draft("GetAgentRequest", {"agentId": agent_id, **_place(cwd=cwd, apiKey=api_key)})


def agent_operation_request(
    verb: str, agent_id: str, *, cwd: str | None = None, api_key: str | None = None
) -> Draft:
    """``ArchiveAgent``, ``UnarchiveAgent`` or ``DeleteAgent``."""
    return _draft(f"{verb}Request", {"agentId": agent_id, **_place(cwd=cwd, apiKey=api_key)})


def list_agents_request(
    wanted: AgentListOptions, *, api_key: str | None = None, cursor: str | None = None
) -> Draft:
    """A page of agents. Cloud lists leave out archived agents unless told otherwise."""
    archived = wanted.include_archived
    place = _place(
        limit=wanted.limit or None,
        cursor=cursor,
        runtime=_runtime(wanted.runtime),
        cwd=wanted.cwd,
        prUrl=wanted.pr_url,
        includeArchived=False if archived is None and wanted.cloud else archived,
        apiKey=api_key,
    )
    return _draft("ListAgentsRequest", place)


def list_agent_messages_request(
    agent_id: str, wanted: MessageListOptions, *, api_key: str | None = None, cwd: str | None = None
) -> Draft:
    """The messages of an agent; what ``wanted`` says wins over the agent's own place."""
    place = _place(
        limit=wanted.limit or None,
        offset=wanted.offset or None,
        runtime=_runtime(wanted.runtime),
        cwd=wanted.cwd or cwd,
        apiKey=wanted.api_key or api_key,
    )
    return _draft("ListAgentMessagesRequest", {"agentId": agent_id, **place})


def list_artifacts_request(agent_id: str) -> Draft:
    """The files of an agent."""
    return Draft("ListArtifactsRequest", {"agentId": agent_id})


def download_artifact_request(agent_id: str, path: str) -> Draft:
    """One file of an agent."""
    return Draft("DownloadArtifactRequest", {"agentId": agent_id, "path": path})


def get_usage_request(agent_id: str, *, run_id: str | None = None) -> Draft:
    """Tokens and cost; an empty run id would count as one, so it is left out."""
    return Draft("GetUsageRequest", pruned({"agentId": agent_id, "runId": run_id or None}))


def get_run_request(
    run_id: str,
    *,
    agent_id: str | None = None,
    cloud: bool = False,
    cwd: str | None = None,
    api_key: str | None = None,
) -> Draft:
    """One run, which the bridge then knows."""
    place = _place(runtime=_runtime("cloud" if cloud else "local"), agentId=agent_id, cwd=cwd, apiKey=api_key)
    return _draft("GetRunRequest", {"runId": run_id, **place})


def list_runs_request(
    agent_id: str, wanted: RunListOptions, *, api_key: str | None = None, cursor: str | None = None
) -> Draft:
    """A page of the runs of an agent."""
    place = _place(
        limit=wanted.limit or None,
        cursor=cursor,
        runtime=_runtime("cloud" if wanted.cloud else wanted.runtime),
        cwd=wanted.cwd,
        apiKey=api_key,
    )
    return _draft("ListRunsRequest", {"agentId": agent_id, **place})


def wait_live_run_request(run_id: str) -> Draft:
    """The end of a run."""
    return Draft("WaitLiveRunRequest", {"runId": run_id})


def run_conversation_request(run_id: str) -> Draft:
    """The turns of a run."""
    return Draft("GetRunConversationRequest", {"runId": run_id})


def observe_run_request(run_id: str) -> Draft:
    """The stream of a run, from its start."""
    return Draft("ObserveRunRequest", {"runId": run_id})


def cancel_run_request(run_id: str, *, agent_id: str | None = None) -> Draft:
    """The end of a run before its time; an agent id means that it is a cloud run."""
    return Draft("CancelRunRequest", pruned({"runId": run_id, "agentId": agent_id or None}))


def me_request(api_key: str) -> Draft:
    """Who the key belongs to."""
    return Draft("MeRequest", {"options": {"apiKey": api_key}})


def list_models_request(api_key: str) -> Draft:
    """The models."""
    return Draft("ListModelsRequest", {"options": {"apiKey": api_key}})


def list_repositories_request(api_key: str) -> Draft:
    """The repositories."""
    return Draft("ListRepositoriesRequest", {"options": {"apiKey": api_key}})


def ping_request() -> Draft:
    """A sign of life."""
    return Draft("PingRequest", {})


def get_version_request() -> Draft:
    """The bridge's version."""
    return Draft("GetVersionRequest", {})


def shutdown_request(grace_seconds: int = 0) -> Draft:
    """The end of the bridge; the grace is a delay, not a limit."""
    return Draft("ShutdownRequest", {"graceSeconds": grace_seconds})


def set_tool_callback_request(url: str = "", auth_token: str = "") -> Draft:
    """Where custom tools are served; without a URL, nowhere."""
    return Draft("SetToolCallbackRequest", {"url": url, "authToken": auth_token})


def _runtime(word: str | None) -> str | None:
    return None if word is None else f"RUNTIME_{word.upper()}"


def _place(**options: Any) -> dict[str, Any]:
    """``{"options": ...}`` with what was given; nothing when nothing was."""
    given = pruned(options)
    return {"options": given} if given else {}
