"""The command line of the bridge: flags, their environment variables, and the refusals.

Facts: docs/protocol.md, "Command line and environment". Flags of the scripted bridge only: ``--script``,
``--faults`` (JSON, or ``@`` and a file name) and ``--state-file``.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256

from cursor_sdk_async.testing.faults import Faults
from cursor_sdk_async.testing.script import Script

__all__ = ["USAGE", "Options", "UsageError", "parse"]

PREFIX = "CURSOR_SDK_"
VALUES = {
    "--host": "BRIDGE_HOST",
    "--port": "BRIDGE_PORT",
    "--workspace": "BRIDGE_WORKSPACE",
    "--state-root": "BRIDGE_STATE_ROOT",
    "--local-store": "LOCAL_STORE",
    "--store-callback-url": "STORE_CALLBACK_URL",
    "--store-callback-auth-token": "STORE_CALLBACK_AUTH_TOKEN",
    "--tool-callback-url": "TOOL_CALLBACK_URL",
    "--tool-callback-auth-token": "TOOL_CALLBACK_AUTH_TOKEN",
    "--max-concurrent-agents": "",
    "--max-message-bytes": "",
    "--script": "SCRIPTED_SCRIPT",
    "--faults": "SCRIPTED_FAULTS",
    "--state-file": "SCRIPTED_STATE_FILE",
}
OFF = ("", "0", "false", "off", "none")
HOSTS = ("127.0.0.1", "localhost", "::1")
USAGE = (
    "usage: cursor-sdk-bridge (scripted) " + " ".join(f"[{flag} VALUE]" for flag in VALUES) + " [--verbose]\n"
)


class UsageError(Exception):
    """The command line is wrong."""


@dataclass
class Options:
    """What the process was asked for."""

    host: str = "127.0.0.1"
    port: int = 0
    workspace: str = ""
    state_root: str = ""
    local_store: str = ""
    tool_url: str = ""
    tool_token: str = field(default="", repr=False)
    max_concurrent_agents: int | None = None
    max_message_bytes: int | None = None
    verbose: bool = False
    help: bool = False
    script: Script = field(default_factory=Script)
    faults: Faults = field(default_factory=Faults)
    state_file: str = ""
    api_key: str = field(default="", repr=False)


def parse(argv: Sequence[str], environ: Mapping[str, str]) -> Options:
    """Read the command line and the environment.

    Raises:
        UsageError: A flag is not known, or a value is missing or wrong.
    """
    values = {flag: environ.get(PREFIX + name, "") for flag, name in VALUES.items() if name}
    verbose = environ.get(PREFIX + "BRIDGE_LOG", "").strip().lower() not in OFF
    wants_help = False
    rest = list(argv)
    while rest:
        flag = rest.pop(0)
        if flag in ("--help", "-h"):
            wants_help = True
        elif flag == "--verbose":
            verbose = True
        elif flag not in VALUES:
            raise UsageError(f"Unknown argument: {flag}")
        elif not rest:
            raise UsageError(f"Missing value for {flag}")
        else:
            values[flag] = rest.pop(0)
    workspace = os.path.realpath(values["--workspace"] or os.getcwd())
    return Options(
        host=_host(values["--host"] or "127.0.0.1"),
        port=_port(values["--port"] or "0"),
        workspace=workspace,
        state_root=values["--state-root"] or _state_root(workspace, environ),
        local_store=_store(values["--local-store"]),
        tool_url=values["--tool-callback-url"],
        tool_token=_both(values, "tool"),
        max_concurrent_agents=_positive("--max-concurrent-agents", values),
        max_message_bytes=_positive("--max-message-bytes", values),
        verbose=verbose,
        help=wants_help,
        script=_script(values["--script"]),
        faults=_faults(values["--faults"]),
        state_file=values["--state-file"],
        api_key=environ.get("CURSOR_API_KEY", "").strip(),
    )


def _host(host: str) -> str:
    if host not in HOSTS:
        raise UsageError(f"--host must be one of {', '.join(HOSTS)}")
    return host


def _port(text: str) -> int:
    if not text.isdigit() or int(text) > 65535:
        raise UsageError(f"--port must be a port number, not {text!r}")
    return int(text)


def _positive(flag: str, values: Mapping[str, str]) -> int | None:
    text = values.get(flag, "")
    if not text:
        return None
    if not text.isdigit() or int(text) < 1:
        raise UsageError(f"{flag} must be a positive integer")
    return int(text)


def _both(values: Mapping[str, str], name: str) -> str:
    url, token = values[f"--{name}-callback-url"], values[f"--{name}-callback-auth-token"]
    if bool(url) != bool(token):
        raise UsageError(f"--{name}-callback-url and --{name}-callback-auth-token belong together")
    return token


def _state_root(workspace: str, environ: Mapping[str, str]) -> str:
    digest = sha256(workspace.encode()).hexdigest()[:24]
    return os.path.join(environ.get("HOME", "/"), ".cursor", "sdk-agent-store", digest)


def _store(text: str) -> str:
    if text:
        try:
            json.loads(text)
        except ValueError as error:
            raise UsageError(f"--local-store is not JSON: {error}") from None
    return text


def _read(text: str) -> str:
    if text.startswith("@"):
        with open(text[1:], encoding="utf-8") as file:
            return file.read()
    return text


def _script(text: str) -> Script:
    try:
        return Script.from_json(_read(text)) if text else Script()
    except (ValueError, OSError) as error:
        raise UsageError(f"--script: {error}") from None


def _faults(text: str) -> Faults:
    try:
        return Faults.from_json(_read(text)) if text else Faults()
    except (ValueError, OSError) as error:
        raise UsageError(f"--faults: {error}") from None
