"""Standard error of the process: diagnostics, floods, and the ready line in one piece or many."""

from __future__ import annotations

import os
import sys
import time
import traceback

from cursor_sdk_async.testing.faults import ProcessFaults

__all__ = ["flood", "line", "mistake", "write", "write_ready"]

STDERR = 2
READY = "cursor-sdk-bridge ready "
FRAGMENT_SECONDS = 0.002  # long enough that the pieces are read apart


def write(data: bytes, target: int = STDERR) -> None:
    """All bytes; blocks while the pipe is full; a closed pipe ends the process, as it does the real one."""
    view = memoryview(data)
    try:
        while view:
            view = view[os.write(target, view) :]
    except BrokenPipeError:
        os._exit(1)


def line(text: str) -> None:
    """One line."""
    write(f"{text}\n".encode())


def mistake(error: BaseException) -> None:
    """An error that should not be: in a script, or in this package."""
    line("scripted bridge: " + "".join(traceback.format_exception(type(error), error, error.__traceback__)))


def flood(size: int, text: str = "noise of the bridge", target: int = STDERR) -> None:
    """That many bytes, in numbered lines of a hundred bytes."""
    done = 0
    while done < size:
        count = min(640, (size - done + 99) // 100)
        lines = (f"{done + 100 * n:012d} {text}".ljust(99, ".")[:99] + "\n" for n in range(count))
        block = "".join(lines).encode()[: size - done]
        write(block if block.endswith(b"\n") else block[:-1] + b"\n", target)
        done += len(block)


def write_ready(ready: str, faults: ProcessFaults) -> None:
    """The ready line (its JSON is given), as the faults want it."""
    flood(faults.stderr_before)
    if faults.stderr_same_line:
        write(b"." * faults.stderr_same_line)
    text = READY + ready if faults.ready_line is None else faults.ready_line
    data = (text + ("\r\n" if faults.crlf else "\n")).encode()
    if faults.fragments:
        for start in range(0, len(data), faults.fragments):
            write(data[start : start + faults.fragments])
            time.sleep(FRAGMENT_SECONDS)
    else:
        write(data)
    flood(faults.stderr_after)
    sys.stdout.flush()
    flood(faults.stdout, "noise on stdout", target=1)
