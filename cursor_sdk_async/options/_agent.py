"""Options of an agent and of one prompt."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from cursor_sdk_async.options._cloud import CloudAgentOptions, CloudSendOptions
from cursor_sdk_async.options._input import (
    HIDDEN,
    Option,
    items_of,
    join,
    pruned,
    read_fields,
    table_of,
    word_of,
)
from cursor_sdk_async.options._local import LocalAgentOptions, LocalSendOptions
from cursor_sdk_async.options._mcp import McpServerConfig, mcp_servers, mcp_servers_json
from cursor_sdk_async.options._models import ModelSelection
from cursor_sdk_async.options._read import is_mapping
from cursor_sdk_async.options._refuse import wrong_type
from cursor_sdk_async.options._subagents import AgentDefinition
from cursor_sdk_async.options._words import AgentModeOption, JsonObject

if TYPE_CHECKING:
    from cursor_sdk_async.conversation import ConversationStep
    from cursor_sdk_async.events import InteractionUpdate

__all__ = ["AgentOptions", "SendOptions"]

MODES = ("agent", "plan")
MODE = "AGENT_MODE_OPTION_"


@dataclass(frozen=True, slots=True, repr=False)
class AgentOptions(Option):
    """Options of an agent.

    Nothing is checked when an instance is made, only when it is used. Tools, restrictions, MCP servers and
    sub-agents are not stored with the agent: pass them again on resume.

    Attributes:
        model: The model; a local agent needs one, for a cloud agent the service has a default.
        api_key: The key of this agent; never shown.
        name: What lists show; made up when absent.
        local: Options of a local agent.
        cloud: Options of a cloud agent. Giving them, even empty, makes the agent a cloud agent.
        mcp_servers: MCP servers by name.
        agents: Sub-agents by name.
        agent_id: The id that the agent shall have.
        idempotency_key: Two creates with the same key make one agent; cloud agents only.
        mode: ``"agent"`` or ``"plan"``, for the first run.
        tools: The built-in tools it may use, ``[]`` for none; local agents only.
        disallowed_tools: Built-in tools it may not use; local agents only.
        extra: Fields of a newer contract, sent as they are; they need the JSON codec.
    """

    model: str | ModelSelection | Mapping[str, Any] | None = None
    api_key: str | None = field(default=None, metadata=HIDDEN)
    name: str | None = None
    local: LocalAgentOptions | Mapping[str, Any] | None = None
    cloud: CloudAgentOptions | Mapping[str, Any] | None = None
    mcp_servers: Mapping[str, McpServerConfig] | None = None
    agents: Mapping[str, AgentDefinition | Mapping[str, Any]] | None = None
    agent_id: str | None = None
    idempotency_key: str | None = None
    mode: AgentModeOption | None = None
    tools: Sequence[str] | None = None
    disallowed_tools: Sequence[str] | None = None
    extra: Mapping[str, Any] | None = None

    @classmethod
    def from_value(cls, value: object, where: str = "") -> AgentOptions:
        """Read an instance or a mapping, everything nested included; ``None`` is no options.

        Raises:
            ConfigurationError: An option is unknown, missing, or a word that does not exist.
            OptionTypeError: A value is of the wrong type.
        """
        found = {} if value is None else read_fields(cls, value, where)
        _read(found, "model", where, ModelSelection.from_value)
        _read(found, "local", where, LocalAgentOptions.from_value)
        _read(found, "cloud", where, CloudAgentOptions.from_value)
        _read(found, "mcp_servers", where, mcp_servers)
        _read(found, "agents", where, lambda item, at: table_of(item, at, AgentDefinition.from_value))
        _read(found, "mode", where, lambda item, at: word_of(item, at, MODES, MODE))
        tools = found.get("tools")
        if is_mapping(tools) and set(tools) <= {"names"}:
            found["tools"] = tools.get("names", ())
        _read(found, "tools", where, lambda item, at: items_of(item, at, _name))
        _read(found, "disallowed_tools", where, lambda item, at: items_of(item, at, _name))
        return cls(**found)

    def to_json(self) -> JsonObject:
        """The ``options`` of the request on the wire; the idempotency key is not among them."""
        exact = AgentOptions.from_value(self)
        json = pruned(
            {
                "model": None if exact.model is None else ModelSelection.from_value(exact.model).to_json(),
                "apiKey": exact.api_key,
                "name": exact.name,
                "local": None if exact.local is None else LocalAgentOptions.from_value(exact.local).to_json(),
                "mcpServers": mcp_servers_json(exact.mcp_servers),
                "agents": {
                    name: AgentDefinition.from_value(agent).to_json()
                    for name, agent in (exact.agents or {}).items()
                },
                "agentId": exact.agent_id,
                "mode": None if exact.mode is None else f"{MODE}{exact.mode.upper()}",
                "disallowedTools": list(exact.disallowed_tools or ()),
            }
        )
        if exact.cloud is not None:  # present though empty: that alone makes a cloud agent
            json["cloud"] = CloudAgentOptions.from_value(exact.cloud).to_json()
        if exact.tools is not None:  # empty means no tools, absent means the default ones
            json["tools"] = {"names": list(exact.tools)}
        return json


@dataclass(frozen=True, slots=True, repr=False)
class SendOptions(Option):
    """Options of one prompt.

    Attributes:
        model: The model of this run and of the ones after it.
        mcp_servers: MCP servers of this run, instead of the agent's.
        local: Options for a local agent.
        idempotency_key: Two sends with the same key make one run; cloud agents only.
        on_step: Called with each completed step; sync or async.
        on_delta: Called with each interaction update; sync or async.
        mode: ``"agent"`` or ``"plan"``, for this run.
        cloud: Options for a cloud agent.
        extra: Fields of a newer contract, sent as they are; they need the JSON codec.
    """

    model: str | ModelSelection | Mapping[str, Any] | None = None
    mcp_servers: Mapping[str, McpServerConfig] | None = None
    local: LocalSendOptions | Mapping[str, Any] | None = None
    idempotency_key: str | None = None
    on_step: Callable[[ConversationStep], Any] | None = None
    on_delta: Callable[[InteractionUpdate], Any] | None = None
    mode: AgentModeOption | None = None
    cloud: CloudSendOptions | Mapping[str, Any] | None = None
    extra: Mapping[str, Any] | None = None

    @classmethod
    def from_value(cls, value: object, where: str = "") -> SendOptions:
        """Read an instance or a mapping, everything nested included; ``None`` is no options.

        Raises:
            ConfigurationError: An option is unknown, missing, or a word that does not exist.
            OptionTypeError: A value is of the wrong type.
        """
        found = {} if value is None else read_fields(cls, value, where)
        _read(found, "model", where, ModelSelection.from_value)
        _read(found, "mcp_servers", where, mcp_servers)
        _read(found, "local", where, LocalSendOptions.from_value)
        _read(found, "mode", where, lambda item, at: word_of(item, at, MODES, MODE))
        _read(found, "cloud", where, CloudSendOptions.from_value)
        for name in ("on_step", "on_delta"):
            if found.get(name) is not None and not callable(found[name]):
                raise wrong_type(join(where, name), found[name], "a function")
        return cls(**found)

    def to_json(self) -> JsonObject:
        """The ``options`` of the request on the wire; the idempotency key is not among them."""
        exact = SendOptions.from_value(self)
        return pruned(
            {
                "model": None if exact.model is None else ModelSelection.from_value(exact.model).to_json(),
                "mcpServers": mcp_servers_json(exact.mcp_servers),
                "local": None if exact.local is None else LocalSendOptions.from_value(exact.local).to_json(),
                "enableDeltas": exact.on_delta is not None or None,
                "enableSteps": exact.on_step is not None or None,
                "mode": None if exact.mode is None else f"{MODE}{exact.mode.upper()}",
                "cloud": None if exact.cloud is None else CloudSendOptions.from_value(exact.cloud).to_json(),
            }
        )


def _read(found: dict[str, Any], name: str, where: str, read: Callable[[Any, str], Any]) -> None:
    """Replace one field by its canonical form, if it is there."""
    if found.get(name) is not None:
        found[name] = read(found[name], join(where, name))


def _name(value: object, where: str) -> str:
    if not isinstance(value, str):
        raise wrong_type(where, value, "the name of a tool")
    return value
