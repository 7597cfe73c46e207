"""The resource namespaces of a client: ``client.agents``, ``client.models``, ``client.repositories``."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from typing import TYPE_CHECKING, Any

from typing_extensions import Unpack

import cursor_sdk_async.resources as twins
from cursor_sdk_async import AsyncAgent, AsyncClient
from cursor_sdk_sync._pages import page_of
from cursor_sdk_sync._portal import Portal
from cursor_sdk_sync._twin import twin_of
from cursor_sdk_sync.agent import Agent
from cursor_sdk_sync.run import Run

if TYPE_CHECKING:
    from cursor_sdk_async import (
        AgentOptions,
        CloudAgentOptions,
        ListResult,
        LocalAgentOptions,
        ModelSelection,
        RunPosition,
        SDKAgentInfo,
        SDKModel,
        SDKRepository,
    )
    from cursor_sdk_async.options import AgentKeywords, CreateKeywords, OperationKeywords, RunKeywords
    from cursor_sdk_async.results import ParameterInput
    from cursor_sdk_sync.client import CursorClient

__all__ = ["AgentsResource", "ModelsResource", "RepositoriesResource"]

Path = str | PathLike[str]


@twin_of(twins.AgentsResource)
class AgentsResource:
    def __init__(self, client: CursorClient, twin: AsyncClient, portal: Portal) -> None:
        self._client = client
        self._settle = twin.settle
        self._twin = twin.agents
        self._portal = portal

    def create(
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
    ) -> Agent:
        twin = self._portal.obtain(
            AsyncAgent.close,
            self._settle,
            self._twin.create,
            options,
            model=model,
            api_key=api_key,
            name=name,
            local=local,
            cloud=cloud,
            idempotency_key=idempotency_key,
            **more,
        )
        return Agent(self._client, twin)

    def resume(
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
    ) -> Agent:
        twin = self._portal.call(
            self._twin.resume,
            agent_id,
            options,
            model=model,
            api_key=api_key,
            name=name,
            local=local,
            cloud=cloud,
            **more,
        )
        return Agent(self._client, twin)

    def list(
        self,
        options: Mapping[str, Any] | None = None,
        *,
        runtime: str | None = None,
        cwd: Path | None = None,
        include_archived: bool | None = None,
        pr_url: str | None = None,
        cursor: str | None = None,
        limit: int | None = None,
        api_key: str | None = None,
    ) -> ListResult[SDKAgentInfo]:
        page = self._portal.call(
            self._twin.list,
            options,
            runtime=runtime,
            cwd=cwd,
            include_archived=include_archived,
            pr_url=pr_url,
            cursor=cursor,
            limit=limit,
            api_key=api_key,
        )
        return page_of(self._portal, page, lambda info: info)

    def get(self, agent_id: str, *, cwd: Path | None = None, api_key: str | None = None) -> SDKAgentInfo:
        return self._portal.call(self._twin.get, agent_id, cwd=cwd, api_key=api_key)

    def list_runs(
        self,
        agent_id: str,
        options: Mapping[str, Any] | None = None,
        *,
        runtime: str | None = None,
        cwd: Path | None = None,
        cursor: str | None = None,
        limit: int | None = None,
        api_key: str | None = None,
    ) -> ListResult[Run]:
        page = self._portal.call(
            self._twin.list_runs,
            agent_id,
            options,
            runtime=runtime,
            cwd=cwd,
            cursor=cursor,
            limit=limit,
            api_key=api_key,
        )
        return page_of(self._portal, page, lambda twin: Run(self._client, twin))

    def get_run(
        self, run_id: str, options: Mapping[str, Any] | None = None, **keywords: Unpack[RunKeywords]
    ) -> Run:
        twin = self._portal.call(self._twin.get_run, run_id, options, **keywords)
        return Run(self._client, twin)

    def resume_run(self, position: RunPosition | Mapping[str, Any], *, api_key: str | None = None) -> Run:
        return Run(self._client, self._portal.call(self._twin.resume_run, position, api_key=api_key))

    def cancel_run(
        self, run_id: str, *, agent_id: str | None = None, cwd: Path | None = None, api_key: str | None = None
    ) -> None:
        self._portal.call(self._twin.cancel_run, run_id, agent_id=agent_id, cwd=cwd, api_key=api_key)

    def archive(
        self, agent_id: str, options: Mapping[str, Any] | None = None, **keywords: Unpack[OperationKeywords]
    ) -> None:
        self._portal.call(self._twin.archive, agent_id, options, **keywords)

    def unarchive(
        self, agent_id: str, options: Mapping[str, Any] | None = None, **keywords: Unpack[OperationKeywords]
    ) -> None:
        self._portal.call(self._twin.unarchive, agent_id, options, **keywords)

    def delete(
        self, agent_id: str, options: Mapping[str, Any] | None = None, **keywords: Unpack[OperationKeywords]
    ) -> None:
        self._portal.call(self._twin.delete, agent_id, options, **keywords)


@twin_of(twins.ModelsResource)
class ModelsResource:
    def __init__(self, twin: AsyncClient, portal: Portal) -> None:
        self._twin = twin.models
        self._portal = portal

    def list(self, *, api_key: str | None = None) -> list[SDKModel]:
        return self._portal.call(self._twin.list, api_key=api_key)

    def resolve(
        self, name: str, *, api_key: str | None = None, **parameters: ParameterInput | None
    ) -> ModelSelection:
        return self._portal.call(self._twin.resolve, name, api_key=api_key, **parameters)


@twin_of(twins.RepositoriesResource)
class RepositoriesResource:
    def __init__(self, twin: AsyncClient, portal: Portal) -> None:
        self._twin = twin.repositories
        self._portal = portal

    def list(self, *, api_key: str | None = None) -> list[SDKRepository]:
        return self._portal.call(self._twin.list, api_key=api_key)
