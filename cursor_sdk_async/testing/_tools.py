"""Calling custom tools of the client: the requests that the real bridge makes.

Facts: docs/protocol.md, "Custom tools". Connections are kept for the next call; one that was closed meanwhile
is replaced. A call has no time limit, as with the real one; it is cancelled with its run.
"""

from __future__ import annotations

import asyncio
import json
from typing import Any, cast
from urllib.parse import urlsplit

import httptools

__all__ = ["Tools"]

PATH = "/sdk.v1.SdkCustomToolCallbackService/CallCustomTool"
Stream = tuple[asyncio.StreamReader, asyncio.StreamWriter]


class _Answer:
    """Collects a response."""

    def __init__(self) -> None:
        self.body = bytearray()
        self.complete = False
        self.keep = False
        self.parser = httptools.HttpResponseParser(self)

    def on_body(self, body: bytes) -> None:
        self.body += body

    def on_message_complete(self) -> None:
        self.complete = True
        self.keep = self.parser.should_keep_alive()


class Tools:
    """The endpoint that the client registered."""

    def __init__(self, url: str, token: str) -> None:
        self.url = url
        self._token = token
        self._idle: list[Stream] = []

    @property
    def registered(self) -> bool:
        """Whether there is an endpoint."""
        return bool(self.url)

    def register(self, url: str, token: str) -> None:
        """Another endpoint, or none."""
        self.url, self._token = url, token
        for _, writer in self._idle:
            writer.close()
        self._idle.clear()

    async def call(self, name: str, args: dict[str, Any], call_id: str, agent_id: str) -> tuple[str, Any]:
        """Call a tool: the status and the result of its ``tool_call`` message."""
        if not self.url:
            return "error", {"error": "[failed_precondition] no tool callback endpoint"}
        body = {"toolName": name, "args": args, "toolCallId": call_id, "agentId": agent_id}
        try:
            status, data = await self._post(json.dumps(body).encode())
        except OSError as error:
            return "error", {"error": f"[unavailable] {error}"}
        try:
            answer: dict[str, Any] = json.loads(data)
        except ValueError:
            return "error", {"error": f"[{'unavailable' if status == 503 else 'unknown'}] HTTP {status}"}
        if status != 200:
            return "error", {"error": f"[{answer.get('code', 'unknown')}] {answer.get('message', '')}"}
        result: Any = answer.get("result")
        if not isinstance(result, dict):
            return "error", {"error": f"Host custom tool {name} returned no result"}
        shown = cast("dict[str, Any]", result)
        return "error" if shown.get("isError") else "completed", shown

    async def _post(self, body: bytes) -> tuple[int, bytes]:
        while self._idle:
            stream = self._idle.pop()
            if not stream[0].at_eof() and not stream[1].is_closing():
                return await self._exchange(stream, body)
            stream[1].close()
        parts = urlsplit(self.url)
        port = parts.port or 80
        return await self._exchange(await asyncio.open_connection(parts.hostname, port), body)

    async def _exchange(self, stream: Stream, body: bytes) -> tuple[int, bytes]:
        reader, writer = stream
        parts, answer = urlsplit(self.url), _Answer()
        head = (
            f"POST {parts.path.rstrip('/')}{PATH} HTTP/1.1\r\naccept-encoding: gzip,br\r\n"
            f"authorization: Bearer {self._token}\r\nconnect-protocol-version: 1\r\n"
            "content-type: application/json\r\nuser-agent: connect-es/1.6.1\r\n"
            f"Host: {parts.netloc}\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n"
        )
        try:
            writer.write(head.encode() + b"%x\r\n%b\r\n0\r\n\r\n" % (len(body), body))
            while not answer.complete:
                data = await reader.read(65536)
                if not data:
                    raise ConnectionResetError("socket hang up")
                answer.parser.feed_data(data)
        except httptools.HttpParserError as error:
            writer.close()
            raise ConnectionResetError(f"not HTTP: {error}") from error
        except BaseException:
            writer.close()
            raise
        if answer.keep:
            self._idle.append(stream)
        else:
            writer.close()
        return answer.parser.get_status_code(), bytes(answer.body)
