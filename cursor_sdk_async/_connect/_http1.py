"""HTTP/1.1 as bytes: one request out, one response in. Pure; httptools (llhttp) reads.

Facts: ``docs/protocol.md``, "Transport". Nothing here asks for compression, so none has to be undone.
"""

from __future__ import annotations

import httptools

from cursor_sdk_async._connect._seam import Head, Request
from cursor_sdk_async.errors import ProtocolError

__all__ = ["ResponseParser", "request_bytes"]

#: No bridge sends a thousandth of it; a peer that sends more is not one.
HEAD_LIMIT = 256 * 1024


def request_bytes(request: Request, authority: str, base_path: str = "") -> bytes:
    """The request as it goes over the wire; the channel has checked that token and URL can stand there."""
    lines = [f"POST {base_path}{request.path} HTTP/1.1", f"Host: {authority}"]
    lines += [f"{name}: {value}" for name, value in request.headers().items()]
    lines.append(f"Content-Length: {len(request.body)}")
    return "\r\n".join(lines).encode("ascii") + b"\r\n\r\n" + request.body


class _Sink:
    """What llhttp tells while it is fed."""

    __slots__ = ("body", "complete", "extra", "headers", "keep_alive", "parser", "status")

    def __init__(self) -> None:
        self.parser: httptools.HttpResponseParser | None = None
        self.status = 0
        self.headers: dict[str, str] = {}
        self.body: list[bytes] = []
        self.complete = False
        self.extra = False
        self.keep_alive = False

    def on_message_begin(self) -> None:
        if self.complete:
            self.extra = True

    def on_header(self, name: bytes, value: bytes) -> None:
        if not self.status:  # later ones are trailers
            key, text = name.decode("latin-1").lower(), value.decode("latin-1")
            self.headers[key] = f"{self.headers[key]}, {text}" if key in self.headers else text

    def on_headers_complete(self) -> None:
        if self.parser is not None and not self.status:
            self.status = self.parser.get_status_code()

    def on_body(self, body: bytes) -> None:
        if not self.extra:
            self.body.append(body)

    def on_message_complete(self) -> None:
        if 100 <= self.status < 200:  # an interim response: the real one follows
            self.status = 0
            self.headers = {}
        else:
            self.complete = True
            if self.parser is not None:
                self.keep_alive = self.parser.should_keep_alive()  # it forgets
            self.parser = None  # the two hold each other


class ResponseParser:
    """Reads one response, however its bytes arrive.

    Attributes:
        head: Status and headers, once they are there.
        complete: Whether the body has come to its end.
        started: Whether any byte has come.
    """

    __slots__ = ("_head_bytes", "_parser", "_problem", "_sink", "_to_eof", "complete", "head", "started")

    def __init__(self) -> None:
        self._sink = _Sink()
        self._parser = self._sink.parser = httptools.HttpResponseParser(self._sink)
        self._head_bytes = 0
        self._problem = ""
        self._to_eof = False
        self.head: Head | None = None
        self.complete = False
        self.started = False

    @property
    def reusable(self) -> bool:
        """Whether another request may be sent on the same connection."""
        return self.complete and self._sink.keep_alive and not self._sink.extra

    def feed(self, data: bytes) -> bytes:
        """Take the next bytes; give those of the body among them.

        Raises:
            ProtocolError: This is not HTTP, or its head is too long. What was body before the fault is given
                first, and the error is raised by the next call, or by ``check``.
        """
        self.check()
        self.started = True
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserUpgrade:
            problem = "it changes the protocol"
        except httptools.HttpParserError as error:
            # After the end of a response that closes the connection llhttp refuses more: not our business.
            problem = "" if self._sink.complete else str(error) or type(error).__name__
        else:
            problem = ""
        self._problem = problem
        if not self._sink.body:
            self.check()
        if self.head is None:
            self._take_head(len(data))
        sink = self._sink
        self.complete = sink.complete
        if not sink.body:
            return b""
        body = sink.body[0] if len(sink.body) == 1 else b"".join(sink.body)
        sink.body.clear()
        return body

    def check(self) -> None:
        """Raise the error that is due."""
        if self._problem:
            raise ProtocolError(
                f"What answered is not HTTP/1.1 ({self._problem}). Is this the address of a bridge?",
                code="bad_http",
            )

    def eof(self) -> bool:
        """The connection has ended; say whether the response is complete with that."""
        if self.head is not None and self._to_eof:
            self.complete = True
        return self.complete

    def _take_head(self, size: int) -> None:
        self._head_bytes += size
        sink = self._sink
        if sink.status < 200:
            if self._head_bytes > HEAD_LIMIT:
                raise ProtocolError(
                    f"The head of the answer is longer than {HEAD_LIMIT} bytes. "
                    "Is this the address of a bridge?",
                    code="bad_http",
                )
            return
        self.head = Head(sink.status, sink.headers)
        self._to_eof = not (
            "content-length" in sink.headers
            or "chunked" in sink.headers.get("transfer-encoding", "").lower()
            or sink.status in (204, 304)
        )
