"""What is seen of a run: its messages folded into parts that can be drawn. Pure, and of bounded size."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, cast

from cursor_sdk_async._display._text import clean, clip, count, details, hidden, one_line, seconds
from cursor_sdk_async.events import RunStreamEvent, TokenDeltaUpdate
from cursor_sdk_async.messages import (
    SDKAssistantMessage,
    SDKMessage,
    SDKSystemMessage,
    SDKTaskMessage,
    SDKThinkingMessage,
    SDKToolUseMessage,
    SDKUsageMessage,
    TextBlock,
)
from cursor_sdk_async.results import RunResult, TokenUsage, sum_token_usage

__all__ = ["Call", "Note", "Part", "Prose", "RunState"]

#: How much of a run is kept for showing: the rest is counted, and the oldest goes first.
TEXT_LIMIT = 40_000  # of one text: never less, at most twice as much
TOTAL_LIMIT = 200_000
PARTS_LIMIT = 300
ARGS_LIMIT = 200
RESULT_LIMIT = 2_000
NAME_LIMIT = 80


class Prose:
    """A stretch of text or of thinking; of a long one the end is kept.

    Attributes:
        kind: ``"text"`` (Markdown) or ``"thinking"``.
        dropped: How many characters are missing at its beginning.
    """

    __slots__ = ("_pieces", "_size", "dropped", "kind")

    def __init__(self, kind: Literal["text", "thinking"]) -> None:
        self.kind: Literal["text", "thinking"] = kind
        self.dropped = 0
        self._pieces: list[str] = []
        self._size = 0

    def append(self, piece: str) -> None:
        """Take one more piece."""
        self._pieces.append(piece)
        self._size += len(piece)
        if self._size > 2 * TEXT_LIMIT:  # rarely, so that what was drawn before stays the same in between
            kept = "".join(self._pieces)[-TEXT_LIMIT:]
            self.dropped += self._size - len(kept)
            self._pieces, self._size = [kept], len(kept)

    @property
    def end(self) -> int:
        """How many characters there have been."""
        return self.dropped + self._size

    def since(self, position: int) -> str:
        """What came after that many characters, as it was received; of too much, the end."""
        wanted, found = self.end - position, list[str]()
        for piece in reversed(self._pieces):
            if wanted <= 0:
                break
            found.append(piece[-wanted:])
            wanted -= len(piece)
        missing = f"({wanted:,} characters not shown)\n" if wanted > 0 else ""
        return missing + "".join(reversed(found))

    @property
    def text(self) -> str:
        """The text, without control characters and known kinds of keys."""
        self._pieces = ["".join(self._pieces)]
        return hidden(clean(self._pieces[0]))

    def __len__(self) -> int:
        return self._size


@dataclass(slots=True, eq=False)
class Call:
    """A tool call, its two reports folded into one.

    Attributes:
        name: The tool.
        args: Its arguments on one line.
        status: ``"running"``, ``"completed"`` or ``"error"``.
        result: What it gave, or why it failed.
    """

    name: str
    args: str
    status: str
    result: str = ""

    def __len__(self) -> int:
        return len(self.args) + len(self.result) + len(self.name)


@dataclass(frozen=True, slots=True, eq=False)
class Note:
    """News of a task."""

    text: str

    def __len__(self) -> int:
        return len(self.text)


Part: TypeAlias = Prose | Call | Note


class RunState:
    """What is seen of one run.

    Attributes:
        run_id: The run.
        agent_id: Its agent.
        status: ``"running"`` or how it ended; only a result ends a run.
        parts: Texts, tool calls and notes in the order of the stream.
        dropped: How many parts at the beginning are no longer kept.
        model: The model's id, empty when it is not known.
        usage: Tokens so far; ``None`` when nothing was reported.
        duration_ms: How long the run took; 0 when that is not known.
        error: Why it failed, or why it can no longer be watched.
        watched: Whether somebody still reads; a run may go on when nobody does.
        calls: How many tool calls there were.
        past: Counts the changes of all parts but the last one.
    """

    def __init__(self, run_id: str = "", agent_id: str = "") -> None:
        self.run_id = clean(run_id)
        self.agent_id = clean(agent_id)
        self.status: str = "running"
        self.parts: list[Part] = []
        self.dropped = 0
        self.model = ""
        self.usage: TokenUsage | None = None
        self.duration_ms = 0
        self.error = ""
        self.watched = True
        self.past = 0
        self._calls: dict[str, Call] = {}
        self.calls = 0
        self._counted = 0

    @property
    def tokens(self) -> int | None:
        """Tokens so far: as reported, else as counted from updates; ``None`` when neither is known."""
        return self.usage.total_tokens if self.usage is not None else self._counted or None

    @property
    def activity(self) -> str:
        """One word or two for what happens now."""
        if self.status != "running":
            return self.status
        if self.error:
            return "interrupted"
        if not self.watched:
            return "no longer watched"
        running = [part.name for part in self.parts if isinstance(part, Call) and part.status == "running"]
        if running:
            return f"running {running[-1]}" + (f" and {len(running) - 1} more" if len(running) > 1 else "")
        last = self.parts[-1] if self.parts else None
        if isinstance(last, Prose):
            return "thinking" if last.kind == "thinking" else "writing"
        return "working" if self.parts else "starting"

    def facts(self, elapsed: float | None = None) -> list[str]:
        """What is known in numbers: tokens, time, tool calls, model.

        Args:
            elapsed: Seconds since somebody looks; the run's own duration counts more.
        """
        took = self.duration_ms / 1000 or elapsed
        return [
            *([] if self.tokens is None else [count(self.tokens, "token")]),
            *([] if took is None else [seconds(took)]),
            *([count(self.calls, "tool call")] if self.calls else []),
            *([self.model] if self.model else []),
        ]

    def take(self, event: RunStreamEvent) -> None:
        """Bring it up to date with one event of the stream.

        Deltas repeat what messages say, so only their token counts are used.
        """
        if event.sdk_message is not None:
            self.take_message(event.sdk_message)
        elif isinstance(event.interaction_update, TokenDeltaUpdate):
            self._counted += event.interaction_update.tokens

    def take_message(self, message: SDKMessage) -> None:
        """Bring it up to date with one message."""
        if isinstance(message, SDKAssistantMessage):
            for block in message.message.content:
                if isinstance(block, TextBlock):
                    self.say(block.text)
        elif isinstance(message, SDKThinkingMessage):
            self.say(message.text, "thinking")
        elif isinstance(message, SDKToolUseMessage):
            self._call(message)
        elif isinstance(message, SDKTaskMessage):
            if message.text.strip():
                self._add(Note(one_line(message.text, RESULT_LIMIT)))
        elif isinstance(message, SDKUsageMessage):
            self.usage = sum_token_usage((self.usage, message.usage))
        elif isinstance(message, SDKSystemMessage) and message.model is not None:
            self.model = clean(message.model.id)

    def say(self, piece: str, kind: Literal["text", "thinking"] = "text") -> None:
        """Take a piece of text or thinking."""
        if not piece:
            return
        last = self.parts[-1] if self.parts else None
        if not isinstance(last, Prose) or last.kind != kind:
            last = Prose(kind)
            self._add(last)
        last.append(piece)

    def settle(self, result: RunResult) -> None:
        """Take the result; its text counts where none was seen, and its usage where none was reported."""
        self.run_id, self.agent_id = clean(result.id), clean(result.agent_id)
        self.status = result.status
        self.duration_ms = result.duration_ms
        self.usage = result.usage or self.usage
        if result.model is not None:
            self.model = clean(result.model.id)
        if result.status not in ("running", "finished") and (result.error_message or result.error_code):
            self.fail(result.error_message or f"code {result.error_code}")
        if result.status != "running":
            self._stop_calls()
        if not any(isinstance(part, Prose) and part.kind == "text" for part in self.parts):
            self.say(result.result)

    def fail(self, reason: str) -> None:
        """Say why it failed."""
        self.error = clip(hidden(clean(reason)), RESULT_LIMIT)

    def leave(self) -> None:
        """Nobody reads any more."""
        self.watched = False

    def _call(self, message: SDKToolUseMessage) -> None:
        call = self._calls.get(message.call_id) if message.call_id else None
        if call is None:
            name = one_line(message.name, NAME_LIMIT) or "tool"
            call = Call(name, one_line(message.args, ARGS_LIMIT), message.status)
            self._add(call)
            self.calls += 1
            if message.call_id:
                self._calls[message.call_id] = call
        elif call is not self.parts[-1]:
            self.past += 1
        call.status = clip(clean(message.status), NAME_LIMIT) or call.status
        if message.args is not None and not call.args:
            call.args = one_line(message.args, ARGS_LIMIT)
        if message.result is not None:
            call.result = details(_outcome(message.result), RESULT_LIMIT)
        if (message.truncated or {}).get("result") and call.result:
            call.result += "\n(cut short by the service)"
        if call.status != "running":
            self._calls.pop(message.call_id, None)
        self._bound()

    def _stop_calls(self) -> None:
        """After the end no call runs."""
        for part in self.parts:
            if isinstance(part, Call) and part.status == "running":
                part.status = "unfinished"
                self.past += 1
        self._calls.clear()

    def _add(self, part: Part) -> None:
        self.parts.append(part)
        self.past += 1
        self._bound()

    def _bound(self) -> None:
        """Let go of the oldest parts while there is too much."""
        total = sum(map(len, self.parts)) if len(self.parts) > 1 else 0
        while len(self.parts) > 1 and (total > TOTAL_LIMIT + TEXT_LIMIT or len(self.parts) > PARTS_LIMIT):
            gone = self.parts.pop(0)
            total -= len(gone)
            self.dropped += 1
            self.past += 1
            if isinstance(gone, Call):
                self._calls = {name: call for name, call in self._calls.items() if call is not gone}


def _outcome(result: Any) -> Any:
    """What a tool gave, out of the ``{"status", "value" | "error"}`` that most of them wrap it in."""
    if not isinstance(result, Mapping):
        return result
    wrapped = cast("Mapping[str, Any]", result)
    rest = [name for name in wrapped if name != "status"]
    return wrapped[rest[0]] if "status" in wrapped and rest in (["value"], ["error"]) else wrapped
