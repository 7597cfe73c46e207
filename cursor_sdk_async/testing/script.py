"""What the agent of the scripted bridge does: frozen dataclasses, sent to the process as JSON.

A :class:`Script` has turns, one for each prompt; a :class:`Turn` has steps, played in order.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from cursor_sdk_async.testing._plain import from_plain, to_plain
from cursor_sdk_async.testing.steps import STEPS, Echo, Json, Step, Text, Thinking, ToolCall, Usage, Wait

__all__ = ["Artifact", "Script", "Turn"]


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


def no_turns() -> dict[str, Turn]:
    """No turns by prompt."""
    return {}


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
    by_prompt: Mapping[str, Turn] = field(default_factory=no_turns)
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
