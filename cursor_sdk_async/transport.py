"""AsyncConnectTransport: single calls to a bridge in JSON, below the client; and what may take its place.

Nothing leaks: streams and connections are dropped by ``aclose()``. Nothing hangs: unary calls have a limit,
except those that wait for a run.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from copy import copy
from types import TracebackType
from typing import TYPE_CHECKING, Any

import anyio
from typing_extensions import Self

from cursor_sdk_async._connect._channel import UNSET, Channel, Unset
from cursor_sdk_async._connect._methods import Method, find_method
from cursor_sdk_async._connect._retry import RetryPolicy
from cursor_sdk_async._connect._stream import FrameStream
from cursor_sdk_async._connect._transport_lane import Transport
from cursor_sdk_async._lifecycle import LoopOwner
from cursor_sdk_async._open import ChannelOptions, open_channel, retry_policy, seconds
from cursor_sdk_async.errors import ConfigurationError

if TYPE_CHECKING:
    import httpx

__all__ = ["AsyncConnectTransport", "Transport"]


class AsyncConnectTransport:
    """Calls RPCs of a bridge by service and method, with messages in their JSON form.

    For calls that the client does not have, and as a base for a ``transport=`` that sees every call::

        class Loud(AsyncConnectTransport):
            async def unary(self, service, method, message):
                print(method)
                return await super().unary(service, method, message)

        client = AsyncClient(transport=Loud(url, token), api_key=key)

    Args:
        base_url: The URL of the bridge.
        auth_token: Its bearer token.
        timeout: Sets both of the following, in seconds; ``None`` for no limit.
        unary_timeout: For single answers; 60 s by default. Calls that wait for a run have none.
        stream_timeout: How long a stream may be silent; no limit by default.
        max_retries: How often a call that only reads is repeated; ``None`` for what ``retry`` says.
        retry: How such calls are repeated, see :class:`RetryPolicy`.
        http_client: Sends everything through this client, which is never closed by us.

    Raises:
        ConfigurationError: The URL is not loopback, or a limit is not a positive number.
    """

    def __init__(
        self,
        base_url: str,
        auth_token: str,
        *,
        timeout: float | httpx.Timeout | Unset | None = UNSET,
        unary_timeout: float | httpx.Timeout | Unset | None = UNSET,
        stream_timeout: float | httpx.Timeout | Unset | None = UNSET,
        max_retries: int | None = None,
        retry: RetryPolicy | None = None,
        http_client: httpx.AsyncClient | httpx.Client | None = None,
    ) -> None:
        self._owner = LoopOwner("cursor_sdk_async transport")
        self._copied = False
        options = ChannelOptions(
            seconds(timeout),
            seconds(unary_timeout),
            seconds(stream_timeout),
            "json",
            http_client,
            retry=retry_policy(retry, max_retries),
        )
        self._channel: Channel = open_channel(base_url, auth_token, self._owner, options)

    async def unary(self, service: str, method: str, message: Mapping[str, Any]) -> Mapping[str, Any]:
        """Call an RPC that has one answer.

        Args:
            service: Such as ``"sdk.v1.SdkAgentService"``, with or without ``sdk.v1.``.
            method: Such as ``"GetRun"``.
            message: The request in its JSON form.

        Returns:
            The JSON object of the answer, as it came.

        Raises:
            ConfigurationError: There is no such RPC.
            CursorSDKError: What the bridge reported, or how the call failed.
        """
        found = _method(service, method, streams=False)
        answer: dict[str, Any] = await self._channel.unary(
            found.key, found.request(), extra=message, raw=True
        )
        return answer

    async def stream(
        self, service: str, method: str, message: Mapping[str, Any]
    ) -> AsyncIterator[Mapping[str, Any]]:
        """Call an RPC that answers with a stream; arguments and errors as for :meth:`unary`.

        Returns:
            The JSON objects of the stream. A cancelled step loses nothing.
        """
        found = _method(service, method, streams=True)
        return _Messages(await self._channel.stream(found.key, found.request(), extra=message, raw=True))

    def with_options(
        self,
        *,
        timeout: float | httpx.Timeout | Unset | None = UNSET,
        unary_timeout: float | httpx.Timeout | Unset | None = UNSET,
        stream_timeout: float | httpx.Timeout | Unset | None = UNSET,
        max_retries: int | None = None,
        retry: RetryPolicy | None = None,
    ) -> Self:
        """A copy with other time limits over the same connections; closing it closes nothing.

        Args:
            timeout: Sets both of the following, in seconds; ``None`` for no limit.
            unary_timeout: For single answers.
            stream_timeout: How long a stream may be silent.
            max_retries: As for the constructor; ``None`` keeps what the transport has.
            retry: As for the constructor; ``None`` keeps what the transport has.
        """
        both = seconds(timeout)
        unary, stream = seconds(unary_timeout), seconds(stream_timeout)
        twin = copy(self)
        twin._channel = self._channel.with_options(
            unary_timeout=both if isinstance(unary, Unset) else unary,
            stream_timeout=both if isinstance(stream, Unset) else stream,
            retry=retry_policy(retry, max_retries, self._channel.retry),
        )
        twin._copied = True
        return twin

    @property
    def max_retries(self) -> int:
        """How many attempts follow the first one of a call that only reads."""
        return self._channel.retry.attempts - 1

    async def aclose(self) -> None:
        """Drop all streams and connections. Closing twice, or closing a copy, is harmless."""
        if self._copied:
            return
        await self._channel.aclose()
        await self._owner.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._channel!r})"


class _Messages(AsyncIterator[Mapping[str, Any]]):
    """An iterator, not a generator: a cancelled step does not end it."""

    def __init__(self, frames: FrameStream[Mapping[str, Any]]) -> None:
        self._frames = frames
        self._waiting: list[Mapping[str, Any]] = []

    async def __anext__(self) -> Mapping[str, Any]:
        if not self._waiting:
            try:
                self._waiting = (await self._frames.receive())[::-1]
            except anyio.EndOfStream:
                raise StopAsyncIteration from None
        return self._waiting.pop()

    async def aclose(self) -> None:
        """Drop the connection."""
        await self._frames.aclose()


def _method(service: str, method: str, *, streams: bool) -> Method:
    found = find_method(service, method)
    if found is None:
        raise ConfigurationError(
            f"There is no RPC {service}/{method}; docs/protocol.md lists them.", is_safe_to_retry=True
        )
    if found.streams is not streams:
        use = "stream()" if found.streams else "unary()"
        raise ConfigurationError(f"{found.key} is called with {use}.", is_safe_to_retry=True)
    return found
