"""Everything that a user passes in: frozen data classes, each with a mapping form in either spelling.

They are plain data: nothing is checked when one is made, everything when it is used. ``repr`` shows no
secrets. A pickle or ``dataclasses.asdict`` of them does hold what they hold: take care where you put it.
"""

from __future__ import annotations

from cursor_sdk_async.options._agent import AgentOptions, SendOptions
from cursor_sdk_async.options._cloud import (
    CloudAgentOptions,
    CloudEnvironment,
    CloudRepository,
    CloudSendOptions,
)
from cursor_sdk_async.options._dicts import (
    AgentOptionsDict,
    CloudAgentOptionsDict,
    CloudRepositoryDict,
    CloudSendOptionsDict,
    LocalAgentOptionsDict,
    LocalAgentStoreConfigDict,
    LocalSendOptionsDict,
    ModelSelectionDict,
    SendOptionsDict,
    UserMessageDict,
)
from cursor_sdk_async.options._keywords import (
    AgentKeywords,
    AgentListKeywords,
    CreateKeywords,
    MessageListKeywords,
    OperationKeywords,
    RunKeywords,
    RunListKeywords,
)
from cursor_sdk_async.options._local import (
    LocalAgentOptions,
    LocalAgentStoreConfig,
    LocalSendOptions,
    SandboxOptions,
)
from cursor_sdk_async.options._mcp import (
    HttpMcpServerConfig,
    McpAuth,
    McpServerConfig,
    SseMcpServerConfig,
    StdioMcpServerConfig,
)
from cursor_sdk_async.options._message import SDKImage, SDKImageDimension, SDKUserMessage, UserMessage
from cursor_sdk_async.options._models import ModelParameterValue, ModelSelection
from cursor_sdk_async.options._refuse import OptionTypeError
from cursor_sdk_async.options._subagents import AgentDefinition, AgentDefinitionMcpServer
from cursor_sdk_async.options._tools import CustomTool, CustomToolContext, CustomToolExecute
from cursor_sdk_async.options._words import (
    AgentModeOption,
    JsonObject,
    RunOperation,
    RunResultStatus,
    RunStatus,
    RuntimeOption,
    SettingSource,
)

__all__ = [
    "AgentDefinition",
    "AgentDefinitionMcpServer",
    "AgentKeywords",
    "AgentListKeywords",
    "AgentModeOption",
    "AgentOptions",
    "AgentOptionsDict",
    "CloudAgentOptions",
    "CloudAgentOptionsDict",
    "CloudEnvironment",
    "CloudRepository",
    "CloudRepositoryDict",
    "CloudSendOptions",
    "CloudSendOptionsDict",
    "CreateKeywords",
    "CustomTool",
    "CustomToolContext",
    "CustomToolExecute",
    "HttpMcpServerConfig",
    "JsonObject",
    "LocalAgentOptions",
    "LocalAgentOptionsDict",
    "LocalAgentStoreConfig",
    "LocalAgentStoreConfigDict",
    "LocalSendOptions",
    "LocalSendOptionsDict",
    "McpAuth",
    "McpServerConfig",
    "MessageListKeywords",
    "ModelParameterValue",
    "ModelSelection",
    "ModelSelectionDict",
    "OperationKeywords",
    "OptionTypeError",
    "RunKeywords",
    "RunListKeywords",
    "RunOperation",
    "RunResultStatus",
    "RunStatus",
    "RuntimeOption",
    "SDKImage",
    "SDKImageDimension",
    "SDKUserMessage",
    "SandboxOptions",
    "SendOptions",
    "SendOptionsDict",
    "SettingSource",
    "SseMcpServerConfig",
    "StdioMcpServerConfig",
    "UserMessage",
    "UserMessageDict",
]
