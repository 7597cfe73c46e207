"""One connection of the listener: requests in, answers out, in order.

Nothing leaks: the socket is closed however the connection ends, and a call that runs then is cancelled.
Nothing hangs: every state but a running call has a deadline, which the listener looks after. What goes wrong
here never reaches another connection.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace
from math import inf
from socket import SHUT_WR, socket

import anyio

from cursor_sdk_async._callbacks._request import Answer, RequestParser, answer_bytes, refusal
from cursor_sdk_async._callbacks._routes import Handler, Routes

__all__ = ["Connection", "Limits"]

logger = logging.getLogger("cursor_sdk_async.tools")

RECEIVE_BYTES = 64 * 1024
#: How much of a body that was refused is still read, so that the answer is not lost in a reset.
LINGER_BYTES = 1024 * 1024


@dataclass(frozen=True)
class Limits:
    """Bounds of every connection.

    Attributes:
        body: The longest body of a call, in bytes.
        request: How long a request may take to come, and a fresh connection to begin one, in seconds.
        announced: How long a connection may idle, as the client is told, in whole seconds.
        idle: How long it really may: well after that, so that no call meets a closing connection.
        write: How long the client may take to read an answer.
        linger: How long the rest of a refused body is read.
    """

    body: int = 64 * 1024 * 1024
    request: float = 30.0
    announced: int = 60
    idle: float = 90.0
    write: float = 30.0
    linger: float = 2.0


class Connection:
    """One accepted connection.

    Args:
        accepted: Its socket, non-blocking. Owned from now on.
        routes: What can be called.
        limits: The bounds.

    Attributes:
        deadline: When the listener shall drop it, by the loop's clock.
    """

    def __init__(self, accepted: socket, routes: Routes, limits: Limits) -> None:
        self._socket = accepted
        self._routes = routes
        self._limits = limits
        self._parser = RequestParser(limits.body)
        self._scope: anyio.CancelScope | None = None
        self._news = anyio.Event()
        self._taken = anyio.Event()
        self._busy = False
        self._over = False
        self.deadline: float = anyio.current_time() + limits.request

    async def run(self) -> None:
        """Serve it to its end; raises nothing."""
        try:
            async with anyio.create_task_group() as group:
                self._scope = group.cancel_scope
                group.start_soon(self._read)
                await self._serve()
                group.cancel_scope.cancel()
        except Exception:
            logger.exception("a connection of the callback listener failed")
        finally:
            self.close()

    def close(self) -> None:
        """Let go of the socket; for a connection whose task is over, or never began."""
        self._socket.close()
        self._parser.close()

    def drop(self) -> None:
        """End it now; a call that runs is cancelled."""
        if self._scope is not None:
            self._scope.cancel()

    # Reading

    async def _read(self) -> None:
        """Take bytes for as long as the client sends some: also during a call, to learn that it hung up."""
        parser = self._parser
        while parser.broken is None and (data := await self._receive()):
            fresh = parser.current is None
            parser.feed(data)
            if parser.current is not None:
                await self._look_at_head()
                if fresh and not self._busy:
                    self.deadline = anyio.current_time() + self._limits.request
            if parser.requests or parser.broken is not None:
                self._news.set()
            while parser.requests and self._busy:  # one that waits is enough to keep
                await self._taken.wait()
        if parser.broken is None:
            self._over = True
            if self._busy or parser.requests:
                self.drop()
            self._news.set()

    async def _look_at_head(self) -> None:
        """Refuse a request whose body has not come yet, or ask for the body if the client waits for that."""
        request = self._parser.current
        if request is None or not request.headed or self._parser.broken is not None:
            return
        refused = self._routes.refuse(request)
        if refused is not None:
            self._parser.broken = replace(refused, close=True)
        elif request.expects_continue and not request.size and not self._busy:
            request.headers.pop("expect")
            await self._send(b"HTTP/1.1 100 Continue\r\n\r\n")

    async def _receive(self) -> bytes:
        """The next bytes; none when the client has hung up."""
        while True:
            await anyio.wait_readable(self._socket)
            try:
                return self._socket.recv(RECEIVE_BYTES)
            except (BlockingIOError, InterruptedError):
                continue
            except OSError:
                return b""

    # Answering

    async def _serve(self) -> None:
        parser, limits = self._parser, self._limits
        while True:
            while not parser.requests and parser.broken is None and not self._over:
                self._news = anyio.Event()
                await self._news.wait()
            if parser.requests:
                request = parser.requests.pop(0)
                self._busy, self.deadline = True, inf
                answer = self._routes.refuse(request)
                if answer is None:
                    answer = await self._call(self._routes.handler(request), request.body)
                keep_alive = request.keep_alive and not answer.close
            elif parser.broken is not None:
                answer, keep_alive = parser.broken, False
            else:
                return
            now = anyio.current_time()
            self.deadline = now + limits.write
            sent = await self._send(answer_bytes(answer, keep_alive=keep_alive, timeout=limits.announced))
            if not sent or not keep_alive:
                if sent and parser.broken is not None:
                    await self._linger()
                return
            self._busy = False
            # What came meanwhile, if anything, is the beginning of the next request.
            self.deadline = now + (limits.idle if parser.current is None else limits.request)
            taken, self._taken = self._taken, anyio.Event()
            taken.set()

    async def _call(self, handler: Handler, body: bytes) -> Answer:
        try:
            return await handler(body)
        except Exception:
            logger.exception("a callback of the bridge failed")
            return refusal(500, "internal", "The callback server failed; its log says how.")

    async def _send(self, data: bytes) -> bool:
        """Send all of it; say whether the client was there to take it."""
        rest = memoryview(data)
        try:
            while rest:
                try:
                    rest = rest[self._socket.send(rest) :]
                except (BlockingIOError, InterruptedError):
                    await anyio.wait_writable(self._socket)
        except OSError:
            return False
        return True

    async def _linger(self) -> None:
        """Read a little of what was refused: closing over it would reset the connection, answer and all."""
        try:
            self._socket.shutdown(SHUT_WR)
        except OSError:
            return
        left = LINGER_BYTES
        with anyio.move_on_after(self._limits.linger):
            while left > 0 and (data := await self._receive()):
                left -= len(data)
