"""A client of the callback listener, by hand: as the bridge calls, or as one who should not."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import urlsplit

import anyio
import anyio.abc

from cursor_sdk_async import CustomTool
from cursor_sdk_async._callbacks._endpoint import ToolEndpoint
from cursor_sdk_async._callbacks._exchange import Limits
from cursor_sdk_async._callbacks._executor import Registration
from cursor_sdk_async._callbacks._request import Answer
from cursor_sdk_async._callbacks._tool_service import CALL_TOOL
from cursor_sdk_async._connect._http1 import ResponseParser
from cursor_sdk_async.options import CustomToolExecute

AGENT = "agent-1"
AnyTool = CustomTool | CustomToolExecute


class Reply:
    """What the listener answered."""

    def __init__(self, status: int, headers: dict[str, str], body: bytes) -> None:
        self.status = status
        self.headers = headers
        self.body = body

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def result(self) -> Any:
        assert self.status == 200, self.body
        return self.json["result"]

    @property
    def text(self) -> str:
        (item,) = self.result["content"]
        return str(item["text"])

    @property
    def is_error(self) -> bool:
        return self.result.get("isError") is True

    @property
    def code(self) -> str:
        assert self.status != 200
        return str(self.json["code"])


class Caller:
    """One connection."""

    def __init__(self, stream: anyio.abc.SocketStream, url: str, token: str) -> None:
        self.stream = stream
        self.authority = urlsplit(url).netloc
        self.token = token
        self._rest = b""

    def request(
        self,
        body: bytes | dict[str, Any],
        *,
        path: str = CALL_TOOL,
        method: str = "POST",
        chunks: int = 0,
        drop: str = "",
        **headers: str,
    ) -> bytes:
        """The bytes of a request; ``chunks`` is the size of each, 0 for a body in one piece."""
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        named = {
            "accept-encoding": "gzip,br",
            "authorization": f"Bearer {self.token}",
            "connect-protocol-version": "1",
            "content-type": "application/json",
            "user-agent": "connect-es/1.6.1",
            "Host": self.authority,
            "Connection": "keep-alive",
            **{name.replace("_", "-"): value for name, value in headers.items()},
        }
        if chunks:
            named["Transfer-Encoding"] = "chunked"
            pieces = [data[start : start + chunks] for start in range(0, len(data), chunks)]
            data = b"".join(b"%x\r\n%b\r\n" % (len(piece), piece) for piece in pieces) + b"0\r\n\r\n"
        else:
            named["Content-Length"] = str(len(data))
        named.pop(drop, None)
        lines = [f"{method} {path} HTTP/1.1", *(f"{name}: {value}" for name, value in named.items())]
        return "\r\n".join(lines).encode() + b"\r\n\r\n" + data

    def call(self, tool: str, args: Any = None, *, agent: str = AGENT, **more: Any) -> bytes:
        """The bytes of a call, as the bridge sends it."""
        body: dict[str, Any] = {
            "toolName": tool,
            "args": args or {},
            "toolCallId": more.pop("id", "call-1"),
            "agentId": agent,
        }
        return self.request(body, chunks=more.pop("chunks", 1 << 20), **more)

    async def send(self, data: bytes) -> None:
        await self.stream.send(data)

    async def reply(self) -> Reply:
        """The next answer."""
        parser, body = ResponseParser(), bytearray()
        while not parser.complete:
            data = self._rest or await self.stream.receive()
            self._rest = b""
            head, blank, tail = data.partition(b"\r\n\r\n")
            if parser.head is None and blank and b"content-length" in head.lower():
                # Answers may come close together: the parser takes one.
                length = int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
                data, self._rest = head + blank + tail[:length], tail[length:]
            body += parser.feed(data)
        assert parser.head is not None
        return Reply(parser.head.status, dict(parser.head.headers), bytes(body))

    async def ask(self, data: bytes) -> Reply:
        await self.send(data)
        return await self.reply()

    async def closed(self) -> bool:
        """Wait until the listener has closed the connection, without another byte."""
        try:
            return not self._rest and await self.stream.receive() == b""
        except (anyio.EndOfStream, anyio.BrokenResourceError):
            return True


@asynccontextmanager
async def caller_of(endpoint: ToolEndpoint) -> AsyncGenerator[Caller]:
    """A connection to an endpoint."""
    parts = urlsplit(endpoint.url)
    assert parts.hostname is not None
    assert parts.port is not None
    async with await anyio.connect_tcp(parts.hostname, parts.port) as stream:
        yield Caller(stream, endpoint.url, endpoint.token)


@asynccontextmanager
async def endpoint_of(
    limits: Limits | None = None,
    many: Mapping[str, AnyTool] | None = None,
    *,
    host: str = "127.0.0.1",
    **tools: AnyTool,
) -> AsyncGenerator[ToolEndpoint]:
    """An endpoint that serves these tools: functions, or ``CustomTool``."""
    endpoint = ToolEndpoint(limits=limits, host=host)
    register(endpoint, AGENT, **{**(many or {}), **tools})
    endpoint.start()
    try:
        yield endpoint
    finally:
        endpoint.close()
        await endpoint.owner.wait_ended()
        assert endpoint.connections == 0


def register(endpoint: ToolEndpoint, agent: str = AGENT, **tools: AnyTool) -> Registration:
    """Register an agent's tools."""
    made = {name: tool if isinstance(tool, CustomTool) else CustomTool(tool) for name, tool in tools.items()}
    registration = Registration(agent, made)
    endpoint.service.add(registration)
    return registration


async def until(condition: Any) -> None:
    """Wait until it is so."""
    while not condition():
        await anyio.sleep(0.005)


__all__ = ["AGENT", "Answer", "Caller", "Reply", "caller_of", "endpoint_of", "register", "until"]
