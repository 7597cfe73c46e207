"""The custom tools of agents that are created by other means than ``agents.create()``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cursor_sdk_async._core import Core

__all__ = ["ToolMethods"]


class ToolMethods:
    """What a client has to say about custom tools."""

    _core: Core

    def register_custom_tools(self, agent_id: str, tools: Mapping[str, Any]) -> None:
        """Register tools of an agent that is created by other means than ``agents.create()``.

        The bridge is told where to call in the background, at once.

        Args:
            agent_id: The agent.
            tools: ``CustomTool`` or mappings, by name; they take the place of those that the agent had.

        Raises:
            ConfigurationError: A tool has no function, or the bridge is on another machine.
            ClosedError: The client is closed.
        """
        self._core.check_open("register_custom_tools()")
        self._core.tools.register(agent_id, tools)

    def unregister_custom_tools(self, agent_id: str) -> None:
        """Take an agent's tools away; calls that run are cancelled. Harmless when there are none."""
        self._core.tools.remove(agent_id, "its tools were taken away")
