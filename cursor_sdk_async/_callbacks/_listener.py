"""The listener that the bridge calls back into: the one file that binds a socket.

Nothing leaks: listening socket and connections are closed when ``serve`` ends, in whichever way, and in
forked children at once. Nothing hangs: connections that are slow or idle are dropped by ``Limits``. One that
fails, or cannot be accepted, does not touch the others.
"""

from __future__ import annotations

import logging
import os
import socket
from collections.abc import Mapping
from weakref import WeakSet

import anyio
import anyio.abc

from cursor_sdk_async._callbacks._exchange import Connection, Limits
from cursor_sdk_async._callbacks._routes import Route, Routes
from cursor_sdk_async.errors import ConfigurationError

__all__ = ["BACKLOG", "Listener"]

logger = logging.getLogger("cursor_sdk_async.tools")

#: A bridge may begin hundreds of calls at once; where it is full, the kernel drops them for a second.
BACKLOG = 2048
#: How many connections are accepted before others get a turn.
BATCH = 64
#: After the process ran out of descriptors.
EXHAUSTED_SECONDS = 0.1

_LISTENERS: WeakSet[Listener] = WeakSet()


def _disown() -> None:
    """In a forked child: let go of the sockets, which would keep port and callers waiting for nobody."""
    for listener in list(_LISTENERS):
        listener.close()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_disown)


class Listener:
    """Listens from its making on; answers while ``serve`` runs.

    Args:
        routes: What can be called, by path.
        host: A literal loopback address.
        port: The port; 0 for a free one.
        limits: The bounds of each connection.

    Attributes:
        host: The address.
        port: The port that it got.
        connections: Those that are open.

    Raises:
        ConfigurationError: The address is not a loopback one, or cannot be had.
    """

    def __init__(
        self,
        routes: Mapping[str, Route],
        *,
        host: str = "127.0.0.1",
        port: int = 0,
        limits: Limits | None = None,
    ) -> None:
        self._limits = limits or Limits()
        self._socket = _bound(host, port)
        self.host = host
        self.port: int = self._socket.getsockname()[1]
        names = (self.authority, f"localhost:{self.port}")
        self._routes = Routes(routes, names)
        self.connections: set[Connection] = set()
        _LISTENERS.add(self)

    @property
    def authority(self) -> str:
        """Host and port, as they stand in a URL."""
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"

    @property
    def url(self) -> str:
        """Its base URL, ending in a slash."""
        return f"http://{self.authority}/"

    @property
    def closed(self) -> bool:
        """Whether it has stopped listening."""
        return self._socket.fileno() < 0

    async def serve(self) -> None:
        """Answer until cancelled."""
        try:
            async with anyio.create_task_group() as group:
                group.start_soon(self._look_after)
                await self._accept(group)
        finally:
            self.close()

    def close(self) -> None:
        """Close everything at once; for when ``serve`` does not run, or is over."""
        self._socket.close()
        for connection in list(self.connections):
            connection.close()  # also those whose task was cancelled before its first step
        self.connections.clear()

    async def _accept(self, group: anyio.abc.TaskGroup) -> None:
        while True:
            await anyio.wait_readable(self._socket)
            for _ in range(BATCH):
                try:
                    accepted, _ = self._socket.accept()
                except (BlockingIOError, InterruptedError, ConnectionAbortedError):
                    break
                except OSError as error:
                    logger.warning("a call of the bridge has to wait: %s", error)
                    await anyio.sleep(EXHAUSTED_SECONDS)
                    break
                # No await until the connection is in the set, from which close() takes it.
                accepted.setblocking(False)
                connection = Connection(accepted, self._routes, self._limits)
                self.connections.add(connection)
                group.start_soon(self._connection, connection)

    async def _connection(self, connection: Connection) -> None:
        try:
            await connection.run()
        finally:
            self.connections.discard(connection)

    async def _look_after(self) -> None:
        """Drop connections that are past their deadline."""
        limits = self._limits
        pause = min(limits.request, limits.idle, limits.write) / 4
        while True:
            await anyio.sleep(pause)
            now = anyio.current_time()
            for connection in list(self.connections):
                if connection.deadline <= now:
                    connection.drop()


def _bound(host: str, port: int) -> socket.socket:
    if host not in ("127.0.0.1", "::1"):
        raise ConfigurationError(
            f"host={host!r}: callbacks are served on a literal loopback address only. Leave it out, or use "
            "'127.0.0.1' or '::1'.",
            code="callback_host",
            is_safe_to_retry=True,
        )
    number: object = port
    if isinstance(number, bool) or not isinstance(number, int) or not 0 <= number <= 65535:
        raise ConfigurationError(
            f"port={port!r} is not a port number; leave it out to get a free one.",
            code="callback_port",
            is_safe_to_retry=True,
        )
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        listening = socket.create_server((host, port), family=family, backlog=BACKLOG)
    except OSError as error:
        raise ConfigurationError(
            f"The callback server could not listen on {host}, port {port}: {error}. Leave the port out to "
            "get a free one.",
            code="callback_port",
            is_safe_to_retry=True,
            cause=error,
        ) from error
    listening.setblocking(False)
    return listening
