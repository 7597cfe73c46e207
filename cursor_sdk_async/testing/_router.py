"""From a request to its handler: routes, content types, the token, faults of calls, both codecs.

Facts: docs/protocol.md, "Transport". Whatever a handler raises becomes an answer; a request ends with its
connection.
"""

from __future__ import annotations

import asyncio
import gzip
import hmac
import inspect
import re
import time
from collections.abc import Callable
from typing import Any

from cursor_sdk_async._connect._envelope import EnvelopeDecoder
from cursor_sdk_async._connect._methods import Method, find_method
from cursor_sdk_async.errors import ProtocolError
from cursor_sdk_async.testing import _codec, _stderr
from cursor_sdk_async.testing._agents import Agents
from cursor_sdk_async.testing._bridge import Bridge
from cursor_sdk_async.testing._catalogue import Catalogue
from cursor_sdk_async.testing._control import Control
from cursor_sdk_async.testing._errors import RpcError, plain
from cursor_sdk_async.testing._http import Exchange, Gone
from cursor_sdk_async.testing._play import die
from cursor_sdk_async.testing._runs import Runs
from cursor_sdk_async.testing._stream import Frames, missing_message, send_chunks, send_run
from cursor_sdk_async.testing.faults import CallFault

__all__ = ["Router"]

Json = dict[str, Any]
UNARY = {"application/json": True, "application/proto": False}
STREAM = {"application/connect+json": True, "application/connect+proto": False}
SMALLEST_COMPRESSED = 1024
SECRET_HEADERS = ("authorization", "cookie")


