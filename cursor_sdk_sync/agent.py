"""Agent: a durable conversation with a workspace and a model, for callers who wait."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from os import PathLike
from typing import TYPE_CHECKING, Any, ClassVar

from typing_extensions import Self, Unpack

from cursor_sdk_async import AsyncAgent, AsyncRun
from cursor_sdk_async.agent import OnBusy
from cursor_sdk_async.blocking import on_both
from cursor_sdk_sync._older import older
from cursor_sdk_sync._twin import blocking_words, twin_of
from cursor_sdk_sync.run import Run

if TYPE_CHECKING:
    from cursor_sdk_async import (
        AgentMessage,
        AgentOptions,
        AgentUsage,
        CloudAgentOptions,
        ListResult,
        LocalAgentOptions,
        ModelSelection,
        RunResult,
        SDKAgentInfo,
        SDKArtifact,
        SendOptions,
        UserMessage,
    )
    from cursor_sdk_async.options import (
        AgentKeywords,
        AgentListKeywords,
        CreateKeywords,
        MessageListKeywords,
        OperationKeywords,
        RunKeywords,
        RunListKeywords,
    )
    from cursor_sdk_sync.client import CursorClient

    # Within the class, ``list`` is a method.
    Messages = list[AgentMessage]
    Artifacts = list[SDKArtifact]

__all__ = ["Agent"]


def _or_default(client: CursorClient | None) -> CursorClient:
    from cursor_sdk_sync._default import default_client

    return client or default_client()


@twin_of(type(AsyncAgent.messages))
class _Messages:
    @staticmethod
    def list(
        agent_id: str,
        options: Mapping[str, Any] | None = None,
        *,
        client: CursorClient | None = None,
        **keywords: Unpack[MessageListKeywords],
    ) -> list[AgentMessage]:
        client = _or_default(client)
        twin = partial(AsyncAgent.messages.list, client=client._twin)
        return client.portal.call(twin, agent_id, options, **keywords)


@twin_of(type(AsyncAgent.lifecycle))
class _Lifecycle:
    def archive(
        self, agent_id: str, options: Mapping[str, Any] | None = None, *, client: CursorClient | None = None
    ) -> None:
        older("Agent.lifecycle.archive", "Agent.archive")
        Agent.archive(agent_id, options, client=client)

    def unarchive(
        self, agent_id: str, options: Mapping[str, Any] | None = None, *, client: CursorClient | None = None
    ) -> None:
        older("Agent.lifecycle.unarchive", "Agent.unarchive")
        Agent.unarchive(agent_id, options, client=client)

    def delete(
        self, agent_id: str, options: Mapping[str, Any] | None = None, *, client: CursorClient | None = None
    ) -> None:
        older("Agent.lifecycle.delete", "Agent.delete")
        Agent.delete(agent_id, options, client=client)


@twin_of(AsyncAgent)
class Agent:
    messages: ClassVar[_Messages] = _Messages()
    lifecycle: ClassVar[_Lifecycle] = _Lifecycle()

    def __init__(self, client: CursorClient, twin: AsyncAgent) -> None:
        self._client = client
        self._twin = twin
        self._portal = client.portal

    # On the class; without client= they use the default client.

    @classmethod
    def create(
        cls,
        options: AgentOptions | Mapping[str, Any] | None = None,
        *,
        client: CursorClient | None = None,
        model: str | ModelSelection | Mapping[str, Any] | None = None,
        api_key: str | None = None,
        name: str | None = None,
        local: LocalAgentOptions | Mapping[str, Any] | None = None,
        cloud: CloudAgentOptions | Mapping[str, Any] | None = None,
        idempotency_key: str | None = None,
        **more: Unpack[CreateKeywords],
    ) -> Agent:
        return _or_default(client).agents.create(
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
    def resume(
        cls,
        agent_id: str,
        options: AgentOptions | Mapping[str, Any] | None = None,
        *,
        client: CursorClient | None = None,
        model: str | ModelSelection | Mapping[str, Any] | None = None,
        api_key: str | None = None,
        name: str | None = None,
        local: LocalAgentOptions | Mapping[str, Any] | None = None,
        cloud: CloudAgentOptions | Mapping[str, Any] | None = None,
        **more: Unpack[AgentKeywords],
    ) -> Agent:
        return _or_default(client).agents.resume(
            agent_id, options, model=model, api_key=api_key, name=name, local=local, cloud=cloud, **more
        )

    @classmethod
    def list(
        cls,
        options: Mapping[str, Any] | None = None,
        *,
        client: CursorClient | None = None,
        **keywords: Unpack[AgentListKeywords],
    ) -> ListResult[SDKAgentInfo]:
        return _or_default(client).agents.list(options, **keywords)

    @classmethod
    def get(
        cls,
        agent_id: str,
        *,
        client: CursorClient | None = None,
        cwd: str | PathLike[str] | None = None,
        api_key: str | None = None,
    ) -> SDKAgentInfo:
        return _or_default(client).agents.get(agent_id, cwd=cwd, api_key=api_key)

    @classmethod
    def list_runs(
        cls,
        agent_id: str,
        options: Mapping[str, Any] | None = None,
        *,
        client: CursorClient | None = None,
        **keywords: Unpack[RunListKeywords],
    ) -> ListResult[Run]:
        return _or_default(client).agents.list_runs(agent_id, options, **keywords)

    @classmethod
    def get_run(
        cls,
        run_id: str,
        options: Mapping[str, Any] | None = None,
        *,
        client: CursorClient | None = None,
        **keywords: Unpack[RunKeywords],
    ) -> Run:
        return _or_default(client).agents.get_run(run_id, options, **keywords)

    @classmethod
    def cancel_run(
        cls,
        run_id: str,
        *,
        client: CursorClient | None = None,
        agent_id: str | None = None,
        cwd: str | PathLike[str] | None = None,
        api_key: str | None = None,
    ) -> None:
        _or_default(client).agents.cancel_run(run_id, agent_id=agent_id, cwd=cwd, api_key=api_key)

    @classmethod
    def archive_agent(
        cls, agent_id: str, options: Mapping[str, Any] | None = None, *, client: CursorClient | None = None
    ) -> None:
        older("Agent.archive_agent", "Agent.archive")
        cls.archive(agent_id, options, client=client)

    @classmethod
    def unarchive_agent(
        cls, agent_id: str, options: Mapping[str, Any] | None = None, *, client: CursorClient | None = None
    ) -> None:
        older("Agent.unarchive_agent", "Agent.unarchive")
        cls.unarchive(agent_id, options, client=client)

    @classmethod
    def delete_agent(
        cls, agent_id: str, options: Mapping[str, Any] | None = None, *, client: CursorClient | None = None
    ) -> None:
        older("Agent.delete_agent", "Agent.delete")
        cls.delete(agent_id, options, client=client)

    # On the class and on an instance.

    @staticmethod
    def _prompt_new(
        message: str | UserMessage | Mapping[str, Any],
        options: AgentOptions | Mapping[str, Any] | None = None,
        *,
        client: CursorClient | None = None,
        timeout: float | None = None,
        idle_timeout: float | None = None,
    ) -> RunResult:
        client = _or_default(client)
        twin = partial(AsyncAgent.prompt, client=client._twin, timeout=timeout, idle_timeout=idle_timeout)
        return client.portal.watch(client._twin.settle, twin, message, options)

    @on_both(_prompt_new)
    def prompt(
        self,
        message: str | UserMessage | Mapping[str, Any],
        options: SendOptions | Mapping[str, Any] | None = None,
        *,
        idempotency_key: str | None = None,
        on_busy: OnBusy = "raise",
        timeout: float | None = None,
        idle_timeout: float | None = None,
    ) -> RunResult:
        return self._portal.watch(
            self._twin.client.settle,
            self._twin.prompt,
            message,
            options,
            idempotency_key=idempotency_key,
            on_busy=on_busy,
            timeout=timeout,
            idle_timeout=idle_timeout,
        )

    @staticmethod
    def _archive_by_id(
        agent_id: str,
        options: Mapping[str, Any] | None = None,
        *,
        client: CursorClient | None = None,
        **keywords: Unpack[OperationKeywords],
    ) -> None:
        _or_default(client).agents.archive(agent_id, options, **keywords)

    @on_both(_archive_by_id)
    def archive(
        self, options: Mapping[str, Any] | None = None, **keywords: Unpack[OperationKeywords]
    ) -> None:
        self._portal.call(self._twin.archive, options, **keywords)

    @staticmethod
    def _unarchive_by_id(
        agent_id: str,
        options: Mapping[str, Any] | None = None,
        *,
        client: CursorClient | None = None,
        **keywords: Unpack[OperationKeywords],
    ) -> None:
        _or_default(client).agents.unarchive(agent_id, options, **keywords)

    @on_both(_unarchive_by_id)
    def unarchive(
        self, options: Mapping[str, Any] | None = None, **keywords: Unpack[OperationKeywords]
    ) -> None:
        self._portal.call(self._twin.unarchive, options, **keywords)

    @staticmethod
    def _delete_by_id(
        agent_id: str,
        options: Mapping[str, Any] | None = None,
        *,
        client: CursorClient | None = None,
        **keywords: Unpack[OperationKeywords],
    ) -> None:
        _or_default(client).agents.delete(agent_id, options, **keywords)

    @on_both(_delete_by_id)
    def delete(self, options: Mapping[str, Any] | None = None, **keywords: Unpack[OperationKeywords]) -> None:
        self._portal.call(self._twin.delete, options, **keywords)

    # On an instance.

    @property
    def client(self) -> CursorClient:
        return self._client

    @property
    def agent_id(self) -> str:
        return self._twin.agent_id

    @property
    def model(self) -> ModelSelection | None:
        return self._twin.model

    def send(
        self,
        message: str | UserMessage | Mapping[str, Any],
        options: SendOptions | Mapping[str, Any] | None = None,
        *,
        idempotency_key: str | None = None,
        on_busy: OnBusy = "raise",
        timeout: float | None = None,
        idle_timeout: float | None = None,
    ) -> Run:
        twin, settle = self._twin, self._twin.client.settle
        run = self._portal.obtain(
            AsyncRun.interrupt,
            settle,
            twin.send,
            message,
            options,
            idempotency_key=idempotency_key,
            on_busy=on_busy,
            timeout=timeout,
            idle_timeout=idle_timeout,
        )
        return Run(self._client, run)

    def reload(self) -> None:
        self._portal.call(self._twin.reload)

    def list_messages(
        self, options: Mapping[str, Any] | None = None, **keywords: Unpack[MessageListKeywords]
    ) -> Messages:
        return self._portal.call(self._twin.list_messages, options, **keywords)

    def list_artifacts(self) -> Artifacts:
        return self._portal.call(self._twin.list_artifacts)

    def download_artifact(self, path: str) -> bytes:
        return self._portal.call(self._twin.download_artifact, path)

    def get_usage(self, *, run_id: str | None = None) -> AgentUsage:
        return self._portal.call(self._twin.get_usage, run_id=run_id)

    def close(self) -> None:
        self._portal.finish(self._twin.close)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return blocking_words(repr(self._twin))

    def __reduce__(self) -> tuple[Any, ...]:
        return self._twin.__reduce__()
