"""Errors of httpx become ours in one function."""

from __future__ import annotations

import httpx

from cursor_sdk_async._connect._seam import TransportFailure
from cursor_sdk_async.errors import ConfigurationError, CursorSDKError, ProtocolError

__all__ = ["HTTPX_ERRORS", "from_httpx"]

#: Everything that httpx raises. ``RuntimeError`` is a client that the user has closed.
HTTPX_ERRORS = (
    httpx.HTTPError,
    httpx.InvalidURL,
    httpx.CookieConflict,
    httpx.StreamError,
    RuntimeError,
    OSError,
)


def from_httpx(error: Exception) -> TransportFailure | CursorSDKError:
    """Ours for theirs. The error of httpx holds the request with its headers, so it is never chained."""
    if isinstance(error, httpx.PoolTimeout):
        return TransportFailure(
            "no connection of the http_client became free; raise its limits, since each stream takes one",
            sent=False,
            timed_out=True,
        )
    if isinstance(error, httpx.ConnectTimeout):
        return TransportFailure(
            "connecting took too long (the http_client's limit)", sent=False, timed_out=True
        )
    if isinstance(error, httpx.TimeoutException):
        return TransportFailure("the http_client's own time limit passed", sent=True, timed_out=True)
    if isinstance(error, httpx.ConnectError | httpx.ProxyError | httpx.UnsupportedProtocol):
        return TransportFailure(f"the bridge cannot be reached ({_words(error)})", sent=False)
    if isinstance(error, httpx.DecodingError):
        return ProtocolError(
            "The answer is compressed in a way that cannot be undone. It was not asked for.",
            code="bad_answer",
        )
    if isinstance(error, httpx.InvalidURL):
        return ConfigurationError("httpx refuses the URL of the bridge.", code="bad_bridge_url")
    if isinstance(error, RuntimeError):
        return ConfigurationError(
            f"The http_client cannot be used ({_words(error)}). Was it closed, or made for another loop?",
            code="bad_http_client",
        )
    return TransportFailure(f"the connection was lost ({_words(error)})", sent=True)


def _words(error: Exception) -> str:
    text = str(error)
    return f"{type(error).__name__}: {text}" if text and len(text) < 200 else type(error).__name__
