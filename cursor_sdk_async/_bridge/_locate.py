"""Which bridge to launch, and whether it can be launched at all.

Nothing is started and nothing is changed here.
"""

from __future__ import annotations

import importlib.util
import json
import logging
import os
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from cursor_sdk_async._bridge._program import check_program, is_wheel_script
from cursor_sdk_async._settings import find_on_path, read_bridge_bin, read_cache_dir, read_use_remote_bridge
from cursor_sdk_async.errors import BridgeNotFoundError, ConfigurationError

__all__ = ["INSTALL_FOLDER", "Command", "Launcher", "locate"]

logger = logging.getLogger("cursor_sdk_async.bridge")

Command = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]

PROTOCOL = "sdk.v1"
#: Below the cache directory: one folder for each unpacked bridge, named by its version.
INSTALL_FOLDER = "bridge"
_NAME = "cursor-sdk-bridge"


@dataclass(frozen=True)
class Launcher:
    """A bridge that can be launched.

    Attributes:
        argv: The program and its own arguments; the bridge's flags are appended.
        source: Where it was found, for people.
        version: The version in its manifest, if it has one.
    """

    argv: tuple[str, ...]
    source: str
    version: str | None = None


def locate(
    command: Command | None = None, *, env: Mapping[str, str] | None = None, platform: str = sys.platform
) -> Launcher:
    """The first bridge that was chosen or can be found (``docs/bridge.md``, "Which bridge").

    Args:
        command: An explicit choice: a path, or an argument list.
        env: Read instead of the environment of this process.
        platform: As ``sys.platform``.

    Raises:
        BridgeNotFoundError: The chosen one cannot be launched, or there is none.
    """
    launcher = _locate(command, env, platform)
    logger.debug(
        "bridge: %s, from %s (version %s)", launcher.argv[0], launcher.source, launcher.version or "unknown"
    )
    return launcher


def _locate(command: Command | None, env: Mapping[str, str] | None, platform: str) -> Launcher:
    if command is not None:
        return _chosen(command, env, platform)
    variable = read_bridge_bin(env)
    if variable is not None:
        return _file(Path(variable).expanduser(), "CURSOR_SDK_BRIDGE_BIN", platform)
    if not read_use_remote_bridge(env):
        bundled = _wheel_launcher(platform)
        if bundled is not None:
            return _file(bundled, "the installed cursor-sdk wheel", platform)
    unpacked = _unpacked_launcher(env, platform)
    if unpacked is not None:
        return _file(unpacked, "our own installed bridges", platform)
    for path in _on_path(env, platform):
        if os.access(path, os.X_OK) and not is_wheel_script(path):
            return _file(path, "PATH", platform)
    raise BridgeNotFoundError(
        "No cursor-sdk-bridge was found: not in an installed cursor-sdk wheel, not among our own installed "
        "bridges, "
        "not on PATH. Install one with: pip install 'cursor-sdk-async[bridge]'; or give its path as "
        "command= or in "
        "CURSOR_SDK_BRIDGE_BIN.",
        code="bridge_not_found",
    )


def _chosen(command: Command, env: Mapping[str, str] | None, platform: str) -> Launcher:
    if isinstance(command, (str, os.PathLike)):
        return _file(_program(os.fspath(command), env), "the argument command", platform)
    argv = tuple(os.fspath(part) for part in command)
    if not argv:
        raise ConfigurationError(
            "command= is an empty list. Give a path or an argument list, or leave it out."
        )
    program = _program(argv[0], env)
    if program.name.startswith(_NAME):
        found = _file(program, "the argument command", platform)
        return Launcher((*found.argv, *argv[1:]), found.source, found.version)
    # Links stay as they are: the python of a virtual environment is one, and finds its packages through it.
    check_program(program, env=env, platform=platform)
    return Launcher((os.path.abspath(program), *argv[1:]), "the argument command")


def _program(name: str, env: Mapping[str, str] | None) -> Path:
    """A path as it is; a bare word is looked up on ``PATH`` when no such file is here."""
    path = Path(name).expanduser()
    if path.parent == Path() and os.sep not in name and not path.exists():
        return next((found for found in find_on_path(name, env) if os.access(found, os.X_OK)), path)
    return path


