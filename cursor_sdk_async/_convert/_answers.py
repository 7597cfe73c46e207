"""From answers to public types. Everything passes through the wire's JSON form, which has one reader."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from cursor_sdk_async._shown import ShownList
from cursor_sdk_async.conversation import ConversationTurn
from cursor_sdk_async.errors import ProtocolError
from cursor_sdk_async.options import ModelSelection
from cursor_sdk_async.options._read import each, is_list, mapping
from cursor_sdk_async.results import (
    AgentMessage,
    AgentUsage,
    RunResult,
    RunSnapshot,
    SDKAgentInfo,
    SDKArtifact,
    SDKModel,
    SDKRepository,
    SDKUser,
)

if TYPE_CHECKING:
    import betterproto2

    from cursor_sdk_async._gen.sdk import v1

__all__ = [
    "AgentHandle",
    "agent_handle_of",
    "agent_info_of",
    "agent_messages_of",
    "agent_page_of",
    "agent_usage_of",
    "artifacts_of",
    "conversation_json_of",
    "conversation_turns",
    "models_of",
    "pong_of",
    "repositories_of",
    "run_page_of",
    "run_result_of",
    "run_snapshot_of",
    "user_of",
    "version_of",
]


class AgentHandle(NamedTuple):
    """What the bridge says of an agent that it created or resumed."""

    agent_id: str
    model: ModelSelection | None


def _part(answer: betterproto2.Message, name: str) -> Mapping[str, Any]:
    """A part of an answer, in its JSON form, that an answer cannot be without."""
    part = mapping(answer.to_dict().get(name))
    if part is None:
        raise ProtocolError(
            f"{type(answer).__name__} came without its {name!r}: the bridge broke the contract."
        )
    return part


def agent_handle_of(answer: v1.CreateAgentResponse | v1.ResumeAgentResponse) -> AgentHandle:
    """A new or resumed agent."""
    if not answer.agent_id:
        raise ProtocolError(f"{type(answer).__name__} names no agent: the bridge broke the contract.")
    model = mapping(answer.to_dict().get("model"))
    return AgentHandle(answer.agent_id, None if model is None else ModelSelection.from_json(model))


def agent_info_of(answer: v1.GetAgentResponse) -> SDKAgentInfo:
    """One agent."""
    return SDKAgentInfo.from_json(_part(answer, "agent"))


def agent_page_of(answer: v1.ListAgentsResponse) -> tuple[list[SDKAgentInfo], str]:
    """Agents, and where the next page starts."""
    return list(each(answer.to_dict().get("items"), SDKAgentInfo.from_json)), answer.next_cursor


def run_snapshot_of(answer: v1.GetRunResponse) -> RunSnapshot:
    """The state of one run."""
    return RunSnapshot.from_json(_part(answer, "run"))


def run_page_of(answer: v1.ListRunsResponse) -> tuple[list[RunSnapshot], str]:
    """The states of runs, and where the next page starts."""
    return list(each(answer.to_dict().get("items"), RunSnapshot.from_json)), answer.next_cursor


def run_result_of(answer: v1.WaitLiveRunResponse) -> RunResult:
    """The end of a run."""
    return RunResult.from_json(_part(answer, "result"))


def conversation_json_of(answer: v1.GetRunConversationResponse) -> str:
    """The turns of a run as the bridge's text."""
    return answer.conversation_json


def conversation_turns(text: str) -> list[ConversationTurn]:
    """The turns in the bridge's text; none when it is empty or no list.

    Raises:
        ProtocolError: It is not JSON.
    """
    if not text.strip():
        return []
    try:
        turns: Any = json.loads(text)
    except (ValueError, RecursionError):
        turns = None
    else:
        return list(each(turns, ConversationTurn.from_json)) if is_list(turns) else []
    raise ProtocolError("The conversation is not JSON; conversation_json() gives the text as it came.")


def agent_messages_of(answer: v1.ListAgentMessagesResponse) -> list[AgentMessage]:
    """The messages of an agent."""
    return ShownList(each(answer.to_dict().get("messages"), AgentMessage.from_json))


def artifacts_of(answer: v1.ListArtifactsResponse) -> list[SDKArtifact]:
    """The files of an agent."""
    return ShownList(each(answer.to_dict().get("artifacts"), SDKArtifact.from_json))


def agent_usage_of(answer: v1.GetUsageResponse) -> AgentUsage:
    """Tokens and cost of an agent."""
    return AgentUsage.from_json(_part(answer, "usage"))


def user_of(answer: v1.MeResponse) -> SDKUser:
    """Who the key belongs to."""
    return SDKUser.from_json(_part(answer, "user"))


def models_of(answer: v1.ListModelsResponse) -> list[SDKModel]:
    """The models."""
    return ShownList(each(answer.to_dict().get("items"), SDKModel.from_json))


def repositories_of(answer: v1.ListRepositoriesResponse) -> list[SDKRepository]:
    """The repositories."""
    return ShownList(each(answer.to_dict().get("items"), SDKRepository.from_json))


def pong_of(answer: v1.PingResponse) -> str:
    """The bridge's sign of life."""
    return answer.message


def version_of(answer: v1.GetVersionResponse) -> dict[str, Any]:
    """The bridge's version, under the names of this package and under those of the wire."""
    capabilities = list(answer.capabilities)
    return {
        "bridge_version": answer.bridge_version,
        "protocol_version": answer.protocol_version,
        "capabilities": capabilities,
        "bridgeVersion": answer.bridge_version,
        "protocolVersion": answer.protocol_version,
    }
