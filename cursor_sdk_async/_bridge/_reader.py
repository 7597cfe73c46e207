"""The stderr of a bridge that runs: to the log, to a callback, into the tail; and the ready line out of it.

The descriptor is closed when the reader ends. A callback, however slow, never holds up the reading: what it
cannot keep up with is dropped, and counted.
"""

from __future__ import annotations

import logging
import os
from collections import deque
from collections.abc import Awaitable, Callable, Iterable
from inspect import isawaitable
from typing import Any

import anyio

from cursor_sdk_async._bridge._discovery import parse_discovery_line
from cursor_sdk_async._bridge._stderr import StderrLine, StderrSplitter, Tail
from cursor_sdk_async._bridge._watch import wait_input
from cursor_sdk_async.errors import ProtocolError

__all__ = ["OnStderr", "StderrReader"]

logger = logging.getLogger("cursor_sdk_async.bridge")

OnStderr = Callable[[str], Awaitable[object] | object]

_CHUNK = 64 * 1024
#: Lines that wait for the callback; more push out the oldest.
_BACKLOG = 10_000
#: How much is read at the end of the process, when grandchildren may go on writing.
_DRAIN_CHUNKS = 1024


class StderrReader:
    """Reads one stderr pipe.

    Args:
        fd: The descriptor, not blocking; owned from now on.
        on_stderr: Called with each line but the ready line.
        secrets: Values to mask.
    """

    def __init__(self, fd: int, on_stderr: OnStderr | None, secrets: Iterable[str]) -> None:
        self._fd: int | None = fd
        self._on_stderr = on_stderr
        self._splitter = StderrSplitter(secrets)
        self._tail = Tail()
        self._backlog: deque[str] = deque(maxlen=_BACKLOG)
        self._dropped = 0
        self._news = anyio.Event()
        self._turn = anyio.Lock()
        self._complained = False
        self.on_ready: Callable[[Any], None] = lambda _: None

    @property
    def tail(self) -> tuple[str, ...]:
        """The last lines."""
        return self._tail.lines()

    def add_secret(self, secret: str) -> None:
        """Mask this value from now on."""
        self._splitter.add_secret(secret)

    async def read(self) -> None:
        """Read until the end of the pipe."""
        while self._fd is not None:
            data = await wait_input(self._fd, _CHUNK)
            if not data:
                return
            self._take(self._splitter.feed(data))

    def drain(self) -> None:
        """Take what is in the pipe now, without waiting, and the unfinished last line."""
        if os.name == "posix" and self._fd is not None:
            try:
                for _ in range(_DRAIN_CHUNKS):
                    data = os.read(self._fd, _CHUNK)
                    if not data:
                        break
                    self._take(self._splitter.feed(data))
            except BlockingIOError:
                pass
        self._take(self._splitter.close())

    def close(self) -> None:
        """Close the descriptor. From then on a bridge that still writes is ended by it."""
        fd, self._fd = self._fd, None
        if fd is not None:
            os.close(fd)

    def _take(self, lines: Iterable[StderrLine]) -> None:
        for text, ready in lines:
            if ready:
                self._take_ready(text)
                continue
            self._tail.add(text)
            logger.debug("%s", text)
            if self._on_stderr is not None:
                self._dropped += len(self._backlog) == _BACKLOG
                self._backlog.append(text)
        if self._backlog:
            self._news.set()

    def _take_ready(self, text: str) -> None:
        try:
            self.on_ready(parse_discovery_line(text))
        except ProtocolError as error:
            self.on_ready(error)

    async def dispatch(self) -> None:
        """Give the lines to the callback, one after the other, for ever."""
        while True:
            await self._news.wait()
            self._news = anyio.Event()
            await self.flush()

    async def flush(self) -> None:
        """Give the lines that wait to the callback."""
        async with self._turn:
            while self._backlog:
                if self._dropped:
                    logger.warning("on_stderr is too slow: %d lines were dropped", self._dropped)
                    self._dropped = 0
                await self._call(self._backlog.popleft())

    async def _call(self, line: str) -> None:
        assert self._on_stderr is not None
        try:
            answer = self._on_stderr(line)
            if isawaitable(answer):
                await answer
        except Exception:
            # A fault of the user's function must not end the reading; said once, since it may come at each
            # line.
            if not self._complained:
                self._complained = True
                logger.exception("on_stderr raised; further errors of it are not reported")
