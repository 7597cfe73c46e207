"""Which frames of a replay are new: pure, no waiting, no input or output.

A run is read from one stream and, when that breaks, from replays that begin at its first message. What was
received is remembered as eight bytes a message; each message of a replay must match, up to the place where
reading goes on. Status and ``request`` messages differ between a live stream and a replay, updates and steps
are never replayed (``docs/protocol.md``, "Losing and resuming"): they take no part in the comparison.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from hashlib import blake2b
from json import JSONEncoder
from typing import Any

from cursor_sdk_async._connect._frames import RunFrame
from cursor_sdk_async.options._read import is_list, is_mapping

__all__ = ["NEVER_COMPARED", "Journal", "Mark", "Mismatch", "comparable"]

DIGEST_BYTES = 8
#: Status words that a replay may show long before the messages that precede them.
FINAL_WORDS = frozenset({"FINISHED", "ERROR", "CANCELLED", "EXPIRED"})
#: Types of messages that a stream and its replay do not have alike.
NEVER_COMPARED = frozenset({"status", "request"})

#: Keys are sorted: their order varies between two streams of one run.
_canonical = JSONEncoder(sort_keys=True, separators=(",", ":"), check_circular=False).encode


class Mismatch(Exception):
    """A replay is not the run that was read.

    Attributes:
        index: The number of the first message that differs, from 0; of the mark, where that differs.
        short: Whether the replay ended before that message, instead of having another one there.
    """

    def __init__(self, index: int, *, short: bool) -> None:
        super().__init__(index, short)
        self.index = index
        self.short = short


@dataclass(frozen=True)
class Mark:
    """How far somebody has read.

    Attributes:
        count: A number of messages.
        digest: One digest over all of them.
    """

    count: int
    digest: str


def comparable(frame: RunFrame) -> bool:
    """Whether the frame is a message that every stream of its run has, at the same place."""
    return frame.kind == "sdk_message" and frame.payload.get("type") not in NEVER_COMPARED


def digest_of(frame: RunFrame) -> bytes:
    """Eight bytes that tell one message from another."""
    payload = frame.payload
    piece = _piece_of_text(payload.get("type"), payload.get("message"))
    return blake2b((piece or _canonical(payload)).encode(), digest_size=DIGEST_BYTES).digest()


def _piece_of_text(kind: Any, message: Any) -> str | None:
    """What tells a piece of text from another, for most messages of most runs; ``None`` for all others.

    Writing it with sorted keys takes four times as long. No message that is written so begins like this.
    """
    if not is_mapping(message) or len(message) != 4:  # type, agent_id, run_id, and the content
        return None
    piece: object = None
    if kind == "thinking":
        piece = message.get("text")
    elif kind == "assistant":
        said = message.get("message")
        blocks = said.get("content") if is_mapping(said) and len(said) == 2 else None
        if is_list(blocks) and len(blocks) == 1 and is_mapping(blocks[0]) and len(blocks[0]) == 2:
            piece = blocks[0].get("text")
    return f"{kind}:{piece}" if isinstance(piece, str) else None


class Journal:
    """What was received of one run, over all streams that it was read from.

    Args:
        sent: Whether the first stream is that of a ``Send``, which does not show ``request`` messages.
        start: Go on after this mark, which another journal made.
        on_skip: Called with each message before that mark.

    Attributes:
        before: How many messages the mark stood for.
        result: The result frame, once it was passed on.
        done: Whether the end marker was passed on.
    """

    def __init__(
        self,
        *,
        sent: bool = False,
        start: Mark | None = None,
        on_skip: Callable[[RunFrame], object] | None = None,
    ) -> None:
        self.before: int = 0 if start is None else start.count
        self.result: RunFrame | None = None
        self.done: bool = False
        self._sent = sent
        self._start = start if start is not None and start.count else None
        self._on_skip = on_skip
        self._digests = bytearray()
        self._at = 0  # how many messages the present stream has brought
        self._skipped = 0  # how many of them on_skip was given, in any stream
        self._offset: str | None = None
        self._replays = self._start is not None
        self._words: set[str] = set()
        self._held: RunFrame | None = None
        self._requests: set[bytes] = set()

    @property
    def count(self) -> int:
        """How many messages were received."""
        return len(self._digests) // DIGEST_BYTES

    @property
    def skipping(self) -> bool:
        """Whether the present stream still repeats what was received."""
        return self._at < (self.count if self._start is None else self._start.count)

    def mark(self, count: int) -> Mark:
        """The place after the first ``count`` messages; the mark itself where it was not reached."""
        if self._start is not None and count <= self._start.count:
            return self._start
        return Mark(count, self._chain(count))

    def _chain(self, count: int) -> str:
        return blake2b(self._digests[: count * DIGEST_BYTES], digest_size=16).hexdigest()

    def replay(self) -> None:
        """From now on frames come from a new stream that begins at the first message."""
        self._replays = True
        self._at = 0
        self._held = None
        self._offset = None
        if self._start is not None:
            self._digests.clear()

    def take(self, frames: Iterable[RunFrame]) -> list[RunFrame]:
        """Take the frames of one read.

        Returns:
            Those that are new.

        Raises:
            Mismatch: The stream is not the one that was read before.
        """
        new: list[RunFrame] = []
        for frame in frames:
            self._take(frame, new)
        return new

    def closed(self) -> None:
        """The present stream ended well.

        Raises:
            Mismatch: It ended before all that was received had come again.
        """
        if self.skipping:
            raise Mismatch(self._at, short=True)

    def _take(self, frame: RunFrame, new: list[RunFrame]) -> None:
        kind = frame.kind
        if kind == "sdk_message":
            word = frame.payload.get("type")
            if word == "status":
                self._take_status(frame, new)
            elif word == "request":
                self._take_request(frame, new)
            else:
                self._take_message(frame, new)
        elif kind == "result":
            self.closed()
            if self.result is None:
                self._release(new)
                self.result = frame
                new.append(frame)
        elif kind == "done":
            self.closed()
            if not self.done:
                self.done = True
                new.append(frame)
        elif not self.skipping:
            new.append(frame)

    def _take_message(self, frame: RunFrame, new: list[RunFrame]) -> None:
        digest, at = digest_of(frame), self._at
        if frame.offset is not None:
            if frame.offset == self._offset and self._digest(at - 1) == digest:
                return  # the same frame twice
            self._offset = frame.offset
        if self._start is not None:
            self._approach(self._start, frame, digest)
            return
        if at < self.count:
            if self._digest(at) != digest:
                raise Mismatch(at, short=False)
            self._at = at + 1
            return
        if self._held is not None and self._word_of(self._held) not in FINAL_WORDS:
            self._release(new)
        self._digests += digest
        self._at = at + 1
        new.append(frame)

    def _digest(self, at: int) -> bytes:
        return bytes(self._digests[at * DIGEST_BYTES : (at + 1) * DIGEST_BYTES])

    def _approach(self, start: Mark, frame: RunFrame, digest: bytes) -> None:
        """One more message on the way to the mark, where all of them together are compared."""
        self._digests += digest
        self._at += 1
        if self._at == start.count:
            if self._chain(self._at) != start.digest:
                raise Mismatch(self._at, short=False)
            self._start = None
        if self._at > self._skipped:
            self._skipped = self._at
            if self._on_skip is not None:
                self._on_skip(frame)

    def _take_status(self, frame: RunFrame, new: list[RunFrame]) -> None:
        """In a replay old words are missing and the present one comes first: show each once, in its place."""
        word = self._word_of(frame)
        if not self._replays:
            self._words.add(word)
            new.append(frame)
        elif word in self._words:
            self._held = None
        elif self.skipping or word in FINAL_WORDS:
            self._held = frame
        else:
            self._held = frame
            self._release(new)

    def _release(self, new: list[RunFrame]) -> None:
        held, self._held = self._held, None
        if held is not None:
            self._words.add(self._word_of(held))
            new.append(held)

    def _take_request(self, frame: RunFrame, new: list[RunFrame]) -> None:
        if self._replays and (self._sent or self.skipping):
            return
        digest = digest_of(frame)
        if digest not in self._requests:
            self._requests.add(digest)
            new.append(frame)

    @staticmethod
    def _word_of(frame: RunFrame) -> str:
        message: dict[str, Any] = frame.payload.get("message") or {}
        return str(message.get("status", ""))
