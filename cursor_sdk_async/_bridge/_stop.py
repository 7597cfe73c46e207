"""Signals to the bridge's process tree, on each platform, and the time that each step of an ending may take.

Our end of the guard pipe never stays open in a forked child, or the guard would not notice our death. Nothing
here waits, except ``reap``, which is bounded.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from contextlib import suppress
from dataclasses import dataclass
from typing import Any
from weakref import WeakSet

__all__ = ["StopLimits", "Tree"]


@dataclass(frozen=True)
class StopLimits:
    """How long each step of an ending may take, in seconds; together at most 12.

    Attributes:
        farewell: The polite part that the client does: cancel runs, close streams, ask for the shutdown.
        exit: For the exit after a farewell; a bridge without open streams takes some 10 ms.
        term: After SIGTERM. Adapters of this bridge commonly use 5 s.
        unready_term: After SIGTERM, for one that never became ready and has nothing to save.
        kill: After SIGKILL, for the kernel.
    """

    farewell: float = 4.0
    exit: float = 1.0
    term: float = 5.0
    unready_term: float = 1.0
    kill: float = 2.0


#: The trees of this process.
_TREES: WeakSet[Tree] = WeakSet()


def _disown() -> None:
    """In a forked child: let go of the guard pipes, and forget the processes, which are not its children."""
    for tree in list(_TREES):
        tree.release()
        tree.process.returncode = tree.process.returncode or 0


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_disown)


class Tree:
    """The process that we started, and all that it started in its group.

    Args:
        process: The process: the guard on POSIX, which leads the group.
        guard: Our end of the guard pipe, ``None`` without a guard. Owned from now on.
        platform: As ``sys.platform``.
    """

    def __init__(
        self, process: subprocess.Popen[bytes], guard: int | None = None, platform: str = sys.platform
    ) -> None:
        self.process = process
        self._owner_pid = os.getpid()
        self._guard = guard
        self._windows = platform == "win32"
        self._job = _WindowsJob(process) if self._windows else None
        self._released = False
        self.outsider: int | None = None
        _TREES.add(self)

    @property
    def is_ours(self) -> bool:
        """False in a forked child, which must leave the tree alone."""
        return self._owner_pid == os.getpid()

    def adopt(self, pid: int | None) -> bool:
        """Whether the bridge itself is one of us; include it where it left the group.

        A pid from another name space could be anybody's here: outside the group, only a younger process
        counts.
        """
        if self._windows or pid is None or pid <= 1 or pid in (os.getpid(), self.process.pid):
            return False
        try:
            if os.getpgid(pid) == self.process.pid:
                return True
            if not _is_offspring(pid, self.process.pid):
                return False
        except OSError:
            return False
        self.outsider = pid
        if self._guard is not None:
            with suppress(OSError):
                os.write(self._guard, b"%d\n" % pid)
        return True

    def terminate(self) -> None:
        """Ask all of them to end; the stopped ones too, which cannot hear it before they go on."""
        if self._windows:
            self.kill()
        else:
            self._signal(signal.SIGTERM)
            self._signal(signal.SIGCONT)

    def kill(self) -> None:
        """End all of them."""
        if self._job is not None:
            self._job.terminate()
            with suppress(OSError):
                self.process.kill()
        else:
            self._signal(signal.SIGKILL)

    def _signal(self, number: int) -> None:
        if self._released or not self.is_ours:
            return
        # Until it is reaped, the leader's number cannot belong to another group; where the wait itself reaped
        # it, the kernel finds the rest of the group, or nothing.
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, number)
        if self.outsider is not None:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(self.outsider, number)

    def reap(self, limit: float) -> int | None:
        """Wait for the killed leader, blocking.

        Its return code, ``None`` when the kernel does not let it go.
        """
        if self.is_ours:
            with suppress(subprocess.TimeoutExpired):
                self.process.wait(limit)
        return self.process.returncode

    def release(self) -> None:
        """Let go of all of it. A guard that still runs takes this for our death."""
        self._released = True
        guard, self._guard = self._guard, None
        if guard is not None:
            with suppress(OSError):
                os.close(guard)
        if self._job is not None:
            self._job.close()


def _is_offspring(pid: int, of: int) -> bool:
    """Whether a process descends from another one, or may have before it was orphaned.

    Judged by ``/proc``.
    """
    if not os.path.isdir("/proc/self"):
        return True
    youngest = pid
    while youngest > 1:
        parent, _ = _parent_and_start(youngest)
        if parent == of:
            return True
        youngest = parent
    return (
        os.stat(f"/proc/{pid}").st_uid == os.getuid() and _parent_and_start(pid)[1] > _parent_and_start(of)[1]
    )


def _parent_and_start(pid: int) -> tuple[int, int]:
    """The parent of a process, and when it was started, in ticks."""
    with open(f"/proc/{pid}/stat", "rb") as file:
        fields = file.read().rpartition(b")")[2].split()
    return int(fields[1]), int(fields[19])


class _WindowsJob:
    """A job object that ends its processes when its last handle is closed, as it is when our process ends."""

    _KILL_ON_CLOSE = 0x2000
    _EXTENDED_LIMITS = 9

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        import ctypes

        self._kernel: Any = getattr(ctypes, "windll").kernel32  # noqa: B009 - absent from the stubs elsewhere
        self._handle: Any = self._kernel.CreateJobObjectW(None, None)
        # JOBOBJECT_EXTENDED_LIMIT_INFORMATION: LimitFlags is the third field, behind two 64-bit times.
        limits = (ctypes.c_byte * (144 if ctypes.sizeof(ctypes.c_void_p) == 8 else 112))()
        ctypes.c_uint32.from_buffer(limits, 16).value = self._KILL_ON_CLOSE
        self._kernel.SetInformationJobObject(self._handle, self._EXTENDED_LIMITS, limits, len(limits))
        self._kernel.AssignProcessToJobObject(self._handle, int(getattr(process, "_handle")))  # noqa: B009

    def terminate(self) -> None:
        if self._handle is not None:
            self._kernel.TerminateJobObject(self._handle, 1)

    def close(self) -> None:
        if self._handle is not None:
            handle, self._handle = self._handle, None
            self._kernel.CloseHandle(handle)
