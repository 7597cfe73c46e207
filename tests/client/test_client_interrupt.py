"""Ctrl-C in a terminal: one KeyboardInterrupt, an orderly end of the bridge, nothing left, soon."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.bridge.helpers import session

pytestmark = [pytest.mark.promise("CLT-39"), pytest.mark.slow, pytest.mark.timeout(120)]

ROOT = Path(__file__).parent.parent.parent
#: Makes the terminal on its stdin its own, and becomes the program.
IN_TERMINAL = (
    "import fcntl, os, sys, termios; os.setsid(); fcntl.ioctl(0, termios.TIOCSCTTY, 0); "
    "os.execv(sys.executable, [sys.executable, '-m', 'tests.client.interrupted', *sys.argv[1:]])"
)


@pytest.fixture
def terminal() -> Iterator[tuple[int, int]]:
    """Both ends of a pseudo-terminal."""
    ends = pty.openpty()
    yield ends
    for end in ends:
        os.close(end)


def processes_with(text: str) -> list[int]:
    """The processes that have this in their environment."""
    found: list[int] = []
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and text.encode() in (entry / "environ").read_bytes():
                found.append(int(entry.name))
        except OSError:
            continue  # gone, or not ours
    return found


@pytest.mark.parametrize("where", ["start", "call", "stream", "wait"])
@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_one_interrupt_ends_the_program(
    terminal: tuple[int, int], tmp_path: Path, backend: str, where: str
) -> None:
    keyboard, screen = terminal
    record = tmp_path / "stderr of the bridge"
    folder = tmp_path / "temporary"
    folder.mkdir()
    program = subprocess.Popen(
        [sys.executable, "-c", IN_TERMINAL, backend, where, str(record)],
        cwd=ROOT,
        env={**os.environ, "TMPDIR": str(folder), "PYTHONPATH": str(ROOT)},
        stdin=screen,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert program.stdout is not None
        line = program.stdout.readline()
        assert line.startswith("ready"), program.communicate()[1]
        os.write(keyboard, b"\x03")
        output, errors = program.communicate(timeout=30)
    finally:
        program.kill()
        program.wait()
    assert program.returncode == -signal.SIGINT, errors
    lines = errors.splitlines()
    assert (lines.count("KeyboardInterrupt"), lines[-1]) == (1, "KeyboardInterrupt"), errors
    assert lines[0].startswith("Traceback"), errors
    for word in ("Exception ignored", "never retrieved", "Warning", "was destroyed"):
        assert word not in errors
    assert "closed in order" not in output
    if where != "start":
        assert "Shutdown ok" in record.read_text()
        assert not session(int(line.split()[1]))
    end = time.monotonic() + 15  # one that was killed may need a moment to die
    while (left := processes_with(f"TMPDIR={folder}")) and time.monotonic() < end:
        time.sleep(0.05)
    assert not left
    assert not list(folder.iterdir())
