"""One open stream of the bridge, as an object that hands out frames.

Nothing leaks: the end, an error and ``aclose`` all give the connection up. Nothing hangs: a wait ends at the
idle limit or when the bridge dies; a cancelled wait loses nothing, and the next one goes on where it stood.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Generic, TypeVar

import anyio

from cursor_sdk_async._connect._codec import load_json
from cursor_sdk_async._connect._envelope import COMPRESSED, END_OF_STREAM, Envelope, EnvelopeDecoder
from cursor_sdk_async._connect._line import Line
from cursor_sdk_async._connect._seam import ByteStream, Secrets, TransportFailure
from cursor_sdk_async._connect._wire_error import REFUSALS, end_record_error
from cursor_sdk_async.errors import (
    APITimeoutError,
    ClosedError,
    ConfigurationError,
    CursorSDKError,
    NetworkError,
    ProtocolError,
    StreamInterruptedError,
)
from cursor_sdk_async.errors._base import fresh

__all__ = ["FrameStream"]

F = TypeVar("F")

#: After the end record only the end of the HTTP body is missing; this long is waited for it.
AFTER_END_SECONDS = 1.0
#: What reached us before the bridge died is still read; it is here already, so this is never used up.
LEFTOVER_SECONDS = 0.2


class FrameStream(Generic[F]):
    """The frames of one stream.

    Args:
        rpc: The call that opened it.
        line: What it shares with the other calls.
        body: The bytes.
        decode: Turns a payload into a frame.
        limit: The longest message accepted, in bytes.
        idle_limit: How long it may be silent, in seconds.
        secrets: Texts that must not show in errors.

    Attributes:
        offset: The offset of the last frame that had one.
    """

    def __init__(
        self,
        rpc: str,
        line: Line,
        body: ByteStream,
        decode: Callable[[bytes], F],
        *,
        limit: int,
        idle_limit: float | None,
        secrets: Secrets,
    ) -> None:
        self.offset: str | None = None
        self._rpc = rpc
        self._line = line
        self._body: ByteStream | None = body
        self._decode = decode
        self._envelopes = EnvelopeDecoder(limit)
        self._idle_limit = idle_limit
        self._secrets = secrets
        self._record: bytes | None = None
        self._began = False
        self._failure: CursorSDKError | None = None
        self._lost: TransportFailure | None = None
        self._leftover = False
        self._ended = False
        self._closed = False
        self._reading = False
        line.streams.add(self)

    async def receive(self) -> list[F]:
        """At least one frame: all that one read brought.

        A cancelled call loses nothing. After an error each further call raises it again.

        Raises:
            anyio.EndOfStream: The stream ended as it should.
            CursorSDKError: What the end record says, how the stream broke off, or how it broke the contract.
            ClosedError: It was closed on this side.
        """
        if self._reading:
            raise ConfigurationError(
                f"Two tasks read one stream of {self._rpc} at the same time; let one of them read.",
                code="stream_busy",
                rpc=self._rpc,
            )
        self._reading = True
        try:
            while True:
                if self._closed:
                    raise ClosedError(f"This stream of {self._rpc} was closed.", code="closed", rpc=self._rpc)
                if self._failure is not None:
                    await self._give_up()
                    raise fresh(self._failure)
                if self._ended:
                    await self._give_up()
                    raise anyio.EndOfStream
                frames = await self._step()
                if frames:
                    return frames
        finally:
            self._reading = False

    async def aclose(self) -> None:
        """Drop the connection; the run goes on. Closing twice is harmless."""
        self._closed = True
        await self._give_up()

    def aclose_nowait(self) -> None:
        """Break the connection at once, without waiting; the rest is left to the garbage collector."""
        self._closed = True
        self._line.streams.discard(self)
        if self._body is not None:
            self._body.drop()

    async def _give_up(self) -> None:
        self._line.streams.discard(self)
        body, self._body = self._body, None
        if body is not None:
            await body.aclose()

    async def _step(self) -> list[F]:
        """One read, or one step towards the end. What it learns is kept before anything is awaited."""
        if self._lost is not None:
            await self._explain(self._lost)
            return []
        assert self._body is not None
        data = b"" if self._envelopes.refused else await self._read(self._body)
        if data is None:
            return []
        try:
            return self._take(self._envelopes.feed(data))
        except CursorSDKError as error:
            self._fail(error)
            return []

    async def _read(self, body: ByteStream) -> bytes | None:
        """The next bytes; ``None`` when something else was learnt."""
        limit = self._idle_limit if self._record is None else AFTER_END_SECONDS
        with self._line.waiting(limit) as scope:
            try:
                if self._line.down:
                    self._leftover = True
                    scope.deadline = anyio.current_time() + LEFTOVER_SECONDS
                return await body.receive()
            except anyio.EndOfStream:
                self._end()
            except TransportFailure as failure:
                self._end(failure)
            except CursorSDKError as error:
                self._fail(error)
        if scope.cancelled_caught:
            await self._woken(body)
        return None

    async def _woken(self, body: ByteStream) -> None:
        """The wait was ended from outside: by the line going down, or by the limit."""
        if self._record is not None:
            self._ended = True
        elif not self._line.down:
            self._fail(
                APITimeoutError(
                    f"The stream of {self._rpc} was silent for more than {self._idle_limit:g} s "
                    "(stream_timeout). Raise the limit, or set it to None; the run may still be going on.",
                    code="timeout",
                    is_retryable=True,
                    rpc=self._rpc,
                )
            )
        elif self._leftover:
            self._fail(self._line.reason(self._rpc, sent=True))
        else:
            self._leftover = True  # one more look at what has arrived

    def _take(self, envelopes: list[Envelope]) -> list[F]:
        """Decode what is complete. An error is kept until the frames before it were handed out."""
        frames: list[F] = []
        decode, failure = self._decode, None
        try:
            for flags, payload in envelopes:
                if flags or self._record is not None:
                    self._began = self._began or bool(frames)
                    self._check(flags)
                    self._take_record(payload)
                else:
                    frames.append(decode(payload))
        except CursorSDKError as error:
            failure = error
        if frames:
            self._began = True
            offsets = (getattr(frame, "offset", None) for frame in reversed(frames))
            self.offset = next(filter(None, offsets), self.offset)
        if failure is not None:
            self._fail(failure)
        return frames

    def _check(self, flags: int) -> None:
        if self._record is not None:
            raise self._broken("sends a message after its end record")
        if flags & COMPRESSED:
            raise self._broken("sends a compressed message, which nothing asked for")
        if flags & ~END_OF_STREAM:
            raise self._broken(f"sends an envelope with the unknown flags {flags:#04x}")

    def _take_record(self, payload: bytes) -> None:
        try:
            record = load_json(payload)
        except ValueError:
            record = None
        if record is None:
            raise self._broken("has an end record that is not a JSON object")
        self._record = payload
        headers: Mapping[str, str] = self._body.head.headers if self._body is not None else {}
        error = end_record_error(self._rpc, record, headers, self._secrets.texts)
        if error is not None:
            error.is_safe_to_retry = not self._began and isinstance(error, REFUSALS)
            raise error

    def _end(self, failure: TransportFailure | None = None) -> None:
        """No more bytes come: that is an end only after the end record."""
        if self._failure is None and self._record is None:
            self._lost = failure or TransportFailure("it ended without its end record", sent=True)
        elif not self._envelopes.at_boundary:
            self._fail(self._broken("sends more after its end record"))
        else:
            self._ended = True

    async def _explain(self, failure: TransportFailure) -> None:
        error = await self._line.explain(self._rpc, failure, safe=False)
        if type(error) is NetworkError:
            kept = self._envelopes.buffered
            cut = f", {kept} bytes into a message" if kept else ""
            where = f"after offset {self.offset}" if self.offset else "before any offset"
            error = StreamInterruptedError(
                f"The stream of {self._rpc} broke off {where}{cut}: {failure.reason}. "
                "The run itself may still be going on; observe it again, or wait for its result.",
                offset=self.offset,
                code="stream_interrupted",
                is_retryable=True,
                rpc=self._rpc,
                cause=failure.cause,
            )
        self._fail(error)

    def _fail(self, error: CursorSDKError) -> None:
        if self._failure is None:
            error.rpc = error.rpc or self._rpc
            error.offset = error.offset or self.offset
            self._failure = error.with_traceback(None)

    def _broken(self, what: str) -> ProtocolError:
        where = f" (after offset {self.offset})" if self.offset else ""
        return ProtocolError(
            f"The stream of {self._rpc} {what}{where}. Bridge and package may not fit together.",
            code="bad_stream",
            rpc=self._rpc,
        )

    def __repr__(self) -> str:
        state = "closed" if self._body is None else "open"
        return f"FrameStream({self._rpc!r}, {state}, offset={self.offset!r})"