def _file(path: Path, source: str, platform: str) -> Launcher:
    """A launcher file, with its links resolved.

    A symbolic link to the wheel's launcher cannot find its runtime.
    """
    try:
        resolved = path.resolve(strict=True)
    except (OSError, RuntimeError) as error:
        raise BridgeNotFoundError(
            f"There is no bridge at {path} (from {source}). Correct the path, or leave it out to search.",
            path=str(path),
            code="bridge_not_found",
            cause=error,
        ) from error
    manifest = _manifest(resolved)
    _check_manifest(manifest, resolved)
    if platform == "win32" and resolved.suffix.lower() in (".cmd", ".bat"):
        return Launcher(_unwrapped(resolved), source, _version(manifest))
    check_program(resolved, platform=platform)
    runtime = resolved.parent / "node"
    if runtime.exists():
        check_program(runtime, platform=platform, part="the runtime of the bridge")
    return Launcher((str(resolved),), source, _version(manifest))


def _unwrapped(shim: Path) -> tuple[str, ...]:
    """What a Windows command file would start.

    It cannot be started itself without a shell and its quoting.
    """
    runtime = shim.parent / "node.exe"
    script = shim.parent.parent / "dist" / "bin" / f"{_NAME}.js"
    if runtime.is_file() and script.is_file():
        return (str(runtime), str(script))
    raise BridgeNotFoundError(
        f"{shim} is a command file, which cannot be launched directly, and the program it starts is not "
        "beside it. "
        "Give that program and its arguments as a list: command=[...].",
        path=str(shim),
        code="bridge_not_found",
    )


def _manifest(launcher: Path) -> Mapping[str, Any]:
    """The manifest beside a launcher; empty when there is none, as for a launcher that somebody wrote."""
    for folder in (launcher.parent.parent, launcher.parent):
        try:
            content: object = json.loads((folder / "manifest.json").read_text("utf-8"))
        except (OSError, ValueError):
            continue
        if isinstance(content, dict) and "protocol" in content:
            return cast("Mapping[str, Any]", content)
    return {}


def _check_manifest(manifest: Mapping[str, Any], launcher: Path) -> None:
    protocol = manifest.get("protocol", PROTOCOL)
    if protocol != PROTOCOL:
        raise BridgeNotFoundError(
            f"The bridge at {launcher} speaks {protocol!r}; this package speaks {PROTOCOL!r}. "
            "Install a bridge and a package that belong together.",
            path=str(launcher),
            code="bridge_protocol",
        )


def _version(manifest: Mapping[str, Any]) -> str | None:
    version = manifest.get("bridgeVersion")
    return version if isinstance(version, str) else None


def _file_name(platform: str, suffix: str) -> str:
    return _NAME + suffix if platform == "win32" else _NAME


def _wheel_launcher(platform: str) -> Path | None:
    try:
        spec = importlib.util.find_spec("cursor_sdk")  # finds it without importing it
    except (ImportError, ValueError):
        return None
    for folder in (spec.submodule_search_locations or ()) if spec is not None else ():
        launcher = Path(folder) / "_vendor" / "bridge" / "bin" / _file_name(platform, ".cmd")
        if launcher.is_file():
            return launcher
    return None


def _unpacked_launcher(env: Mapping[str, str] | None, platform: str) -> Path | None:
    """The newest of the bridges that we unpacked."""
    cache = read_cache_dir(env)
    if cache is None:
        return None
    found = (cache / INSTALL_FOLDER).glob(f"*/bin/{_file_name(platform, '.exe')}")
    return max(found, key=lambda path: _version_key(path.parent.parent.name), default=None)


def _version_key(name: str) -> tuple[tuple[int, ...], str]:
    return tuple(int(number) for number in re.findall(r"\d+", name.split("-")[0])), name


def _on_path(env: Mapping[str, str] | None, platform: str) -> list[Path]:
    if platform != "win32":
        return find_on_path(_NAME, env)
    return [*find_on_path(f"{_NAME}.exe", env), *find_on_path(f"{_NAME}.cmd", env)]
