"""Keywords of methods as typed dictionaries: what a signature does not name one by one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any

from typing_extensions import TypedDict

from cursor_sdk_async.options._mcp import McpServerConfig
from cursor_sdk_async.options._subagents import AgentDefinition
from cursor_sdk_async.options._words import AgentModeOption

__all__ = [
    "AgentKeywords",
    "AgentListKeywords",
    "CreateKeywords",
    "MessageListKeywords",
    "OperationKeywords",
    "RunKeywords",
    "RunListKeywords",
]


class AgentKeywords(TypedDict, total=False):
    """The fields of ``AgentOptions`` that ``resume()`` does not name in its own signature."""

    mcp_servers: Mapping[str, McpServerConfig] | None
    agents: Mapping[str, AgentDefinition | Mapping[str, Any]] | None
    mode: AgentModeOption | None
    tools: Sequence[str] | None
    disallowed_tools: Sequence[str] | None
    extra: Mapping[str, Any] | None


class CreateKeywords(AgentKeywords, total=False):
    """Those that ``create()`` does not name."""

    agent_id: str | None


class RunListKeywords(TypedDict, total=False):
    """Which runs of an agent to list."""

    runtime: str | None
    cwd: str | PathLike[str] | None
    cursor: str | None
    limit: int | None
    api_key: str | None


class AgentListKeywords(RunListKeywords, total=False):
    """Which agents to list."""

    include_archived: bool | None
    pr_url: str | None


class RunKeywords(TypedDict, total=False):
    """Where a run lives."""

    runtime: str | None
    agent_id: str | None
    cwd: str | PathLike[str] | None
    api_key: str | None


class OperationKeywords(TypedDict, total=False):
    """Where an agent is."""

    cwd: str | PathLike[str] | None
    api_key: str | None


class MessageListKeywords(OperationKeywords, total=False):
    """Which messages of an agent to list."""

    limit: int | None
    offset: int | None
    runtime: str | None
