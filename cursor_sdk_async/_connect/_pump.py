"""A stream that is read ahead by a job of the owner, for HTTP clients whose reads must not be cancelled.

Nothing leaks: the job closes the response however it ends, and dropping the stream ends the job. Nothing
hangs: the reader waits on a buffer, so that a cancelled step loses nothing; a cancelled read would lose all.
"""

from __future__ import annotations

from collections import deque
from typing import Protocol

import anyio

from cursor_sdk_async._connect._seam import Head, Request, TransportFailure
from cursor_sdk_async.errors import CursorSDKError

__all__ = ["Http", "Opened", "Pump"]

#: How far the job may run ahead of the reader before it stops reading, so that the peer is slowed down.
AHEAD_BYTES = 1024 * 1024


class Opened(Protocol):
    """A response whose head has come."""

    head: Head

    async def read(self) -> bytes | None:
        """The next piece, perhaps empty; ``None`` at the end."""
        ...

    async def aclose(self) -> None:
        """Close it."""
        ...


class Http(Protocol):
    """An HTTP client."""

    async def open(self, url: str, request: Request, *, resend: bool) -> Opened:
        """Send a request and wait for the head of its answer; the seam says what is raised and resent."""
        ...

    async def aclose(self) -> None:
        """Close the client."""
        ...


class Pump:
    """One stream: the ``ByteStream`` of a lane."""

    def __init__(self) -> None:
        self._scope = anyio.CancelScope()
        self._chunks: deque[bytes] = deque()
        self._size = 0
        self._head: Head | None = None
        self._news = anyio.Event()
        self._room = anyio.Event()
        self._over = False
        self._failure: TransportFailure | CursorSDKError | None = None

    @property
    def head(self) -> Head:
        """Status and headers."""
        assert self._head is not None
        return self._head

    async def run(self, http: Http, url: str, request: Request) -> None:
        """The job: open, read until the end, close."""
        failure: TransportFailure | CursorSDKError | None = TransportFailure(
            "the connection was closed on this side", sent=True
        )
        try:
            with self._scope:
                opened = await http.open(url, request, resend=False)
                try:
                    self._head = opened.head
                    self._news.set()
                    await self._read(opened)
                finally:
                    await opened.aclose()
                failure = None
        except (TransportFailure, CursorSDKError) as error:
            failure = error
        finally:
            self._over, self._failure = True, failure
            self._news.set()

    async def _read(self, opened: Opened) -> None:
        while (data := await opened.read()) is not None:
            if data:
                self._chunks.append(data)
                self._size += len(data)
                self._news.set()
            while self._size > AHEAD_BYTES:
                self._room = anyio.Event()
                await self._room.wait()

    async def wait_head(self) -> None:
        """Wait until there is a head, or there will be none."""
        while self._head is None:
            if self._over:
                self._raise()
            await self._wait()

    async def receive(self) -> bytes:
        """As the seam says."""
        while not self._chunks:
            if self._over:
                self._raise()
                raise anyio.EndOfStream
            await self._wait()
        data = self._chunks.popleft()
        self._size -= len(data)
        if self._size <= AHEAD_BYTES:
            self._room.set()
        return data

    async def _wait(self) -> None:
        self._news = anyio.Event()
        await self._news.wait()

    def _raise(self) -> None:
        failure = self._failure
        if isinstance(failure, TransportFailure):
            # A fresh one: the job has met the other, and its traceback is the job's.
            raise TransportFailure(
                failure.reason, sent=failure.sent, timed_out=failure.timed_out, cause=failure.cause
            )
        if failure is not None:
            raise failure

    async def aclose(self) -> None:
        """As the seam says; the job closes the response."""
        self.drop()

    def drop(self) -> None:
        """As the seam says."""
        if not self._over:
            self._over = True
            self._failure = TransportFailure("the connection was closed on this side", sent=True)
        self._scope.cancel()
        self._news.set()
