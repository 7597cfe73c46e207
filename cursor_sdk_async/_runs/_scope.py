"""Where a run lives: what the bridge must be told to find it again."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["RunScope", "is_cloud_id"]


def is_cloud_id(agent_id: str) -> bool:
    """Whether an agent id is a cloud agent's: the prefix decides (``docs/protocol.md``, "Agents")."""
    return agent_id.startswith("bc-")


@dataclass
class RunScope:
    """Where a run lives: what the bridge must be told to find it again.

    Attributes:
        agent_id: The agent, empty when it is not known.
        cloud: Whether it is a cloud run.
        cwd: The directory of a local agent, ``None`` for the bridge's workspace.
        api_key: The key of the agent; left out of ``repr``.
        registered: Whether this bridge process has the run in its table.
    """

    agent_id: str = ""
    cloud: bool = False
    cwd: str | None = None
    api_key: str | None = None
    registered: bool = False

    def __repr__(self) -> str:
        return f"RunScope(agent_id={self.agent_id!r}, cloud={self.cloud})"
