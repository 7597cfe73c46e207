"""Typed dictionaries for those who pass options as mappings; both spellings of each key."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from typing import Any, TypedDict

from cursor_sdk_async.options._cloud import (
    CloudAgentOptions,
    CloudEnvironment,
    CloudRepository,
    CloudSendOptions,
)
from cursor_sdk_async.options._local import (
    LocalAgentOptions,
    LocalAgentStoreConfig,
    LocalSendOptions,
    SandboxOptions,
)
from cursor_sdk_async.options._mcp import McpServerConfig
from cursor_sdk_async.options._message import SDKImage
from cursor_sdk_async.options._models import ModelParameterValue, ModelSelection
from cursor_sdk_async.options._subagents import AgentDefinition
from cursor_sdk_async.options._tools import CustomTool
from cursor_sdk_async.options._words import AgentModeOption, SettingSource

__all__ = [
    "AgentOptionsDict",
    "CloudAgentOptionsDict",
    "CloudRepositoryDict",
    "CloudSendOptionsDict",
    "LocalAgentOptionsDict",
    "LocalAgentStoreConfigDict",
    "LocalSendOptionsDict",
    "ModelSelectionDict",
    "SendOptionsDict",
    "UserMessageDict",
]


class ModelSelectionDict(TypedDict, total=False):
    """:class:`ModelSelection` as a mapping."""

    id: str
    params: Sequence[ModelParameterValue | Mapping[str, Any]]


class LocalAgentStoreConfigDict(TypedDict, total=False):
    """:class:`LocalAgentStoreConfig` as a mapping."""

    type: str
    root_dir: str
    rootDir: str


class LocalAgentOptionsDict(TypedDict, total=False):
    """:class:`LocalAgentOptions` as a mapping."""

    cwd: str | PathLike[str]
    dirs: Sequence[str | PathLike[str]]
    setting_sources: Sequence[SettingSource | str]
    settingSources: Sequence[SettingSource | str]
    sandbox_options: SandboxOptions | Mapping[str, Any]
    sandboxOptions: SandboxOptions | Mapping[str, Any]
    store: LocalAgentStoreConfigDict | LocalAgentStoreConfig | Mapping[str, Any]
    auto_review: bool
    autoReview: bool
    custom_tools: Mapping[str, CustomTool | Mapping[str, Any]]
    customTools: Mapping[str, CustomTool | Mapping[str, Any]]


class CloudRepositoryDict(TypedDict, total=False):
    """:class:`CloudRepository` as a mapping."""

    url: str
    starting_ref: str
    startingRef: str
    pr_url: str
    prUrl: str


class CloudAgentOptionsDict(TypedDict, total=False):
    """:class:`CloudAgentOptions` as a mapping."""

    env: CloudEnvironment | Mapping[str, Any]
    repos: Sequence[CloudRepositoryDict | CloudRepository | Mapping[str, Any] | str]
    work_on_current_branch: bool
    workOnCurrentBranch: bool
    auto_create_pr: bool
    autoCreatePr: bool
    autoCreatePR: bool
    open_as_cursor_github_app: bool
    openAsCursorGithubApp: bool
    skip_reviewer_request: bool
    skipReviewerRequest: bool
    env_vars: Mapping[str, str]
    envVars: Mapping[str, str]
    metadata: Mapping[str, str]


class LocalSendOptionsDict(TypedDict, total=False):
    """:class:`LocalSendOptions` as a mapping."""

    force: bool


class CloudSendOptionsDict(TypedDict, total=False):
    """:class:`CloudSendOptions` as a mapping."""

    env_vars: Mapping[str, str]
    envVars: Mapping[str, str]


class AgentOptionsDict(TypedDict, total=False):
    """:class:`AgentOptions` as a mapping."""

    model: str | ModelSelectionDict | ModelSelection | Mapping[str, Any]
    api_key: str
    apiKey: str
    name: str
    local: LocalAgentOptionsDict | LocalAgentOptions | Mapping[str, Any]
    cloud: CloudAgentOptionsDict | CloudAgentOptions | Mapping[str, Any]
    mcp_servers: Mapping[str, McpServerConfig]
    mcpServers: Mapping[str, McpServerConfig]
    agents: Mapping[str, AgentDefinition | Mapping[str, Any]]
    agent_id: str
    agentId: str
    idempotency_key: str
    idempotencyKey: str
    mode: AgentModeOption
    tools: Sequence[str]
    disallowed_tools: Sequence[str]
    disallowedTools: Sequence[str]
    extra: Mapping[str, Any]


class SendOptionsDict(TypedDict, total=False):
    """:class:`SendOptions` as a mapping."""

    model: str | ModelSelectionDict | ModelSelection | Mapping[str, Any]
    mcp_servers: Mapping[str, McpServerConfig]
    mcpServers: Mapping[str, McpServerConfig]
    local: LocalSendOptionsDict | LocalSendOptions | Mapping[str, Any]
    cloud: CloudSendOptionsDict | CloudSendOptions | Mapping[str, Any]
    idempotency_key: str
    idempotencyKey: str
    on_step: Callable[[Any], Any]
    onStep: Callable[[Any], Any]
    on_delta: Callable[[Any], Any]
    onDelta: Callable[[Any], Any]
    mode: AgentModeOption
    extra: Mapping[str, Any]


class UserMessageDict(TypedDict, total=False):
    """:class:`UserMessage` as a mapping."""

    text: str
    images: Sequence[SDKImage | Mapping[str, Any]]
