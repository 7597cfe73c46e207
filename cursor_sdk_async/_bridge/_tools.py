"""The custom tools of a launched bridge: kept by its client, reachable through it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from cursor_sdk_async.errors import ConfigurationError

__all__ = ["BridgeTools", "ToolKeeper"]


class ToolKeeper(Protocol):
    """Who keeps the tools."""

    def register(self, agent_id: str, tools: Mapping[str, Any]) -> None:
        """Register tools of an agent."""
        ...

    def remove(self, agent_id: str, reason: str) -> None:
        """Take an agent's tools away."""
        ...


class BridgeTools:
    """What a bridge has to say about custom tools."""

    _tools: ToolKeeper | None = None

    @property
    def tool_callback_enabled(self) -> bool:
        """Whether custom tools can be registered here: a client launched the bridge."""
        return self._tools is not None

    def register_custom_tools(self, agent_id: str, tools: Mapping[str, Any]) -> None:
        """Register tools of an agent; as ``register_custom_tools`` of the client that launched the bridge.

        Args:
            agent_id: The agent.
            tools: ``CustomTool`` or mappings, by name.

        Raises:
            ConfigurationError: No client launched the bridge, or a tool has no function.
        """
        if self._tools is None:
            raise ConfigurationError(
                "This bridge was launched without a client, which would answer its calls. Use "
                "register_custom_tools() of the client that is attached to it, or give custom_tools to "
                "client.agents.create().",
                code="custom_tools_unsupported",
                is_safe_to_retry=True,
            )
        self._tools.register(agent_id, tools)

    def unregister_custom_tools(self, agent_id: str) -> None:
        """Take an agent's tools away; calls that run are cancelled. Harmless when there are none."""
        if self._tools is not None:
            self._tools.remove(agent_id, "its tools were taken away")

    def set_tools(self, tools: ToolKeeper) -> None:
        """For the client that launched the bridge."""
        self._tools = tools
