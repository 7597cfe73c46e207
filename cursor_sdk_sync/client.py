"""CursorClient: one bridge, for callers who wait."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any

from typing_extensions import Self, Unpack

from cursor_sdk_async.client import UNSET, ApiKey, AsyncClient, Codec, Unset
from cursor_sdk_async.retry import RetryPolicy
from cursor_sdk_sync._portal import Portal, shared_portal
from cursor_sdk_sync._twin import blocking_words, twin_of
from cursor_sdk_sync.bridge import Bridge
from cursor_sdk_sync.resources import AgentsResource, ModelsResource, RepositoriesResource

if TYPE_CHECKING:
    import httpx

    from cursor_sdk_async import (
        AgentOptions,
        BridgeEndpoint,
        CloudAgentOptions,
        ListResult,
        LocalAgentOptions,
        ModelSelection,
        RunResult,
        RunStreamEvent,
        SDKAgentInfo,
        SDKModel,
        SDKRepository,
        SDKUser,
    )
    from cursor_sdk_async.options import AgentKeywords, CreateKeywords, RunKeywords
    from cursor_sdk_async.transport import Transport
    from cursor_sdk_sync.agent import Agent
    from cursor_sdk_sync.run import Run

__all__ = ["CursorClient"]

Path = str | PathLike[str]


@twin_of(AsyncClient)
class CursorClient:
    agents: AgentsResource
    models: ModelsResource
    repositories: RepositoriesResource

    def __init__(
        self,
        endpoint: BridgeEndpoint | None = None,
        *,
        base_url: str | None = None,
        auth_token: str | None = None,
        timeout: float | httpx.Timeout | Unset | None = UNSET,
        unary_timeout: float | httpx.Timeout | Unset | None = UNSET,
        stream_timeout: float | httpx.Timeout | Unset | None = UNSET,
        max_retries: int | None = None,
        retry: RetryPolicy | None = None,
        http_client: httpx.AsyncClient | httpx.Client | None = None,
        transport: Transport | None = None,
        api_key: ApiKey | None = None,
        allow_api_key_env_fallback: bool | None = None,
        allow_remote: bool = False,
        codec: Codec | None = None,
        portal: Portal | None = None,
    ) -> None:
        twin = AsyncClient(
            endpoint,
            base_url=base_url,
            auth_token=auth_token,
            timeout=timeout,
            unary_timeout=unary_timeout,
            stream_timeout=stream_timeout,
            max_retries=max_retries,
            retry=retry,
            http_client=http_client,
            transport=transport,
            api_key=api_key,
            allow_api_key_env_fallback=allow_api_key_env_fallback,
            allow_remote=allow_remote,
            codec=codec,
        )
        self._set_up(twin, portal or shared_portal())

    def _set_up(self, twin: AsyncClient, portal: Portal) -> Self:
        self._twin = twin
        self._portal = portal
        self.agents = AgentsResource(self, twin, portal)
        self.models = ModelsResource(twin, portal)
        self.repositories = RepositoriesResource(twin, portal)
        portal.keep(twin)
        return self

    @classmethod
    def connect(
        cls,
        base_url: str,
        auth_token: str,
        *,
        timeout: float | httpx.Timeout | Unset | None = UNSET,
        unary_timeout: float | httpx.Timeout | Unset | None = UNSET,
        stream_timeout: float | httpx.Timeout | Unset | None = UNSET,
        max_retries: int | None = None,
        retry: RetryPolicy | None = None,
        http_client: httpx.AsyncClient | httpx.Client | None = None,
        api_key: ApiKey | None = None,
        allow_api_key_env_fallback: bool | None = None,
        allow_remote: bool = False,
        codec: Codec | None = None,
        portal: Portal | None = None,
    ) -> Self:
        return cls(
            base_url=base_url,
            auth_token=auth_token,
            timeout=timeout,
            unary_timeout=unary_timeout,
            stream_timeout=stream_timeout,
            max_retries=max_retries,
            retry=retry,
            http_client=http_client,
            api_key=api_key,
            allow_api_key_env_fallback=allow_api_key_env_fallback,
            allow_remote=allow_remote,
            codec=codec,
            portal=portal,
        )

    @classmethod
    def launch_bridge(
        cls,
        command: Path | Sequence[str] | None = None,
        *,
        workspace: Path | None = None,
        state_root: Path | None = None,
        host: str | None = None,
        port: int | None = None,
        timeout: float | None = None,
        local: Any = None,
        env: Mapping[str, str | None] | None = None,
        inherit_env: bool | Collection[str] = True,
        on_stderr: Callable[[str], Any] | None = None,
        verbose: bool = False,
        client_timeout: float | httpx.Timeout | Unset | None = UNSET,
        max_retries: int | None = None,
        retry: RetryPolicy | None = None,
        http_client: httpx.AsyncClient | httpx.Client | None = None,
        api_key: ApiKey | None = None,
        allow_api_key_env_fallback: bool | None = None,
        codec: Codec | None = None,
        portal: Portal | None = None,
    ) -> Self:
        portal = portal or shared_portal()
        twin = portal.obtain(
            AsyncClient.aclose,
            None,
            AsyncClient.launch_bridge,
            command,
            workspace=workspace,
            state_root=state_root,
            host=host,
            port=port,
            timeout=timeout,
            local=local,
            env=env,
            inherit_env=inherit_env,
            on_stderr=on_stderr,
            verbose=verbose,
            client_timeout=client_timeout,
            max_retries=max_retries,
            retry=retry,
            http_client=http_client,
            api_key=api_key,
            allow_api_key_env_fallback=allow_api_key_env_fallback,
            codec=codec,
        )
        return cls.__new__(cls)._set_up(twin, portal)

    @classmethod
    def from_environment(cls, *, portal: Portal | None = None) -> Self:
        portal = portal or shared_portal()
        twin = portal.obtain(AsyncClient.aclose, None, AsyncClient.from_environment)
        return cls.__new__(cls)._set_up(twin, portal)

    @property
    def portal(self) -> Portal:
        """The portal that the client works in."""
        return self._portal

    @property
    def bridge(self) -> Bridge | None:
        return None if self._twin.bridge is None else Bridge(self._twin.bridge, self._portal)

    @property
    def closed(self) -> bool:
        return self._twin.closed

    def is_alive(self) -> bool:
        return self._twin.is_alive()

    def with_options(
        self,
        *,
        timeout: float | httpx.Timeout | Unset | None = UNSET,
        unary_timeout: float | httpx.Timeout | Unset | None = UNSET,
        stream_timeout: float | httpx.Timeout | Unset | None = UNSET,
        max_retries: int | None = None,
        retry: RetryPolicy | None = None,
    ) -> Self:
        twin = self._twin.with_options(
            timeout=timeout,
            unary_timeout=unary_timeout,
            stream_timeout=stream_timeout,
            max_retries=max_retries,
            retry=retry,
        )
        return type(self).__new__(type(self))._set_up(twin, self._portal)

    def ping(self) -> str:
        return self._portal.call(self._twin.ping)

    def get_version(self) -> Mapping[str, Any]:
        return self._portal.call(self._twin.get_version)

    def me(self, *, api_key: str | None = None) -> SDKUser:
        return self._portal.call(self._twin.me, api_key=api_key)

    def register_custom_tools(self, agent_id: str, tools: Mapping[str, Any]) -> None:
        self._portal.do(self._twin.register_custom_tools, agent_id, tools)

    def unregister_custom_tools(self, agent_id: str) -> None:
        self._portal.do(self._twin.unregister_custom_tools, agent_id)

    def shutdown(self, *, grace_seconds: int = 0) -> None:
        self._portal.call(self._twin.shutdown, grace_seconds=grace_seconds)

    def wait_live_run(
        self, run_id: str, *, agent_id: str | None = None, api_key: str | None = None
    ) -> RunResult:
        return self._portal.call(self._twin.wait_live_run, run_id, agent_id=agent_id, api_key=api_key)

    def observe_run(
        self,
        run_id: str,
        *,
        after_offset: str | None = None,
        agent_id: str | None = None,
        api_key: str | None = None,
    ) -> Iterator[RunStreamEvent]:
        steps = self._twin.observe_run(run_id, after_offset=after_offset, agent_id=agent_id, api_key=api_key)
        return self._portal.iterate(steps, self._twin.settle)

    # The flat names of what the namespaces do.

    def create_agent(
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
        return self.agents.create(
            options,
            model=model,
            api_key=api_key,
            name=name,
            local=local,
            cloud=cloud,
            idempotency_key=idempotency_key,
            **more,
        )

    def resume_agent(
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
        return self.agents.resume(
            agent_id, options, model=model, api_key=api_key, name=name, local=local, cloud=cloud, **more
        )

    def list_agents(
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
    ) -> ListResult[SDKAgentInfo]:
        return self.agents.list(
            options,
            runtime=runtime,
            cwd=cwd,
            include_archived=include_archived,
            pr_url=pr_url,
            cursor=cursor,
            limit=limit,
            api_key=api_key,
        )

    def get_agent(
        self, agent_id: str, *, cwd: str | PathLike[str] | None = None, api_key: str | None = None
    ) -> SDKAgentInfo:
        return self.agents.get(agent_id, cwd=cwd, api_key=api_key)

    def list_runs(
        self,
        agent_id: str,
        options: Mapping[str, Any] | None = None,
        *,
        runtime: str | None = None,
        cwd: str | PathLike[str] | None = None,
        cursor: str | None = None,
        limit: int | None = None,
        api_key: str | None = None,
    ) -> ListResult[Run]:
        return self.agents.list_runs(
            agent_id, options, runtime=runtime, cwd=cwd, cursor=cursor, limit=limit, api_key=api_key
        )

    def get_run(
        self, run_id: str, options: Mapping[str, Any] | None = None, **keywords: Unpack[RunKeywords]
    ) -> Run:
        return self.agents.get_run(run_id, options, **keywords)

    def cancel_run(
        self,
        run_id: str,
        *,
        agent_id: str | None = None,
        cwd: str | PathLike[str] | None = None,
        api_key: str | None = None,
    ) -> None:
        self.agents.cancel_run(run_id, agent_id=agent_id, cwd=cwd, api_key=api_key)

    def list_models(self, *, api_key: str | None = None) -> list[SDKModel]:
        return self.models.list(api_key=api_key)

    def list_repositories(self, *, api_key: str | None = None) -> list[SDKRepository]:
        return self.repositories.list(api_key=api_key)

    def close(self) -> None:
        self._portal.finish(self._twin.aclose)

    def __enter__(self) -> Self:
        self._portal.call(self._twin.__aenter__)
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return blocking_words(repr(self._twin))

    def __reduce__(self) -> tuple[Any, ...]:
        return self._twin.__reduce__()
