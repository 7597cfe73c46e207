"""What comes back: results of runs, usage, agents, files, the catalogue, and pages of lists."""

from __future__ import annotations

from cursor_sdk_async.pages import AsyncListResult, ListResult
from cursor_sdk_async.results._agents import AgentMessage, SDKAgentInfo, SDKArtifact, SdkArtifact
from cursor_sdk_async.results._catalogue import (
    ModelParameterDefinition,
    ModelParameterDefinitionValue,
    ModelVariant,
    SDKModel,
    SDKRepository,
    SDKUser,
)
from cursor_sdk_async.results._models import ParameterInput
from cursor_sdk_async.results._position import RunPosition
from cursor_sdk_async.results._runs import RunError, RunGitBranchInfo, RunGitInfo, RunResult, RunSnapshot
from cursor_sdk_async.results._usage import (
    AgentUsage,
    RunUsage,
    TokenUsage,
    UsageCost,
    sum_token_usage,
    to_token_usage,
)

__all__ = [
    "AgentMessage",
    "AgentUsage",
    "AsyncListResult",
    "ListResult",
    "ModelParameterDefinition",
    "ModelParameterDefinitionValue",
    "ModelVariant",
    "ParameterInput",
    "RunError",
    "RunGitBranchInfo",
    "RunGitInfo",
    "RunPosition",
    "RunResult",
    "RunSnapshot",
    "RunUsage",
    "SDKAgentInfo",
    "SDKArtifact",
    "SDKModel",
    "SDKRepository",
    "SDKUser",
    "SdkArtifact",
    "TokenUsage",
    "UsageCost",
    "sum_token_usage",
    "to_token_usage",
]
