"""Programs that use the shim, run as processes of their own: interrupted, ended, forked, searched."""

from __future__ import annotations

import fcntl
import os
import signal
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import IO
from uuid import uuid4

from typing_extensions import Self

ROOT = Path(__file__).parent.parent.parent
SECONDS = 30.0

PRELUDE = """
import json, logging, os, signal, sys, threading, time
logging.getLogger("asyncio").setLevel(logging.ERROR)  # a busy machine is slow
from cursor_sdk_sync import Agent, ClosedError, CursorClient, CursorSDKError, DefaultHttpxClient
from cursor_sdk_sync import Portal, SyncUsageError, close_default_client, warm_up
from cursor_sdk_async.testing import scripted_bridge_command
def say(*words):
    print(*words, flush=True)
def say_soon(*words):  # by then, what follows in the program waits
    threading.Timer(0.5, say, words).start()
def attach(**options):
    return CursorClient.connect(os.environ["URL"], os.environ["TOKEN"], api_key="key", **options)
def launch(**options):
    command = json.loads(os.environ["COMMAND"])
    return CursorClient.launch_bridge(command, api_key="key", **options)
def local(client):
    return client.agents.create(model="scripted", local={})
"""


def _take_terminal() -> None:
    """In the child, which leads a new session: its stdin becomes the terminal of that."""
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


def until(what: Callable[[], object], why: str = "") -> None:
    """Wait until something is true."""
    end = time.monotonic() + SECONDS
    while not what():
        assert time.monotonic() < end, f"waited in vain {why}"
        time.sleep(0.005)


class Program:
    """A process that runs ``source`` after the prelude, in a session of its own, warnings being errors.

    Args:
        source: What it runs.
        env: Variables that it gets beside ours.
        options: Of the interpreter.
        terminal: Whether the session has a terminal, in which Ctrl-C can be pressed.

    Attributes:
        code: Its return code, once it has ended.
        out: What it wrote to stdout.
        err: What it wrote to stderr.
    """

    def __init__(
        self, source: str, env: Mapping[str, str], *, options: tuple[str, ...] = (), terminal: bool = False
    ) -> None:
        self.mark = uuid4().hex
        self._keyboard: int | None = None
        line: int | None = None
        if terminal:
            self._keyboard, line = os.openpty()
        self.process = subprocess.Popen(
            [sys.executable, *(options or ("-X", "dev", "-W", "error")), "-c", PRELUDE + source],
            env={**os.environ, "PYTHONPATH": str(ROOT), **env, "SYNC_TEST_MARK": self.mark},
            stdin=line,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
            preexec_fn=_take_terminal if terminal else None,
        )
        if line is not None:
            os.close(line)
        self.code: int | None = None
        self.out = ""
        self.err = ""

    def line(self, wanted: str) -> None:
        """Wait until it has written a line."""
        pipe = self.process.stdout
        assert pipe is not None
        for line in pipe:
            self.out += line
            if line.rstrip("\n") == wanted:
                return
        self.end()
        raise AssertionError(f"it ended without saying {wanted!r}: {self.out}{self.err}")

    def interrupt(self) -> None:
        """Press Ctrl-C: the terminal sends SIGINT to the whole group in its foreground."""
        assert self._keyboard is not None
        os.write(self._keyboard, b"\x03")

    def end(self) -> Self:
        """Wait for its end."""
        out, self.err = self.process.communicate(timeout=SECONDS)
        self.out += out
        self.code = self.process.returncode
        return self

    def left(self) -> list[int]:
        """Processes that it has left behind."""
        return [pid for pid in map(int, filter(str.isdigit, os.listdir("/proc"))) if self._started(pid)]

    def _started(self, pid: int) -> bool:
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
            return state not in "ZX" and self.mark in Path(f"/proc/{pid}/environ").read_text()
        except (OSError, UnicodeDecodeError):
            return False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for pid in self.left():
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        self.process.wait()
        if self._keyboard is not None:
            os.close(self._keyboard)
        pipes: list[IO[str] | None] = [self.process.stdout, self.process.stderr]
        for pipe in pipes:
            if pipe is not None:
                pipe.close()
