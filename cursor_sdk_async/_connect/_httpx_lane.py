"""The httpx lane: for a client that the user brings, for proxies, and for bridges on other machines.

Nothing leaks: whoever opened a response closes it, streams in a job of the owner (``_pump``). Nothing hangs:
closing a response of a blocking client breaks its socket, which wakes the worker thread that reads from it.
"""

from __future__ import annotations

import math
import socket
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import suppress
from typing import Any, TypeVar

import anyio
import anyio.lowlevel
import anyio.to_thread
import httpx

from cursor_sdk_async._connect._httpx_errors import HTTPX_ERRORS, from_httpx
from cursor_sdk_async._connect._pump import Http, Opened, Pump
from cursor_sdk_async._connect._seam import Answer, Head, OwnerSource, Request, TransportFailure
from cursor_sdk_async._connect._url import Target
from cursor_sdk_async.errors import ClosedError, ConfigurationError, CursorSDKError, ProtocolError

__all__ = ["HttpxLane"]

T = TypeVar("T")

#: Time limits are the channel's; only connecting is bounded here.
_TIMEOUT = httpx.Timeout(None, connect=10.0)
#: No call, a mutating one least of all, may meet a connection that has idled for long.
_LIMITS = httpx.Limits(max_connections=None, max_keepalive_connections=20, keepalive_expiry=1.0)
#: What every httpx undoes by itself.
_DECODED = frozenset({"gzip", "deflate"})


class HttpxLane:
    """Carries requests through an httpx client.

    The pool of a user's client is the user's: its limits hold for streams too, and its idle connections may
    be reused for any call.

    Args:
        target: Where the bridge is.
        owner: Gives the task in which streams are read.
        client: The user's client, asynchronous or blocking; ``None`` for one of our own.
    """

    def __init__(
        self, target: Target, owner: OwnerSource, client: httpx.AsyncClient | httpx.Client | None = None
    ) -> None:
        self._target = target
        self._owner = owner
        self._loop: object = None
        self._ours = client is None
        self._http: Http | None = None
        if isinstance(client, httpx.AsyncClient):
            self._http = AsyncHttp(client)
        elif isinstance(client, httpx.Client):
            self._http = BlockingHttp(client)
        elif client is not None:
            raise ConfigurationError(
                f"http_client must be an httpx.AsyncClient or an httpx.Client, not {type(client).__name__}.",
                code="bad_http_client",
                is_safe_to_retry=True,
            )

    async def unary(self, request: Request, *, resend: bool, limit: int) -> Answer:
        """As the seam says."""
        opened = await self._client().open(self._target.url + request.path, request, resend=resend)
        parts: list[bytes] = []
        size = 0
        try:
            while size <= limit:
                data = await opened.read()
                if data is None:
                    return Answer(*opened.head, b"".join(parts))
                size += len(data)
                parts.append(data)
        finally:
            await opened.aclose()
        raise ProtocolError(
            f"An answer of more than {limit} bytes is refused. Raise max_message_bytes if it is wanted.",
            code="message_too_large",
        )

    async def stream(self, request: Request) -> Pump:
        """As the seam says."""
        pump = Pump()
        owner = self._owner()
        if owner.ended:  # it would never start the job
            raise ClosedError("The client is closed. Make a new one.", code="closed", is_safe_to_retry=True)
        owner.post(pump.run, self._client(), self._target.url + request.path, request)
        headed = False
        try:
            await pump.wait_head()
            headed = True
        finally:
            if not headed:
                pump.drop()
        return pump

    async def aclose(self) -> None:
        """Close the client if it is ours."""
        if self._ours and self._http is not None:
            http, self._http = self._http, None
            if self._loop == anyio.lowlevel.current_token():
                await http.aclose()

    def _client(self) -> Http:
        loop = anyio.lowlevel.current_token()
        if self._http is None or (self._ours and self._loop != loop):
            # Proxies of the environment would see the token; streams would use up a limit of connections.
            self._http = AsyncHttp(httpx.AsyncClient(trust_env=False, limits=_LIMITS))
            self._loop = loop
        return self._http


def _arguments(url: str, request: Request, trace: Any) -> dict[str, Any]:
    return {
        "method": "POST",
        "url": url,
        "content": request.body,
        "headers": {**request.headers(), "Accept-Encoding": "identity"},
        "timeout": _TIMEOUT,
        "extensions": {"trace": trace},
    }


def _head(response: httpx.Response) -> Head:
    headers = {name.lower(): value for name, value in response.headers.items()}
    if headers.get("content-encoding") in _DECODED:
        del headers["content-encoding"]  # httpx undoes it
    return Head(response.status_code, headers)


class _Trace:
    """Notes whether a request made a connection of its own: then it did not fail on a stale one."""

    connected = False

    def note(self, name: str, _info: Any) -> None:
        self.connected = self.connected or name.startswith("connection.connect")

    async def note_async(self, name: str, info: Any) -> None:
        self.note(name, info)


