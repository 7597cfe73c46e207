"""The resource namespaces of a client: ``client.agents``, ``client.models``, ``client.repositories``."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from os import PathLike, fspath
from typing import Any
from uuid import uuid4

from typing_extensions import Unpack

from cursor_sdk_async import _convert, _validate
from cursor_sdk_async._callbacks._client_tools import tools_of
from cursor_sdk_async._catalogue import ModelsResource, RepositoriesResource, Resource
from cursor_sdk_async._core import RunScope, is_cloud_id
from cursor_sdk_async._warm import warm
from cursor_sdk_async.agent import AsyncAgent
from cursor_sdk_async.errors import BadRequestError, ConfigurationError
from cursor_sdk_async.options import (
    AgentOptions,
    CloudAgentOptions,
    CustomTool,
    LocalAgentOptions,
    ModelSelection,
)
from cursor_sdk_async.options._keywords import (
    AgentKeywords,
    CreateKeywords,
    OperationKeywords,
    RunKeywords,
)
from cursor_sdk_async.results import AsyncListResult, RunPosition, RunSnapshot, SDKAgentInfo
from cursor_sdk_async.run import AsyncRun

__all__ = ["AgentsResource", "ModelsResource", "RepositoriesResource"]

Path = str | PathLike[str]


class AgentsResource(Resource):
    """Create, resume, list and manage agents and their runs."""

    async def create(
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
        """Create an agent.

        Every field of :class:`AgentOptions` can be given as a keyword; keywords win over ``options``.

        Args:
            options: The options, as a dataclass or a mapping in either spelling.
            model: The model; a local agent needs one.
            api_key: The key of the agent.
            name: How lists show it.
            local: Makes a local agent.
            cloud: Makes a cloud agent, also when it is empty.
            idempotency_key: Two calls with the same key make one agent (cloud agents only).
            more: The other fields.

        Raises:
            ConfigurationError: An option is unknown or wrong, or there is no API key (code
                ``missing_api_key``).
            CursorSDKError: The bridge refused.
        """
        await warm()
        chosen = _validate.agent_options(
            options,
            model=model,
            api_key=api_key,
            name=name,
            local=local,
            cloud=cloud,
            idempotency_key=idempotency_key,
            **more,
        )
        key = await self._core.keys.need("Creating an agent", chosen.api_key)
        tools, agent_id = tools_of(chosen), chosen.agent_id
        if tools and agent_id is None:
            agent_id = f"agent-{uuid4()}"  # the bridge may call before it has answered
        create = partial(
            self._core.create_agent,
            _convert.create_agent_request(chosen, api_key=key, agent_id=agent_id),
            _convert.extra_fields(chosen),
            anonymous=chosen.agent_id is None and chosen.idempotency_key is None,
            keyed=chosen.agent_id is not None and chosen.idempotency_key is not None,
        )
        return self._handle(await self._with_tools(agent_id, tools, create, key), chosen, key)

    async def resume(
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
        """Take up an agent again. MCP servers, tools and restrictions are not stored: pass them again.

        Args:
            agent_id: Its id; the prefix ``bc-`` means a cloud agent.
            options: As for :meth:`create`.
            model: As for :meth:`create`.
            api_key: As for :meth:`create`.
            name: As for :meth:`create`.
            local: As for :meth:`create`.
            cloud: As for :meth:`create`.
            more: The other fields of :class:`AgentOptions`.

        Raises:
            AgentNotFoundError: There is no such local agent here. A wrong cloud id shows at the first prompt.
        """
        await warm()
        chosen = _validate.agent_options(
            options, model=model, api_key=api_key, name=name, local=local, cloud=cloud, **more
        )
        _needed(agent_id, "agent_id")
        key = await self._key("Resuming a cloud agent", is_cloud_id(agent_id), chosen.api_key)
        request = _convert.resume_agent_request(agent_id, chosen, api_key=key)
        resume = partial(
            self._core.call,
            "SdkAgentService/ResumeAgent",
            request,
            _convert.agent_handle_of,
            extra=_convert.extra_fields(chosen),
        )
        tools = tools_of(chosen)
        if tools and is_cloud_id(agent_id):
            raise ConfigurationError(
                f"local.custom_tools: {agent_id} is a cloud agent and cannot call functions of this process.",
                code="custom_tools_unsupported",
                is_safe_to_retry=True,
            )
        return self._handle(await self._with_tools(agent_id, tools, resume, key), chosen, key)

    async def _with_tools(
        self,
        agent_id: str | None,
        tools: Mapping[str, CustomTool],
        ask: Callable[[], Awaitable[_convert.AgentHandle]],
        key: str | None,
    ) -> _convert.AgentHandle:
        if not tools or agent_id is None:
            return await ask()
        self._core.check_open("Custom tools")
        return await self._core.tools.create(agent_id, tools, ask, key=key)

    def _handle(self, answer: _convert.AgentHandle, options: AgentOptions, key: str | None) -> AsyncAgent:
        cwd = _validate.local_cwd(options)
        model = answer.model or (None if options.model is None else _validate.model_selection(options.model))
        return AsyncAgent(self._client, self._core, answer.agent_id, model=model, api_key=key, cwd=cwd)

    async def list(
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
    ) -> AsyncListResult[SDKAgentInfo]:
        """One page of agents, newest first.

        Args:
            options: What follows, as a mapping; the keywords win.
            runtime: ``"local"``, ``"cloud"`` or ``"auto"``.
            cwd: The directory of local agents, if not the bridge's workspace.
            include_archived: Whether archived agents are listed too.
            pr_url: Only the cloud agents of this pull request.
            cursor: Where to go on, from an earlier page.
            limit: How many at most on one page.
            api_key: For cloud agents.

        Returns:
            The page; ``get_next_page()`` and ``auto_paging_iter()`` go on. Cloud lists leave archived agents
            out unless ``include_archived=True``.
        """
        wanted = _validate.agent_list_options(
            options,
            runtime=runtime,
            cwd=cwd,
            include_archived=include_archived,
            pr_url=pr_url,
            cursor=cursor,
            limit=limit,
            api_key=api_key,
        )
        key = await self._key("Listing cloud agents", wanted.cloud, wanted.api_key)

        async def page(cursor: str | None) -> AsyncListResult[SDKAgentInfo]:
            request = _convert.list_agents_request(wanted, api_key=key, cursor=cursor)
            items, following = await self._core.call(
                "SdkAgentService/ListAgents", request, _convert.agent_page_of
            )
            return AsyncListResult(items, following, page)

        return await page(wanted.cursor)

    async def get(
        self, agent_id: str, *, cwd: Path | None = None, api_key: str | None = None
    ) -> SDKAgentInfo:
        """Read one agent.

        Args:
            agent_id: Its id.
            cwd: The directory of a local agent, if not the bridge's workspace.
            api_key: For a cloud agent.

        Raises:
            AgentNotFoundError: There is none, or not here.
        """
        _needed(agent_id, "agent_id")
        key = await self._key("Reading a cloud agent", is_cloud_id(agent_id), api_key)
        request = _convert.get_agent_request(agent_id, cwd=_text(cwd), api_key=key)
        return await self._core.call("SdkAgentService/GetAgent", request, _convert.agent_info_of)

    async def list_runs(
        self,
        agent_id: str,
        options: Mapping[str, Any] | None = None,
        *,
        runtime: str | None = None,
        cwd: Path | None = None,
        cursor: str | None = None,
        limit: int | None = None,
        api_key: str | None = None,
    ) -> AsyncListResult[AsyncRun]:
        """One page of an agent's runs, newest first, as handles without a stream.

        A local agent has a run in state running before its first prompt.

        Args:
            agent_id: The agent; its prefix decides the runtime unless ``runtime`` is given.
            options: What follows, as a mapping; the keywords win.
            runtime: ``"local"``, ``"cloud"`` or ``"auto"``.
            cwd: The directory of a local agent, if not the bridge's workspace.
            cursor: Where to go on, from an earlier page.
            limit: How many at most on one page.
            api_key: For a cloud agent.
        """
        _needed(agent_id, "agent_id")
        wanted = _validate.run_list_options(
            options,
            agent_id=agent_id,
            runtime=runtime,
            cwd=cwd,
            cursor=cursor,
            limit=limit,
            api_key=api_key,
        )
        key = await self._key("Listing the runs of a cloud agent", wanted.cloud, wanted.api_key)

        async def page(cursor: str | None) -> AsyncListResult[AsyncRun]:
            request = _convert.list_runs_request(agent_id, wanted, api_key=key, cursor=cursor)
            items, following = await self._core.call(
                "SdkAgentService/ListRuns", request, _convert.run_page_of
            )
            scope = RunScope(agent_id, wanted.cloud, wanted.cwd, key)
            for item in items:
                self._core.remember(scope, item.id)
            return AsyncListResult([self._run(scope, item) for item in items], following, page)

        return await page(wanted.cursor)

    async def get_run(
        self, run_id: str, options: Mapping[str, Any] | None = None, **keywords: Unpack[RunKeywords]
    ) -> AsyncRun:
        """One run, as a handle without a stream.

        Args:
            run_id: Its id.
            options: ``runtime``, ``agent_id``, ``cwd``, ``api_key``. A cloud run needs its ``agent_id``.
            keywords: The same as keywords; they win.

        Raises:
            NotFoundError: There is none, or not here.
        """
        _needed(run_id, "run_id")
        wanted = _validate.run_options(options, **keywords)
        key = await self._key("Reading a cloud run", wanted.cloud, wanted.api_key)
        scope = RunScope(wanted.agent_id or "", wanted.cloud, wanted.cwd, key)
        return self._run(scope, await self._core.get_run(scope, run_id))

    async def resume_run(
        self, position: RunPosition | Mapping[str, Any], *, api_key: str | None = None
    ) -> AsyncRun:
        """Go on reading a run where another handle, of any process, left off.

        The handle's readers give what comes after the position; its text and usage are those of the whole
        run.

        Args:
            position: What ``run.position`` gave, or its ``to_dict()``.
            api_key: For a cloud run.

        Raises:
            ConfigurationError: It is no position (code ``bad_position``).
            NotFoundError: There is no such run, or not here.
            StreamInterruptedError: While reading: the run is not the one that was read up to the position
                (code ``replay_differs``).
        """
        place = position if isinstance(position, RunPosition) else RunPosition.from_dict(position)
        key = await self._key("Reading a cloud run", place.cloud, api_key)
        scope = RunScope(place.agent_id, place.cloud, place.cwd, key)
        snapshot = await self._core.get_run(scope, place.run_id)
        return AsyncRun._from_snapshot(self._client, self._core, scope, snapshot, place)

    async def cancel_run(
        self, run_id: str, *, agent_id: str | None = None, cwd: Path | None = None, api_key: str | None = None
    ) -> None:
        """Cancel a run.

        Args:
            run_id: The run.
            agent_id: Its agent; needed for a cloud run.
            cwd: The directory of a local agent, if not the bridge's workspace.
            api_key: For a cloud run.

        Raises:
            ConfigurationError: A cloud run that has ended already (``api_code`` ``run_not_cancellable``).
        """
        _needed(run_id, "run_id")
        self._core.check_open("Cancelling a run")
        scope = await self._core.scope_of(run_id, agent_id, _text(cwd), api_key)
        await self._core.cancel_run(scope, run_id)

    async def archive(
        self, agent_id: str, options: Mapping[str, Any] | None = None, **keywords: Unpack[OperationKeywords]
    ) -> None:
        """Put an agent away. ``options``: ``cwd``, ``api_key``; also as keywords, which win."""
        await self._operate("ArchiveAgent", agent_id, options, keywords)

    async def unarchive(
        self, agent_id: str, options: Mapping[str, Any] | None = None, **keywords: Unpack[OperationKeywords]
    ) -> None:
        """Take an agent back from the archive. Options as for :meth:`archive`."""
        await self._operate("UnarchiveAgent", agent_id, options, keywords)

    async def delete(
        self, agent_id: str, options: Mapping[str, Any] | None = None, **keywords: Unpack[OperationKeywords]
    ) -> None:
        """Delete an agent for good. Options as for :meth:`archive`."""
        await self._operate("DeleteAgent", agent_id, options, keywords)

    async def _operate(
        self, verb: str, agent_id: str, options: Mapping[str, Any] | None, keywords: OperationKeywords
    ) -> None:
        _needed(agent_id, "agent_id")
        wanted = _validate.operation_options(options, **keywords)
        key = await self._key(f"{verb} of a cloud agent", is_cloud_id(agent_id), wanted.api_key)
        await self._core.agent_operation(verb, agent_id, cwd=wanted.cwd, api_key=key)

    def _run(self, scope: RunScope, snapshot: RunSnapshot) -> AsyncRun:
        return AsyncRun._from_snapshot(self._client, self._core, scope, snapshot)


def _needed(value: str, name: str) -> None:
    if not isinstance(value, str):
        raise ConfigurationError(
            f"{name} must be a string, not {type(value).__name__}.", is_safe_to_retry=True
        )
    if not value.strip():
        raise BadRequestError(
            f"{name} is empty; give the id.", code="invalid_argument", is_safe_to_retry=True
        )


def _text(path: Path | None) -> str | None:
    return None if path is None else fspath(path)
