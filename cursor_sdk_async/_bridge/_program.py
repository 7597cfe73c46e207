"""Whether a file can be started on this machine, judged by reading it.

The answer is an error that names the file and the remedy, where the kernel would only say "not found".
"""

from __future__ import annotations

import os
import platform as machine_facts
import shlex
import sys
from collections.abc import Mapping
from pathlib import Path

from cursor_sdk_async._settings import find_on_path
from cursor_sdk_async.errors import BridgeNotFoundError

__all__ = ["check_program", "is_wheel_script"]

#: Machine numbers in the header of an ELF file, by the names that ``platform.machine()`` gives.
_ELF_MACHINES = {
    "x86_64": 62,
    "amd64": 62,
    "aarch64": 183,
    "arm64": 183,
    "i386": 3,
    "i686": 3,
    "armv7l": 40,
    "riscv64": 243,
    "ppc64le": 21,
    "s390x": 22,
}
_MACH_O = (
    b"\xfe\xed\xfa\xcf",
    b"\xcf\xfa\xed\xfe",
    b"\xca\xfe\xba\xbe",
    b"\xfe\xed\xfa\xce",
    b"\xce\xfa\xed\xfe",
)
_HEAD = 4096
#: Console scripts are small; the bridge's own programs are not.
_SCRIPT_LIMIT = 256 * 1024


def check_program(
    path: Path,
    *,
    env: Mapping[str, str] | None = None,
    platform: str = sys.platform,
    machine: str | None = None,
    part: str = "the bridge",
) -> None:
    """Refuse a file that cannot be started here.

    Raises:
        BridgeNotFoundError: It is missing, no file, not executable, for another system, or its interpreter is
            missing.
    """
    if not path.exists():
        raise _refusal(path, part, "does not exist", "Correct the path, or reinstall the bridge.")
    if not path.is_file():
        raise _refusal(path, part, "is not a file", "Give the path of the launcher itself.")
    if platform == "win32":
        return
    if not os.access(path, os.X_OK):
        raise _refusal(
            path,
            part,
            "is not executable for this user",
            f"Reinstall it, or run: chmod +x {shlex.quote(str(path))}. This package never changes "
            "permissions.",
        )
    try:
        with path.open("rb") as file:
            head = file.read(_HEAD)
    except OSError:
        return  # executable but not readable: the kernel will judge
    if head.startswith(b"#!"):
        _check_interpreter(path, part, head, env)
    else:
        _check_binary(path, part, head, platform, machine or machine_facts.machine())


def _check_interpreter(path: Path, part: str, head: bytes, env: Mapping[str, str] | None) -> None:
    words = head[2:].split(b"\n", 1)[0].decode("utf-8", "replace").split()
    if not words:
        raise _refusal(path, part, "names no interpreter in its first line", "Reinstall it.")
    interpreter = Path(words[0].rstrip("\r"))
    missing = not os.access(interpreter, os.X_OK)
    name = str(interpreter)
    if not missing and interpreter.name == "env":
        named = next((word for word in words[1:] if not word.startswith("-") and "=" not in word), "")
        if named:
            name = named
            missing = not any(os.access(found, os.X_OK) for found in find_on_path(named, env)) and not (
                os.sep in named and os.access(named, os.X_OK)
            )
    if missing:
        raise _refusal(
            path,
            part,
            f"is a script for {name}, which is not installed",
            "Install that, or use another bridge.",
        )


def _check_binary(path: Path, part: str, head: bytes, platform: str, machine: str) -> None:
    wrong: str | None = None
    if head.startswith(b"\x7fELF"):
        order = "big" if head[5:6] == b"\x02" else "little"
        number = int.from_bytes(head[18:20], order)  # type: ignore[arg-type]
        known = _ELF_MACHINES.get(machine.lower())
        if platform == "darwin":
            wrong = "is a Linux program"
        elif known is not None and number != known:
            wrong = f"is a program for another processor than this {machine}"
    elif head.startswith(_MACH_O):
        wrong = None if platform == "darwin" else "is a macOS program"
    elif head.startswith(b"MZ"):
        wrong = "is a Windows program"
    else:
        wrong = "is neither a program nor a script with an interpreter in its first line"
    if wrong is not None:
        raise _refusal(path, part, wrong, f"Install the bridge for {platform} on {machine}.")


def _refusal(path: Path, part: str, what: str, remedy: str) -> BridgeNotFoundError:
    return BridgeNotFoundError(
        f"Cannot launch {part}: {path} {what}. {remedy}", path=str(path), code="bridge_not_launchable"
    )


def is_wheel_script(path: Path) -> bool:
    """Whether a file on ``PATH`` is a console script that only starts the copy inside a wheel."""
    try:
        if path.stat().st_size > _SCRIPT_LIMIT:
            return False
        content = path.read_bytes()
    except OSError:
        return False
    script = content.startswith((b"#!", b"MZ", b"PK"))
    return script and b"import" in content and b"cursor_sdk" in content
