"""AsyncAgent: a durable conversation with a workspace and a model, to which prompts are sent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from types import TracebackType
from typing import TYPE_CHECKING, Any

from typing_extensions import Self, Unpack

from cursor_sdk_async import _convert, _validate
from cursor_sdk_async._agent_calls import AgentCalls
from cursor_sdk_async._both import on_both
from cursor_sdk_async._core import Core, RunScope, is_cloud_id
from cursor_sdk_async._keys import checked_key
from cursor_sdk_async._legacy import LegacyAgent
from cursor_sdk_async._runs._busy import OnBusy, checked_on_busy, sent_when_free
from cursor_sdk_async._runs._deadline import Limits
from cursor_sdk_async._runs._login import Login
from cursor_sdk_async._warm import warm
from cursor_sdk_async.errors import ClosedError
from cursor_sdk_async.options import (
    AgentOptions,
    LocalSendOptions,
    ModelSelection,
    SendOptions,
    UserMessage,
)
from cursor_sdk_async.options._keywords import MessageListKeywords, OperationKeywords
from cursor_sdk_async.results import (
    AgentMessage,
    AgentUsage,
    RunResult,
    SDKArtifact,
)
from cursor_sdk_async.run import AsyncRun

if TYPE_CHECKING:
    from cursor_sdk_async._runs._reader import RunReader
    from cursor_sdk_async.client import AsyncClient

__all__ = ["AsyncAgent", "OnBusy"]

# Within the class, ``list`` is a method.
Messages = list[AgentMessage]
Artifacts = list[SDKArtifact]


class AsyncAgent(AgentCalls, LegacyAgent):
    """One agent, local (files on disk) or cloud (a machine with the repository cloned).

    Made by :meth:`create` and :meth:`resume`, or by ``client.agents``. Leaving ``async with agent`` closes
    it: the bridge lets go of its resources, nothing is deleted.
    """

    def __init__(
        self,
        client: AsyncClient,
        core: Core,
        handle_id: str,
        *,
        model: ModelSelection | None,
        api_key: str | None,
        cwd: str | None,
    ) -> None:
        self._client = client
        self._core = core
        self._handle_id = handle_id
        self._agent_id = handle_id
        self._model = model
        self._api_key = api_key
        self._cwd = cwd
        self._login = Login()
        self._closed = False

    @property
    def client(self) -> AsyncClient:
        """The client that the agent belongs to."""
        return self._client

    @property
    def agent_id(self) -> str:
        """The agent's id.

        The id of a cloud agent with environment variables is provisional until its first prompt was sent.
        """
        return self._agent_id

    @property
    def model(self) -> ModelSelection | None:
        """The model of the next run; ``None`` when it is not known here, as after a resume without one."""
        return self._model

    @property
    def _cloud(self) -> bool:
        return is_cloud_id(self._agent_id)

    @staticmethod
    async def _prompt_new(
        message: str | UserMessage | Mapping[str, Any],
        options: AgentOptions | Mapping[str, Any] | None = None,
        *,
        client: AsyncClient,
        timeout: float | None = None,
        idle_timeout: float | None = None,
    ) -> RunResult:
        async with await client.agents.create(options) as agent:
            sending = agent.send(message, timeout=timeout, idle_timeout=idle_timeout)
            async with await sending as run:
                return await run.wait()

    @on_both(_prompt_new)
    async def prompt(
        self,
        message: str | UserMessage | Mapping[str, Any],
        options: SendOptions | Mapping[str, Any] | None = None,
        *,
        idempotency_key: str | None = None,
        on_busy: OnBusy = "raise",
        timeout: float | None = None,
        idle_timeout: float | None = None,
    ) -> RunResult:
        """Send one prompt and wait for its result.

        ``agent.prompt(message)`` sends on that agent, and takes the options of :meth:`send`.
        ``AsyncAgent.prompt(message, options, client=client)`` creates an agent with these options first, and
        closes it afterwards. When the call is cancelled, the run is cancelled at the bridge.

        Args:
            message: As for :meth:`send`.
            options: As for :meth:`send`, or those of the agent.
            idempotency_key: As for :meth:`send`.
            on_busy: As for :meth:`send`.
            timeout: As for :meth:`send`.
            idle_timeout: As for :meth:`send`.

        Returns:
            The result, also of a run that failed.

        Raises:
            RunTimeoutError: A limit passed; the run was cancelled.
        """
        sending = self.send(
            message,
            options,
            idempotency_key=idempotency_key,
            on_busy=on_busy,
            timeout=timeout,
            idle_timeout=idle_timeout,
        )
        async with await sending as run:
            return await run.wait()

    async def send(
        self,
        message: str | UserMessage | Mapping[str, Any],
        options: SendOptions | Mapping[str, Any] | None = None,
        *,
        idempotency_key: str | None = None,
        on_busy: OnBusy = "raise",
        timeout: float | None = None,
        idle_timeout: float | None = None,
    ) -> AsyncRun:
        """Send a prompt.

        Returns as soon as the run id is known. When this call is cancelled before that, the run is cancelled
        at the bridge by a task of the client; no run goes on without an owner.

        Args:
            message: The prompt: a text, a :class:`UserMessage`, or a mapping with ``text`` and ``images``.
            options: Options of this run.
            idempotency_key: Of this prompt (cloud agents only); wins over the one in ``options``.
            on_busy: What to do when the agent still has an active run, which refuses the prompt. ``"raise"``
                the error; ``"wait"`` until the agent takes it, within ``timeout`` if one is given, else
                for as long as it takes; ``"force"``, for local agents, has the bridge end that run, also one
                that a crash left behind and nothing else would ever end.
            timeout: Seconds from now until the end of the run; no limit by default. When they are over, the
                run is cancelled, also when nobody reads it, and whoever reads it then gets
                ``RunTimeoutError``, after 5 s at most.
            idle_timeout: Seconds that a reader may wait without a frame other than a keep-alive; likewise.

        Returns:
            The run.

        Raises:
            AgentBusyError: The agent still has an active run; ``LocalAgentBusyError`` for a local one.
            AuthenticationError: The key was refused; the message says when it was accepted before.
            ConfigurationError: ``on_busy`` is no such word, or ``"force"`` for a cloud agent.
            RunTimeoutError: A limit passed before the run had an id.
            ClosedError: The agent or its client is closed.
            CursorSDKError: The bridge or the service refused the prompt.
        """
        limits = Limits.of(timeout, idle_timeout)
        await warm()
        self._check_open("send")
        busy = checked_on_busy(on_busy, cloud=self._cloud)
        chosen = _validate.send_options(options, idempotency_key=idempotency_key)
        scope = RunScope(self._agent_id, self._cloud, self._cwd, self._api_key, registered=True)
        await self._core.tools.before_send(self._handle_id)
        prompt = _validate.user_message(message)

        async def start_with(options: SendOptions) -> RunReader:
            self._check_open("send")  # again: it may have waited
            return await self._login.over(
                partial(self._core.start_run, scope, self._handle_id, prompt, options)
            )

        async def force() -> RunReader:
            return await start_with(replace(chosen, local=LocalSendOptions(force=True)))

        start = partial(sent_when_free, busy, partial(start_with, chosen), force)
        if limits is None:
            reader = await start()
        else:
            reader = await self._core.runs.start_limited(self._core.owner(), start, scope, limits)
        if reader.feed.agent_id:
            scope.agent_id = self._agent_id = reader.feed.agent_id
        if chosen.model is not None:
            self._model = _validate.model_selection(chosen.model)
        return AsyncRun(self._client, self._core, scope, reader)

    async def reload(self) -> None:
        """Read hooks, project MCP servers and sub-agents from the files again."""
        self._check_open("reload")
        self._core.check_open("reload()")
        await self._core.channel.unary(
            "SdkAgentService/ReloadAgent", _convert.reload_agent_request(self._handle_id)
        )

    async def close(self) -> None:
        """Let the bridge forget the handle. Nothing is deleted and no cloud run is cancelled.

        A run of the agent that is still going on is named in a warning, and whoever reads it gets
        ``StreamInterruptedError``. Closing twice, or after the client, is harmless.
        """
        if self._closed:
            return
        self._closed = True
        if self._client.closed:
            return
        try:
            await self._core.close_agent(self._handle_id, self._agent_id)
        finally:
            self._core.tools.remove(self._handle_id, "its agent was closed")

    async def aclose(self) -> None:
        """The same as :meth:`close`."""
        await self.close()

    async def list_messages(
        self, options: Mapping[str, Any] | None = None, **keywords: Unpack[MessageListKeywords]
    ) -> Messages:
        """The messages of a local agent.

        Args:
            options: ``limit``, ``offset``, ``runtime``, ``cwd``.
            keywords: The same as keywords; they win.
        """
        wanted = _validate.message_list_options(options, **keywords)
        request = _convert.list_agent_messages_request(
            self._agent_id, wanted, api_key=self._api_key, cwd=self._cwd
        )
        return await self._core.call("SdkAgentService/ListAgentMessages", request, _convert.agent_messages_of)

    async def list_artifacts(self) -> Artifacts:
        """The files that a cloud agent made; empty for a local agent."""
        request = _convert.list_artifacts_request(self._handle_id)
        return await self._core.call("SdkAgentService/ListArtifacts", request, _convert.artifacts_of)

    async def download_artifact(self, path: str) -> bytes:
        """One file that a cloud agent made.

        Args:
            path: As in :meth:`list_artifacts`.

        Raises:
            BadRequestError: There is no such file, or the agent is local.
        """
        return await self._core.download(_convert.download_artifact_request(self._handle_id, path))

    async def get_usage(self, *, run_id: str | None = None) -> AgentUsage:
        """Tokens and cost of the agent.

        Args:
            run_id: Only this run.
        """
        request = _convert.get_usage_request(self._handle_id, run_id=run_id)
        return await self._core.call("SdkAgentService/GetUsage", request, _convert.agent_usage_of)

    @staticmethod
    async def _archive_by_id(
        agent_id: str,
        options: Mapping[str, Any] | None = None,
        *,
        client: AsyncClient,
        **keywords: Unpack[OperationKeywords],
    ) -> None:
        await client.agents.archive(agent_id, options, **keywords)

    @staticmethod
    async def _unarchive_by_id(
        agent_id: str,
        options: Mapping[str, Any] | None = None,
        *,
        client: AsyncClient,
        **keywords: Unpack[OperationKeywords],
    ) -> None:
        await client.agents.unarchive(agent_id, options, **keywords)

    @staticmethod
    async def _delete_by_id(
        agent_id: str,
        options: Mapping[str, Any] | None = None,
        *,
        client: AsyncClient,
        **keywords: Unpack[OperationKeywords],
    ) -> None:
        await client.agents.delete(agent_id, options, **keywords)

    @on_both(_archive_by_id)
    async def archive(
        self, options: Mapping[str, Any] | None = None, **keywords: Unpack[OperationKeywords]
    ) -> None:
        """Put the agent away; it can be taken back with ``unarchive``.

        On an instance ``agent.archive()``, on the class ``AsyncAgent.archive(agent_id, client=client)``;
        ``options`` are ``cwd`` and ``api_key``, also as keywords.
        """
        await self._operate("ArchiveAgent", options, keywords)

    @on_both(_unarchive_by_id)
    async def unarchive(
        self, options: Mapping[str, Any] | None = None, **keywords: Unpack[OperationKeywords]
    ) -> None:
        """Take the agent back from the archive; called like ``archive``."""
        await self._operate("UnarchiveAgent", options, keywords)

    @on_both(_delete_by_id)
    async def delete(
        self, options: Mapping[str, Any] | None = None, **keywords: Unpack[OperationKeywords]
    ) -> None:
        """Delete the agent for good; called like ``archive``."""
        await self._operate("DeleteAgent", options, keywords)

    async def _operate(
        self, verb: str, options: Mapping[str, Any] | None, keywords: OperationKeywords
    ) -> None:
        wanted = _validate.operation_options(options, **keywords)
        key = self._api_key if wanted.api_key is None else checked_key(wanted.api_key, "api_key")
        cwd = self._cwd if wanted.cwd is None else wanted.cwd
        await self._core.agent_operation(verb, self._agent_id, cwd=cwd, api_key=key)

    def _check_open(self, what: str) -> None:
        if self._closed:
            raise ClosedError(
                f"Agent {self._agent_id} is closed; {what}() needs an open one. "
                "Take it up again with client.agents.resume().",
                code="closed",
                is_safe_to_retry=True,
            )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    def __repr__(self) -> str:
        return f"AsyncAgent(agent_id={self._agent_id!r}, model={self._model!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        raise TypeError(
            "An agent is a live handle and cannot be pickled; store agent.agent_id and resume it instead."
        )