def snake(name: str) -> str:
    """``CreateAgent`` to ``create_agent``."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()


class Router:
    """Answers requests."""

    def __init__(self, bridge: Bridge, token: str, shutdown: Callable[[float], None]) -> None:
        self._bridge = bridge
        self._token = f"Bearer {token}".encode()
        self._shutdown = shutdown
        agents = Agents(bridge)
        self._rooms = (agents, Runs(bridge, agents), Catalogue(bridge, agents), self)
        self._control = Control(bridge)

    async def handle(self, exchange: Exchange) -> None:
        """Answer one request."""
        if exchange.path.startswith("/_scripted/"):
            await self._control.handle(exchange, allowed=self._allowed(exchange))
            return
        service, _, name = exchange.path.lstrip("/").partition("/")
        method = find_method(service, name) if service.startswith("sdk.v1.") else None
        if method is None or method.side != "bridge":
            await exchange.answer(404)
            return
        if exchange.method != "POST":
            await exchange.answer(405)
            return
        kinds = STREAM if method.streams else UNARY
        if exchange.content_type not in kinds:
            await exchange.answer(415)
            return
        as_json = kinds[exchange.content_type]
        began = time.monotonic()
        self._log(method, "start")
        if method.streams:
            self._bridge.open_streams += 1
            try:
                await self._stream(exchange, method, as_json=as_json, began=began)
            finally:
                self._bridge.open_streams -= 1
        else:
            await self._unary(exchange, method, as_json=as_json, began=began)

    def shutdown(self, body: Json) -> Json:
        """The RPC of that name."""
        self._shutdown(float(body.get("graceSeconds", 0)))
        return {}

    def _allowed(self, exchange: Exchange) -> bool:
        return hmac.compare_digest(exchange.headers.get("authorization", "").encode("latin-1"), self._token)

    def _log(self, method: Method, text: str) -> None:
        if self._bridge.options.verbose:
            _stderr.line(f"cursor-sdk-bridge rpc sdk.v1.{method.key} {text}")

    def _handler(self, method: Method) -> Callable[[Json], Any]:
        name = snake(method.name)
        found: Callable[[Json], Any] = next(
            getattr(room, name) for room in self._rooms if hasattr(type(room), name)
        )
        return found

    def _open(self, exchange: Exchange, method: Method, payload: bytes, *, as_json: bool) -> Json:
        """The request, decoded and remembered."""
        if not self._allowed(exchange):
            raise plain("unauthenticated", "Unauthorized")
        try:
            body = _codec.decode(method.request_name, payload, as_json=as_json)
        except ValueError as error:
            raise plain("invalid_argument", str(error)) from None
        headers = {name: value for name, value in exchange.headers.items() if name not in SECRET_HEADERS}
        codec = "json" if as_json else "proto"
        self._bridge.requests.append({"rpc": method.name, "codec": codec, "headers": headers, "body": body})
        return body

    async def _unary(self, exchange: Exchange, method: Method, *, as_json: bool, began: float) -> None:
        fault = self._bridge.faulty.call(method.name) if self._allowed(exchange) else None
        try:
            payload = unzip(bytes(exchange.body), exchange.headers.get("content-encoding", ""))
            body = self._open(exchange, method, payload, as_json=as_json)
            await self._before(exchange, fault)
            found = self._handler(method)(body)
            answer: Json = await found if inspect.isawaitable(found) else found
            data = _codec.encode(method.answer_name, answer, as_json=as_json)
            kind = exchange.content_type
            status = 200
            self._log(method, f"ok {_ms(began)}")
        except RpcError as error:
            status, kind = error.status, "application/json"
            data = _codec.dumps(error.body())
            self._log(method, f'error {_ms(began)} code={error.code} message="{error.message}"')
        await self._after(exchange, fault)
        headers: dict[str, str] = {}
        if len(data) >= SMALLEST_COMPRESSED and "gzip" in exchange.headers.get("accept-encoding", ""):
            data, headers = gzip.compress(data), {"content-encoding": "gzip"}
        if fault is not None and fault.kind == "garbage":
            data = b"\xff\xfe not a message"
        if fault is not None and fault.kind == "half":
            exchange.write_raw(b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n" % max(2, len(data)))
            exchange.write_raw(b"content-type: %b\r\n\r\n" % kind.encode() + data[: len(data) // 2])
            exchange.hang_up()
            raise Gone
        await exchange.answer(status, data, kind, headers)

    async def _stream(self, exchange: Exchange, method: Method, *, as_json: bool, began: float) -> None:
        allowed = self._allowed(exchange)
        fault = self._bridge.faulty.call(method.name) if allowed else None
        frames = Frames(self._bridge, exchange, method.name, as_json=as_json)
        try:
            payload = first_message(exchange) if allowed else b""
            body = self._open(exchange, method, payload, as_json=as_json)
            await self._before(exchange, fault)
            found = self._handler(method)(body)
        except RpcError as error:
            self._log(method, f'error {_ms(began)} code={error.code} message="{error.message}"')
            await frames.end(error)
            return
        await self._after(exchange, fault)
        if method.name == "DownloadArtifact":
            await send_chunks(frames, found)
        else:
            await send_run(self._bridge, frames, found, body)
        self._log(method, f"stream end {frames.sent - 1} messages {_ms(began)}")

    async def _before(self, exchange: Exchange, fault: CallFault | None) -> None:
        """What a fault wants before the request is handled."""
        if fault is None:
            return
        if fault.kind == "slow":
            await asyncio.sleep(fault.seconds)
        elif fault.kind == "drop":
            exchange.abort()
            raise Gone
        elif fault.kind == "crash":
            die(-9)
        elif fault.kind == "status":
            await exchange.answer(fault.status, fault.body.encode(), fault.content_type, fault.headers)
            raise Answered
        elif fault.kind == "error":
            details = dict(fault.details)
            if fault.sdk_code:
                details["sdkErrorCode"] = f"SDK_ERROR_CODE_{fault.sdk_code.upper()}"
            if details:
                details.setdefault("message", fault.message)
            raise RpcError(fault.code, fault.message, details or None, debug=fault.debug)

    async def _after(self, exchange: Exchange, fault: CallFault | None) -> None:
        """What a fault wants once it is handled."""
        if fault is None:
            return
        if fault.kind == "slow_answer":
            await asyncio.sleep(fault.seconds)
        elif fault.kind == "drop_after":
            exchange.abort()
            raise Gone
        elif fault.kind == "silence":
            await asyncio.Event().wait()
        elif fault.kind == "crash_after":
            die(-9)


class Answered(Gone):
    """A fault gave the answer itself."""


def first_message(exchange: Exchange) -> bytes:
    """The message of a streaming request.

    Raises:
        RpcError: There is none, or it is broken.
    """
    decoder = EnvelopeDecoder()
    try:
        found = decoder.feed(bytes(exchange.body))
        decoder.close()
    except ProtocolError as error:
        raise plain("invalid_argument", str(error)) from None
    if not found:
        raise missing_message()
    encoding = exchange.headers.get("connect-content-encoding", "") if found[0].flags & 1 else ""
    return unzip(found[0].payload, encoding)


def unzip(data: bytes, encoding: str) -> bytes:
    """A request body, plain.

    Raises:
        RpcError: The encoding is not known, or the data is not of it.
    """
    if encoding in ("", "identity"):
        return data
    if encoding != "gzip":
        raise plain("unimplemented", f'unknown compression "{encoding}": supported encodings are gzip')
    try:
        return gzip.decompress(data)
    except (OSError, EOFError) as error:
        raise plain("invalid_argument", f"cannot decompress: {error}") from None


def _ms(began: float) -> str:
    return f"{round(1000 * (time.monotonic() - began))}ms"
