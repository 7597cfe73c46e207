"""Where each public name lives: the package imports a module when the first name of it is used."""

from __future__ import annotations

__all__ = ["HOMES"]

_HOMES = {
    "agent": "AsyncAgent",
    "bridge": "AsyncBridge BridgeEndpoint READY_LINE_PREFIX parse_discovery_line",
    "callbacks": "ToolCallbackEndpoint ToolCallbackServer",
    "client": "AsyncClient",
    "conversation": (
        "AgentConversationTurn AssistantConversationStep AssistantMessage ConversationStep "
        "ConversationTurn ShellCommand ShellConversationTurn ShellOutput ThinkingConversationStep "
        "ThinkingMessage ToolCallConversationStep UnknownConversationStep parse_conversation_step"
    ),
    "cursor": "AsyncCursor",
    "errors": (
        "APITimeoutError AgentBusyError AgentNotFoundError AuthenticationError BadRequestError "
        "BridgeError BridgeExitedError BridgeNotFoundError BridgeNotRespondingError "
        "BridgeStartError ClosedError ConfigurationError CursorAgentError CursorSDKError "
        "IntegrationNotConnectedError InternalServerError LocalAgentBusyError NetworkError "
        "NotFoundError PermissionDeniedError ProtocolError RateLimitError RunTimeoutError "
        "StoreError StreamInterruptedError SyncUsageError ToolError UnsupportedRunOperationError"
    ),
    "events": (
        "InteractionUpdate PartialToolCallUpdate RunStreamEvent ShellOutputDeltaUpdate "
        "StepCompletedUpdate StepStartedUpdate SummaryCompletedUpdate SummaryStartedUpdate "
        "SummaryUpdate TextDeltaUpdate ThinkingCompletedUpdate ThinkingDeltaUpdate TokenDeltaUpdate "
        "ToolCallCompletedUpdate ToolCallStartedUpdate TurnEndedUpdate UnknownInteractionUpdate "
        "UserMessageAppendedUpdate parse_interaction_update"
    ),
    "http": "DefaultAsyncHttpxClient DefaultHttpxClient",
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
        "ModelParameterDefinitionValue ModelVariant RunError RunGitBranchInfo RunGitInfo RunPosition "
        "RunResult RunSnapshot RunUsage SDKAgentInfo SDKArtifact SDKModel SDKRepository SDKUser SdkArtifact "
        "TokenUsage UsageCost sum_token_usage to_token_usage"
    ),
    "retry": "RetryPolicy",
    "run": "AsyncRun",
    "tools": "Tool load_tools tool",
    "transport": "AsyncConnectTransport",
}
#: The module of each name.
HOMES = {name: home for home, names in _HOMES.items() for name in names.split()}
