"""What can happen in a turn of the scripted agent: one frozen dataclass for each kind of step."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

__all__ = [
    "STEPS",
    "Burst",
    "CallTool",
    "Echo",
    "Exit",
    "Fail",
    "Fill",
    "Hold",
    "Json",
    "KeepAlive",
    "Message",
    "RawFrame",
    "Status",
    "Stderr",
    "Step",
    "StepFrame",
    "Text",
    "Thinking",
    "ToolCall",
    "UnknownArm",
    "Update",
    "Usage",
    "Wait",
    "empty",
]

Json = Mapping[str, Any]


def empty() -> dict[str, Any]:
    """An empty JSON object."""
    return {}


@dataclass(frozen=True)
class Step:
    """One thing that happens in a turn; see its subclasses."""


@dataclass(frozen=True)
class Text(Step):
    """One piece of the answer."""

    text: str


@dataclass(frozen=True)
class Echo(Step):
    """The prompt, as one piece of the answer."""


@dataclass(frozen=True)
class Thinking(Step):
    """One piece of the reasoning."""

    text: str
    duration_ms: int | None = None


@dataclass(frozen=True)
class ToolCall(Step):
    """A tool call, started and completed.

    Attributes:
        result: What the tool gave, as it is shown.
        error: A message: the call fails, and ``result`` is not used.
        seconds: Time between start and completion.
    """

    name: str
    args: Json = field(default_factory=empty)
    result: Any = None
    error: str | None = None
    call_id: str | None = None
    seconds: float = 0.0


@dataclass(frozen=True)
class CallTool(Step):
    """Call a custom tool of the client, through the endpoint that it registered; the answer is shown.

    Attributes:
        times: That many calls at once, each with its own call id.
        agent_id: Ask for a tool of this agent instead of the run's own.
    """

    name: str
    args: Json = field(default_factory=empty)
    call_id: str | None = None
    times: int = 1
    agent_id: str | None = None


@dataclass(frozen=True)
class Usage(Step):
    """The end of a turn, with its token counts."""

    input_tokens: int = 1200
    output_tokens: int = 340
    cache_read_tokens: int = 800
    cache_write_tokens: int = 50
    reasoning_tokens: int | None = None


@dataclass(frozen=True)
class Status(Step):
    """A status message; it does not end the run."""

    status: str
    message: str = ""


@dataclass(frozen=True)
class Wait(Step):
    """Nothing, for that long."""

    seconds: float


@dataclass(frozen=True)
class Hold(Step):
    """Nothing, until a test releases this name, or the run is cancelled."""

    name: str = "gate"


@dataclass(frozen=True)
class KeepAlive(Step):
    """An empty frame, now."""


@dataclass(frozen=True)
class Fail(Step):
    """End the run with status ERROR."""

    message: str = "The agent gave up."
    code: str | None = None


@dataclass(frozen=True)
class Burst(Step):
    """Many pieces of ``size`` characters as fast as they are read; each begins with its number.

    They are made when they are read, so that even millions need no memory; the final text of the run has them
    only up to 4 MiB.
    """

    count: int
    size: int = 20


@dataclass(frozen=True)
class Fill(Step):
    """One piece of the answer, that many characters long."""

    size: int
    character: str = "x"


@dataclass(frozen=True)
class Message(Step):
    """Any message of the stream, of a known kind or not. Agent and run ids are added if they are missing."""

    type: str
    payload: Json = field(default_factory=empty)


@dataclass(frozen=True)
class Update(Step):
    """Any interaction update; only streams that asked for deltas show it."""

    type: str
    payload: Json = field(default_factory=empty)


@dataclass(frozen=True)
class StepFrame(Step):
    """Any completed step; only streams that asked for steps show it."""

    type: str
    payload: Json = field(default_factory=empty)


@dataclass(frozen=True)
class UnknownArm(Step):
    """A frame of a kind that the contract does not have."""

    name: str = "somethingNew"
    payload: Json = field(default_factory=empty)


@dataclass(frozen=True)
class RawFrame(Step):
    """An envelope with these bytes in it, whatever the codec."""

    payload: bytes
    flags: int = 0


@dataclass(frozen=True)
class Stderr(Step):
    """Lines on the standard error of the process, that many bytes together."""

    size: int
    line: str = "noise while a run is live"


@dataclass(frozen=True)
class Exit(Step):
    """End of the process, by exit code or, if it is negative, by signal."""

    code: int = -9


STEPS: dict[str, type[Any]] = {kind.__name__: kind for kind in Step.__subclasses__()}
