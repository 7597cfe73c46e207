"""The flat methods of a client: those beside its namespaces, and those that take a run by its id."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from os import PathLike
from typing import TYPE_CHECKING, Any

from typing_extensions import Unpack

from cursor_sdk_async._core import Core, RunScope

if TYPE_CHECKING:
    from cursor_sdk_async.agent import AsyncAgent
    from cursor_sdk_async.events import RunStreamEvent
    from cursor_sdk_async.options import AgentOptions, CloudAgentOptions, LocalAgentOptions, ModelSelection
    from cursor_sdk_async.options._keywords import AgentKeywords, CreateKeywords, RunKeywords
    from cursor_sdk_async.resources import AgentsResource, ModelsResource, RepositoriesResource
    from cursor_sdk_async.results import AsyncListResult, RunResult, SDKAgentInfo, SDKModel, SDKRepository
    from cursor_sdk_async.run import AsyncRun

__all__ = ["FlatMethods"]


class FlatMethods:
    """Most methods are the same as one of a namespace, which the description names."""

    _core: Core
    agents: AgentsResource
    models: ModelsResource
    repositories: RepositoriesResource

    async def create_agent(
        self,
        options: AgentOptions | Mapping[str, Any] | None = None,
        *,
        model: str | ModelSelection | Mapping[str, Any] | None = None,
        api_key: str | None = None,
        name: str | None = None,
        local: LocalAgentOptions | Mapping[str, Any] | None = None,
        cloud: CloudAgentOptions | Mapping[str, Any] | None = None,
        idempotency_key: str | None = None,
        **more: Unpack[CreateKeywords],
    ) -> AsyncAgent:
        """The same as ``client.agents.create``."""
        return await self.agents.create(
            options,
            model=model,
            api_key=api_key,
            name=name,
            local=local,
            cloud=cloud,
            idempotency_key=idempotency_key,
            **more,
        )

    async def resume_agent(
        self,
        agent_id: str,
        options: AgentOptions | Mapping[str, Any] | None = None,
        *,
        model: str | ModelSelection | Mapping[str, Any] | None = None,
        api_key: str | None = None,
        name: str | None = None,
        local: LocalAgentOptions | Mapping[str, Any] | None = None,
        cloud: CloudAgentOptions | Mapping[str, Any] | None = None,
        **more: Unpack[AgentKeywords],
    ) -> AsyncAgent:
        """The same as ``client.agents.resume``."""
        return await self.agents.resume(
            agent_id, options, model=model, api_key=api_key, name=name, local=local, cloud=cloud, **more
        )

    async def list_agents(
        self,
        options: Mapping[str, Any] | None = None,
        *,
        runtime: str | None = None,
        cwd: str | PathLike[str] | None = None,
        include_archived: bool | None = None,
        pr_url: str | None = None,
        cursor: str | None = None,
        limit: int | None = None,
        api_key: str | None = None,
    ) -> AsyncListResult[SDKAgentInfo]:
        """The same as ``client.agents.list``."""
        return await self.agents.list(
            options,
            runtime=runtime,
            cwd=cwd,
            include_archived=include_archived,
            pr_url=pr_url,
            cursor=cursor,
            limit=limit,
            api_key=api_key,
        )

    async def get_agent(
        self, agent_id: str, *, cwd: str | PathLike[str] | None = None, api_key: str | None = None
    ) -> SDKAgentInfo:
        """The same as ``client.agents.get``."""
        return await self.agents.get(agent_id, cwd=cwd, api_key=api_key)

    async def list_runs(
        self,
        agent_id: str,
        options: Mapping[str, Any] | None = None,
        *,
        runtime: str | None = None,
        cwd: str | PathLike[str] | None = None,
        cursor: str | None = None,
        limit: int | None = None,
        api_key: str | None = None,
    ) -> AsyncListResult[AsyncRun]:
        """The same as ``client.agents.list_runs``."""
        return await self.agents.list_runs(
            agent_id, options, runtime=runtime, cwd=cwd, cursor=cursor, limit=limit, api_key=api_key
        )

    async def get_run(
        self, run_id: str, options: Mapping[str, Any] | None = None, **keywords: Unpack[RunKeywords]
    ) -> AsyncRun:
        """The same as ``client.agents.get_run``."""
        return await self.agents.get_run(run_id, options, **keywords)

    async def cancel_run(
        self,
        run_id: str,
        *,
        agent_id: str | None = None,
        cwd: str | PathLike[str] | None = None,
        api_key: str | None = None,
    ) -> None:
        """The same as ``client.agents.cancel_run``."""
        await self.agents.cancel_run(run_id, agent_id=agent_id, cwd=cwd, api_key=api_key)

    async def list_models(self, *, api_key: str | None = None) -> list[SDKModel]:
        """The same as ``client.models.list``."""
        return await self.models.list(api_key=api_key)

    async def list_repositories(self, *, api_key: str | None = None) -> list[SDKRepository]:
        """The same as ``client.repositories.list``."""
        return await self.repositories.list(api_key=api_key)

    async def wait_live_run(
        self, run_id: str, *, agent_id: str | None = None, api_key: str | None = None
    ) -> RunResult:
        """Wait for the end of a run by its id.

        Args:
            run_id: The run.
            agent_id: Its agent; needed for a cloud run.
            api_key: For a cloud run.
        """
        return await self._core.wait_live_run(
            await self._core.scope_of(run_id, agent_id, None, api_key), run_id
        )

    def observe_run(
        self,
        run_id: str,
        *,
        after_offset: str | None = None,
        agent_id: str | None = None,
        api_key: str | None = None,
    ) -> AsyncIterator[RunStreamEvent]:
        """Watch a run by its id, from its first message. The request is sent at the first step.

        Args:
            run_id: The run.
            after_offset: Skip what lies up to this offset of an observation.
            agent_id: Its agent; needed for a cloud run.
            api_key: For a cloud run.

        Raises:
            ConfigurationError: The offset is none.
        """

        async def scope() -> RunScope:
            return await self._core.scope_of(run_id, agent_id, None, api_key)

        return self._core.observing.observation(
            self._core, scope, run_id, after_offset=after_offset, keep=self
        )
