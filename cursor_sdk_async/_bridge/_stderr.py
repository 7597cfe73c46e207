"""The bridge's stderr, from bytes to lines, without reading anything itself.

However the bytes are cut, the lines are the same. Memory is bounded: an endless line is delivered in pieces,
and the tail that is kept for error messages has a fixed size.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from cursor_sdk_async._bridge._discovery import READY_LINE_PREFIX

__all__ = ["LINE_LIMIT", "StderrLine", "StderrSplitter", "Tail"]

#: A longer line is delivered in pieces of this many bytes.
LINE_LIMIT = 32 * 1024
#: The longest ready line; the real one has about 500 bytes.
READY_LIMIT = 256 * 1024
_MARK = READY_LINE_PREFIX.encode()
#: A ready line is a JSON object; log lines may quote the words.
_READY = _MARK + b"{"
MASK = b"***"
#: Shorter values would mask ordinary words.
_SHORTEST_SECRET = 8
#: A longer one (a certificate) would hold back too much of a line.
_LONGEST_SECRET = 4096


class StderrLine(NamedTuple):
    """A line without its end, or a piece of a long one.

    Attributes:
        text: Decoded as UTF-8, with replacement characters; secrets are masked, except in a ready line.
        ready: Whether it is a ready line, from its first word on; such a line may hold the token: never log
            it.
    """

    text: str
    ready: bool


class StderrSplitter:
    """Cuts bytes into lines, and finds the ready line, also in the middle of another line.

    Args:
        secrets: What to mask; more can be added.
        limit: Where long lines are cut.
    """

    def __init__(self, secrets: Iterable[str] = (), *, limit: int = LINE_LIMIT) -> None:
        self._buffer = bytearray()
        self._searched = 0
        self._limit = limit
        self._secrets: list[bytes] = []
        self._hold = len(_READY)
        for secret in secrets:
            self.add_secret(secret)

    def add_secret(self, secret: str) -> None:
        """Mask this value from now on."""
        value = secret.strip().encode()
        if (
            _SHORTEST_SECRET <= len(value) <= _LONGEST_SECRET
            and value not in _READY
            and value not in self._secrets
        ):
            self._secrets.append(value)
            self._secrets.sort(key=len, reverse=True)
            self._hold = max(self._hold, len(value))

    def feed(self, data: bytes) -> Iterator[StderrLine]:
        """The lines, and pieces of long ones, that are complete now; to be iterated to the end.

        A secret that is added in between, such as one from a ready line, is masked in the lines behind it.
        """
        self._buffer += data
        return self._cut()

    def close(self) -> Iterator[StderrLine]:
        """What is left at the end: a last line without a line end counts."""
        yield from self._cut()
        if self._buffer:
            rest = bytes(self._buffer)
            self._buffer.clear()
            yield from self._pieces(rest, whole=True)

    def _cut(self) -> Iterator[StderrLine]:
        buffer = self._buffer
        start = 0
        while (end := buffer.find(b"\n", max(start, self._searched))) >= 0:
            yield from self._pieces(bytes(buffer[start:end]), whole=True)
            start = end + 1
        del buffer[:start]
        if len(buffer) >= self._limit + self._hold:
            unfinished = bytes(buffer)
            buffer.clear()
            yield from self._pieces(unfinished, whole=False)
        self._searched = len(buffer)

    def _pieces(self, line: bytes, *, whole: bool) -> Iterator[StderrLine]:
        """Cut a line; what remains of an unfinished one goes back to the buffer.

        Where it is cut depends on the next ``limit + hold`` bytes alone, never on how many have come.
        """
        while len(line) >= self._limit + self._hold:
            ready = line.find(_READY, 0, self._limit + self._hold)
            if 0 <= ready < self._limit:
                if ready > 0:
                    yield self._text(line[:ready])
                    line = line[ready:]
                if whole or len(line) < READY_LIMIT:
                    break
                yield StderrLine(line[:READY_LIMIT].decode("utf-8", "replace"), ready=True)
                line = line[READY_LIMIT:]
            else:
                cut = self._place_to_cut(line)
                yield self._text(line[:cut])
                line = line[cut:]
        if whole:
            yield from self._last(line)
        else:
            self._buffer += line

    def _place_to_cut(self, line: bytes) -> int:
        """Near the limit, but not within a character, nor within a secret: halves are not found."""
        cut = self._limit
        for back in range(4):
            if cut - back > 0 and line[cut - back] & 0xC0 != 0x80:
                cut -= back
                break
        for secret in self._secrets:
            size = len(secret)
            start = line.find(secret, max(0, cut - size + 1), cut + size - 1)
            if 0 <= start < cut < start + size:
                cut = start or size
        return cut

    def _last(self, line: bytes) -> Iterator[StderrLine]:
        """The end of a line: ordinary, or a ready line, or one behind the other."""
        line = line.removesuffix(b"\r")
        ready = line.find(_READY)
        if ready < 0 and line.startswith(_MARK):
            ready = 0  # a ready line gone wrong: whoever parses it says so
        if ready != 0:
            yield self._text(line if ready < 0 else line[:ready])
        if ready >= 0:
            yield StderrLine(line[ready:].decode("utf-8", "replace"), ready=True)

    def _text(self, data: bytes) -> StderrLine:
        for secret in self._secrets:
            if secret in data:
                data = data.replace(secret, MASK)
        return StderrLine(data.decode("utf-8", "replace"), ready=False)


class Tail:
    """The last lines, for error messages.

    Args:
        lines: How many.
        width: How many characters of each.
    """

    def __init__(self, lines: int = 50, width: int = 500) -> None:
        self._lines: deque[str] = deque(maxlen=lines)
        self._width = width

    def add(self, text: str) -> None:
        """Remember a line; blank ones do not count."""
        if text and not text.isspace():
            self._lines.append(text if len(text) <= self._width else text[: self._width] + " […]")

    def lines(self) -> tuple[str, ...]:
        """The last lines, oldest first."""
        return tuple(self._lines)
