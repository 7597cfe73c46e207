"""HTTP/1.1 requests from bytes, and answers to bytes. Pure; httptools (llhttp) reads.

Facts: ``docs/protocol.md``, "Callback services". Everything is bounded before it is kept: heads by
``HEAD_LIMIT``, bodies by the limit that the listener sets, what lies between chunks by both.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from http import HTTPStatus

import httptools

__all__ = ["CANCELLED_STATUS", "HEAD_LIMIT", "Answer", "Request", "RequestParser", "answer_bytes", "refusal"]

#: The real client sends about 350 bytes.
HEAD_LIMIT = 64 * 1024
#: Chunks of a single byte take six; whoever sends more between them sends no body.
_FRAMING_FACTOR = 8
#: What Connect uses for calls that were cancelled; unknown to the standard library.
CANCELLED_STATUS = 499


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer.

    Attributes:
        status: The HTTP status.
        body: JSON.
        close: Whether the connection ends with it.
        allow: The method for ``Allow``, of a 405.
    """

    status: int
    body: bytes
    close: bool = False
    allow: str = ""


def refusal(status: int, code: str, message: str, *, close: bool = False, allow: str = "") -> Answer:
    """An answer with the JSON body of a Connect error."""
    return Answer(status, json.dumps({"code": code, "message": message}).encode(), close, allow)


def answer_bytes(answer: Answer, *, keep_alive: bool, timeout: int) -> bytes:
    """The answer as it goes over the wire, in one piece.

    Args:
        answer: The answer.
        keep_alive: Whether another request may follow.
        timeout: How long it may take to come, as announced, in seconds.
    """
    lines = [
        f"HTTP/1.1 {answer.status} {_phrase(answer.status)}",
        "Content-Type: application/json",
        f"Content-Length: {len(answer.body)}",
    ]
    if answer.allow:
        lines.append(f"Allow: {answer.allow}")
    lines.append(
        f"Connection: keep-alive\r\nKeep-Alive: timeout={timeout}" if keep_alive else "Connection: close"
    )
    return "\r\n".join(lines).encode("ascii") + b"\r\n\r\n" + answer.body


def _phrase(status: int) -> str:
    return "Client Closed Request" if status == CANCELLED_STATUS else HTTPStatus(status).phrase


class Request:
    """One request, as far as it has come.

    Attributes:
        method: Such as ``"POST"``.
        path: Without the query.
        headers: By lower-case name; repeated ones are joined with a comma.
        body: What has come of the body.
        headed: Whether the head is there.
        complete: Whether the body is there too.
        keep_alive: Whether the client wants to send more on the connection.
        problem: Why it cannot be taken.
    """

    __slots__ = ("_parts", "complete", "headed", "headers", "keep_alive", "method", "path", "problem", "size")

    def __init__(self) -> None:
        self.method = ""
        self.path = ""
        self.headers: dict[str, str] = {}
        self.headed = False
        self.complete = False
        self.keep_alive = False
        self.problem: Answer | None = None
        self.size = 0
        self._parts: list[bytes] = []

    @property
    def body(self) -> bytes:
        """The body in one piece."""
        return self._parts[0] if len(self._parts) == 1 else b"".join(self._parts)

    @property
    def expects_continue(self) -> bool:
        """Whether the client waits for a word before it sends the body."""
        return self.headers.get("expect", "").lower() == "100-continue"

    def add(self, data: bytes, limit: int) -> None:
        """Another piece of the body."""
        self.size += len(data)
        if self.size > limit:
            self.refuse_size(limit)
        elif self.problem is None:
            self._parts.append(data)

    def refuse_size(self, limit: int) -> None:
        """The body is, or will be, too long."""
        self._parts.clear()
        self.problem = refusal(
            413, "resource_exhausted", f"The body is longer than {limit} bytes.", close=True
        )


class RequestParser:
    """Reads requests, however their bytes arrive.

    Args:
        body_limit: The longest body that is taken, in bytes.

    Attributes:
        requests: Those that are complete, in order; whoever serves takes them out.
        current: The one that is coming.
        broken: Why nothing more can be read.
    """

    def __init__(self, body_limit: int) -> None:
        self.requests: list[Request] = []
        self.current: Request | None = None
        self.broken: Answer | None = None
        self._limit = body_limit
        self._parser = httptools.HttpRequestParser(self)
        self._url = b""
        self._raw = 0

    def close(self) -> None:
        """Let go of the parser, which holds this object and is held by it."""
        del self._parser

    def feed(self, data: bytes) -> None:
        """Take the next bytes; does nothing once something was broken."""
        if self.broken is not None:
            return
        self._raw += len(data)
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserUpgrade:
            del self.requests[-1:]  # it has just come to its end
            self.broken = refusal(400, "invalid_argument", "This server changes no protocols.", close=True)
        except httptools.HttpParserError as error:
            problem = str(error) or type(error).__name__
            self.broken = refusal(400, "invalid_argument", f"This is not HTTP/1.1: {problem}.", close=True)
        request = self.current
        if request is not None and self.broken is None:
            self.broken = request.problem or self._overlong(request)

    def _overlong(self, request: Request) -> Answer | None:
        between = self._raw - request.size
        if between <= HEAD_LIMIT + _FRAMING_FACTOR * request.size:
            return None
        what = "chunk framing" if request.headed else "head"
        return refusal(
            431, "resource_exhausted", f"The {what} is longer than {HEAD_LIMIT} bytes.", close=True
        )

    # Called by the parser.

    def on_message_begin(self) -> None:
        """A request begins."""
        self.current = Request()
        self._url = b""

    def on_url(self, url: bytes) -> None:
        """A piece of its target."""
        self._url += url

    def on_header(self, name: bytes, value: bytes) -> None:
        """A header, or after the body a trailer."""
        request = self.current
        if request is not None and not request.headed:
            key, text = name.decode("latin-1").lower(), value.decode("latin-1").strip()
            known = request.headers.get(key)
            request.headers[key] = text if known is None else f"{known}, {text}"

    def on_headers_complete(self) -> None:
        """The head is there."""
        request = self.current
        if request is None:
            return
        request.headed = True
        request.method = self._parser.get_method().decode("latin-1")
        request.path = self._url.partition(b"?")[0].decode("latin-1")
        request.keep_alive = self._parser.should_keep_alive()
        length = request.headers.get("content-length", "")
        if length.isdecimal() and int(length) > self._limit:
            request.refuse_size(self._limit)

    def on_body(self, body: bytes) -> None:
        """A piece of its body."""
        if self.current is not None:
            self.current.add(body, self._limit)

    def on_message_complete(self) -> None:
        """It is all there."""
        request, self.current = self.current, None
        if request is None:
            return
        request.complete = True
        self._raw = 0  # what came with it and belongs to the next one is counted from the next piece on
        if request.problem is not None:
            self.broken = self.broken or request.problem
        elif self.broken is None:
            self.requests.append(request)
