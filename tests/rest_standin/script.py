"""What a run of the stand-in does: a script of beats, as JSON, so that it can be sent to the process.

A beat is a dictionary made by one of the functions here. Pure: :func:`events` turns a beat into the events of
the run's stream, and knows nothing of time, sockets or runs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

__all__ = [
    "DEFAULT_USAGE",
    "Beat",
    "Script",
    "burst",
    "cut",
    "echo",
    "event",
    "events",
    "failing",
    "heartbeat",
    "held",
    "hold",
    "pause",
    "raw",
    "text",
    "thinking",
    "tool",
    "turn_ended",
]

Beat = dict[str, Any]
Family = Literal["both", "simple", "updates"]
Event = tuple[str, dict[str, Any]]

DEFAULT_USAGE = {"inputTokens": 1200, "outputTokens": 340, "cacheReadTokens": 800, "cacheWriteTokens": 50}


def text(piece: str) -> Beat:
    """One piece of the answer."""
    return {"do": "text", "text": piece}


def echo() -> Beat:
    """One piece of the answer: the prompt."""
    return {"do": "echo"}


def burst(count: int, size: int = 20) -> Beat:
    """Many pieces of ``size`` characters at once; each begins with its number."""
    return {"do": "burst", "count": count, "size": size}


def thinking(piece: str) -> Beat:
    """One piece of the reasoning."""
    return {"do": "thinking", "text": piece}


def tool(name: str, args: Mapping[str, Any], result: Any) -> Beat:
    """One tool call, started and completed. The bridge drops updates of tools that it does not know."""
    return {"do": "tool", "name": name, "args": dict(args), "result": result}


def turn_ended(usage: Mapping[str, int] | None = None) -> Beat:
    """The end of a turn, with its token counts."""
    return {"do": "turn-ended", "usage": dict(DEFAULT_USAGE if usage is None else usage)}


def pause(seconds: float) -> Beat:
    """Wait that long."""
    return {"do": "pause", "seconds": seconds}


def hold(name: str = "gate") -> Beat:
    """Wait until this name is released, or the run is cancelled."""
    return {"do": "hold", "name": name}


def cut(how: Literal["abort", "end"] = "abort", times: int = 1) -> Beat:
    """End the first ``times`` streams that come here: in the middle of the body, or as if all were said."""
    return {"do": "cut", "how": how, "times": times}


def heartbeat() -> Beat:
    """A keep-alive event."""
    return event("heartbeat", {})


def event(name: str, data: Mapping[str, Any]) -> Beat:
    """Any event of the stream, as it is."""
    return {"do": "event", "event": name, "data": dict(data)}


def raw(block: str) -> Beat:
    """Characters of the stream, as they are (end them with an empty line)."""
    return {"do": "raw", "block": block}


README = {"content": "# Demo\n", "totalLines": 1, "fileSize": 7}

DEFAULT_BEATS: tuple[Beat, ...] = (
    thinking("The prompt is short. "),
    thinking("One look at the readme will do."),
    tool("read", {"path": "README.md"}, {"status": "success", "value": README}),
    text("You asked: "),
    echo(),
    text(". Done."),
    turn_ended(),
)


@dataclass(frozen=True)
class Script:
    """What one run does.

    Attributes:
        beats: What happens, in order.
        finish: The status that it ends with: ``FINISHED``, ``ERROR`` or ``EXPIRED``.
        error: ``{"code", "message"}`` of a run that fails.
        result: Its final text; ``None`` means all pieces of text together.
        family: Which events tell of a beat: simple ones, interaction updates, or both (as the API does).
        creating: Longest wait, in seconds, in status CREATING for a first reader of the stream.
    """

    beats: Sequence[Beat] = DEFAULT_BEATS
    finish: str = "FINISHED"
    error: Mapping[str, str] | None = None
    result: str | None = None
    family: Family = "both"
    creating: float = 2.0

    def to_json(self) -> dict[str, Any]:
        """The script as the control API takes it."""
        return {**asdict(self), "beats": list(self.beats)}

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Script:
        """The script that the control API was given."""
        return cls(**value)


def held(name: str = "gate", *, before: str = "Waiting", after: str = " no more.") -> Script:
    """Say something, wait until released or cancelled, say the rest."""
    return Script(beats=(text(before), hold(name), text(after), turn_ended()))


def failing(message: str = "The agent gave up.", code: str = "agent_error") -> Script:
    """Say something, then fail."""
    return Script(beats=(text("Trying"),), finish="ERROR", error={"code": code, "message": message})


def pieces(beat: Beat, prompt: str) -> Iterator[str]:
    """The pieces of the answer that a beat adds."""
    if beat["do"] == "text":
        yield beat["text"]
    elif beat["do"] == "echo":
        yield prompt
    elif beat["do"] == "burst":
        for number in range(beat["count"]):
            yield f"{number} ".ljust(beat["size"], ".")


def events(beat: Beat, prompt: str, call_id: str) -> Iterator[tuple[Event, ...]]:
    """The events of a beat, in groups that share an event id: the update first, then its simple form."""
    for piece in pieces(beat, prompt):
        yield update("text-delta", text=piece), ("assistant", {"text": piece})
    if beat["do"] == "thinking":
        yield update("thinking-delta", text=beat["text"]), ("thinking", {"text": beat["text"]})
    elif beat["do"] == "tool":
        yield from _tool(beat, call_id)
    elif beat["do"] == "turn-ended":
        yield (update("turn-ended", usage=beat["usage"]),)
    elif beat["do"] == "event":
        yield ((beat["event"], beat["data"]),)


def update(kind: str, **fields: Any) -> Event:
    """An interaction update."""
    return "interaction_update", {"type": kind, **fields}


def _tool(beat: Beat, call_id: str) -> Iterator[tuple[Event, ...]]:
    call = {"type": beat["name"], "args": beat["args"]}
    simple = {"callId": call_id, "name": beat["name"], "args": beat["args"]}
    ids = {"callId": call_id, "modelCallId": f"model-{call_id}"}
    result = beat["result"]
    yield (
        update("tool-call-started", **ids, toolCall=call),
        ("tool_call", {**simple, "status": "running"}),
    )
    yield (
        update("tool-call-completed", **ids, toolCall={**call, "result": result}),
        ("tool_call", {**simple, "status": "completed", "result": result}),
    )
