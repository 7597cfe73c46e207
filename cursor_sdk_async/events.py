"""The events of a run stream, and the interaction updates: what happened in between two messages.

Updates come only where ``on_delta`` asks for them. A kind that this version does not know is an
:class:`UnknownInteractionUpdate`, a mapping over what was received; end a ``match`` with ``case _``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from cursor_sdk_async.conversation import (
    AssistantConversationStep,
    ConversationStep,
    ShellConversationTurn,
    ShellOutput,
    ThinkingConversationStep,
    ToolCallConversationStep,
    UnknownConversationStep,
    parse_conversation_step,
    step_of,
)
from cursor_sdk_async.errors import ProtocolError
from cursor_sdk_async.messages import (
    SDKMessage,
    SDKUsageMessage,
    UnknownSDKMessage,
    message_of,
    sdk_message_from_json,
)
from cursor_sdk_async.options._read import first, integer, mapping, object_of, optional_text, text
from cursor_sdk_async.options._record import Record, Unknown
from cursor_sdk_async.results import TokenUsage, sum_token_usage, to_token_usage

__all__ = [
    "AssistantConversationStep",
    "ConversationStep",
    "InteractionUpdate",
    "PartialToolCallUpdate",
    "RunStreamEvent",
    "SDKUsageMessage",
    "ShellConversationTurn",
    "ShellOutput",
    "ShellOutputDeltaUpdate",
    "StepCompletedUpdate",
    "StepStartedUpdate",
    "SummaryCompletedUpdate",
    "SummaryStartedUpdate",
    "SummaryUpdate",
    "TextDeltaUpdate",
    "ThinkingCompletedUpdate",
    "ThinkingConversationStep",
    "ThinkingDeltaUpdate",
    "TokenDeltaUpdate",
    "TokenUsage",
    "ToolCallCompletedUpdate",
    "ToolCallConversationStep",
    "ToolCallStartedUpdate",
    "TurnEndedUpdate",
    "UnknownConversationStep",
    "UnknownInteractionUpdate",
    "UnknownSDKMessage",
    "UserMessageAppendedUpdate",
    "parse_conversation_step",
    "parse_interaction_update",
    "run_stream_event",
    "sdk_message_from_json",
    "sum_token_usage",
    "to_token_usage",
]

_Body: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True, slots=True, repr=False)
class TextDeltaUpdate(Record):
    """More text."""

    type: Literal["text-delta"]
    text: str


@dataclass(frozen=True, slots=True, repr=False)
class ThinkingDeltaUpdate(Record):
    """More reasoning."""

    type: Literal["thinking-delta"]
    text: str


@dataclass(frozen=True, slots=True, repr=False)
class ThinkingCompletedUpdate(Record):
    """The reasoning ended."""

    type: Literal["thinking-completed"]
    thinking_duration_ms: int


@dataclass(frozen=True, slots=True, repr=False)
class ToolCallStartedUpdate(Record):
    """A tool call began; ``tool_call`` is not a stable format."""

    type: Literal["tool-call-started"]
    call_id: str
    tool_call: Mapping[str, Any] = field(hash=False)
    model_call_id: str


@dataclass(frozen=True, slots=True, repr=False)
class ToolCallCompletedUpdate(Record):
    """A tool call ended; ``tool_call`` is not a stable format."""

    type: Literal["tool-call-completed"]
    call_id: str
    tool_call: Mapping[str, Any] = field(hash=False)
    model_call_id: str


@dataclass(frozen=True, slots=True, repr=False)
class PartialToolCallUpdate(Record):
    """More of a tool call's arguments; ``tool_call`` is not a stable format."""

    type: Literal["partial-tool-call"]
    call_id: str
    tool_call: Mapping[str, Any] = field(hash=False)
    model_call_id: str


@dataclass(frozen=True, slots=True, repr=False)
class TokenDeltaUpdate(Record):
    """More tokens."""

    type: Literal["token-delta"]
    tokens: int


@dataclass(frozen=True, slots=True, repr=False)
class StepStartedUpdate(Record):
    """A step began."""

    type: Literal["step-started"]
    step_id: int


@dataclass(frozen=True, slots=True, repr=False)
class StepCompletedUpdate(Record):
    """A step ended."""

    type: Literal["step-completed"]
    step_id: int
    step_duration_ms: int


