"""Who may call what: paths, their tokens, and why a request is refused before its body is looked at. Pure."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Mapping
from hmac import compare_digest
from secrets import token_urlsafe

from cursor_sdk_async._callbacks._request import Answer, Request, refusal
from cursor_sdk_async._connect._seam import Secrets
from cursor_sdk_async.errors import ConfigurationError

__all__ = ["Handler", "Route", "Routes", "check_token", "new_token"]

Handler = Callable[[bytes], Awaitable[Answer]]


def new_token() -> str:
    """A fresh bearer token; never one that begins with a hyphen, which old bridges take for a flag."""
    return f"t{token_urlsafe(32)}"


def check_token(token: str) -> Secrets:
    """A token of the user's.

    Raises:
        ConfigurationError: It cannot stand in an HTTP header.
    """
    sendable = token.isascii() and token.isprintable() and token != "" and " " not in token
    kept = Secrets(token)
    del token  # the variables of a traceback may be logged
    if not sendable:
        raise ConfigurationError(
            "auth_token is empty or has characters that cannot be sent in an HTTP header. Leave it out to "
            "have one made.",
            code="bad_callback_token",
            is_safe_to_retry=True,
        )
    return kept


class Route:
    """One procedure.

    Args:
        handler: Called with the body of each call that passed; gives the answer.
        token: Who calls has to show it.
    """

    __slots__ = ("_token", "handler")

    def __init__(self, handler: Handler, token: Secrets) -> None:
        self.handler = handler
        self._token = token

    def admits(self, authorization: str) -> bool:
        """Whether the header carries the token; takes as long for one that is wrong anywhere."""
        scheme, _, shown = authorization.partition(" ")
        known = compare_digest(shown.strip().encode(), self._token.first.encode())
        return known and scheme.lower() == "bearer"


class Routes:
    """All procedures of one listener.

    Args:
        routes: By path.
        authorities: What may stand in the ``Host`` header, in lower case.
    """

    def __init__(self, routes: Mapping[str, Route], authorities: Collection[str]) -> None:
        self._routes = routes
        self._authorities = frozenset(authorities)

    def handler(self, request: Request) -> Handler:
        """Who answers a request that was not refused."""
        return self._routes[request.path].handler

    def refuse(self, request: Request) -> Answer | None:
        """Why the request is not taken; ``None`` when it is."""
        headers = request.headers
        if headers.get("host", "").lower() not in self._authorities:
            # A page whose name was made to point here would send its own name.
            return refusal(403, "permission_denied", "The Host header does not name this server.")
        if "origin" in headers:
            return refusal(403, "permission_denied", "Browsers have no business here.")
        route = self._routes.get(request.path)
        if route is None:
            return refusal(404, "not_found", "There is no such procedure here.")
        if request.method != "POST":
            return refusal(405, "unimplemented", "Procedures are called with POST.", allow="POST")
        if not route.admits(headers.get("authorization", "")):
            return refusal(401, "unauthenticated", "The bearer token is missing or wrong.")
        if headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
            return refusal(415, "invalid_argument", "The content type must be application/json.")
        if headers.get("content-encoding", "identity").lower() != "identity":
            return refusal(415, "unimplemented", "Compressed bodies are not taken.")
        if headers.get("connect-protocol-version", "1") != "1":
            return refusal(400, "invalid_argument", "Connect-Protocol-Version must be 1.")
        return None
