"""MCP servers that an agent may use. ``docs/protocol.md``: Messages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike
from typing import Any, ClassVar, TypeAlias

from cursor_sdk_async.options._input import (
    HIDDEN,
    Option,
    join,
    path_text,
    pruned,
    read_fields,
    table_of,
    word_of,
)
from cursor_sdk_async.options._read import is_mapping
from cursor_sdk_async.options._refuse import missing, wrong_type
from cursor_sdk_async.options._words import JsonObject

__all__ = [
    "HttpMcpServerConfig",
    "McpAuth",
    "McpServerConfig",
    "SseMcpServerConfig",
    "StdioMcpServerConfig",
    "mcp_server",
    "mcp_servers",
    "mcp_servers_json",
]

TRANSPORT = "HTTP_MCP_TRANSPORT_TYPE_"


@dataclass(frozen=True, slots=True, repr=False)
class McpAuth(Option):
    """OAuth client data for an MCP server.

    Attributes:
        client_id: The client.
        client_secret: Its secret, never shown.
        scopes: The scopes; a mapping may give them as one text with spaces.
    """

    ALIASES: ClassVar[Mapping[str, str]] = {
        "CLIENT_ID": "client_id",
        "CLIENT_SECRET": "client_secret",
        "SCOPES": "scopes",
    }

    client_id: str
    client_secret: str | None = field(default=None, metadata=HIDDEN)
    scopes: Sequence[str] = ()

    @classmethod
    def from_value(cls, value: object, where: str = "auth") -> McpAuth:
        """Read an instance or a mapping."""
        found = read_fields(cls, value, where)
        scopes = found.get("scopes")
        found["scopes"] = tuple(scopes.split()) if isinstance(scopes, str) else scopes or ()
        return cls(**found)

    def to_json(self) -> JsonObject:
        """The form on the wire."""
        return pruned(
            {"clientId": self.client_id, "clientSecret": self.client_secret, "scopes": list(self.scopes)}
        )


@dataclass(frozen=True, slots=True, repr=False)
class HttpMcpServerConfig(Option):
    """An MCP server over HTTP.

    Attributes:
        url: Where it is.
        type: ``"http"`` (streamable HTTP) or ``"sse"``.
        headers: Headers of each request, never shown.
        auth: OAuth client data.
    """

    url: str
    type: str = "http"
    headers: Mapping[str, str] | None = field(default=None, metadata=HIDDEN)
    auth: McpAuth | Mapping[str, Any] | None = field(default=None, metadata=HIDDEN)

    @classmethod
    def from_value(cls, value: object, where: str = "mcp_server") -> HttpMcpServerConfig:
        """Read an instance or a mapping."""
        found = read_fields(HttpMcpServerConfig, value, where)
        found["type"] = word_of(found.get("type"), join(where, "type"), ("http", "sse"), TRANSPORT) or "http"
        if found.get("auth") is not None:
            found["auth"] = McpAuth.from_value(found["auth"], join(where, "auth"))
        return (SseMcpServerConfig if found["type"] == "sse" else HttpMcpServerConfig)(**found)

    def to_json(self) -> JsonObject:
        """The form on the wire."""
        exact = HttpMcpServerConfig.from_value(self)
        auth = None if exact.auth is None else McpAuth.from_value(exact.auth).to_json()
        body = {
            "type": f"{TRANSPORT}{exact.type.upper()}",
            "url": exact.url,
            "headers": dict(exact.headers or {}),
            "auth": auth,
        }
        return {"http": pruned(body)}


@dataclass(frozen=True, slots=True, repr=False)
class SseMcpServerConfig(HttpMcpServerConfig):
    """An MCP server over HTTP with server-sent events."""

    type: str = "sse"


@dataclass(frozen=True, slots=True, repr=False)
class StdioMcpServerConfig(Option):
    """An MCP server that the agent starts as a process.

    Attributes:
        command: The program.
        args: Its arguments; not shown, since they may hold secrets.
        env: Its environment, never shown.
        cwd: Its directory; cloud agents refuse one at the first prompt.
    """

    command: str
    args: Sequence[str] | None = field(default=None, metadata=HIDDEN)
    env: Mapping[str, str] | None = field(default=None, metadata=HIDDEN)
    cwd: str | PathLike[str] | None = None

    @classmethod
    def from_value(cls, value: object, where: str = "mcp_server") -> StdioMcpServerConfig:
        """Read an instance or a mapping."""
        if is_mapping(value):
            value = {key: item for key, item in value.items() if key != "type"}
        found = read_fields(cls, value, where)
        found["cwd"] = path_text(found.get("cwd"), join(where, "cwd"))
        return cls(**found)

    def to_json(self) -> JsonObject:
        """The form on the wire."""
        body = {
            "command": self.command,
            "args": list(self.args or ()),
            "env": dict(self.env or {}),
            "cwd": path_text(self.cwd, "cwd"),
        }
        return {"stdio": pruned(body)}


McpServerConfig: TypeAlias = (
    HttpMcpServerConfig | SseMcpServerConfig | StdioMcpServerConfig | Mapping[str, Any]
)


def mcp_server(value: object, where: str) -> HttpMcpServerConfig | StdioMcpServerConfig:
    """One server: an instance, a plain mapping, or one wrapped under ``http`` or ``stdio``."""
    if isinstance(value, HttpMcpServerConfig):
        return HttpMcpServerConfig.from_value(value, where)
    if isinstance(value, StdioMcpServerConfig):
        return StdioMcpServerConfig.from_value(value, where)
    if not is_mapping(value):
        raise wrong_type(where, value, "an MCP server configuration or a mapping")
    plain: Mapping[str, Any] = value
    for wrapper, cls in (("http", HttpMcpServerConfig), ("stdio", StdioMcpServerConfig)):
        if wrapper in plain and len(plain) == 1:
            return cls.from_value(plain[wrapper], join(where, wrapper))
    words = ("http", "sse", "stdio")
    type_ = word_of(plain.get("type"), join(where, "type"), words, TRANSPORT)
    if type_ == "stdio" or (type_ is None and "command" in plain):
        return StdioMcpServerConfig.from_value(plain, where)
    if type_ is None and "url" not in plain:
        raise missing(where, "an MCP server has a url (HTTP) or a command (stdio)")
    return HttpMcpServerConfig.from_value(plain, where)


def mcp_servers(
    value: object, where: str = "mcp_servers"
) -> dict[str, HttpMcpServerConfig | StdioMcpServerConfig] | None:
    """Servers by name."""
    return table_of(value, where, mcp_server)


def mcp_servers_json(value: object) -> JsonObject:
    """Servers by name, as on the wire."""
    return {name: server.to_json() for name, server in (mcp_servers(value) or {}).items()}
