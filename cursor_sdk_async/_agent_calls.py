"""The calls of ``AsyncAgent`` that need no open agent: each is one of the client given as ``client=``."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from typing import TYPE_CHECKING, Any, ClassVar

from typing_extensions import Unpack

from cursor_sdk_async import _convert, _validate
from cursor_sdk_async._core import is_cloud_id
from cursor_sdk_async.options import AgentOptions, CloudAgentOptions, LocalAgentOptions, ModelSelection

if TYPE_CHECKING:
    from cursor_sdk_async.agent import AsyncAgent
    from cursor_sdk_async.client import AsyncClient
    from cursor_sdk_async.options._keywords import (
        AgentKeywords,
        AgentListKeywords,
        CreateKeywords,
        MessageListKeywords,
        RunKeywords,
        RunListKeywords,
    )
    from cursor_sdk_async.results import AgentMessage, AsyncListResult, SDKAgentInfo
    from cursor_sdk_async.run import AsyncRun

__all__ = ["AgentCalls"]


class _Messages:
    """``AsyncAgent.messages``."""

    @staticmethod
    async def list(
        agent_id: str,
        options: Mapping[str, Any] | None = None,
        *,
        client: AsyncClient,
        **keywords: Unpack[MessageListKeywords],
    ) -> list[AgentMessage]:
        """The messages of a local agent.

        Args:
            agent_id: The agent.
            options: ``limit``, ``offset``, ``runtime``, ``cwd``, ``api_key``; also as keywords, which win.
            client: The client that asks.
            keywords: The same as keywords.
        """
        wanted = _validate.message_list_options(options, **keywords)
        core = client._core
        core.check_open("Listing messages")
        explicit = wanted.api_key
        key = await (
            core.keys.need("Reading a cloud agent", explicit)
            if is_cloud_id(agent_id)
            else core.keys.find(explicit)
        )
        request = _convert.list_agent_messages_request(agent_id, wanted, api_key=key, cwd=wanted.cwd)
        return await core.call("SdkAgentService/ListAgentMessages", request, _convert.agent_messages_of)


class AgentCalls:
    """What ``AsyncAgent`` offers on the class."""

    messages: ClassVar[_Messages] = _Messages()

    @classmethod
    async def create(
        cls,
        options: AgentOptions | Mapping[str, Any] | None = None,
        *,
        client: AsyncClient,
        model: str | ModelSelection | Mapping[str, Any] | None = None,
        api_key: str | None = None,
        name: str | None = None,
        local: LocalAgentOptions | Mapping[str, Any] | None = None,
        cloud: CloudAgentOptions | Mapping[str, Any] | None = None,
        idempotency_key: str | None = None,
        **more: Unpack[CreateKeywords],
    ) -> AsyncAgent:
        """Create an agent. The same as ``client.agents.create``."""
        return await client.agents.create(
            options,
            model=model,
            api_key=api_key,
            name=name,
            local=local,
            cloud=cloud,
            idempotency_key=idempotency_key,
            **more,
        )

    @classmethod
    async def resume(
        cls,
        agent_id: str,
        options: AgentOptions | Mapping[str, Any] | None = None,
        *,
        client: AsyncClient,
        model: str | ModelSelection | Mapping[str, Any] | None = None,
        api_key: str | None = None,
        name: str | None = None,
        local: LocalAgentOptions | Mapping[str, Any] | None = None,
        cloud: CloudAgentOptions | Mapping[str, Any] | None = None,
        **more: Unpack[AgentKeywords],
    ) -> AsyncAgent:
        """Take up an agent again. The same as ``client.agents.resume``."""
        return await client.agents.resume(
            agent_id, options, model=model, api_key=api_key, name=name, local=local, cloud=cloud, **more
        )

    @classmethod
    async def list(
        cls,
        options: Mapping[str, Any] | None = None,
        *,
        client: AsyncClient,
        **keywords: Unpack[AgentListKeywords],
    ) -> AsyncListResult[SDKAgentInfo]:
        """List agents. The same as ``client.agents.list``."""
        return await client.agents.list(options, **keywords)

    @classmethod
    async def get(
        cls,
        agent_id: str,
        *,
        client: AsyncClient,
        cwd: str | PathLike[str] | None = None,
        api_key: str | None = None,
    ) -> SDKAgentInfo:
        """Read one agent. The same as ``client.agents.get``."""
        return await client.agents.get(agent_id, cwd=cwd, api_key=api_key)

    @classmethod
    async def list_runs(
        cls,
        agent_id: str,
        options: Mapping[str, Any] | None = None,
        *,
        client: AsyncClient,
        **keywords: Unpack[RunListKeywords],
    ) -> AsyncListResult[AsyncRun]:
        """List the runs of an agent. The same as ``client.agents.list_runs``."""
        return await client.agents.list_runs(agent_id, options, **keywords)

    @classmethod
    async def get_run(
        cls,
        run_id: str,
        options: Mapping[str, Any] | None = None,
        *,
        client: AsyncClient,
        **keywords: Unpack[RunKeywords],
    ) -> AsyncRun:
        """One run. The same as ``client.agents.get_run``."""
        return await client.agents.get_run(run_id, options, **keywords)

    @classmethod
    async def cancel_run(
        cls,
        run_id: str,
        *,
        client: AsyncClient,
        agent_id: str | None = None,
        cwd: str | PathLike[str] | None = None,
        api_key: str | None = None,
    ) -> None:
        """Cancel a run. The same as ``client.agents.cancel_run``."""
        await client.agents.cancel_run(run_id, agent_id=agent_id, cwd=cwd, api_key=api_key)
