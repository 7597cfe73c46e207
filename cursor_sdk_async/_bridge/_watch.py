"""Waiting for the end of processes, and for bytes in a pipe, without polling where the system allows it.

No descriptor outlives its wait. A wait that is cancelled ends at once; where a worker thread does the
waiting, that thread ends with the process.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import anyio
import anyio.to_thread

__all__ = ["Exit", "first", "open_pidfd", "wait_exit", "wait_gone", "wait_input"]

_POLL_SECONDS = 0.05
_SHELL_SIGNAL = 128


@dataclass(frozen=True)
class Exit:
    """How a process ended.

    Attributes:
        exit_code: Its exit code, ``None`` when a signal ended it or the status was lost.
        signal: The signal that ended it, ``None`` if none did.
    """

    exit_code: int | None = None
    signal: int | None = None

    @classmethod
    def from_returncode(cls, code: int | None) -> Exit:
        """Of a return code as ``Popen`` gives it; a shell reports signal n as 128 + n."""
        if code is None:
            return cls()
        number = -code if code < 0 else code - _SHELL_SIGNAL
        if sys.platform != "win32" and number > 0 and number in set(signal.valid_signals()):
            return cls(signal=int(number))
        return cls(exit_code=code)

    def __str__(self) -> str:
        if self.signal is not None:
            return f"was ended by {_signal_name(self.signal)}"
        return "ended" if self.exit_code is None else f"exited with code {self.exit_code}"


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


async def first(*waits: Callable[[], Awaitable[object]]) -> None:
    """Wait until the first of these returns."""
    async with anyio.create_task_group() as group:

        async def one(wait: Callable[[], Awaitable[object]]) -> None:
            await wait()
            group.cancel_scope.cancel()

        for wait in waits:
            group.start_soon(one, wait)


def open_pidfd(pid: int) -> int | None:
    """A descriptor that becomes readable when the process ends; ``None`` where there is no such thing."""
    if sys.platform != "linux":
        return None
    try:
        return os.pidfd_open(pid)
    except OSError:  # an old kernel, a sandbox, or it is gone
        return None


async def wait_exit(process: subprocess.Popen[bytes]) -> Exit:
    """Wait until our child has ended; it stays a zombie, if possible, so that its group keeps its number."""
    pidfd = open_pidfd(process.pid)
    if pidfd is None:
        limiter = anyio.CapacityLimiter(1)
        await anyio.to_thread.run_sync(process.wait, limiter=limiter, abandon_on_cancel=True)
        return Exit.from_returncode(process.returncode)
    try:
        await anyio.wait_readable(pidfd)
    finally:
        os.close(pidfd)
    return peek_exit(process)


def peek_exit(process: subprocess.Popen[bytes]) -> Exit:
    """The exit status of a child that has ended, without reaping it."""
    if process.returncode is None and sys.platform == "linux":
        try:
            found = os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG)
        except ChildProcessError:
            return Exit()  # somebody else reaped it, and has its status
        if found is not None:
            ended = found.si_code == os.CLD_EXITED
            return Exit.from_returncode(found.si_status if ended else -found.si_status)
    return Exit.from_returncode(process.returncode)


async def wait_gone(pid: int, pidfd: int | None) -> None:
    """Wait until a process that is no child of ours is gone."""
    if pidfd is not None:
        await anyio.wait_readable(pidfd)
        return
    while True:
        try:
            os.kill(pid, 0)
        except OSError:
            return
        await anyio.sleep(_POLL_SECONDS)


async def wait_input(fd: int, size: int, platform: str = sys.platform) -> bytes:
    """The next bytes of a pipe, empty at its end."""
    if platform == "win32":  # its pipes cannot be waited for
        return await anyio.to_thread.run_sync(
            os.read, fd, size, limiter=anyio.CapacityLimiter(1), abandon_on_cancel=True
        )
    while True:
        await anyio.wait_readable(fd)
        try:
            return os.read(fd, size)
        except BlockingIOError:
            continue
