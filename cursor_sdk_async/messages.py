"""The messages of a run: what ``run.messages()`` yields.

Each has ``type``, ``agent_id`` and ``run_id``. A kind that this version does not know is an
:class:`UnknownSDKMessage`, a mapping over what was received; end a ``match`` over messages with ``case _``.
Tool names, ``args`` and ``result`` are not a stable format.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias, cast

from cursor_sdk_async.errors import ProtocolError
from cursor_sdk_async.options import ModelSelection
from cursor_sdk_async.options._read import first, integer, is_list, is_mapping, mapping, object_of, text
from cursor_sdk_async.options._record import Record, Unknown
from cursor_sdk_async.results import TokenUsage, to_token_usage

__all__ = [
    "ContentBlock",
    "SDKAssistantMessage",
    "SDKAssistantMessageContent",
    "SDKMessage",
    "SDKRequestMessage",
    "SDKStatusMessage",
    "SDKSystemMessage",
    "SDKTaskMessage",
    "SDKThinkingMessage",
    "SDKToolUseMessage",
    "SDKUsageMessage",
    "SDKUserMessageContent",
    "SDKUserMessageEvent",
    "TextBlock",
    "ToolUseBlock",
    "UnknownSDKMessage",
    "message_of",
    "sdk_message_from_json",
]


@dataclass(frozen=True, slots=True, repr=False)
class TextBlock(Record):
    """A piece of text."""

    type: Literal["text"]
    text: str

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> TextBlock:
        """Read a mapping."""
        return cls("text", text(value.get("text")))


@dataclass(frozen=True, slots=True, repr=False)
class ToolUseBlock(Record):
    """The wish to use a tool."""

    type: Literal["tool_use"]
    id: str
    name: str
    input: Any = field(default=None, hash=False)

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> ToolUseBlock:
        """Read a mapping."""
        return cls("tool_use", text(value.get("id")), text(value.get("name")), value.get("input"))


#: A block of a kind that is not known stays the mapping that was received.
ContentBlock: TypeAlias = TextBlock | ToolUseBlock | Mapping[str, Any]


@dataclass(frozen=True, slots=True, repr=False)
class SDKUserMessageContent(Record):
    """What the user said."""

    role: Literal["user"] = "user"
    content: Sequence[TextBlock | Mapping[str, Any]] = ()


@dataclass(frozen=True, slots=True, repr=False)
class SDKAssistantMessageContent(Record):
    """What the assistant said."""

    role: Literal["assistant"] = "assistant"
    content: Sequence[ContentBlock] = ()


@dataclass(frozen=True, slots=True, repr=False)
class SDKSystemMessage(Record):
    """How the run was set up."""

    type: Literal["system"]
    agent_id: str
    run_id: str
    subtype: str = ""
    model: ModelSelection | None = None
    tools: Sequence[str] = ()


@dataclass(frozen=True, slots=True, repr=False)
class SDKUserMessageEvent(Record):
    """The prompt."""

    type: Literal["user"]
    agent_id: str
    run_id: str
    message: SDKUserMessageContent


@dataclass(frozen=True, slots=True, repr=False)
class SDKAssistantMessage(Record):
    """A piece of the assistant's text, not the whole of it."""

    type: Literal["assistant"]
    agent_id: str
    run_id: str
    message: SDKAssistantMessageContent


@dataclass(frozen=True, slots=True, repr=False)
class SDKThinkingMessage(Record):
    """A piece of the model's reasoning."""

    type: Literal["thinking"]
    agent_id: str
    run_id: str
    text: str
    thinking_duration_ms: int | None = None


@dataclass(frozen=True, slots=True, repr=False)
class SDKToolUseMessage(Record):
    """A tool call, reported twice.

    Attributes:
        type: ``"tool_call"``.
        agent_id: The agent.
        run_id: The run.
        call_id: The same in both reports.
        name: The tool.
        status: ``"running"``, then ``"completed"`` or ``"error"``.
        args: Its arguments, while running.
        result: Its result, at the end.
        truncated: Which of ``args`` and ``result`` were cut short.
    """

    type: Literal["tool_call"]
    agent_id: str
    run_id: str
    call_id: str
    name: str
    status: str
    args: Any = field(default=None, hash=False)
    result: Any = field(default=None, hash=False)
    truncated: Mapping[str, bool] | None = field(default=None, hash=False)


@dataclass(frozen=True, slots=True, repr=False)
class SDKStatusMessage(Record):
    """The state of the run, in upper case. A final word is not yet the end: only the result is."""

    type: Literal["status"]
    agent_id: str
    run_id: str
    status: str
    message: str = ""


@dataclass(frozen=True, slots=True, repr=False)
class SDKTaskMessage(Record):
    """News of a task of the agent."""

    type: Literal["task"]
    agent_id: str
    run_id: str
    status: str = ""
    text: str = ""


@dataclass(frozen=True, slots=True, repr=False)
class SDKRequestMessage(Record):
    """The id of the request behind a local run."""

    type: Literal["request"]
    agent_id: str
    run_id: str
    request_id: str


