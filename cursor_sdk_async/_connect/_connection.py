"""One loopback connection, and the few that are kept for the next call.

Nothing leaks: a connection is in the pool, which a job of the owner empties, or held by one exchange that
closes it however it ends. Nothing hangs: connecting is bounded, and the end of the bridge wakes readers.
"""

from __future__ import annotations

import errno
import os
import select
import socket
from contextlib import suppress

import anyio
import anyio.lowlevel

from cursor_sdk_async._connect._seam import OwnerSource, TransportFailure
from cursor_sdk_async._connect._url import Target
from cursor_sdk_async.errors import ClosedError

__all__ = ["Connection", "Pool"]

#: A listener on this machine answers at once, unless its queue is full and the kernel tries again (1 s, 3 s).
CONNECT_SECONDS = 10.0
#: The bridge closes a connection that has idled for 5 s (docs/protocol.md, "Transport").
KEEP_SECONDS = 4.0
#: After so short a pause the bridge cannot have closed it: safe even for a call that must not be repeated.
FRESH_SECONDS = 1.0
#: More than these are closed when they come back.
KEEP_COUNT = 32
_READ_BYTES = 256 * 1024
#: So many reads in a row may take what is there already before other tasks have their turn.
_READS_IN_A_ROW = 8
_CONNECTING = (errno.EINPROGRESS, errno.EWOULDBLOCK, errno.EALREADY)


