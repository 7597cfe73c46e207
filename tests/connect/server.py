"""A small HTTP/1.1 server over raw sockets that can misbehave at any byte."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import anyio
import anyio.abc
import httptools
from google.protobuf import json_format

from cursor_sdk_async._connect._envelope import EnvelopeDecoder, encode_envelope
from cursor_sdk_async._connect._methods import METHODS
from cursor_sdk_async._gen.descriptor import google_class

PING = "SdkBridgeControlService/Ping"
SEND = "SdkAgentService/Send"
DOWNLOAD = "SdkAgentService/DownloadArtifact"
SHUTDOWN = "SdkBridgeControlService/Shutdown"


@dataclass
class Received:
    """One request, as it came."""

    path: str
    headers: dict[str, str]
    body: bytes
    connection: int

    @property
    def rpc(self) -> str:
        return self.path.split("/sdk.v1.", 1)[1]

    @property
    def codec(self) -> str:
        return self.headers["content-type"].rsplit("/", 1)[1].removeprefix("connect+")

    @property
    def message(self) -> dict[str, Any]:
        """The request message in its JSON form."""
        body = self.body
        if "connect+" in self.headers["content-type"]:
            (envelope,) = EnvelopeDecoder().feed(body)
            body = envelope.payload
        if self.codec == "json":
            found: dict[str, Any] = json.loads(body)
            return found
        kind = google_class(METHODS[self.rpc].request_name)
        return json_format.MessageToDict(kind.FromString(body))


class Reply:
    """What a handler answers with."""

    def __init__(self, stream: anyio.abc.SocketStream, request: Received) -> None:
        self._stream = stream
        self.request = request
        self.closed = False

    async def raw(self, data: bytes) -> None:
        await self._stream.send(data)

    async def answer(
        self, body: bytes = b"", status: int = 200, content_type: str = "", headers: str = ""
    ) -> None:
        kind = content_type or f"application/{self.request.codec}"
        await self.raw(_head(status, kind, f"Content-Length: {len(body)}\r\n{headers}") + body)

    async def message(self, value: dict[str, Any]) -> None:
        """A unary answer in the codec of the request."""
        name = METHODS[self.request.rpc].answer_name
        await self.answer(payload(self.request.codec, name, value))

    async def head(self, content_type: str = "", status: int = 200, headers: str = "") -> None:
        kind = content_type or f"application/connect+{self.request.codec}"
        await self.raw(_head(status, kind, f"Transfer-Encoding: chunked\r\n{headers}"))

    async def chunk(self, data: bytes) -> None:
        await self.raw(b"%x\r\n" % len(data) + data + b"\r\n")

    async def frame(self, value: dict[str, Any], flags: int = 0) -> None:
        await self.chunk(encode_envelope(self.payload(value), flags))

    def payload(self, value: dict[str, Any]) -> bytes:
        return payload(self.request.codec, METHODS[self.request.rpc].answer_name, value)

    async def end_record(self, value: dict[str, Any] | None = None) -> None:
        await self.chunk(encode_envelope(json.dumps(value or {}).encode(), 2))

    async def end(self) -> None:
        await self.raw(b"0\r\n\r\n")

    async def cut(self) -> None:
        self.closed = True
        await self._stream.aclose()

    async def until_closed(self) -> None:
        """Wait until the client hangs up."""
        try:
            while True:
                await self._stream.receive()
        except (anyio.EndOfStream, anyio.BrokenResourceError, anyio.ClosedResourceError):
            self.closed = True


def _head(status: int, content_type: str, rest: str) -> bytes:
    return f"HTTP/1.1 {status} X\r\nContent-Type: {content_type}\r\n{rest}\r\n".encode()


def payload(codec: str, name: str, value: dict[str, Any]) -> bytes:
    """A message of the contract in a codec; both from the official package."""
    if codec == "json":
        return json.dumps(value).encode()
    return json_format.ParseDict(value, google_class(name)()).SerializeToString()


Handler = Callable[[Reply], Awaitable[None]]


class Server:
    """Counts what comes, and leaves the answers to a handler."""

    def __init__(self, port: int, handler: Handler) -> None:
        self.port = port
        self.handler = handler
        self.requests: list[Received] = []
        self.connections = 0
        self.open = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    async def serve(self, stream: anyio.abc.SocketStream) -> None:
        self.connections += 1
        self.open += 1
        number = self.connections
        try:
            async with stream:
                while (request := await _read(stream, number)) is not None:
                    self.requests.append(request)
                    reply = Reply(stream, request)
                    await self.handler(reply)
                    if reply.closed:
                        break
        except (anyio.BrokenResourceError, anyio.ClosedResourceError):
            pass  # the client hung up: its right
        finally:
            self.open -= 1


class _Request:
    def __init__(self) -> None:
        self.path = ""
        self.headers: dict[str, str] = {}
        self.body = b""
        self.complete = False

    def on_url(self, url: bytes) -> None:
        self.path += url.decode()

    def on_header(self, name: bytes, value: bytes) -> None:
        self.headers[name.decode().lower()] = value.decode()

    def on_body(self, body: bytes) -> None:
        self.body += body

    def on_message_complete(self) -> None:
        self.complete = True


async def _read(stream: anyio.abc.SocketStream, number: int) -> Received | None:
    sink = _Request()
    parser = httptools.HttpRequestParser(sink)
    while not sink.complete:
        try:
            parser.feed_data(await stream.receive(1024 * 1024))
        except anyio.EndOfStream:
            return None
    return Received(sink.path, sink.headers, sink.body, number)


@asynccontextmanager
async def serving(handler: Handler, port: int = 0) -> AsyncGenerator[Server, None]:
    """A server on a free port, or on that one; it ends with the block."""
    listener = await anyio.create_tcp_listener(local_host="127.0.0.1", local_port=port, backlog=1024)
    async with listener, anyio.create_task_group() as group:
        server = Server(listener.extra(anyio.abc.SocketAttribute.local_port), handler)
        group.start_soon(listener.serve, server.serve)
        yield server
        group.cancel_scope.cancel()
