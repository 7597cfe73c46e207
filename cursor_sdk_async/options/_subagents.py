"""Sub-agents that an agent may start."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cursor_sdk_async.options._input import Option, items_of, join, pruned, read_fields
from cursor_sdk_async.options._mcp import McpServerConfig, mcp_server
from cursor_sdk_async.options._models import ModelSelection
from cursor_sdk_async.options._read import is_mapping
from cursor_sdk_async.options._refuse import missing
from cursor_sdk_async.options._words import JsonObject

__all__ = ["AgentDefinition", "AgentDefinitionMcpServer"]

_OWN = frozenset({"name", "inline_config", "inlineConfig"})


@dataclass(frozen=True, slots=True, repr=False)
class AgentDefinitionMcpServer(Option):
    """An MCP server of a sub-agent: one of the agent's by name, or one of its own.

    Attributes:
        name: The name of a server of the agent.
        inline_config: A server of the sub-agent alone.
    """

    name: str | None = None
    inline_config: McpServerConfig | None = None

    @classmethod
    def named(cls, name: str) -> AgentDefinitionMcpServer:
        """A server of the agent."""
        return cls(name=name)

    @classmethod
    def inline(cls, config: McpServerConfig) -> AgentDefinitionMcpServer:
        """A server of the sub-agent alone."""
        return cls(inline_config=config)

    @classmethod
    def from_value(cls, value: object, where: str = "mcp_server") -> AgentDefinitionMcpServer:
        """Read a name, an instance, a mapping of either, or an MCP server configuration."""
        if isinstance(value, str):
            return cls(name=value)
        if not isinstance(value, cls) and not (is_mapping(value) and _OWN.intersection(value)):
            return cls(inline_config=mcp_server(value, where))
        found = read_fields(cls, value, where)
        config = found.get("inline_config")
        if config is not None:
            return cls(inline_config=mcp_server(config, join(where, "inline_config")))
        if not found.get("name"):
            raise missing(where, "a name or an inline_config")
        return cls(name=found["name"])

    def to_json(self) -> JsonObject:
        """The form on the wire."""
        if self.inline_config is not None:
            return {"inlineConfig": mcp_server(self.inline_config, "inline_config").to_json()}
        return {"name": self.name}


@dataclass(frozen=True, slots=True, repr=False)
class AgentDefinition(Option):
    """A sub-agent.

    Attributes:
        description: When to use it, for the agent.
        prompt: Its instructions.
        model: Its model; ``None`` or ``"inherit"`` is the agent's.
        mcp_servers: Names of the agent's servers, or configurations.
    """

    description: str
    prompt: str
    model: str | ModelSelection | Mapping[str, Any] | None = None
    mcp_servers: Sequence[str | AgentDefinitionMcpServer | McpServerConfig] | None = None

    @classmethod
    def from_value(cls, value: object, where: str = "agent") -> AgentDefinition:
        """Read an instance or a mapping."""
        found = read_fields(cls, value, where)
        model = found.get("model")
        inherited = model is None or model == "inherit"
        found["model"] = None if inherited else ModelSelection.from_value(model, join(where, "model"))
        servers = items_of(
            found.get("mcp_servers"), join(where, "mcp_servers"), AgentDefinitionMcpServer.from_value
        )
        found["mcp_servers"] = servers
        return cls(**found)

    def to_json(self) -> JsonObject:
        """The form on the wire."""
        exact = AgentDefinition.from_value(self)
        model = None if exact.model is None else ModelSelection.from_value(exact.model).to_json()
        servers = [
            AgentDefinitionMcpServer.from_value(server).to_json() for server in exact.mcp_servers or ()
        ]
        return pruned(
            {
                "description": exact.description,
                "prompt": exact.prompt,
                "model": model,
                "inheritModel": model is None,
                "mcpServers": servers,
            }
        )