@dataclass(frozen=True, slots=True, repr=False)
class SDKUsageMessage(Record):
    """Tokens of one turn."""

    type: Literal["usage"]
    agent_id: str
    run_id: str
    usage: TokenUsage


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class UnknownSDKMessage(Unknown):
    """A message of a kind that this version does not know; a mapping over what was received.

    Attributes:
        type: Its kind.
        agent_id: The agent, empty when it was not named.
        run_id: The run, empty when it was not named.
        raw: What was received.
    """

    type: str
    agent_id: str
    run_id: str
    raw: Mapping[str, Any]

    def _received(self) -> Mapping[str, Any]:
        return self.raw


SDKMessage: TypeAlias = (
    SDKSystemMessage
    | SDKUserMessageEvent
    | SDKAssistantMessage
    | SDKThinkingMessage
    | SDKToolUseMessage
    | SDKStatusMessage
    | SDKTaskMessage
    | SDKRequestMessage
    | SDKUsageMessage
    | UnknownSDKMessage
)

_Body: TypeAlias = Mapping[str, Any]


def _blocks(body: _Body) -> tuple[ContentBlock, ...]:
    """The content of a user or assistant message; plain text counts as one block."""
    message = mapping(body.get("message"))
    content = None if message is None else message.get("content")
    if isinstance(content, str):
        return (TextBlock("text", content),)
    if not is_list(content):
        return ()
    return tuple([_block(block) for block in content if is_mapping(block)])


def _block(block: _Body) -> ContentBlock:
    kind = block.get("type")
    if kind == "text":
        return TextBlock("text", text(block.get("text")))
    return ToolUseBlock.from_json(block) if kind == "tool_use" else block


def _assistant(body: _Body, agent: str, run: str) -> SDKMessage:
    return SDKAssistantMessage(
        "assistant", agent, run, SDKAssistantMessageContent("assistant", _blocks(body))
    )


def _user(body: _Body, agent: str, run: str) -> SDKMessage:
    content = cast("tuple[TextBlock | Mapping[str, Any], ...]", _blocks(body))
    return SDKUserMessageEvent("user", agent, run, SDKUserMessageContent("user", content))


def _system(body: _Body, agent: str, run: str) -> SDKMessage:
    model, tools = body.get("model"), body.get("tools")
    if isinstance(model, str):
        selection = ModelSelection(model) if model else None
    else:
        selection = ModelSelection.from_json(model) if is_mapping(model) else None
    names = tuple(name for name in tools if isinstance(name, str)) if is_list(tools) else ()
    return SDKSystemMessage("system", agent, run, text(body.get("subtype")), selection, names)


def _thinking(body: _Body, agent: str, run: str) -> SDKMessage:
    duration = integer(first(body, "thinking_duration_ms", "thinkingDurationMs"))
    return SDKThinkingMessage("thinking", agent, run, text(body.get("text")), duration)


def _tool_call(body: _Body, agent: str, run: str) -> SDKMessage:
    return SDKToolUseMessage(
        "tool_call",
        agent,
        run,
        text(first(body, "call_id", "callId")),
        text(body.get("name")),
        text(body.get("status")),
        body.get("args"),
        body.get("result"),
        mapping(body.get("truncated")),
    )


def _status(body: _Body, agent: str, run: str) -> SDKMessage:
    return SDKStatusMessage("status", agent, run, text(body.get("status")), text(body.get("message")))


def _task(body: _Body, agent: str, run: str) -> SDKMessage:
    return SDKTaskMessage("task", agent, run, text(body.get("status")), text(body.get("text")))


def _request(body: _Body, agent: str, run: str) -> SDKMessage:
    return SDKRequestMessage("request", agent, run, text(first(body, "request_id", "requestId")))


def _usage(body: _Body, agent: str, run: str) -> SDKMessage:
    usage = to_token_usage(mapping(body.get("usage")))
    if usage is None:  # nothing was counted: that is not the same as zero
        return UnknownSDKMessage("usage", agent, run, body)
    return SDKUsageMessage("usage", agent, run, usage)


_READERS: Mapping[str, Callable[[_Body, str, str], SDKMessage]] = {
    "assistant": _assistant,
    "thinking": _thinking,
    "tool_call": _tool_call,
    "status": _status,
    "usage": _usage,
    "user": _user,
    "system": _system,
    "task": _task,
    "request": _request,
}


def message_of(kind: str, body: Mapping[str, Any]) -> SDKMessage:
    """The message of one frame: its kind and its inner object."""
    agent = body.get("agent_id") or body.get("agentId")
    run = body.get("run_id") or body.get("runId")
    agent_id = agent if isinstance(agent, str) else ""
    run_id = run if isinstance(run, str) else ""
    read = _READERS.get(kind)
    return UnknownSDKMessage(kind, agent_id, run_id, body) if read is None else read(body, agent_id, run_id)


def sdk_message_from_json(value: Mapping[str, Any]) -> SDKMessage:
    """Read a message: the object itself, or the ``{"type", "message"}`` of a stream around it.

    Raises:
        ProtocolError: It is not an object, or has no type.
    """
    body = object_of(value, "A message")
    inner = mapping(body.get("message"))
    if inner is not None and "role" not in inner and ("type" in inner or set(body) <= {"type", "message"}):
        kind, body = body.get("type") or inner.get("type"), inner
    else:
        kind = body.get("type")
    if not isinstance(kind, str):
        raise ProtocolError("A message of the run has no type, so it cannot be read.")
    return message_of(kind, body)
