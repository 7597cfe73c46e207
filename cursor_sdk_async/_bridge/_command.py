"""The command line and the environment of the child (``docs/protocol.md``, "Flags and environment").

No secret ever stands in the command line, which everybody on the machine can read.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, TypedDict, cast

from cursor_sdk_async.errors import ConfigurationError

__all__ = [
    "GUARD_SCRIPT",
    "BridgeFlags",
    "SpawnCommand",
    "child_environment",
    "guarded",
    "local_store",
    "platform_options",
]

#: Not inherited unless named: they would change a node program that is not ours, or point it at another's
#: callbacks.
NOT_INHERITED = (
    "NODE_OPTIONS",
    "CURSOR_SDK_STORE_CALLBACK_URL",
    "CURSOR_SDK_STORE_CALLBACK_AUTH_TOKEN",
    "CURSOR_SDK_STORE_CALLBACK_TOKEN",
    "CURSOR_SDK_TOOL_CALLBACK_URL",
    "CURSOR_SDK_TOOL_CALLBACK_AUTH_TOKEN",
    "CURSOR_SDK_TOOL_CALLBACK_TOKEN",
)
_SECRET_NAME = re.compile(r"KEY$|TOKEN|SECRET|PASSW|CREDENTIAL", re.IGNORECASE)
_LOOPBACK = ("127.0.0.1", "localhost", "::1")

#: Leads the session of the bridge, and ends it when our process is gone: its stdin is a pipe whose other end
#: only we hold, and whose end therefore is our death, however it came. A line in the pipe is the pid of a
#: bridge that left the group. It passes on the launcher's exit status, and makes no noise of its own.
GUARD_SCRIPT = """\
exec 3<&0 </dev/null 4>&2 2>/dev/null
trap stop=1 TERM HUP INT QUIT
trap orphan=1 USR1
(
trap '' TERM HUP INT QUIT USR1
exec 4>&-
pid=
while read -r line; do pid=$line; done <&3
kill -USR1 $$
kill -TERM $pid 0
sleep 2
kill -KILL $pid 0
) &
watch=$!
if [ -n "$stop" ]; then status=143; else (exec "$@" 2>&4 3<&- 4>&-); status=$?; fi
exec 4>&-
[ -n "$orphan" ] || kill -KILL $watch
wait $watch
exit $status
"""
_SHELL = "/bin/sh"


@dataclass(frozen=True)
class BridgeFlags:
    """What is told to the bridge as flags.

    Attributes:
        workspace: The default directory of local agents, absolute.
        state_root: The directory of its durable state, absolute.
        host: The loopback address to listen on.
        port: The port to listen on.
        local_store: JSON of the default local store.
        max_concurrent_agents: Advertised only.
        max_message_bytes: Advertised only.
        verbose: One stderr line for each call.
    """

    workspace: str | None = None
    state_root: str | None = None
    host: str | None = None
    port: int | None = None
    local_store: str | None = None
    max_concurrent_agents: int | None = None
    max_message_bytes: int | None = None
    verbose: bool = False

    def __post_init__(self) -> None:
        if self.host is not None and self.host not in _LOOPBACK:
            raise ConfigurationError(
                f"host={self.host!r} is not a loopback address. Use one of {', '.join(_LOOPBACK)}."
            )
        if self.port is not None and not 0 <= self.port <= 65535:
            raise ConfigurationError(f"port={self.port!r} is not a port. Use 0 to 65535; 0 takes a free one.")
        for name in ("max_concurrent_agents", "max_message_bytes"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise ConfigurationError(f"{name}={value!r} is not a positive number.")

    def argv(self) -> list[str]:
        """The flags."""
        pairs: tuple[tuple[str, object], ...] = (
            ("--workspace", self.workspace),
            ("--state-root", self.state_root),
            ("--host", self.host),
            ("--port", self.port),
            ("--local-store", self.local_store),
            ("--max-concurrent-agents", self.max_concurrent_agents),
            ("--max-message-bytes", self.max_message_bytes),
        )
        flags = [word for flag, value in pairs if value is not None for word in (flag, str(value))]
        return [*flags, "--verbose"] if self.verbose else flags


@dataclass(frozen=True)
class SpawnCommand:
    """Everything that is needed to start the child.

    Attributes:
        argv: The launcher and its arguments.
        env: Its whole environment.
        cwd: Where it starts; ``None`` for our own directory.
        secrets: Values that are masked in what it writes.
        source: Where the launcher was found, for people.
    """

    argv: tuple[str, ...]
    env: Mapping[str, str] = field(repr=False)
    cwd: str | None = None
    secrets: tuple[str, ...] = field(default=(), repr=False)
    source: str = ""


def child_environment(
    parent: Mapping[str, str],
    env: Mapping[str, str | None] | None,
    inherit_env: bool | Collection[str],
    *,
    version: str,
) -> dict[str, str]:
    """The environment of the child.

    Args:
        parent: Our own.
        env: Added to it; ``None`` as a value takes a variable away.
        inherit_env: Whether our own is passed on, or the names that are.
        version: Our version, for the label that the service sees.
    """
    if isinstance(inherit_env, bool):
        child = (
            {name: value for name, value in parent.items() if name not in NOT_INHERITED}
            if inherit_env
            else {}
        )
    elif isinstance(inherit_env, str):
        raise ConfigurationError(
            "inherit_env is a single string. Give True, False, or a collection of names."
        )
    else:
        child = {name: parent[name] for name in inherit_env if name in parent}
    for name, value in (env or {}).items():
        _check_variable(name, value)
        if value is None:
            child.pop(name, None)
        else:
            child[name] = os.fspath(value)
    child.setdefault("CURSOR_SDK_CLIENT_LANGUAGE", "python")
    child.setdefault("CURSOR_SDK_PYTHON_VERSION", version)
    return child


def _check_variable(name: Any, value: Any) -> None:
    if not isinstance(name, str) or not name or "=" in name or "\0" in name:
        raise ConfigurationError(f"env= holds {name!r}, which cannot be the name of a variable.")
    if value is not None and not isinstance(value, (str, os.PathLike)):
        raise ConfigurationError(
            f"env[{name!r}] is of type {type(value).__name__}. Give a string, or None to take the variable "
            "away."
        )
    if isinstance(value, str) and "\0" in value:
        raise ConfigurationError(f"env[{name!r}] holds a null character.")


def secrets_of(env: Mapping[str, str]) -> tuple[str, ...]:
    """The values of an environment that look like secrets by their names."""
    return tuple(value for name, value in env.items() if _SECRET_NAME.search(name))


def local_store(local: Any) -> str | None:
    """The ``--local-store`` JSON of a ``LocalAgentOptions``, or of a mapping of the same shape.

    Raises:
        ConfigurationError: The store is not one that the bridge can keep by itself.
    """
    store = _attribute(local, "store")
    if store is None:
        return None
    kind, root = _attribute(store, "type"), _attribute(store, "root_dir", "rootDir")
    if kind not in ("sqlite", "jsonl"):
        raise ConfigurationError(
            f"local.store.type is {kind!r}; a bridge can be launched with 'sqlite' or 'jsonl'."
        )
    if kind == "jsonl" and not root:
        raise ConfigurationError("A local store of type 'jsonl' needs root_dir, the directory of its files.")
    return json.dumps({"type": kind, **({"rootDir": os.path.abspath(root)} if root else {})})


def _attribute(value: Any, *names: str) -> Any:
    """A field by any of its names, of an object or a mapping."""
    for name in names:
        if isinstance(value, Mapping):
            found: Any = cast("Mapping[str, Any]", value).get(name)
        else:
            found = getattr(value, name, None)
        if found is not None:
            return found
    return None


def guarded(argv: tuple[str, ...], platform: str = sys.platform) -> list[str] | None:
    """The command that runs ``argv`` under the guard; ``None`` where there is no shell to run it."""
    if platform == "win32" or not os.access(_SHELL, os.X_OK):
        return None
    return [_SHELL, "-c", GUARD_SCRIPT, "cursor-sdk-bridge-guard", *argv]


class PlatformOptions(TypedDict, total=False):
    """What ``Popen`` is told on one platform only."""

    start_new_session: bool
    creationflags: int


def platform_options(platform: str = sys.platform) -> PlatformOptions:
    """A session of its own on POSIX; no console window on Windows."""
    if platform == "win32":
        no_window = getattr(subprocess, "CREATE_NO_WINDOW", 0x08000000)
        new_group = getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0x00000200)
        return {"creationflags": no_window | new_group}
    return {"start_new_session": True}
