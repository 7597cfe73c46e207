"""The HTTP/1.1 side of the scripted bridge: connections, their idle time, answers and chunked streams.

A connection belongs to its transport and ends with it: the task of a request is cancelled when the client
goes away. Nothing here waits for a client without that.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Awaitable, Callable, Mapping
from email.utils import formatdate
from http import HTTPStatus

import httptools

from cursor_sdk_async.testing import _stderr

__all__ = ["Connection", "Exchange", "Gone", "Listener"]

HIGH_WATER = 256 * 1024
BACKLOG = 1024
# The real one closes an idle connection half a second after the time that it announces.
IDLE_MARGIN = 0.5


class Gone(Exception):
    """The client went away, or a fault ended the connection."""


class Exchange:
    """One request and the way to answer it."""

    def __init__(self, connection: Connection, method: str, target: str) -> None:
        self._connection = connection
        self.method = method
        self.path, _, self.query = target.partition("?")
        self.headers: dict[str, str] = {}
        self.body = bytearray()
        self.keep_alive = True
        self.streaming = False
        self.answered = False

    @property
    def content_type(self) -> str:
        """Without parameters."""
        return self.headers.get("content-type", "").partition(";")[0].strip().lower()

    async def answer(
        self, status: int, body: bytes = b"", content_type: str = "", headers: Mapping[str, str] | None = None
    ) -> None:
        """A whole answer; without body and type it is chunked and empty, as the real one's."""
        named = {"content-type": content_type} if content_type else {}
        if body or content_type:
            head = self._head(status, {"content-length": str(len(body)), **named, **(headers or {})})
            self.write_raw(head + body)
        else:
            head = self._head(status, {**(headers or {}), "Transfer-Encoding": "chunked"})
            self.write_raw(head + b"0\r\n\r\n")
        self.answered = True
        await self.drain()

    def begin(self, content_type: str, headers: Mapping[str, str] | None = None) -> None:
        """The head of a chunked answer."""
        named = {"content-type": content_type, **(headers or {}), "Transfer-Encoding": "chunked"}
        self.streaming = True
        self.write_raw(self._head(200, named))

    def write(self, data: bytes) -> None:
        """One chunk."""
        if data:
            self.write_raw(b"%x\r\n%b\r\n" % (len(data), data))

    def end(self) -> None:
        """The end of a chunked answer."""
        self.write_raw(b"0\r\n\r\n")
        self.answered = True

    def write_raw(self, data: bytes) -> None:
        """Bytes of the connection, as they are."""
        self._connection.write(data)

    async def drain(self) -> None:
        """Wait until the client has read enough."""
        await self._connection.drain()

    def abort(self) -> None:
        """Reset the connection."""
        self._connection.abort()

    def hang_up(self) -> None:
        """Send what is written, then close the connection."""
        self._connection.close()

    def _head(self, status: int, headers: Mapping[str, str]) -> bytes:
        reason = HTTPStatus(status).phrase if status in HTTPStatus._value2member_map_ else "Unknown"
        lines = [f"HTTP/1.1 {status} {reason}", *(f"{name}: {value}" for name, value in headers.items())]
        lines.append(f"Date: {formatdate(usegmt=True)}")
        if self.keep_alive:
            seconds = int(self._connection.listener.idle_seconds)
            lines += ["Connection: keep-alive", f"Keep-Alive: timeout={seconds}"]
        else:
            lines.append("Connection: close")
        return ("\r\n".join(lines) + "\r\n\r\n").encode()


