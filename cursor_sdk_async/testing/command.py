"""The command line that starts the scripted bridge."""

from __future__ import annotations

import shlex
import stat
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cursor_sdk_async.testing.faults import Faults
    from cursor_sdk_async.testing.script import Script

__all__ = ["scripted_bridge_command", "write_launcher"]

# Linux takes no longer argument than 128 KiB.
LONGEST = 120_000


def scripted_bridge_command(
    script: Script | None = None, faults: Faults | None = None, *, state_file: str | Path | None = None
) -> list[str]:
    """The command that starts a scripted bridge, for ``AsyncClient.launch_bridge``.

    It works in any directory, and no file of that directory can change what it runs.

    Args:
        script: What its agent does; by default it answers pleasantly.
        faults: What goes wrong.
        state_file: Agents and runs are kept in this file, so that a bridge started later knows them.

    Raises:
        ValueError: The script is longer than a command line may be; ``Fill`` and ``Burst`` make large texts.
    """
    command = [sys.executable, str(Path(__file__).with_name("bridge.py"))]
    for flag, value in (("--script", script), ("--faults", faults)):
        if value is not None:
            text = value.to_json()
            if len(text) > LONGEST:
                raise ValueError(f"{flag[2:]} of {len(text)} bytes: a command line takes {LONGEST}")
            command += [flag, text]
    if state_file is not None:
        command += ["--state-file", str(state_file)]
    return command


def write_launcher(
    path: str | Path, command: list[str], *, replace: bool = False, trap: bool = False
) -> Path:
    """Write an executable shell script that starts the command, as the real bridge's launcher does.

    Args:
        path: Where; the file is overwritten.
        command: From :func:`scripted_bridge_command`.
        replace: The shell replaces itself (``exec``) instead of starting a child.
        trap: The shell ignores SIGTERM.
    """
    line = f'{shlex.join(command)} "$@"'
    lines = ["#!/bin/sh"]
    if trap:
        lines.append("trap : TERM")  # with '' the child would ignore it too
    lines += [f"exec {line}"] if replace else [line, "exit $?"]
    made = Path(path)
    made.write_text("\n".join(lines) + "\n")
    made.chmod(made.stat().st_mode | stat.S_IXUSR)
    return made
