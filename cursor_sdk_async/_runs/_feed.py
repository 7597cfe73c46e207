"""From frames to the state of a run: pure, no waiting, no input or output.

The rules are those of ``docs/protocol.md``, section "Run streams": a status frame is not the end of a run,
only a result is; status words that are not known leave the status alone; assistant messages are pieces of a
text.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from cursor_sdk_async._connect._frames import RunFrame
from cursor_sdk_async._convert import run_result_from_json, stream_event
from cursor_sdk_async.events import RunStreamEvent
from cursor_sdk_async.messages import (
    SDKAssistantMessage,
    SDKMessage,
    SDKStatusMessage,
    SDKToolUseMessage,
    SDKUsageMessage,
    TextBlock,
)
from cursor_sdk_async.options import RunStatus
from cursor_sdk_async.results import RunResult, RunSnapshot, TokenUsage, sum_token_usage

__all__ = ["TERMINAL", "RunFeed", "changes_status"]

TERMINAL = frozenset({"finished", "error", "cancelled", "expired"})
_STATUS_WORDS: Mapping[str, RunStatus] = {
    "CREATING": "running",
    "RUNNING": "running",
    "FINISHED": "finished",
    "ERROR": "error",
    "CANCELLED": "cancelled",
    "EXPIRED": "expired",
}


def changes_status(frame: RunFrame) -> bool:
    """Whether a frame may change the status of its run, or end it."""
    if frame.kind == "sdk_message":
        return frame.payload.get("type") == "status"
    return frame.kind in ("result", "done")


class RunFeed:
    """What is known of one run, brought up to date by its frames.

    Attributes:
        run_id: The run, empty until a frame names it.
        agent_id: The agent as the stream names it, which may differ from the one that was asked.
        status: ``"running"`` or a terminal word.
        result: The terminal result, ``None`` until it has come.
        snapshot: What ``GetRun`` or ``ListRuns`` said, if the handle was made from it.
        offset: The offset of the last frame that had one.
        done: Whether the end marker has come.
    """

    __slots__ = ("_pieces", "_usages", "agent_id", "done", "offset", "result", "run_id", "snapshot", "status")

    def __init__(self, run_id: str = "", agent_id: str = "", snapshot: RunSnapshot | None = None) -> None:
        self.run_id: str = snapshot.id if snapshot is not None else run_id
        self.agent_id: str = (snapshot.agent_id if snapshot is not None else "") or agent_id
        self.status: RunStatus = snapshot.status if snapshot is not None else "running"
        self.snapshot: RunSnapshot | None = snapshot
        self.result: RunResult | None = snapshot if snapshot is not None and self.status in TERMINAL else None
        self.offset: str | None = None
        self.done: bool = False
        self._pieces: list[str | None] = []  # None is the place of a tool call
        self._usages: list[TokenUsage] = []

    def take(self, frame: RunFrame) -> RunStreamEvent | None:
        """Bring the state up to date with one frame.

        Returns:
            The event for the user; ``None`` for a keep-alive.
        """
        kind = frame.kind
        if kind == "keepalive":
            return None
        if frame.offset is not None:
            self.offset = frame.offset
        event = stream_event(kind, frame.payload, frame.offset)
        if kind == "sdk_message":
            message = event.sdk_message
            if message is not None:
                self._take_message(message)
        elif kind == "result":
            self.settle(run_result_from_json(frame.payload))
        elif kind == "done":
            self.done = True
            self._identify(str(frame.payload.get("runId", "")), str(frame.payload.get("agentId", "")))
        return event

    def settle(self, result: RunResult) -> None:
        """Take the terminal result, from the stream or from an answer."""
        self._identify(result.id, result.agent_id)
        usage = self.usage if self._usages else result.usage
        self.result = result if usage is result.usage else replace(result, usage=usage)
        self.status = result.status

    @property
    def ended(self) -> bool:
        """Whether the result has come."""
        return self.result is not None

    @property
    def usage(self) -> TokenUsage | None:
        """The sum of the usage messages, else the result's usage, else the snapshot's, else ``None``."""
        if self._usages:
            return sum_token_usage(self._usages)
        if self.result is not None and self.result.usage is not None:
            return self.result.usage
        return self.snapshot.usage if self.snapshot is not None else None

    @property
    def text(self) -> str:
        """The final text of the result; where there is none, all assistant text that was received.

        Pieces on both sides of a tool call are kept apart by a blank line.
        """
        if self.result is not None and self.result.result:
            return self.result.result
        parts = [""]
        for piece in self._pieces:
            if piece is not None:
                parts[-1] += piece
            elif parts[-1]:
                parts.append("")
        return "\n\n".join(part for part in parts if part)

    def _identify(self, run_id: str, agent_id: str) -> None:
        if run_id:
            self.run_id = run_id
        if agent_id:
            self.agent_id = agent_id

    def _take_message(self, message: SDKMessage) -> None:
        self._identify(message.run_id, message.agent_id)
        if isinstance(message, SDKAssistantMessage):
            for block in message.message.content:
                if isinstance(block, TextBlock) and block.text:
                    self._pieces.append(block.text)
        elif isinstance(message, SDKToolUseMessage):
            if self._pieces and self._pieces[-1] is not None:
                self._pieces.append(None)
        elif isinstance(message, SDKUsageMessage):
            self._usages.append(message.usage)
        elif isinstance(message, SDKStatusMessage) and self.result is None:
            self.status = _STATUS_WORDS.get(message.status, self.status)