class Connection:
    """A connection to the bridge that carries one exchange at a time.

    A plain socket that is waited for costs half of what a stream object of anyio does, for each read.

    Args:
        sock: A connected socket that does not block.

    Attributes:
        reused: Whether it has carried an exchange before.
        idle_since: When it came back into the pool.
    """

    __slots__ = ("_left", "_sock", "idle_since", "reused")

    def __init__(self, sock: socket.socket) -> None:
        self._sock = sock
        self._left = 0  # how many reads may go without a wait
        self.reused = False
        self.idle_since = 0.0

    @classmethod
    async def open(cls, host: str, port: int) -> Connection:
        """Connect.

        Raises:
            OSError: Nobody answers there.
        """
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        sock = socket.socket(family, socket.SOCK_STREAM)
        try:
            sock.setblocking(False)
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            error = sock.connect_ex((host, port))
            if error in _CONNECTING:
                await anyio.wait_writable(sock)
                error = sock.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
            if error:
                raise OSError(error, os.strerror(error))
        except BaseException:
            sock.close()
            raise
        return cls(sock)

    async def send(self, data: bytes) -> None:
        """Send all of it.

        Raises:
            TransportFailure: The connection is gone.
        """
        left = memoryview(data)
        try:
            while left:
                try:
                    left = left[self._sock.send(left) :]
                except (BlockingIOError, InterruptedError):
                    await anyio.wait_writable(self._sock)
            return
        except (OSError, ValueError, anyio.ClosedResourceError) as error:
            failure = _failure(error, "the connection was lost while the request was sent")
        raise failure  # outside the handler: what the socket layer knows of the request must not be chained

    async def receive(self) -> bytes:
        """The next bytes; none at the end. A cancelled call loses nothing.

        Raises:
            TransportFailure: The connection is gone.
        """
        try:
            while True:
                if self._left == 0:  # nothing is there, as far as is known; and others have their turn
                    await anyio.wait_readable(self._sock)
                    self._left = _READS_IN_A_ROW
                try:
                    data = self._sock.recv(_READ_BYTES)
                except (BlockingIOError, InterruptedError):
                    self._left = 0
                    continue
                self._left = self._left - 1 if len(data) == _READ_BYTES else 0
                return data
        except (OSError, ValueError, anyio.ClosedResourceError) as error:
            failure = _failure(error, "the connection was lost")
        raise failure

    @property
    def quiet(self) -> bool:
        """Whether nothing has arrived while it idled: an end or stray bytes make it useless."""
        try:
            return not _readable(self._sock)
        except (OSError, ValueError):
            return False

    def drop(self) -> None:
        """Break it at once, from any thread; ``close`` still has to follow, or the garbage collector."""
        with suppress(OSError):
            self._sock.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Close it; a read that waits for it ends. To be called in its loop."""
        if self._sock.fileno() >= 0:
            anyio.notify_closing(self._sock)
            self._sock.close()

    def __del__(self) -> None:
        self._sock.close()


class Pool:
    """The connections to one bridge that wait for the next call.

    Args:
        target: Where the bridge is.
        owner: Gives the task that closes them in time; without one they wait for the next call, too.
    """

    def __init__(self, target: Target, owner: OwnerSource | None = None) -> None:
        self._target = target
        self._owner = owner
        self._emptying = False
        self._idle: list[Connection] = []
        self._loop: object = None
        self._closed = False

    async def take(self, longest_pause: float) -> Connection:
        """A connection that has idled no longer than that, or a new one.

        Raises:
            TransportFailure: The bridge cannot be reached.
        """
        self._enter_loop()
        while self._idle:
            connection = self._idle.pop()
            pause = anyio.current_time() - connection.idle_since
            if pause <= min(longest_pause, KEEP_SECONDS) and connection.quiet:
                return connection
            if pause <= KEEP_SECONDS and connection.quiet:
                self._idle.append(connection)  # it will do for a read
                break
            connection.close()
        return await self.connect()

    async def connect(self) -> Connection:
        """A new connection.

        Raises:
            TransportFailure: The bridge cannot be reached.
        """
        failure = TransportFailure("there is no address to connect to", sent=False)
        for address in self._target.addresses:
            try:
                with anyio.fail_after(CONNECT_SECONDS):
                    return await Connection.open(address, self._target.port)
            except TimeoutError:
                reason = f"connecting to {self._target.authority} took longer than {CONNECT_SECONDS:g} s"
                failure = TransportFailure(reason, sent=False, timed_out=True)
            except OSError as error:
                failure = _failure(error, f"{self._target.authority} cannot be reached", sent=False)
        raise failure

    async def give_back(self, connection: Connection) -> None:
        """Keep a connection whose exchange is over and left nothing behind."""
        self._enter_loop()
        if self._closed or len(self._idle) >= KEEP_COUNT or not self._will_be_emptied():
            connection.close()
            return
        connection.reused = True
        connection.idle_since = anyio.current_time()
        self._idle.append(connection)

    async def aclose(self) -> None:
        """Close what is idle, and what comes back later."""
        self._closed = True
        self._enter_loop()
        await self._close_all()

    def _will_be_emptied(self) -> bool:
        """See to it that nothing stays here for long."""
        if self._owner is not None and not self._emptying:
            try:
                self._owner().post(self._empty)
            except ClosedError:
                return False
            self._emptying = True
        return True

    async def _empty(self) -> None:
        """The job that closes each connection in time, and all of them when the owner or its loop ends."""
        loop = self._loop
        try:
            while self._idle and self._loop == loop:
                left = self._idle[0].idle_since + KEEP_SECONDS - anyio.current_time()
                if left > 0:
                    await anyio.sleep(left)
                else:
                    self._idle.pop(0).close()
        finally:
            if self._loop == loop:
                self._emptying = False
                with anyio.CancelScope(shield=True):  # closing does not wait for anything
                    await self._close_all()

    async def _close_all(self) -> None:
        while self._idle:
            self._idle.pop().close()

    def _enter_loop(self) -> None:
        """Forget connections of another event loop, which only that one could close."""
        loop = anyio.lowlevel.current_token()
        if loop != self._loop:  # equal, not identical: anyio makes a new token each time
            for connection in self._idle:
                connection.drop()
            self._idle.clear()
            self._emptying = False
            self._loop = loop


def _readable(raw: socket.socket) -> bool:
    if hasattr(select, "poll"):  # select() cannot watch descriptors from 1024 on
        poll = select.poll()
        poll.register(raw.fileno(), select.POLLIN)
        return bool(poll.poll(0))
    return bool(select.select([raw], [], [], 0)[0])


def _failure(error: BaseException, what: str, *, sent: bool = True) -> TransportFailure:
    """The one place where errors of the socket layer become ours."""
    system = error if isinstance(error, OSError) else error.__cause__
    if isinstance(system, OSError) and system.errno is not None:
        name = errno.errorcode.get(system.errno, str(system.errno))
        cause = OSError(system.errno, system.strerror or name)
        return TransportFailure(f"{what} ({system.strerror or name})", sent=sent, cause=cause)
    return TransportFailure(what, sent=sent)