@dataclass(frozen=True, slots=True, repr=False)
class TurnEndedUpdate(Record):
    """The turn ended; ``usage`` is a mapping as received, see :func:`to_token_usage`."""

    type: Literal["turn-ended"]
    usage: Mapping[str, Any] | None = field(default=None, hash=False)


@dataclass(frozen=True, slots=True, repr=False)
class UserMessageAppendedUpdate(Record):
    """A message of the user was added."""

    type: Literal["user-message-appended"]
    user_message: Mapping[str, Any] = field(hash=False)


@dataclass(frozen=True, slots=True, repr=False)
class SummaryUpdate(Record):
    """A summary of the conversation so far."""

    type: Literal["summary"]
    summary: str


@dataclass(frozen=True, slots=True, repr=False)
class SummaryStartedUpdate(Record):
    """A summary is being written."""

    type: Literal["summary-started"]


@dataclass(frozen=True, slots=True, repr=False)
class SummaryCompletedUpdate(Record):
    """The summary is written."""

    type: Literal["summary-completed"]


@dataclass(frozen=True, slots=True, repr=False)
class ShellOutputDeltaUpdate(Record):
    """More output of a command; ``event`` is as received."""

    type: Literal["shell-output-delta"]
    event: Mapping[str, Any] = field(hash=False)


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class UnknownInteractionUpdate(Unknown):
    """An update of a kind that this version does not know; a mapping over what was received."""

    type: str
    update: Mapping[str, Any]

    def _received(self) -> Mapping[str, Any]:
        return self.update


InteractionUpdate: TypeAlias = (
    TextDeltaUpdate
    | ThinkingDeltaUpdate
    | ThinkingCompletedUpdate
    | ToolCallStartedUpdate
    | ToolCallCompletedUpdate
    | PartialToolCallUpdate
    | TokenDeltaUpdate
    | StepStartedUpdate
    | StepCompletedUpdate
    | TurnEndedUpdate
    | UserMessageAppendedUpdate
    | SummaryUpdate
    | SummaryStartedUpdate
    | SummaryCompletedUpdate
    | ShellOutputDeltaUpdate
    | UnknownInteractionUpdate
)


def _count(body: _Body, *names: str) -> int:
    return integer(first(body, *names)) or 0


def _call(body: _Body) -> tuple[str, Mapping[str, Any], str]:
    return (
        text(first(body, "callId", "call_id")),
        mapping(first(body, "toolCall", "tool_call")) or {},
        text(first(body, "modelCallId", "model_call_id")),
    )


_UPDATES: Mapping[str, Callable[[_Body], InteractionUpdate]] = {
    "text-delta": lambda body: TextDeltaUpdate("text-delta", text(body.get("text"))),
    "thinking-delta": lambda body: ThinkingDeltaUpdate("thinking-delta", text(body.get("text"))),
    "thinking-completed": lambda body: ThinkingCompletedUpdate(
        "thinking-completed", _count(body, "thinkingDurationMs", "thinking_duration_ms")
    ),
    "tool-call-started": lambda body: ToolCallStartedUpdate("tool-call-started", *_call(body)),
    "tool-call-completed": lambda body: ToolCallCompletedUpdate("tool-call-completed", *_call(body)),
    "partial-tool-call": lambda body: PartialToolCallUpdate("partial-tool-call", *_call(body)),
    "token-delta": lambda body: TokenDeltaUpdate("token-delta", _count(body, "tokens")),
    "step-started": lambda body: StepStartedUpdate("step-started", _count(body, "stepId", "step_id")),
    "step-completed": lambda body: StepCompletedUpdate(
        "step-completed",
        _count(body, "stepId", "step_id"),
        _count(body, "stepDurationMs", "step_duration_ms"),
    ),
    "turn-ended": lambda body: TurnEndedUpdate("turn-ended", mapping(body.get("usage"))),
    "user-message-appended": lambda body: UserMessageAppendedUpdate(
        "user-message-appended", mapping(first(body, "userMessage", "user_message")) or {}
    ),
    "summary": lambda body: SummaryUpdate("summary", text(body.get("summary"))),
    "summary-started": lambda body: SummaryStartedUpdate("summary-started"),
    "summary-completed": lambda body: SummaryCompletedUpdate("summary-completed"),
    "shell-output-delta": lambda body: ShellOutputDeltaUpdate(
        "shell-output-delta", mapping(body.get("event")) or {}
    ),
}


