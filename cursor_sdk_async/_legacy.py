"""Older spellings that the documentation still lists. Each warns and names what to write instead."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar
from warnings import warn

if TYPE_CHECKING:
    from cursor_sdk_async._runs._feed import RunFeed
    from cursor_sdk_async.client import AsyncClient

__all__ = ["LegacyAgent", "LegacyRun"]


def _deprecated(old: str, new: str) -> None:
    warn(f"{old} is the older name; write {new}.", DeprecationWarning, stacklevel=3)


class _Lifecycle:
    """``AsyncAgent.lifecycle``: the older place of archive, unarchive and delete."""

    async def archive(
        self, agent_id: str, options: Mapping[str, Any] | None = None, *, client: AsyncClient
    ) -> None:
        """Older spelling of ``AsyncAgent.archive``."""
        _deprecated("AsyncAgent.lifecycle.archive", "AsyncAgent.archive")
        await client.agents.archive(agent_id, options)

    async def unarchive(
        self, agent_id: str, options: Mapping[str, Any] | None = None, *, client: AsyncClient
    ) -> None:
        """Older spelling of ``AsyncAgent.unarchive``."""
        _deprecated("AsyncAgent.lifecycle.unarchive", "AsyncAgent.unarchive")
        await client.agents.unarchive(agent_id, options)

    async def delete(
        self, agent_id: str, options: Mapping[str, Any] | None = None, *, client: AsyncClient
    ) -> None:
        """Older spelling of ``AsyncAgent.delete``."""
        _deprecated("AsyncAgent.lifecycle.delete", "AsyncAgent.delete")
        await client.agents.delete(agent_id, options)


class LegacyAgent:
    """Older names on ``AsyncAgent``."""

    lifecycle: ClassVar[_Lifecycle] = _Lifecycle()

    @classmethod
    async def archive_agent(
        cls, agent_id: str, options: Mapping[str, Any] | None = None, *, client: AsyncClient
    ) -> None:
        """Older spelling of ``archive``."""
        _deprecated("AsyncAgent.archive_agent", "AsyncAgent.archive")
        await client.agents.archive(agent_id, options)

    @classmethod
    async def unarchive_agent(
        cls, agent_id: str, options: Mapping[str, Any] | None = None, *, client: AsyncClient
    ) -> None:
        """Older spelling of ``unarchive``."""
        _deprecated("AsyncAgent.unarchive_agent", "AsyncAgent.unarchive")
        await client.agents.unarchive(agent_id, options)

    @classmethod
    async def delete_agent(
        cls, agent_id: str, options: Mapping[str, Any] | None = None, *, client: AsyncClient
    ) -> None:
        """Older spelling of ``delete``."""
        _deprecated("AsyncAgent.delete_agent", "AsyncAgent.delete")
        await client.agents.delete(agent_id, options)


class LegacyRun:
    """Older names on ``AsyncRun``."""

    _feed: RunFeed

    if TYPE_CHECKING:

        @property
        def id(self) -> str:
            """The run id."""
            ...

        def unsupported_reason(self, operation: str) -> str | None:
            """Why the operation is not supported."""
            ...

    @property
    def run_id(self) -> str:
        """Older spelling of ``id``."""
        _deprecated("AsyncRun.run_id", "AsyncRun.id")
        return self.id

    @run_id.setter
    def run_id(self, value: str) -> None:
        _deprecated("AsyncRun.run_id", "AsyncRun.id")
        self._feed.run_id = value

    def unsupportedReason(self, operation: str) -> str | None:  # noqa: N802 - the documented name
        """Older spelling of ``unsupported_reason``."""
        _deprecated("AsyncRun.unsupportedReason", "AsyncRun.unsupported_reason")
        return self.unsupported_reason(operation)