class _Body(httpx.AsyncByteStream):
    """A request body without a generator: httpx leaves its own to the garbage collector when cancelled."""

    def __init__(self, body: bytes) -> None:
        self._parts = [body]

    def __aiter__(self) -> _Body:
        return self

    async def __anext__(self) -> bytes:
        if not self._parts:
            raise StopAsyncIteration
        return self._parts.pop()


class AsyncHttp:
    """An ``httpx.AsyncClient``."""

    def __init__(self, client: httpx.AsyncClient) -> None:
        self._client = client

    async def open(self, url: str, request: Request, *, resend: bool) -> Opened:
        """As ``Http`` says."""
        trace = _Trace()
        failure: TransportFailure | CursorSDKError
        try:
            made = self._client.build_request(**_arguments(url, request, trace.note_async))
            made.stream = _Body(request.body)
            response = await self._client.send(made, stream=True, auth=None, follow_redirects=False)
            return AsyncOpened(response)
        except HTTPX_ERRORS as error:
            failure = from_httpx(error)
        if resend and _stale(failure, trace):
            return await self.open(url, request, resend=False)
        raise failure

    async def aclose(self) -> None:
        """As ``Http`` says."""
        await self._client.aclose()


class AsyncOpened:
    """A response of it."""

    def __init__(self, response: httpx.Response) -> None:
        self.head = _head(response)
        self._response = response
        self._pieces: AsyncIterator[bytes] = response.aiter_bytes()
        self._over = False

    async def read(self) -> bytes | None:
        """As ``Opened`` says."""
        failure: TransportFailure | CursorSDKError
        over, self._over = self._over, True  # also when the read is cancelled
        if over:
            return None
        try:
            data = await anext(self._pieces, None)
            self._over = data is None
            return data
        except HTTPX_ERRORS as error:
            failure = from_httpx(error)
        raise failure

    async def aclose(self) -> None:
        """As ``Opened`` says."""
        with anyio.CancelScope() as scope:
            scope.cancel()
            while not self._over:
                # A generator that is left suspended would be closed by the garbage collector, some time. A
                # cancelled read ends it, and those below it, now.
                await self.read()
        with suppress(*HTTPX_ERRORS):
            await self._response.aclose()


class BlockingHttp:
    """An ``httpx.Client``, driven in worker threads: one for each call and stream that waits."""

    def __init__(self, client: httpx.Client) -> None:
        self._client = client

    async def open(self, url: str, request: Request, *, resend: bool) -> Opened:
        """As ``Http`` says. A cancelled caller leaves the thread behind, which then closes what it got."""
        trace = _Trace()
        abandoned = False

        def send() -> httpx.Response:
            made = self._client.build_request(**_arguments(url, request, trace.note))
            response = self._client.send(made, stream=True, auth=None, follow_redirects=False)
            if abandoned:
                response.close()
            return response

        taken = False
        try:
            response = await _in_thread(send)
            taken = True
        except TransportFailure as failure:
            if not (resend and _stale(failure, trace)):
                raise
            taken = True
            return await self.open(url, request, resend=False)
        finally:
            abandoned = not taken
        return BlockingOpened(response)

    async def aclose(self) -> None:
        """As ``Http`` says."""
        await _in_thread(self._client.close)


class BlockingOpened:
    """A response of it."""

    def __init__(self, response: httpx.Response) -> None:
        self.head = _head(response)
        self._response = response
        self._pieces: Iterator[bytes] = response.iter_bytes()

    async def read(self) -> bytes | None:
        """As ``Opened`` says."""
        return await _in_thread(lambda: next(self._pieces, None))

    async def aclose(self) -> None:
        """As ``Opened`` says; a thread that still reads is woken first."""
        stream: Any = self._response.extensions.get("network_stream")
        raw: Any = stream.get_extra_info("socket") if stream is not None else None
        if raw is not None and not self._response.is_closed:
            with suppress(OSError):
                raw.shutdown(socket.SHUT_RDWR)
        with suppress(*HTTPX_ERRORS):
            self._response.close()


def _stale(failure: TransportFailure | CursorSDKError, trace: _Trace) -> bool:
    return (
        isinstance(failure, TransportFailure)
        and failure.sent
        and not failure.timed_out
        and not trace.connected
    )


async def _in_thread(fn: Callable[[], T]) -> T:
    failure: TransportFailure | CursorSDKError
    try:
        # A limiter of its own for each: the default one has forty places, which streams would take for ever.
        return await anyio.to_thread.run_sync(
            fn, abandon_on_cancel=True, limiter=anyio.CapacityLimiter(math.inf)
        )
    except HTTPX_ERRORS as error:
        failure = from_httpx(error)
    raise failure
