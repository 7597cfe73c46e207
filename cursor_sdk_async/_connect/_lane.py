"""The loopback lane: HTTP/1.1 straight over sockets, to a bridge on this machine. No proxy is ever asked.

Nothing leaks: every exchange gives its connection back or closes it, whatever ends the exchange. Nothing
hangs: streams have connections of their own without a common limit, so that a call never waits for a stream.
"""

from __future__ import annotations

import anyio

from cursor_sdk_async._connect._connection import FRESH_SECONDS, KEEP_SECONDS, Connection, Pool
from cursor_sdk_async._connect._http1 import ResponseParser, request_bytes
from cursor_sdk_async._connect._seam import Answer, Head, OwnerSource, Request, TransportFailure
from cursor_sdk_async._connect._url import Target
from cursor_sdk_async.errors import ProtocolError

__all__ = ["LoopbackLane"]


class LoopbackLane:
    """Carries requests to a bridge on this machine.

    Args:
        target: Where it is.
        owner: Gives the task that closes connections which nobody needs any more.
    """

    def __init__(self, target: Target, owner: OwnerSource | None = None) -> None:
        self._target = target
        self._pool = Pool(target, owner)

    async def unary(self, request: Request, *, resend: bool, limit: int) -> Answer:
        """As the seam says."""
        exchange = await self._exchange(request, KEEP_SECONDS if resend else FRESH_SECONDS, resend)
        try:
            return await exchange.read_all(limit)
        finally:
            await exchange.aclose()

    async def stream(self, request: Request) -> Exchange:
        """As the seam says. A stream always gets a connection of its own, which cannot have gone stale."""
        return await self._exchange(request, -1.0, resend=False)

    async def aclose(self) -> None:
        """Close the idle connections; those in use are closed by their exchanges."""
        await self._pool.aclose()

    async def _exchange(self, request: Request, longest_pause: float, resend: bool) -> Exchange:
        connection = await self._pool.take(longest_pause)
        while True:
            # No await between having a connection and the exchange that closes it.
            exchange = Exchange(connection, self._pool)
            try:
                await exchange.start(request, self._target)
                return exchange
            except TransportFailure:
                # Closed while it idled: the bridge has not seen this request, or it was only a read.
                if not (resend and connection.reused and not exchange.answered):
                    raise
            finally:
                if not exchange.started:
                    await exchange.aclose()
            connection = await self._pool.connect()


class Exchange:
    """One request and its answer on one connection; the ``ByteStream`` of this lane.

    Attributes:
        started: Whether the head of the answer has come.
    """

    __slots__ = ("_body", "_connection", "_parser", "_pool", "started")

    def __init__(self, connection: Connection, pool: Pool) -> None:
        self._connection: Connection | None = connection
        self._pool = pool
        self._parser = ResponseParser()
        self._body = b""
        self.started = False

    @property
    def head(self) -> Head:
        """Status and headers."""
        assert self._parser.head is not None
        return self._parser.head

    @property
    def answered(self) -> bool:
        """Whether any byte of the answer has come."""
        return self._parser.started

    async def start(self, request: Request, target: Target) -> None:
        """Send the request, read on to the head of the answer."""
        connection = self._connection
        assert connection is not None
        unsent: TransportFailure | None = None
        try:
            # The bytes have no name here, or whoever logs the variables of a traceback would log the token.
            await connection.send(request_bytes(request, target.authority, target.path))
        except TransportFailure as failure:
            unsent = failure  # a peer that refuses a long request may have answered before it hung up
        while self._parser.head is None:
            try:
                self._body += await self._more(connection)
            except TransportFailure as failure:
                raise (unsent or failure) from None
        self.started = True

    async def receive(self) -> bytes:
        """As the seam says."""
        while not self._body:
            if self._parser.complete:
                raise anyio.EndOfStream
            if self._connection is None:
                raise TransportFailure("the connection was closed on this side", sent=True)
            self._body = await self._more(self._connection)
        body, self._body = self._body, b""
        return body

    async def read_all(self, limit: int) -> Answer:
        """The whole body.

        Raises:
            ProtocolError: It is longer than the limit.
            TransportFailure: The connection was lost.
        """
        announced = self.head.headers.get("content-length", "")
        parts: list[bytes] = []
        size = 0
        while size <= limit and not (announced.isdecimal() and int(announced) > limit):
            try:
                parts.append(await self.receive())
            except anyio.EndOfStream:
                return Answer(*self.head, b"".join(parts))
            size += len(parts[-1])
        raise ProtocolError(
            f"An answer of more than {limit} bytes is refused. Raise max_message_bytes if it is wanted.",
            code="message_too_large",
        )

    async def aclose(self) -> None:
        """As the seam says."""
        connection, self._connection = self._connection, None
        if connection is not None:
            if self._parser.reusable:
                await self._pool.give_back(connection)
            else:
                connection.close()

    def drop(self) -> None:
        """As the seam says."""
        if self._connection is not None:
            self._connection.drop()

    async def _more(self, connection: Connection) -> bytes:
        """Bytes of the body, perhaps none yet."""
        self._parser.check()
        data = await connection.receive()
        if data:
            return self._parser.feed(data)
        if not self._parser.eof():
            raise TransportFailure(
                "the connection ended before the answer did"
                if self._parser.started
                else "the connection ended without an answer",
                sent=True,
            )
        return b""
