"""What the tests of this room share: launching the child, and asking the kernel what is left."""

from __future__ import annotations

import json
import os
import sys
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import anyio

from cursor_sdk_async._lifecycle import Opening
from cursor_sdk_async.bridge import AsyncBridge

CHILD = Path(__file__).with_name("child.py")
COMMAND = [sys.executable, "-S", "-E", str(CHILD)]


def launch(
    plan: dict[str, Any] | None = None, *, wrapper: Path | None = None, **options: Any
) -> Opening[AsyncBridge]:
    """Launch the child with a plan."""
    env = {"CHILD": json.dumps(plan or {}), **options.pop("env", {})}
    return AsyncBridge.launch(str(wrapper) if wrapper else COMMAND, env=env, **options)


def write_wrapper(folder: Path, *, trap: bool = False) -> Path:
    """A launcher script that runs the child without exec, as the wheel's does."""
    wrapper = folder / "wrapper"
    command = " ".join(COMMAND)
    lines = [
        "#!/bin/sh",
        *(["trap : TERM"] if trap else []),
        f'{command} "$@"',
        *(["exit $?"] if trap else []),
    ]
    wrapper.write_text("\n".join([*lines, "exit $?"]) + "\n")
    wrapper.chmod(0o755)
    return wrapper


def is_running(pid: int) -> bool:
    """Whether a process exists and is no zombie."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] not in "ZX"


def session(sid: int) -> list[int]:
    """The running processes of a session."""
    found: list[int] = []
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                fields = Path(f"/proc/{entry}/stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if int(fields[3]) == sid and fields[0] not in "ZX":
                found.append(int(entry))
    return found


def children() -> set[int]:
    """Our children, zombies too."""
    listing = Path(f"/proc/self/task/{os.getpid()}/children").read_text()
    found = {int(pid) for pid in listing.split()}
    for task in os.listdir("/proc/self/task"):
        found |= {int(pid) for pid in Path(f"/proc/self/task/{task}/children").read_text().split()}
    return found


def descriptors() -> set[str]:
    """What our descriptors point to, but for the directory that is read here."""
    found: set[str] = set()
    for name in os.listdir("/proc/self/fd"):
        try:
            found.add(f"{name}:{os.readlink(f'/proc/self/fd/{name}')}")
        except OSError:
            continue
    return {item for item in found if "/proc/" not in item}


def token_folders(folder: Path) -> list[str]:
    """The token directories that were left behind."""
    return [entry.name for entry in folder.glob("cursor-sdk-bridge-*")]


async def until(condition: Callable[[], object], seconds: float = 30) -> None:
    """Wait until a condition about the world outside holds."""
    with anyio.fail_after(seconds):
        while not condition():
            await anyio.sleep(0.01)


async def gone(sid: int) -> None:
    """Wait until a session has no process; one that was killed may need a moment to die."""
    await until(lambda: not session(sid))


@contextmanager
def nothing_left(folder: Path) -> Generator[Callable[[], list[str]]]:
    """Compare processes, threads, descriptors and token folders with what was there before.

    Gives the difference.
    """
    before = (children(), descriptors(), set(threading.enumerate()))

    def left() -> list[str]:
        return [
            *(f"process {pid}" for pid in children() - before[0]),
            *(f"descriptor {fd}" for fd in descriptors() - before[1]),
            *(f"token folder {name}" for name in token_folders(folder)),
            *(f"thread {thread.name}" for thread in set(threading.enumerate()) - before[2]),
        ]

    yield left
    found = left()
    assert not found, found  # helpers show no comparison of their own
