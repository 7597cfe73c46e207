"""A lane over a transport of the user's: messages in JSON form instead of bytes.

Nothing leaks: the iterator of a stream is closed with the stream. Nothing hangs: the time limits of the
channel hold here too, and an iterator that ends after a cancelled step counts as broken, never as complete.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Mapping
from inspect import isawaitable
from typing import Any, Protocol

import anyio

from cursor_sdk_async._connect._codec import load_json
from cursor_sdk_async._connect._envelope import END_OF_STREAM, HEADER_BYTES, encode_envelope
from cursor_sdk_async._connect._seam import Answer, Head, Request, TransportFailure

__all__ = ["Transport", "TransportLane"]

OK = 200


class Transport(Protocol):
    """What carries the calls of a client when it is given as ``transport=``.

    Errors of the bridge are raised as the classes of ``cursor_sdk_async.errors``.
    """

    async def unary(self, service: str, method: str, message: Mapping[str, Any]) -> Mapping[str, Any]:
        """Call an RPC with one answer.

        Args:
            service: Such as ``"sdk.v1.SdkAgentService"``.
            method: Such as ``"GetRun"``.
            message: The request in its JSON form.

        Returns:
            The answer in its JSON form.
        """
        ...

    def stream(
        self, service: str, method: str, message: Mapping[str, Any]
    ) -> AsyncIterator[Mapping[str, Any]] | Awaitable[AsyncIterator[Mapping[str, Any]]]:
        """Call an RPC that answers with a stream; the end of the iterator is the end of the stream."""
        ...

    async def aclose(self) -> None:
        """Give up what is held; called when the client closes."""
        ...


class TransportLane:
    """Carries the calls of a channel that writes JSON.

    Args:
        transport: The user's transport.
    """

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    async def unary(self, request: Request, *, resend: bool, limit: int) -> Answer:
        """Call the transport; ``resend`` and ``limit`` are its own business."""
        answer = await self._transport.unary(*_names(request), load_json(request.body))
        return Answer(OK, {"content-type": request.content_type}, _bytes(answer))

    async def stream(self, request: Request) -> _TransportStream:
        """Open a stream of the transport."""
        opened = self._transport.stream(*_names(request), load_json(request.body[HEADER_BYTES:]))
        items = await opened if isawaitable(opened) else opened
        return _TransportStream(Head(OK, {"content-type": request.content_type}), aiter(items))

    async def aclose(self) -> None:
        """Close the transport."""
        await self._transport.aclose()

    def __repr__(self) -> str:
        return f"TransportLane({type(self._transport).__name__})"


class _TransportStream:
    """The items of a transport's stream as the envelopes they would have been."""

    def __init__(self, head: Head, items: AsyncIterator[Mapping[str, Any]]) -> None:
        self._head = head
        self._items: AsyncIterator[Mapping[str, Any]] | None = items
        self._stepping = False

    @property
    def head(self) -> Head:
        """Status and headers."""
        return self._head

    async def receive(self) -> bytes:
        """The next item, or the end record."""
        if self._items is None:
            raise anyio.EndOfStream
        cut_short, self._stepping = self._stepping, True
        try:
            item = await anext(self._items)
        except StopAsyncIteration:
            self._items = None
            if cut_short:  # a generator ends when a step of it is cancelled
                raise TransportFailure(
                    "The iterator of the transport ended after a cancelled step", sent=True
                ) from None
            return encode_envelope(b"{}", END_OF_STREAM)
        self._stepping = False
        return encode_envelope(_bytes(item))

    async def aclose(self) -> None:
        """Close the iterator, when it can be closed."""
        items, self._items = self._items, None
        close = getattr(items, "aclose", None)
        if close is not None:
            await close()

    def drop(self) -> None:
        """Let go of the iterator."""
        self._items = None


def _names(request: Request) -> tuple[str, str]:
    service, _, method = request.path.lstrip("/").partition("/")
    return service, method


def _bytes(message: Mapping[str, Any]) -> bytes:
    return json.dumps(dict(message)).encode()