def update_of(kind: str, body: Mapping[str, Any]) -> InteractionUpdate:
    """The update of one frame: its kind and its inner object."""
    read = _UPDATES.get(kind)
    return UnknownInteractionUpdate(kind, body) if read is None else read(body)


def parse_interaction_update(value: Mapping[str, Any]) -> InteractionUpdate:
    """Read an update: the object itself, or the ``{"type", "update"}`` of a stream around it.

    Raises:
        ProtocolError: It is not an object, or has no type.
    """
    body = object_of(value, "An update")
    inner = mapping(body.get("update"))
    kind = body.get("type") or (None if inner is None else inner.get("type"))
    if not isinstance(kind, str):
        raise ProtocolError("An update of the run has no type, so it cannot be read.")
    return update_of(kind, body if inner is None else inner)


@dataclass(frozen=True, slots=True, repr=False)
class RunStreamEvent(Record):
    """One frame of a run stream; keep-alives are not shown.

    Attributes:
        kind: ``"sdk_message"``, ``"interaction_update"``, ``"step"``, ``"result"``, ``"done"``; ``"gap"``
            where updates were lost while a broken stream was taken up again; ``"unknown"`` for a frame that
            this version does not know.
        offset: The frame's position in its stream.
        sdk_message: Of ``"sdk_message"``.
        result: Of ``"result"``: the run's result as received.
        done: Of ``"done"``: the ids.
        interaction_update: Of ``"interaction_update"``.
        step: Of ``"step"``.
        result_is_full: Whether ``result`` is the whole result and not only ids and status.
        raw: Of ``"unknown"``: what was received.
    """

    kind: str
    offset: str | None = None
    sdk_message: SDKMessage | None = None
    result: Mapping[str, Any] | None = field(default=None, hash=False)
    done: Mapping[str, Any] | None = field(default=None, hash=False)
    interaction_update: InteractionUpdate | None = None
    step: ConversationStep | None = None
    result_is_full: bool = False
    raw: Mapping[str, Any] | None = field(default=None, hash=False)

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> RunStreamEvent:
        """Read a frame of a run stream in its JSON form; a keep-alive is of kind ``"unknown"``."""
        value = object_of(value, "A frame")
        for name, kind in _FRAMES.items():
            payload = mapping(value.get(name))
            if payload is not None:
                return run_stream_event(kind, payload, optional_text(value.get("offset")))
        return run_stream_event("unknown", value, optional_text(value.get("offset")))


_FRAMES = {
    "sdkMessage": "sdk_message",
    "interactionUpdate": "interaction_update",
    "step": "step",
    "result": "result",
    "done": "done",
}


def run_stream_event(kind: str, payload: Mapping[str, Any], offset: str | None = None) -> RunStreamEvent:
    """The event of one frame. Never raises: what cannot be read is passed on as ``Unknown…``.

    Args:
        kind: The kind of frame, in snake case.
        payload: What is under the frame's key, in its JSON form.
        offset: The frame's offset.
    """
    if kind == "sdk_message":
        body, word = _inner(payload, "message")
        return RunStreamEvent(kind, offset, message_of(word, body))
    if kind == "interaction_update":
        body, word = _inner(payload, "update")
        return RunStreamEvent(kind, offset, interaction_update=update_of(word, body))
    if kind == "step":
        body, word = _inner(payload, "step")
        return RunStreamEvent(kind, offset, step=step_of(word, body))
    if kind == "result":
        full = mapping(payload.get("result"))
        return RunStreamEvent(kind, offset, result=full_result(payload), result_is_full=full is not None)
    if kind == "done":
        return RunStreamEvent(kind, offset, done=payload)
    return RunStreamEvent("gap" if kind == "gap" else "unknown", offset, raw=payload)


def _inner(payload: Mapping[str, Any], name: str) -> tuple[Mapping[str, Any], str]:
    body = mapping(payload.get(name)) or {}
    word = payload.get("type") or body.get("type")
    return body, word if isinstance(word, str) else ""


def full_result(payload: Mapping[str, Any]) -> Mapping[str, Any]:
    """The result in a ``RunStreamResult``; what it lacks is filled from the envelope around it."""
    inner = mapping(payload.get("result"))
    if inner is None:
        return payload
    lacking = {
        name: payload[name]
        for name in ("runId", "agentId", "status", "errorCode")
        if not inner.get(name) and payload.get(name)
    }
    return {**inner, **lacking} if lacking else inner
