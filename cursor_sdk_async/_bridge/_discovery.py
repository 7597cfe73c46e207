"""The ready line, and the address it announces (``docs/protocol.md``, "Ready line" and "Token file")."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn, cast

from cursor_sdk_async.errors import ProtocolError

__all__ = ["READY_LINE_PREFIX", "BridgeEndpoint", "parse_discovery_line", "remove_token_file"]

READY_LINE_PREFIX = "cursor-sdk-bridge ready "
_SCHEMA_VERSION = 1


def parse_discovery_line(line: str) -> Mapping[str, Any] | None:
    """The facts in a ready line; ``None`` when it is another line.

    Raises:
        ProtocolError: It begins like a ready line, but no JSON object of a known schema follows.
    """
    if not line.startswith(READY_LINE_PREFIX):
        return None
    try:
        # What another writer put behind the object on the same line does not matter.
        found: object = json.JSONDecoder().raw_decode(line[len(READY_LINE_PREFIX) :].lstrip())[0]
    except (ValueError, RecursionError):
        raise ProtocolError("The bridge's ready line holds no valid JSON.") from None
    if not isinstance(found, dict):
        raise ProtocolError("The bridge's ready line holds no JSON object.")
    facts = cast("dict[str, Any]", found)
    _check(facts)
    return facts


def _check(facts: Mapping[str, Any]) -> None:
    schema = facts.get("schemaVersion")
    if schema != _SCHEMA_VERSION:
        raise ProtocolError(
            f"The bridge's ready line has schemaVersion {schema!r}; this package knows only "
            f"{_SCHEMA_VERSION}. "
            "Use a bridge and a package that belong together."
        )
    transport, protocol = facts.get("transport"), facts.get("protocol")
    if transport != "tcp" or protocol != "connect":
        raise ProtocolError(
            f"The bridge offers transport {transport!r} and protocol {protocol!r}; this package speaks only "
            "'connect' over 'tcp'."
        )


def _text(facts: Mapping[str, Any], key: str) -> str:
    value = facts.get(key)
    return value.strip() if isinstance(value, str) else ""


def _number(facts: Mapping[str, Any], key: str) -> int | None:
    value = facts.get(key)
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None


def _url(facts: Mapping[str, Any]) -> str:
    url = _text(facts, "url").rstrip("/")
    if url:
        return url
    host, port = _text(facts, "host"), _number(facts, "port")
    if not host or port is None:
        raise ProtocolError("The bridge's ready line has neither a url nor a host and port.")
    bracketed = f"[{host}]" if ":" in host and not host.startswith("[") else host
    return f"http://{bracketed}:{port}"


def _token(facts: Mapping[str, Any]) -> str:
    token = _text(facts, "authToken")
    if token:
        return token
    file = _text(facts, "authTokenFile")
    if file:
        try:
            token = Path(file).read_text("utf-8").strip()
        except (OSError, ValueError) as error:
            raise ProtocolError(f"The bridge's token file {file} cannot be read.", cause=error) from error
    if not token:
        raise ProtocolError("The bridge's ready line leads to no token.")
    return token


@dataclass(frozen=True)
class BridgeEndpoint:
    """Where a bridge listens, and what it said about itself.

    It cannot be pickled, since the token would travel along; pass ``url`` and ``auth_token`` on yourself.

    Attributes:
        url: Its base address, without a slash at the end.
        auth_token: The bearer token of every request; never shown.
        schema_version: The version of the ready line.
        server_version: The version of the bridge.
        pid: The process id of the bridge itself, which is not that of its launcher.
        workspace_ref: Its workspace directory.
        state_root: The directory of its durable state.
    """

    url: str
    auth_token: str = field(repr=False)
    schema_version: int = _SCHEMA_VERSION
    server_version: str = ""
    pid: int | None = None
    workspace_ref: str = ""
    state_root: str = ""

    @classmethod
    def from_discovery(cls, discovery: Mapping[str, Any]) -> BridgeEndpoint:
        """The endpoint of a parsed ready line; reads the token file.

        Raises:
            ProtocolError: The schema or transport is unknown, or the address or the token is missing.
        """
        _check(discovery)
        return cls(
            url=_url(discovery),
            auth_token=_token(discovery),
            schema_version=_SCHEMA_VERSION,
            server_version=_text(discovery, "serverVersion"),
            pid=_number(discovery, "pid"),
            workspace_ref=_text(discovery, "workspaceRef"),
            state_root=_text(discovery, "stateRoot"),
        )

    def __copy__(self) -> BridgeEndpoint:
        return self

    def __deepcopy__(self, memo: object) -> BridgeEndpoint:
        return self

    def __reduce__(self) -> NoReturn:
        raise TypeError("a BridgeEndpoint cannot be pickled: it holds the bridge's token")


def remove_token_file(discovery: Mapping[str, Any]) -> None:
    """Remove the token file and its directory, which the bridge leaves behind.

    Only where the names are the bridge's own, and both belong to this user; anything else is left alone.
    """
    name = _text(discovery, "authTokenFile")
    if not name:
        return
    file = Path(name)
    folder = file.parent
    if file.name != "auth-token" or not folder.name.startswith("cursor-sdk-bridge-"):
        return
    try:
        if _is_ours(folder.lstat(), stat.S_ISDIR) and _is_ours(file.lstat(), stat.S_ISREG):
            file.unlink()
            folder.rmdir()
    except OSError:
        pass  # gone already, or not ours to remove


def _is_ours(status: os.stat_result, kind: Any) -> bool:
    return bool(kind(status.st_mode)) and (not hasattr(os, "getuid") or status.st_uid == os.getuid())
