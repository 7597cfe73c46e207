"""The seam between the channel and whatever carries its bytes: what a lane is given, and what it gives back.

A lane never raises errors of its HTTP library: it raises ``TransportFailure``, which the channel turns into
an error for users, or a ``ProtocolError`` when what came is not HTTP.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, NamedTuple, Protocol

__all__ = [
    "Answer",
    "ByteStream",
    "Head",
    "Lane",
    "OwnerSource",
    "Poster",
    "Request",
    "Secrets",
    "TransportFailure",
]


#: How many API keys are remembered, to be kept out of what a peer says.
HIDDEN_COUNT = 256
#: The shortest of them, in characters.
HIDDEN_LENGTH = 8


class Secrets:
    """Texts that must not show in errors, kept out of ``repr`` and of logged variables.

    Args:
        texts: Some of them, for good.
    """

    __slots__ = ("_fixed", "_hidden")

    def __init__(self, *texts: str) -> None:
        self._fixed = texts
        self._hidden: dict[str, None] = {}

    @property
    def first(self) -> str:
        """The first of the constructor's."""
        return self._fixed[0]

    @property
    def texts(self) -> tuple[str, ...]:
        """All of them, those of the constructor first."""
        return (*self._fixed, *self._hidden)

    def hide(self, text: str) -> None:
        """One more; of these the last ``HIDDEN_COUNT`` are kept: a server may use a key for each customer.

        What is too short to be a key is left alone: striking it out would spoil every message.
        """
        if len(text) < HIDDEN_LENGTH:
            return
        self._hidden.pop(text, None)
        self._hidden[text] = None
        if len(self._hidden) > HIDDEN_COUNT:
            del self._hidden[next(iter(self._hidden))]

    def __repr__(self) -> str:
        return "Secrets(...)"


class Request:
    """One request. Neither the token nor the body shows in its ``repr``.

    Args:
        path: Where it is posted, such as ``/sdk.v1.SdkAgentService/Send``.
        content_type: What the body is, and what the answer should be.
        body: The whole body.
        token: The bearer token.
    """

    __slots__ = ("_token", "body", "content_type", "path")

    def __init__(self, path: str, content_type: str, body: bytes, token: Secrets) -> None:
        self.path: str = path
        self.content_type: str = content_type
        self.body: bytes = body
        self._token = token

    def headers(self) -> dict[str, str]:
        """The headers, the bearer token among them."""
        return {
            "Accept": self.content_type,
            "Authorization": f"Bearer {self._token.first}",
            "Connect-Protocol-Version": "1",
            "Content-Type": self.content_type,
        }

    def __repr__(self) -> str:
        return f"Request({self.path!r}, {self.content_type!r}, {len(self.body)} bytes)"


class Poster(Protocol):
    """What a lane needs of an owner task."""

    @property
    def ended(self) -> bool:
        """Whether it has ended, and takes no jobs any more."""
        ...

    def post(self, fn: Callable[..., Awaitable[object]], *args: Any) -> None:
        """Run a job in the owner."""
        ...


class OwnerSource(Protocol):
    """Gives the owner task of the running loop."""

    def __call__(self) -> Poster:
        """The owner; raises ``ClosedError`` when there is none any more."""
        ...


class Head(NamedTuple):
    """Status and headers of an answer; names in lower case."""

    status: int
    headers: Mapping[str, str]

    def __repr__(self) -> str:
        return f"Head({self.status})"  # what the peer wrote may quote what we sent


class Answer(NamedTuple):
    """A complete answer."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    def __repr__(self) -> str:
        return f"Answer({self.status}, {len(self.body)} bytes)"


class TransportFailure(Exception):  # an internal signal: the channel never lets it out
    """A connection could not be made, or was lost.

    Args:
        reason: What happened, for people; free of secrets.
        sent: Whether some of the request may have arrived.
        timed_out: Whether a time limit of the transport itself ended it.
        cause: The system's own error, without its traceback, when there is one.
    """

    def __init__(
        self, reason: str, *, sent: bool, timed_out: bool = False, cause: BaseException | None = None
    ) -> None:
        super().__init__(reason)
        self.reason = reason
        self.sent = sent
        self.timed_out = timed_out
        self.cause = cause


class ByteStream(Protocol):
    """The body of an answer that is still arriving."""

    @property
    def head(self) -> Head:
        """Status and headers, which are there from the start."""
        ...

    async def receive(self) -> bytes:
        """The next bytes, at least one; a cancelled call loses none.

        Raises:
            anyio.EndOfStream: The body is complete.
            TransportFailure: The connection was lost before that.
        """
        ...

    async def aclose(self) -> None:
        """Drop the connection, or keep it for others when the body was read to its end. Twice is harmless."""
        ...

    def drop(self) -> None:
        """Drop the connection at once, without waiting."""
        ...


class Lane(Protocol):
    """Carries requests to one bridge."""

    async def unary(self, request: Request, *, resend: bool, limit: int) -> Answer:
        """Send a request, read the whole answer.

        Args:
            request: The request.
            resend: Whether it may be sent again when a kept connection turns out to be closed.
            limit: The longest body accepted.

        Raises:
            TransportFailure: There was no complete answer.
            ProtocolError: The answer is not HTTP, or longer than the limit.
        """
        ...

    async def stream(self, request: Request) -> ByteStream:
        """Send a request, read the head of the answer; errors as for ``unary``."""
        ...

    async def aclose(self) -> None:
        """Drop the connections that are kept for later."""
        ...
