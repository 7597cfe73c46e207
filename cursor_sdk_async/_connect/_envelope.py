"""The streaming envelope: one flag byte, four bytes of big-endian length, the payload.

Pure: it is fed bytes and gives envelopes (``docs/protocol.md``, "Streaming envelope").
"""

from __future__ import annotations

from struct import Struct
from typing import NamedTuple

from cursor_sdk_async.errors import ProtocolError

__all__ = ["COMPRESSED", "END_OF_STREAM", "HEADER_BYTES", "Envelope", "EnvelopeDecoder", "encode_envelope"]

HEADER_BYTES = 5
COMPRESSED = 0x01
END_OF_STREAM = 0x02
DEFAULT_LIMIT = 256 * 1024 * 1024
_LENGTH_CEILING = 2**32
_read_header = Struct(">BI").unpack_from


class Envelope(NamedTuple):
    """One complete envelope."""

    flags: int
    payload: bytes


def encode_envelope(payload: bytes, flags: int = 0) -> bytes:
    """Frame one payload.

    Raises:
        ProtocolError: The payload is longer than the format can say.
    """
    if len(payload) >= _LENGTH_CEILING:
        raise ProtocolError(
            f"A message of {len(payload)} bytes does not fit an envelope, which holds less than 4 GiB. "
            "Send less at once.",
            code="message_too_large",
        )
    return bytes((flags,)) + len(payload).to_bytes(4, "big") + payload


class EnvelopeDecoder:
    """Cuts a byte stream into envelopes, however the bytes arrive.

    Args:
        limit: The longest payload accepted. It is compared with the announced length, before anything of that
            payload is kept.
    """

    def __init__(self, limit: int = DEFAULT_LIMIT) -> None:
        self._limit = limit
        self._buffer = bytearray()
        self._needed = HEADER_BYTES
        self._refused: int | None = None

    @property
    def at_boundary(self) -> bool:
        """Whether the bytes fed so far end exactly where an envelope ends."""
        return not self._buffer

    @property
    def refused(self) -> bool:
        """Whether an envelope over the limit comes next: whatever is fed now raises."""
        return self._refused is not None

    @property
    def buffered(self) -> int:
        """How many bytes of an unfinished envelope are kept."""
        return len(self._buffer)

    def feed(self, data: bytes | bytearray | memoryview) -> list[Envelope]:
        """Take the next bytes, give every envelope that is now complete.

        Raises:
            ProtocolError: The next envelope announces more than the limit. What was complete before it is
                given first, and the error is raised by the next call: ``feed(b"")`` asks for it.
        """
        if self._refused is not None:
            raise self._too_large(self._refused)
        buffer = self._buffer
        buffer += data
        if len(buffer) < self._needed:
            return []
        found: list[Envelope] = []
        position, size = 0, len(buffer)
        self._needed = HEADER_BYTES
        while size - position >= HEADER_BYTES:
            flags, length = _read_header(buffer, position)
            if length > self._limit:
                self._refused = length
                buffer.clear()
                if not found:
                    raise self._too_large(length)
                return found
            end = position + HEADER_BYTES + length
            if end > size:
                self._needed = end - position
                break
            found.append(Envelope(flags, bytes(buffer[position + HEADER_BYTES : end])))
            position = end
        del buffer[:position]
        return found

    def _too_large(self, length: int) -> ProtocolError:
        return ProtocolError(
            f"A message of {length} bytes is announced; the limit is {self._limit} bytes. "
            "Either the peer does not speak this protocol, or max_message_bytes must be raised.",
            code="message_too_large",
        )

    def close(self) -> None:
        """Tell that no more bytes come.

        Raises:
            ProtocolError: The bytes end inside an envelope, or before one that is too large.
        """
        if self._refused is not None:
            raise self._too_large(self._refused)
        if not self.at_boundary:
            kept, self._needed = len(self._buffer), HEADER_BYTES
            self._buffer.clear()
            raise ProtocolError(
                f"The stream was cut {kept} bytes into an envelope, so its last message is lost.",
                code="truncated_envelope",
            )
