"""The conversation of a run: turns, and the steps of a turn. ``docs/protocol.md``: Run streams."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from cursor_sdk_async.errors import ProtocolError
from cursor_sdk_async.options._read import each, first, integer, mapping, object_of, text
from cursor_sdk_async.options._record import Record, Unknown

__all__ = [
    "AgentConversationTurn",
    "AssistantConversationStep",
    "AssistantMessage",
    "ConversationStep",
    "ConversationTurn",
    "ShellCommand",
    "ShellConversationTurn",
    "ShellOutput",
    "ThinkingConversationStep",
    "ThinkingMessage",
    "ToolCallConversationStep",
    "UnknownConversationStep",
    "parse_conversation_step",
    "step_of",
]


@dataclass(frozen=True, slots=True, repr=False)
class AssistantMessage(Record):
    """Text of the assistant."""

    text: str


@dataclass(frozen=True, slots=True, repr=False)
class ThinkingMessage(Record):
    """Reasoning of the model."""

    text: str
    thinking_duration_ms: int | None = None


@dataclass(frozen=True, slots=True, repr=False)
class AssistantConversationStep(Record):
    """The assistant said something."""

    type: Literal["assistantMessage"]
    message: AssistantMessage


@dataclass(frozen=True, slots=True, repr=False)
class ToolCallConversationStep(Record):
    """A tool was called; ``message`` is its call as received, not a stable format."""

    type: Literal["toolCall"]
    message: Mapping[str, Any] = field(hash=False)


@dataclass(frozen=True, slots=True, repr=False)
class ThinkingConversationStep(Record):
    """The model reasoned."""

    type: Literal["thinkingMessage"]
    message: ThinkingMessage


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class UnknownConversationStep(Unknown):
    """A step of a kind that this version does not know; a mapping over what was received."""

    type: str
    step: Mapping[str, Any]

    def _received(self) -> Mapping[str, Any]:
        return self.step


ConversationStep: TypeAlias = (
    AssistantConversationStep | ToolCallConversationStep | ThinkingConversationStep | UnknownConversationStep
)


@dataclass(frozen=True, slots=True, repr=False)
class AgentConversationTurn(Record):
    """A prompt and the steps that answered it."""

    user_message: Mapping[str, Any] | None = field(default=None, hash=False)
    steps: Sequence[ConversationStep] = ()


@dataclass(frozen=True, slots=True, repr=False)
class ShellCommand(Record):
    """A command that was run."""

    command: str
    working_directory: str = ""


@dataclass(frozen=True, slots=True, repr=False)
class ShellOutput(Record):
    """What a command wrote, and its exit code."""

    stdout: str
    stderr: str
    exit_code: int


@dataclass(frozen=True, slots=True, repr=False)
class ShellConversationTurn(Record):
    """A command and its output."""

    shell_command: ShellCommand | None = None
    shell_output: ShellOutput | None = None


@dataclass(frozen=True, slots=True, repr=False)
class ConversationTurn(Record):
    """One turn; ``turn`` stays the mapping that was received when its kind is not known."""

    type: str
    turn: AgentConversationTurn | ShellConversationTurn | Mapping[str, Any]

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> ConversationTurn:
        """Read ``{"type", "turn"}``; ``turn`` may be missing."""
        value = object_of(value, "A turn of a conversation")
        kind, turn = text(value.get("type")), mapping(value.get("turn")) or {}
        if kind == "agentConversationTurn":
            return cls(kind, _agent_turn(turn))
        return cls(kind, _shell_turn(turn) if kind == "shellConversationTurn" else turn)


def _agent_turn(turn: Mapping[str, Any]) -> AgentConversationTurn:
    prompt = mapping(first(turn, "userMessage", "user_message"))
    return AgentConversationTurn(prompt, each(turn.get("steps"), _any_step))


def _shell_turn(turn: Mapping[str, Any]) -> ShellConversationTurn:
    command = mapping(first(turn, "shellCommand", "shell_command"))
    output = mapping(first(turn, "shellOutput", "shell_output"))
    return ShellConversationTurn(
        None
        if command is None
        else ShellCommand(
            text(command.get("command")), text(first(command, "workingDirectory", "working_directory"))
        ),
        None
        if output is None
        else ShellOutput(
            text(output.get("stdout")),
            text(output.get("stderr")),
            integer(first(output, "exitCode", "exit_code")) or 0,
        ),
    )


def step_of(kind: str, body: Mapping[str, Any]) -> ConversationStep:
    """The step of one frame: its kind and its inner object."""
    message = mapping(body.get("message"))
    if kind == "assistantMessage" and message is not None:
        return AssistantConversationStep("assistantMessage", AssistantMessage(text(message.get("text"))))
    if kind == "toolCall" and message is not None:
        return ToolCallConversationStep("toolCall", message)
    if kind == "thinkingMessage" and message is not None:
        duration = integer(first(message, "thinkingDurationMs", "thinking_duration_ms"))
        thought = ThinkingMessage(text(message.get("text")), duration)
        return ThinkingConversationStep("thinkingMessage", thought)
    return UnknownConversationStep(kind, body)


def _any_step(value: Mapping[str, Any]) -> ConversationStep:
    """A step in a list, where an odd one must not make the others unreadable."""
    inner = mapping(value.get("step"))
    body = value if inner is None else inner
    return step_of(text(value.get("type")) or text(body.get("type")), body)


def parse_conversation_step(value: Mapping[str, Any]) -> ConversationStep:
    """Read a step: the object itself, or the ``{"type", "step"}`` of a stream around it.

    Raises:
        ProtocolError: It is not an object, or has no type.
    """
    step = _any_step(object_of(value, "A step"))
    if not step.type:
        raise ProtocolError("A step of the run has no type, so it cannot be read.")
    return step
