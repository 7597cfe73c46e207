"""The channel: calls of the contract over a lane, unary and streaming, in either codec.

Nothing leaks: a call holds its connection only while it runs, and every stream belongs to the ``FrameStream``
that it became. Nothing hangs: unary calls have a limit unless they wait for a run, and ``fail`` ends all.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast

import anyio

from cursor_sdk_async._connect._codec import Codec, decode_answer, encode_request, raw_answer
from cursor_sdk_async._connect._envelope import DEFAULT_LIMIT, encode_envelope
from cursor_sdk_async._connect._frames import frame_decoder
from cursor_sdk_async._connect._line import ExplainLoss, Line
from cursor_sdk_async._connect._methods import METHODS, Method
from cursor_sdk_async._connect._ready import message_of
from cursor_sdk_async._connect._retry import RetryPolicy, repeat
from cursor_sdk_async._connect._seam import Answer, ByteStream, Head, Lane, Request, Secrets, TransportFailure
from cursor_sdk_async._connect._stream import FrameStream
from cursor_sdk_async._connect._wire_error import REFUSALS, status_error
from cursor_sdk_async.errors import APITimeoutError, ConfigurationError, CursorSDKError, ProtocolError

if TYPE_CHECKING:
    from betterproto2 import Message

    from cursor_sdk_async._connect._draft import Draft

__all__ = ["UNSET", "Channel", "Unset"]


T = TypeVar("T")


class Unset:
    """The type of ``UNSET``: a limit that was not given, where ``None`` means no limit."""

    def __repr__(self) -> str:
        return "UNSET"


UNSET: Final = Unset()

UNARY_SECONDS = 60.0
#: How much of an error answer on a stream is read, and for how long: it is only shown.
ERROR_BODY_BYTES = 1024 * 1024
ERROR_BODY_SECONDS = 5.0


class Channel:
    """Calls RPCs of one bridge.

    Args:
        lane: Carries the bytes.
        token: The bearer token.
        unary_codec: How unary calls are written.
        stream_codec: How streams are written.
        unary_timeout: The limit of a unary call in seconds; ``None`` for none. Calls that wait for the end of
            a run have none unless one is given with the call.
        stream_timeout: How long a stream may be silent.
        max_message_bytes: The longest answer, or message of a stream, that is accepted.
        explain_loss: Asked for the reason when the transport fails; bounded by two seconds.
        retry: How calls that only read are repeated; never by default.

    Raises:
        ConfigurationError: The token cannot stand in an HTTP header.
    """

    def __init__(
        self,
        lane: Lane,
        *,
        token: str,
        unary_codec: Codec = "proto",
        stream_codec: Codec = "json",
        unary_timeout: float | None = UNARY_SECONDS,
        stream_timeout: float | None = None,
        max_message_bytes: int = DEFAULT_LIMIT,
        explain_loss: ExplainLoss | None = None,
        retry: RetryPolicy | None = None,
    ) -> None:
        sendable = token.isascii() and token.isprintable() and token == token.strip() and token != ""
        self._token = Secrets(token)
        del token  # the variables of a traceback may be logged
        if not sendable:
            raise ConfigurationError(
                "The bridge's token is empty or has characters that cannot be sent in an HTTP header. "
                "Pass it exactly as the bridge wrote it, without white space.",
                code="bad_bridge_token",
                is_safe_to_retry=True,
            )
        self._line = Line(lane, explain_loss)
        self._unary_codec: Codec = unary_codec
        self._stream_codec: Codec = stream_codec
        self._unary_timeout = unary_timeout
        self._stream_timeout = stream_timeout
        self._limit = max_message_bytes
        self.retry: RetryPolicy = retry or RetryPolicy.never()

    def with_options(
        self,
        *,
        unary_codec: Codec | Unset = UNSET,
        stream_codec: Codec | Unset = UNSET,
        unary_timeout: float | Unset | None = UNSET,
        stream_timeout: float | Unset | None = UNSET,
        max_message_bytes: int | Unset = UNSET,
        retry: RetryPolicy | Unset = UNSET,
    ) -> Channel:
        """A channel with other options over the same lane; closing one of them closes all."""
        twin = Channel.__new__(Channel)
        twin.__dict__.update(self.__dict__)
        given = {
            "_unary_codec": unary_codec,
            "_stream_codec": stream_codec,
            "_unary_timeout": unary_timeout,
            "_stream_timeout": stream_timeout,
            "_limit": max_message_bytes,
            "retry": retry,
        }
        twin.__dict__.update({name: value for name, value in given.items() if not isinstance(value, Unset)})
        return twin

    def hide(self, secret: str) -> None:
        """Keep a text out of the errors of this channel and its copies, should the peer repeat it."""
        self._token.hide(secret)

    @property
    def open_streams(self) -> int:
        """How many streams are open."""
        return len(self._line.streams)

    async def unary(
        self,
        rpc: str,
        request: Message | Draft,
        *,
        timeout: float | Unset | None = UNSET,
        extra: Mapping[str, Any] | None = None,
        raw: bool = False,
        keyed: bool = False,
    ) -> Any:
        """Call an RPC that has one answer.

        Args:
            rpc: Such as ``"SdkAgentService/GetRun"``.
            request: Its request message.
            timeout: The limit of this call in seconds, ``None`` for none.
            extra: Fields of a newer contract, merged into the JSON form of the request (which is then used).
            raw: Give the JSON object of the answer as it came; the JSON form is then used.
            keyed: The request carries an idempotency key: sending it twice has the effect of once.

        Returns:
            The generated message of the answer.

        Raises:
            APITimeoutError: There was no answer in time.
            NetworkError: The connection failed; ``is_safe_to_retry`` tells whether the call may be repeated.
            CursorSDKError: What the bridge reported, or a breach of the contract.
        """
        method = METHODS[rpc]
        codec: Codec = "json" if extra or raw else self._unary_codec
        # The body may hold an API key, and has no name here: the variables of a traceback may be logged.
        message = await message_of(request)
        call = Request(
            method.path, f"application/{codec}", encode_request(method, message, codec, extra), self._token
        )
        if isinstance(timeout, Unset):
            timeout = None if method.long else self._unary_timeout
        attempt = partial(self._attempt, method, call, timeout)
        if method.safe_to_retry:
            answer = await repeat(self.retry, rpc, attempt, self._line.sleep)
        elif keyed:
            answer = await self.repeat(rpc, attempt)
        else:
            answer = await attempt()
        return raw_answer(method, answer.body) if raw else decode_answer(method, answer.body, codec)

    async def stream(
        self,
        rpc: str,
        request: Message | Draft,
        *,
        timeout: float | Unset | None = UNSET,
        extra: Mapping[str, Any] | None = None,
        raw: bool = False,
    ) -> FrameStream[Any]:
        """Call an RPC that answers with a stream; returns when the head of the answer is there.

        Args:
            rpc: Such as ``"SdkAgentService/Send"``.
            request: Its request message.
            timeout: How long the stream may be silent, the wait for its head included; ``None`` for no limit.
            extra: As for ``unary``.
            raw: As for ``unary``, for each message.

        Returns:
            The stream: ``RunFrame`` objects, or ``bytes`` for a download.

        Raises:
            CursorSDKError: As for ``unary``. What the bridge reports comes from the stream.
        """
        method = METHODS[rpc]
        codec: Codec = "json" if extra or raw else self._stream_codec
        message = await message_of(request)
        call = Request(
            method.path,
            f"application/connect+{codec}",
            encode_envelope(encode_request(method, message, codec, extra)),
            self._token,
        )
        idle_limit = self._stream_timeout if isinstance(timeout, Unset) else timeout
        decode: Callable[[bytes], Any] = partial(raw_answer, method) if raw else frame_decoder(method, codec)
        opened = await self._open(method, call, idle_limit)
        # No await between having the body and the object that closes it, unless it is closed here.
        if opened.head.status == 200:
            try:
                self._check_head(method, opened.head, call.content_type)
            except CursorSDKError:
                await opened.aclose()
                raise
            return FrameStream(
                rpc, self._line, opened, decode, limit=self._limit, idle_limit=idle_limit, secrets=self._token
            )
        raise self._status_error(method, await _error_answer(opened))

    async def repeat(self, rpc: str, attempt: Callable[[], Awaitable[T]]) -> T:
        """Make attempts at a call under an idempotency key, as the policy says."""
        policy = self.retry if self.retry.keyed_calls else RetryPolicy.never()
        return await repeat(policy, rpc, attempt, self._line.sleep)

    def fail(self, make_error: Callable[[], CursorSDKError]) -> None:
        """The bridge is gone: end every pending call and stream, and refuse later ones.

        To be called in the loop of the channel. Frames that have arrived are still handed out.

        Args:
            make_error: Makes a fresh error for each of them.
        """
        self._line.fail(make_error)

    async def aclose(self) -> None:
        """End what is pending, drop all streams and connections. Closing twice is harmless."""
        self._line.close()
        for stream in cast("list[FrameStream[Any]]", list(self._line.streams)):
            await stream.aclose()
        await self._line.lane.aclose()

    async def _attempt(self, method: Method, call: Request, limit: float | None) -> Answer:
        """One attempt at a unary call; transport failures become errors for users here."""
        rpc, safe, line = method.key, method.safe_to_retry, self._line
        line.check(rpc)
        failure: TransportFailure | None = None
        with line.waiting(limit):
            try:
                answer = await line.lane.unary(call, resend=safe, limit=self._limit)
                if answer.status != 200:
                    raise self._status_error(method, answer)
                self._check_head(method, answer, call.content_type)
                return answer
            except TransportFailure as error:
                failure = error
            except CursorSDKError as error:
                error.rpc = error.rpc or rpc
                raise
        raise await self._lost(method, failure, limit, "unary_timeout")

    async def _open(self, method: Method, call: Request, limit: float | None) -> ByteStream:
        """Open a stream; the same for streams."""
        line = self._line
        line.check(method.key)
        failure: TransportFailure | None = None
        with line.waiting(limit):
            try:
                return await line.lane.stream(call)
            except TransportFailure as error:
                failure = error
            except CursorSDKError as error:
                error.rpc = error.rpc or method.key
                raise
        raise await self._lost(method, failure, limit, "stream_timeout")

    async def _lost(
        self, method: Method, failure: TransportFailure | None, limit: float | None, option: str
    ) -> CursorSDKError:
        """Why a call has no answer: the transport failed, the line went down, or time is up."""
        rpc, safe = method.key, method.safe_to_retry
        if failure is not None:
            return await self._line.explain(rpc, failure, safe=safe)
        if self._line.down:
            error = self._line.reason(rpc, sent=True)
            error.is_safe_to_retry = error.is_safe_to_retry or safe
            return error
        outcome = (
            "It only reads, so it may be repeated." if safe else "It may have taken effect all the same."
        )
        return APITimeoutError(
            f"{rpc} had no answer within {limit:g} s. {outcome} The limit is {option} of the client, or "
            "timeout of the call.",
            code="timeout",
            is_retryable=True,
            is_safe_to_retry=safe,
            rpc=rpc,
        )

    def _status_error(self, method: Method, answer: Answer) -> CursorSDKError:
        body = b"" if _encoding(answer) else answer.body
        error = status_error(method.key, answer.status, answer.headers, body, self._token.texts)
        error.is_safe_to_retry = method.safe_to_retry or isinstance(error, REFUSALS)
        return error

    def _check_head(self, method: Method, head: Answer | Head, expected: str) -> None:
        """Refuse an answer that is not what was asked for."""
        found = head.headers.get("content-type", "").split(";")[0].strip().lower()
        problem = ""
        if found != expected:
            problem = f"the content type {found!r} instead of {expected!r}"
        elif _encoding(head):
            problem = f"the content encoding {_encoding(head)!r}, which was not asked for"
        if problem:
            raise ProtocolError(
                f"{method.key} was answered with {problem}. This may not have come from the bridge.",
                code="bad_answer",
                status=head.status,
                rpc=method.key,
            )

    def __repr__(self) -> str:
        state = "down" if self._line.down else "up"
        return f"Channel({self._line.lane!r}, {state}, {self.open_streams} streams)"


def _encoding(head: Answer | Head) -> str:
    encoding = head.headers.get("content-encoding", "").strip().lower()
    return "" if encoding == "identity" else encoding


async def _error_answer(body: ByteStream) -> Answer:
    """What there is of an answer that is an error, within bounds; the connection is given up."""
    parts: list[bytes] = []
    try:
        with anyio.move_on_after(ERROR_BODY_SECONDS):
            while sum(map(len, parts)) < ERROR_BODY_BYTES:
                parts.append(await body.receive())
    except (anyio.EndOfStream, TransportFailure, ProtocolError):
        pass  # an error that was cut off is still an error
    finally:
        await body.aclose()
    return Answer(*body.head, b"".join(parts))
