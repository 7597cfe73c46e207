"""Drive Cursor agents from asyncio or trio.

Start with :class:`AsyncClient`. Names are imported when first used, so that importing the package is cheap.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from cursor_sdk_async._version import __version__

if TYPE_CHECKING:
    from cursor_sdk_async.agent import AsyncAgent
    from cursor_sdk_async.bridge import READY_LINE_PREFIX, AsyncBridge, BridgeEndpoint, parse_discovery_line
    from cursor_sdk_async.client import AsyncClient
    from cursor_sdk_async.client import AsyncClient as AsyncCursorClient
    from cursor_sdk_async.conversation import (
        AgentConversationTurn,
        AssistantConversationStep,
        AssistantMessage,
        ConversationStep,
        ConversationTurn,
        ShellCommand,
        ShellConversationTurn,
        ShellOutput,
        ThinkingConversationStep,
        ThinkingMessage,
        ToolCallConversationStep,
        UnknownConversationStep,
        parse_conversation_step,
    )
    from cursor_sdk_async.cursor import AsyncCursor
    from cursor_sdk_async.errors import (
        AgentBusyError,
        AgentNotFoundError,
        APITimeoutError,
        AuthenticationError,
        BadRequestError,
        BridgeError,
        BridgeExitedError,
        BridgeNotFoundError,
        BridgeStartError,
        ClosedError,
        ConfigurationError,
        CursorAgentError,
        CursorSDKError,
        IntegrationNotConnectedError,
        InternalServerError,
        LocalAgentBusyError,
        NetworkError,
        NotFoundError,
        PermissionDeniedError,
        ProtocolError,
        RateLimitError,
        RunTimeoutError,
        StoreError,
        StreamInterruptedError,
        SyncUsageError,
        ToolError,
        UnsupportedRunOperationError,
    )
    from cursor_sdk_async.events import (
        InteractionUpdate,
        PartialToolCallUpdate,
        RunStreamEvent,
        ShellOutputDeltaUpdate,
        StepCompletedUpdate,
        StepStartedUpdate,
        SummaryCompletedUpdate,
        SummaryStartedUpdate,
        SummaryUpdate,
        TextDeltaUpdate,
        ThinkingCompletedUpdate,
        ThinkingDeltaUpdate,
        TokenDeltaUpdate,
        ToolCallCompletedUpdate,
        ToolCallStartedUpdate,
        TurnEndedUpdate,
        UnknownInteractionUpdate,
        UserMessageAppendedUpdate,
        parse_interaction_update,
    )
    from cursor_sdk_async.messages import (
        ContentBlock,
        SDKAssistantMessage,
        SDKAssistantMessageContent,
        SDKMessage,
        SDKRequestMessage,
        SDKStatusMessage,
        SDKSystemMessage,
        SDKTaskMessage,
        SDKThinkingMessage,
        SDKToolUseMessage,
        SDKUsageMessage,
        SDKUserMessageContent,
        SDKUserMessageEvent,
        TextBlock,
        ToolUseBlock,
        UnknownSDKMessage,
        sdk_message_from_json,
    )
    from cursor_sdk_async.options import (
        AgentDefinition,
        AgentDefinitionMcpServer,
        AgentModeOption,
        AgentOptions,
        AgentOptionsDict,
        CloudAgentOptions,
        CloudAgentOptionsDict,
        CloudEnvironment,
        CloudRepository,
        CloudRepositoryDict,
        CloudSendOptions,
        CloudSendOptionsDict,
        CustomTool,
        CustomToolContext,
        HttpMcpServerConfig,
        JsonObject,
        LocalAgentOptions,
        LocalAgentOptionsDict,
        LocalAgentStoreConfig,
        LocalAgentStoreConfigDict,
        LocalSendOptions,
        LocalSendOptionsDict,
        McpAuth,
        McpServerConfig,
        ModelParameterValue,
        ModelSelection,
        ModelSelectionDict,
        RunOperation,
        RunResultStatus,
        RunStatus,
        SandboxOptions,
        SDKImage,
        SDKImageDimension,
        SDKUserMessage,
        SendOptions,
        SendOptionsDict,
        SettingSource,
        SseMcpServerConfig,
        StdioMcpServerConfig,
        UserMessage,
        UserMessageDict,
    )
    from cursor_sdk_async.results import (
        AgentMessage,
        AgentUsage,
        AsyncListResult,
        ListResult,
        ModelParameterDefinition,
        ModelParameterDefinitionValue,
        ModelVariant,
        RunError,
        RunGitBranchInfo,
        RunGitInfo,
        RunResult,
        RunSnapshot,
        RunUsage,
        SDKAgentInfo,
        SDKArtifact,
        SdkArtifact,
        SDKModel,
        SDKRepository,
        SDKUser,
        TokenUsage,
        UsageCost,
        sum_token_usage,
        to_token_usage,
    )
    from cursor_sdk_async.run import AsyncRun

__all__ = [
    "READY_LINE_PREFIX",
    "APITimeoutError",
    "AgentBusyError",
    "AgentConversationTurn",
    "AgentDefinition",
    "AgentDefinitionMcpServer",
    "AgentMessage",
    "AgentModeOption",
    "AgentNotFoundError",
    "AgentOptions",
    "AgentOptionsDict",
    "AgentUsage",
    "AssistantConversationStep",
    "AssistantMessage",
    "AsyncAgent",
    "AsyncBridge",
    "AsyncClient",
    "AsyncCursor",
    "AsyncCursorClient",
    "AsyncListResult",
    "AsyncRun",
    "AuthenticationError",
    "BadRequestError",
    "BridgeEndpoint",
    "BridgeError",
    "BridgeExitedError",
    "BridgeNotFoundError",
    "BridgeStartError",
    "ClosedError",
    "CloudAgentOptions",
    "CloudAgentOptionsDict",
    "CloudEnvironment",
    "CloudRepository",
    "CloudRepositoryDict",
    "CloudSendOptions",
    "CloudSendOptionsDict",
    "ConfigurationError",
    "ContentBlock",
    "ConversationStep",
    "ConversationTurn",
    "CursorAgentError",
    "CursorSDKError",
    "CustomTool",
    "CustomToolContext",
    "HttpMcpServerConfig",
    "IntegrationNotConnectedError",
    "InteractionUpdate",
    "InternalServerError",
    "JsonObject",
    "ListResult",
    "LocalAgentBusyError",
    "LocalAgentOptions",
    "LocalAgentOptionsDict",
    "LocalAgentStoreConfig",
    "LocalAgentStoreConfigDict",
    "LocalSendOptions",
    "LocalSendOptionsDict",
    "McpAuth",
    "McpServerConfig",
    "ModelParameterDefinition",
    "ModelParameterDefinitionValue",
    "ModelParameterValue",
    "ModelSelection",
    "ModelSelectionDict",
    "ModelVariant",
    "NetworkError",
    "NotFoundError",
    "PartialToolCallUpdate",
    "PermissionDeniedError",
    "ProtocolError",
    "RateLimitError",
    "RunError",
    "RunGitBranchInfo",
    "RunGitInfo",
    "RunOperation",
    "RunResult",
    "RunResultStatus",
    "RunSnapshot",
    "RunStatus",
    "RunStreamEvent",
    "RunTimeoutError",
    "RunUsage",
    "SDKAgentInfo",
    "SDKArtifact",
    "SDKAssistantMessage",
    "SDKAssistantMessageContent",
    "SDKImage",
    "SDKImageDimension",
    "SDKMessage",
    "SDKModel",
    "SDKRepository",
    "SDKRequestMessage",
    "SDKStatusMessage",
    "SDKSystemMessage",
    "SDKTaskMessage",
    "SDKThinkingMessage",
    "SDKToolUseMessage",
    "SDKUsageMessage",
    "SDKUser",
    "SDKUserMessage",
    "SDKUserMessageContent",
    "SDKUserMessageEvent",
    "SandboxOptions",
    "SdkArtifact",
    "SendOptions",
    "SendOptionsDict",
    "SettingSource",
    "ShellCommand",
    "ShellConversationTurn",
    "ShellOutput",
    "ShellOutputDeltaUpdate",
    "SseMcpServerConfig",
    "StdioMcpServerConfig",
    "StepCompletedUpdate",
    "StepStartedUpdate",
    "StoreError",
    "StreamInterruptedError",
    "SummaryCompletedUpdate",
    "SummaryStartedUpdate",
    "SummaryUpdate",
    "SyncUsageError",
    "TextBlock",
    "TextDeltaUpdate",
    "ThinkingCompletedUpdate",
    "ThinkingConversationStep",
    "ThinkingDeltaUpdate",
    "ThinkingMessage",
    "TokenDeltaUpdate",
    "TokenUsage",
    "ToolCallCompletedUpdate",
    "ToolCallConversationStep",
    "ToolCallStartedUpdate",
    "ToolError",
    "ToolUseBlock",
    "TurnEndedUpdate",
    "UnknownConversationStep",
    "UnknownInteractionUpdate",
    "UnknownSDKMessage",
    "UnsupportedRunOperationError",
    "UsageCost",
    "UserMessage",
    "UserMessageAppendedUpdate",
    "UserMessageDict",
    "__version__",
    "parse_conversation_step",
    "parse_discovery_line",
    "parse_interaction_update",
    "sdk_message_from_json",
    "sum_token_usage",
    "to_token_usage",
]

#: Where each name lives.
_HOMES = {
    "agent": "AsyncAgent",
    "bridge": "AsyncBridge BridgeEndpoint READY_LINE_PREFIX parse_discovery_line",
    "client": "AsyncClient",
    "conversation": (
        "AgentConversationTurn AssistantConversationStep AssistantMessage ConversationStep "
        "ConversationTurn ShellCommand ShellConversationTurn ShellOutput ThinkingConversationStep "
        "ThinkingMessage ToolCallConversationStep UnknownConversationStep parse_conversation_step"
    ),
    "cursor": "AsyncCursor",
    "errors": (
        "APITimeoutError AgentBusyError AgentNotFoundError AuthenticationError BadRequestError "
        "BridgeError BridgeExitedError BridgeNotFoundError BridgeStartError ClosedError "
        "ConfigurationError CursorAgentError CursorSDKError IntegrationNotConnectedError "
        "InternalServerError LocalAgentBusyError NetworkError NotFoundError PermissionDeniedError "
        "ProtocolError RateLimitError RunTimeoutError StoreError StreamInterruptedError "
        "SyncUsageError ToolError UnsupportedRunOperationError"
    ),
    "events": (
        "InteractionUpdate PartialToolCallUpdate RunStreamEvent ShellOutputDeltaUpdate "
        "StepCompletedUpdate StepStartedUpdate SummaryCompletedUpdate SummaryStartedUpdate "
        "SummaryUpdate TextDeltaUpdate ThinkingCompletedUpdate ThinkingDeltaUpdate TokenDeltaUpdate "
        "ToolCallCompletedUpdate ToolCallStartedUpdate TurnEndedUpdate UnknownInteractionUpdate "
        "UserMessageAppendedUpdate parse_interaction_update"
    ),
    "messages": (
        "ContentBlock SDKAssistantMessage SDKAssistantMessageContent SDKMessage SDKRequestMessage "
        "SDKStatusMessage SDKSystemMessage SDKTaskMessage SDKThinkingMessage SDKToolUseMessage "
        "SDKUsageMessage SDKUserMessageContent SDKUserMessageEvent TextBlock ToolUseBlock "
        "UnknownSDKMessage sdk_message_from_json"
    ),
    "options": (
        "AgentDefinition AgentDefinitionMcpServer AgentModeOption AgentOptions AgentOptionsDict "
        "CloudAgentOptions CloudAgentOptionsDict CloudEnvironment CloudRepository "
        "CloudRepositoryDict CloudSendOptions CloudSendOptionsDict CustomTool CustomToolContext "
        "HttpMcpServerConfig JsonObject LocalAgentOptions LocalAgentOptionsDict "
        "LocalAgentStoreConfig LocalAgentStoreConfigDict LocalSendOptions LocalSendOptionsDict "
        "McpAuth McpServerConfig ModelParameterValue ModelSelection ModelSelectionDict RunOperation "
        "RunResultStatus RunStatus SDKImage SDKImageDimension SDKUserMessage SandboxOptions "
        "SendOptions SendOptionsDict SettingSource SseMcpServerConfig StdioMcpServerConfig "
        "UserMessage UserMessageDict"
    ),
    "results": (
        "AgentMessage AgentUsage AsyncListResult ListResult ModelParameterDefinition "
        "ModelParameterDefinitionValue ModelVariant RunError RunGitBranchInfo RunGitInfo RunResult "
        "RunSnapshot RunUsage SDKAgentInfo SDKArtifact SDKModel SDKRepository SDKUser SdkArtifact "
        "TokenUsage UsageCost sum_token_usage to_token_usage"
    ),
    "run": "AsyncRun",
}
_HOME = {name: home for home, names in _HOMES.items() for name in names.split()}


def __getattr__(name: str) -> object:
    if name == "AsyncCursorClient":  # the other documented name of the same class
        value: object = __getattr__("AsyncClient")
    elif name in _HOME:
        value = getattr(import_module(f"cursor_sdk_async.{_HOME[name]}"), name)
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