class Connection(asyncio.Protocol):
    """One connection: requests one after the other."""

    def __init__(self, listener: Listener) -> None:
        self.listener = listener
        self.exchange: Exchange | None = None
        self.task: asyncio.Task[None] | None = None
        self._transport: asyncio.Transport | None = None
        self._parser = httptools.HttpRequestParser(self)
        self._waiting: list[Exchange] = []
        self._idle: asyncio.TimerHandle | None = None
        self._writable = asyncio.Event()
        self._writable.set()
        self._lost = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        transport.set_write_buffer_limits(high=HIGH_WATER)
        self.listener.connections.add(self)
        if self.listener.drop > 0:
            self.listener.drop -= 1
            transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        self._lost = True
        self._writable.set()
        self._stop_idle()
        self.listener.connections.discard(self)
        if self.task is not None:
            self.task.cancel()

    def pause_writing(self) -> None:
        self._writable.clear()

    def resume_writing(self) -> None:
        self._writable.set()

    def data_received(self, data: bytes) -> None:
        self._stop_idle()
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserError:
            self.close()

    # Called by the parser.

    def on_message_begin(self) -> None:
        self.exchange = Exchange(self, "", "")
        self._target = b""

    def on_url(self, url: bytes) -> None:
        self._target += url

    def on_header(self, name: bytes, value: bytes) -> None:
        assert self.exchange is not None
        self.exchange.headers[name.decode("latin-1").lower()] = value.decode("latin-1")

    def on_body(self, body: bytes) -> None:
        assert self.exchange is not None
        self.exchange.body += body

    def on_message_complete(self) -> None:
        exchange = self.exchange
        assert exchange is not None
        exchange.method = self._parser.get_method().decode("latin-1")
        exchange.path, _, exchange.query = self._target.decode("latin-1").partition("?")
        exchange.keep_alive = self._parser.should_keep_alive()
        self._waiting.append(exchange)
        if self.task is None:
            self.task = asyncio.get_running_loop().create_task(self._serve())

    async def _serve(self) -> None:
        while self._waiting and not self._lost:
            exchange = self._waiting.pop(0)
            try:
                await self.listener.handle(exchange)
            except Gone:
                self.task = None
                return
            except asyncio.CancelledError:
                raise
            except BaseException as error:  # the client is not left waiting for it
                _stderr.mistake(error)
                self.abort()
                raise
            if not exchange.keep_alive or self.listener.closed:
                self.close()
        self.task = None
        if not self._lost:
            seconds = self.listener.idle_seconds + IDLE_MARGIN
            self._idle = asyncio.get_running_loop().call_later(seconds, self.close)

    def _stop_idle(self) -> None:
        if self._idle is not None:
            self._idle.cancel()
            self._idle = None

    # Used by exchanges.

    def write(self, data: bytes) -> None:
        if self._lost or self._transport is None:
            raise Gone
        self._transport.write(data)

    async def drain(self) -> None:
        await self._writable.wait()
        if self._lost:
            raise Gone

    def close(self) -> None:
        if self._transport is not None:
            self._transport.close()

    def abort(self) -> None:
        if self._transport is not None:
            self._transport.abort()


class Listener:
    """The listening socket and its connections."""

    def __init__(self, handle: Callable[[Exchange], Awaitable[None]], idle_seconds: float) -> None:
        self.handle = handle
        self.idle_seconds = idle_seconds
        self.connections: set[Connection] = set()
        self.drop = 0
        self.closed = False
        self._socket: socket.socket | None = None
        self._accepting: set[asyncio.Task[None]] = set()

    def open(self, host: str, port: int) -> int:
        """Bind; gives the port."""
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self._socket = socket.create_server((host, port), family=family, backlog=BACKLOG)
        self._socket.setblocking(False)
        asyncio.get_running_loop().add_reader(self._socket.fileno(), self._accept)
        found: int = self._socket.getsockname()[1]
        return found

    def _accept(self) -> None:
        # Not asyncio's own server: that one forgets a connection which is accepted while it closes.
        assert self._socket is not None
        for _ in range(BACKLOG):
            try:
                accepted, _ = self._socket.accept()
            except (BlockingIOError, InterruptedError, ConnectionAbortedError):
                return
            accepted.setblocking(False)
            task = asyncio.get_running_loop().create_task(self._connect(accepted))
            self._accepting.add(task)
            task.add_done_callback(self._accepting.discard)

    async def _connect(self, accepted: socket.socket) -> None:
        loop = asyncio.get_running_loop()
        await loop.connect_accepted_socket(lambda: Connection(self), accepted)

    def close(self) -> None:
        """Stop listening, close connections that are idle; busy ones go on to the end of their answer."""
        self.closed = True
        if self._socket is not None:
            asyncio.get_running_loop().remove_reader(self._socket.fileno())
            self._socket.close()
            self._socket = None
        for connection in list(self.connections):
            if connection.task is None:
                connection.close()
