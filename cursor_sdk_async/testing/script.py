"""What the agent of the scripted bridge does: frozen dataclasses, sent to the process as JSON.

A :class:`Script` has turns, one for each prompt; a :class:`Turn` has steps, played in order.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from cursor_sdk_async.testing._plain import from_plain, to_plain

__all__ = [
    "Artifact",
    "Burst",
    "CallTool",
    "Echo",
    "Exit",
    "Fail",
    "Fill",
    "Hold",
    "KeepAlive",
    "Message",
    "RawFrame",
    "Script",
    "Status",
    "Stderr",
    "Step",
    "StepFrame",
    "Text",
    "Thinking",
    "ToolCall",
    "Turn",
    "UnknownArm",
    "Update",
    "Usage",
    "Wait",
]

Json = Mapping[str, Any]


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
    args: Json = field(default_factory=dict)
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
    args: Json = field(default_factory=dict)
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
    payload: Json = field(default_factory=dict)


@dataclass(frozen=True)
class Update(Step):
    """Any interaction update; only streams that asked for deltas show it."""

    type: str
    payload: Json = field(default_factory=dict)


@dataclass(frozen=True)
class StepFrame(Step):
    """Any completed step; only streams that asked for steps show it."""

    type: str
    payload: Json = field(default_factory=dict)


@dataclass(frozen=True)
class UnknownArm(Step):
    """A frame of a kind that the contract does not have."""

    name: str = "somethingNew"
    payload: Json = field(default_factory=dict)


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


@dataclass(frozen=True)
class Turn:
    """What the agent does for one prompt.

    Attributes:
        steps: What happens, in order.
        status: How the run ends.
        result: Its final text; None means all pieces of text together.
        error_message: Of a run that ends in ERROR.
        error_code: Of a run that ends in ERROR.
        branches: ``{"repoUrl", "branch", "prUrl"}`` each, in the result.
    """

    steps: Sequence[Step] = ()
    status: Literal["FINISHED", "ERROR", "CANCELLED", "EXPIRED"] = "FINISHED"
    result: str | None = None
    error_message: str | None = None
    error_code: str | None = None
    branches: Sequence[Json] = ()


@dataclass(frozen=True)
class Artifact:
    """A file of a cloud agent; ``size`` makes one of that many bytes instead of ``data``."""

    path: str
    data: bytes = b""
    size: int | None = None
    updated_at: str = "2026-01-15T09:30:00.000Z"

    def read(self) -> bytes:
        """The content."""
        if self.size is None:
            return self.data
        return (b"0123456789abcdef" * (self.size // 16 + 1))[: self.size]


DEFAULT_TURN = Turn(
    (
        Thinking("The prompt is short, "),
        Wait(0.12),
        Thinking("so one look at the readme will do."),
        Wait(0.12),
        ToolCall(
            "read",
            {"path": "README.md"},
            {"status": "success", "value": {"content": "# Demo\n", "totalLines": 1}},
            seconds=0.15,
        ),
        Text("You said: "),
        Wait(0.06),
        Echo(),
        Wait(0.06),
        Text("\n\nI am a script, "),
        Wait(0.06),
        Text("not a model: "),
        Wait(0.06),
        Text("the process, the protocol and the stream are real, "),
        Wait(0.06),
        Text("the words are not."),
        Usage(),
    )
)

DEFAULT_MODELS: tuple[Json, ...] = (
    {
        "id": "composer-2.5",
        "displayName": "Composer 2.5",
        "description": "Quick and good at edits",
        "parameters": [
            {"id": "effort", "displayName": "Effort", "values": [{"value": "low"}, {"value": "high"}]}
        ],
        "variants": [
            {"params": [{"id": "effort", "value": "low"}], "displayName": "Composer 2.5", "isDefault": True},
            {"params": [{"id": "effort", "value": "high"}], "displayName": "Composer 2.5 (high)"},
        ],
    },
    {"id": "plain-1", "displayName": "Plain 1"},
    {"id": "scripted", "displayName": "Scripted"},
)
DEFAULT_USER: Json = {
    "apiKeyName": "test key",
    "userId": "42",
    "userEmail": "ada@example.com",
    "userFirstName": "Ada",
    "userLastName": "Lovelace",
    "createdAt": "2026-01-15T09:30:00.000Z",
}
DEFAULT_ARTIFACTS = (
    Artifact("artifacts/report.txt", b"All is well.\n"),
    Artifact("artifacts/large.bin", size=2_621_444),
    Artifact("artifacts/empty.txt"),
)


@dataclass(frozen=True)
class Script:
    """What the scripted bridge says.

    Attributes:
        turns: One for each prompt of an agent, in order; the last one is used again and again.
        by_prompt: Turns by a part of the prompt; the first part that is found wins over ``turns``.
        models: The catalogue; other model ids are refused.
        user: Who the key belongs to.
        repositories: Their URLs.
        artifacts: The files that every cloud agent has after its first run.
        accepted_keys: The keys that the service knows; None means any.
        keep_alive_seconds: An empty frame after that much silence in a stream.
        idle_seconds: HTTP connections that are idle so long are closed.
    """

    turns: Sequence[Turn] = (DEFAULT_TURN,)
    by_prompt: Mapping[str, Turn] = field(default_factory=dict)
    models: Sequence[Json] = DEFAULT_MODELS
    user: Json = field(default_factory=lambda: dict(DEFAULT_USER))
    repositories: Sequence[str] = ("https://github.com/acme/rocket", "https://github.com/acme/anvil")
    artifacts: Sequence[Artifact] = DEFAULT_ARTIFACTS
    accepted_keys: Sequence[str] | None = None
    keep_alive_seconds: float = 15.0
    idle_seconds: float = 5.0

    def turn(self, number: int, prompt: str) -> Turn:
        """The turn for the prompt with that number (from 0) of an agent."""
        for part, turn in self.by_prompt.items():
            if part in prompt:
                return turn
        return self.turns[min(number, len(self.turns) - 1)] if self.turns else Turn()

    def to_json(self) -> str:
        """The script as text; :meth:`from_json` reads it."""
        return json.dumps(to_plain(self), separators=(",", ":"))

    @classmethod
    def from_json(cls, text: str) -> Script:
        """Read what :meth:`to_json` wrote.

        Raises:
            ValueError: It is something else.
        """
        made = from_plain(json.loads(text), {**STEPS, "Turn": Turn, "Artifact": Artifact, "Script": cls})
        if not isinstance(made, Script):
            raise ValueError("not a script")
        return made
