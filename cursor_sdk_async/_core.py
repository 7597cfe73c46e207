"""What the handles of one client share: channel, owner task, keys, and the runs that are being read.

Nothing leaks: all run streams are in ``runs`` and are dropped when the client closes, which first lets the
errands of cancelled callers end. Nothing hangs: each step of the farewell is bounded, the sum is
``FAREWELL_SECONDS``.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from copy import copy
from functools import partial
from typing import Any, TypeVar
from weakref import WeakValueDictionary

import anyio

from cursor_sdk_async import _convert
from cursor_sdk_async._callbacks._client_tools import ClientTools
from cursor_sdk_async._connect._channel import Channel
from cursor_sdk_async._keys import KeyRing
from cursor_sdk_async._lifecycle import LoopOwner, Owner, OwnerSource
from cursor_sdk_async._runs._live import CANCEL_SECONDS, LiveRuns
from cursor_sdk_async._runs._loss import Loss, Watch
from cursor_sdk_async._runs._observing import Observing
from cursor_sdk_async._runs._reader import Frames, RunReader
from cursor_sdk_async._runs._scope import RunScope, is_cloud_id
from cursor_sdk_async._runs._silence import Watchdog, WatchedStream
from cursor_sdk_async._runs._start import RunStart
from cursor_sdk_async._warm import warm
from cursor_sdk_async.errors import BridgeExitedError, ClosedError, CursorSDKError, NotFoundError
from cursor_sdk_async.options import SendOptions, UserMessage
from cursor_sdk_async.results import RunResult, RunSnapshot

__all__ = ["FAREWELL_SECONDS", "Core", "RunScope", "is_cloud_id"]

logger = logging.getLogger("cursor_sdk_async")

#: The Shutdown RPC: it answers at once, or not at all.
SHUTDOWN_SECONDS = 1.0
#: How long the polite part of closing an owned bridge may take before signals follow.
FAREWELL_SECONDS = CANCEL_SECONDS + SHUTDOWN_SECONDS

T = TypeVar("T")


class Core:
    """The shared part of a client.

    Args:
        channel: The channel to the bridge.
        keys: The API keys.
        owner: Gives the owner task.
        own: The owner, when it is the client's own and not that of a launched bridge.
        url: The bridge's base URL, where it is known.
    """

    def __init__(
        self,
        channel: Channel,
        keys: KeyRing,
        owner: OwnerSource,
        *,
        own: LoopOwner | None = None,
        url: str = "",
    ) -> None:
        self.channel = channel
        self.keys = keys
        keys.on_use = channel.hide
        self.owner = owner
        self._own = own
        self._ending: Owner | None = None
        self.runs: LiveRuns = LiveRuns(self.cancel_run)
        self.known: WeakValueDictionary[str, RunScope] = WeakValueDictionary()
        self.observing: Observing = Observing()
        self.watchdog: Watchdog = Watchdog(self._ping)
        self._loss = Loss(self.runs.open.keys())
        self._closed = anyio.Event()  # shared by the copies of with_channel()

        async def tell(url: str, token: str) -> None:
            request = _convert.set_tool_callback_request(url, token)
            await channel.unary("SdkBridgeControlService/SetToolCallback", request)

        self.tools: ClientTools = ClientTools(url, owner, tell)

    def with_channel(self, channel: Channel) -> Core:
        """The same core over a channel with other options."""
        twin = copy(self)
        twin.channel = channel
        return twin

    @property
    def closed(self) -> bool:
        """Whether the client was closed."""
        return self._closed.is_set()

    def refuse_new_calls(self) -> None:
        """From now on only what closing itself needs is sent."""
        self._closed.set()

    def check_open(self, what: str) -> None:
        """Refuse ``what`` when the client is closed or belongs to another loop.

        Raises:
            ClosedError: It is, or does.
        """
        if self.closed:
            raise ClosedError(
                f"{what}: the client is closed. Make a new one.", code="closed", is_safe_to_retry=True
            )
        self.owner().check(what)

    def watch_bridge(self, watch: Watch) -> None:
        """When the process ends: fail all that is pending, naming the runs that were in flight."""
        self._loss.watch(watch, self.channel.fail)

    async def explain_loss(self) -> CursorSDKError | None:
        """Why a connection was lost: the end of the process, or nothing that is known."""
        return await self._loss.explain()

    async def aclose(self) -> None:
        """Close an attached client: drop streams and connections, end its owner, leave the bridge alone.

        The owner does it, so that a cancelled caller leaves nothing half closed.
        """
        self.refuse_new_calls()
        if self._ending is not None:
            if self._ending.is_current:
                await self._ending.wait_ended()
            return
        owner = self._ending = self.owner()
        await owner.call(self._end, owner, keep=True)
        if self._own is not None:
            await self._own.aclose()
        await self.tools.aclose()

    async def _end(self, owner: Owner) -> None:
        try:
            await self.runs.let_go(owner)
            await self.runs.close_all()
            await self.tools.clear()
            await self.channel.aclose()
        finally:
            if self._own is not None:
                self._own.request_close_threadsafe()

    async def call(self, rpc: str, request: Any, read: Callable[[Any], T], **options: Any) -> T:
        """One unary call of a user, its answer turned into a public type."""
        await warm()
        self.check_open(rpc)
        return read(await self.channel.unary(rpc, request, **options))

    async def start_run(
        self, scope: RunScope, handle_id: str, message: UserMessage, options: SendOptions
    ) -> RunReader:
        """Send a prompt; the run is known when this returns.

        When the caller is cancelled before that, the owner finds the run, cancels it and drops the stream.
        """
        self.check_open("send()")
        request = _convert.send_request(handle_id, message, options)
        extra = _convert.extra_fields(options)

        async def open_stream() -> Frames:
            return await self._watched("SdkAgentService/Send", request, extra=extra)

        async def cancel_run(run_id: str, agent_id: str) -> None:
            await self.cancel_run(
                RunScope(agent_id, scope.cloud, scope.cwd, scope.api_key, registered=True), run_id
            )

        keyed = scope.cloud and options.idempotency_key is not None
        again = partial(self.channel.repeat, "SdkAgentService/Send") if keyed else None
        start = RunStart(open_stream, cancel_run, again)
        owner = self.owner()
        self.runs.starting.add(start)
        try:
            await self.runs.errands.run(owner, start.run, about=handle_id)
        except anyio.get_cancelled_exc_class():
            if start.stream is None:
                start.abandon()
            else:
                self.runs.errands.post(owner, start.discard, about=handle_id)
            raise
        finally:
            self.runs.starting.discard(start)
        if start.stream is None or self.closed:
            self.runs.errands.post(owner, start.discard, about=handle_id)
            raise ClosedError(
                "send() was cut short: the client was closed meanwhile. The prompt was not sent, or its run "
                "was cancelled.",
                code="closed",
            )
        reader = self.observing.sent(self, scope, start, options)
        self.runs.add(reader, scope)
        self.known[start.run_id] = scope
        return reader

    async def scope_of(
        self, run_id: str, agent_id: str | None, cwd: str | None, api_key: str | None
    ) -> RunScope:
        """Where a run lives that is named by its id: as its handle says, else as the caller says."""
        known = self.known.get(run_id)
        if known is not None:
            return known
        cloud = agent_id is not None and is_cloud_id(agent_id)
        key = await (self.keys.need("A cloud run", api_key) if cloud else self.keys.find(api_key))
        return RunScope(agent_id or "", cloud, cwd, key)

    async def get_run(self, scope: RunScope, run_id: str) -> RunSnapshot:
        """Read the state of a run; this puts a fresh handle of it into the bridge's table."""
        request = _convert.get_run_request(
            run_id, agent_id=scope.agent_id, cloud=scope.cloud, cwd=scope.cwd, api_key=scope.api_key
        )
        snapshot = _convert.run_snapshot_of(await self.channel.unary("SdkAgentService/GetRun", request))
        self.remember(scope, run_id)
        return snapshot

    def remember(self, scope: RunScope, run_id: str) -> None:
        """The bridge has the run in its table, and there is a handle of it."""
        scope.registered = True
        self.known[run_id] = scope

    async def _prime(self, scope: RunScope, run_id: str) -> None:
        """Make the bridge know the run: calls that carry no key would look in the wrong place otherwise."""
        await self.runs.closing_over(self.owner(), scope.agent_id)
        if not scope.registered:
            await self.get_run(scope, run_id)

    async def wait_live_run(self, scope: RunScope, run_id: str) -> RunResult:
        """Wait for the end of a run, without a time limit."""
        request = _convert.wait_live_run_request(run_id)
        return await self._ask(scope, run_id, "SdkAgentService/WaitLiveRun", request, _convert.run_result_of)

    async def result_payload(self, scope: RunScope, run_id: str) -> dict[str, Any]:
        """The same, as a ``result`` frame carries it."""
        request = _convert.wait_live_run_request(run_id)
        rpc = "SdkAgentService/WaitLiveRun"
        return await self._ask(scope, run_id, rpc, request, _convert.result_payload, raw=True)

    async def _ask(
        self, scope: RunScope, run_id: str, rpc: str, request: Any, read: Callable[[Any], T], **options: Any
    ) -> T:
        """A question that lasts as long as the run.

        When the agent is closed meanwhile, the bridge answers as if the run had failed, or has forgotten it;
        a cloud run goes on, so it is asked again. Another client may have closed it unseen.
        """
        forgotten = 0
        while True:
            await self._prime(scope, run_id)
            try:
                answer = await self.watchdog.over(partial(self.call, rpc, request, read, **options))
            except NotFoundError:
                forgotten += 1
                if forgotten > 2:
                    raise
                scope.registered = False
            else:
                if scope.registered or not scope.cloud:
                    return answer

    async def cancel_run(self, scope: RunScope, run_id: str) -> None:
        """Cancel a run at the bridge."""
        await self._prime(scope, run_id)
        request = _convert.cancel_run_request(run_id, agent_id=scope.agent_id if scope.cloud else None)
        ask = partial(self.channel.unary, "SdkAgentService/CancelRun", request)
        await self.tools.cancel_run(scope.agent_id, ask)

    async def open_observation(self, request: Any) -> Frames:
        """The stream of ``ObserveRun``."""
        return await self._watched("SdkAgentService/ObserveRun", request)

    async def _watched(self, rpc: str, request: Any, **options: Any) -> Frames:
        """A run stream; when it is silent for long, the bridge is asked whether it is there."""
        stream = await self.watchdog.over(partial(self.channel.stream, rpc, request, **options))
        return WatchedStream(stream, self.watchdog)

    async def _ping(self, seconds: float) -> None:
        await self.channel.unary("SdkBridgeControlService/Ping", _convert.ping_request(), timeout=seconds)

    async def conversation_json(self, scope: RunScope, run_id: str) -> str:
        """The turns of a run as JSON text; waits for its end."""
        request = _convert.run_conversation_request(run_id)
        return await self._ask(
            scope, run_id, "SdkAgentService/GetRunConversation", request, _convert.conversation_json_of
        )

    async def leave_run(self, scope: RunScope, reader: RunReader) -> None:
        """End a run that is left early: cancel it at the bridge, drop its stream; in the owner, bounded."""
        if self.closed or reader.feed.ended:
            await self.runs.close(reader)
        else:
            await self.runs.leave(self.owner(), reader, scope)

    async def farewell(self) -> None:
        """The polite end of an owned bridge: cancel live local runs, drop all streams, ask for the end."""
        async with anyio.create_task_group() as group:
            group.start_soon(self.runs.let_go, self.owner())
            group.start_soon(self.runs.cancel_local)
        await self.runs.close_all()
        with anyio.move_on_after(SHUTDOWN_SECONDS):
            try:
                await self.channel.unary("SdkBridgeControlService/Shutdown", _convert.shutdown_request(0))
            except CursorSDKError as error:
                logger.debug("the bridge did not answer Shutdown: %s", error)
        await self.channel.aclose()

    async def create_agent(
        self, request: Any, extra: Any, *, anonymous: bool, keyed: bool
    ) -> _convert.AgentHandle:
        """Create an agent.

        When the caller is cancelled, the owner lets the bridge forget the agent, unless others may have it.

        Args:
            request: The request.
            extra: Fields of a newer contract.
            anonymous: Whether nobody else can know the agent: it was not named by the caller.
            keyed: Whether sending it twice makes one agent.
        """
        self.check_open("SdkAgentService/CreateAgent")
        owner, made, gone = self.owner(), list[_convert.AgentHandle](), anyio.Event()

        async def create() -> None:
            if gone.is_set():
                return
            try:
                answer = await self.channel.unary(
                    "SdkAgentService/CreateAgent", request, extra=extra, keyed=keyed
                )
                made.append(_convert.agent_handle_of(answer))
            except CursorSDKError as error:
                if not gone.is_set():
                    raise
                logger.debug("an agent that nobody waits for was not made: %s", error)
            if gone.is_set() and anonymous and made:
                await self._close_handle(made[0].agent_id)

        try:
            await self.runs.errands.run(owner, create)
        except anyio.get_cancelled_exc_class():
            gone.set()
            if made and anonymous:
                self.runs.errands.post(owner, self._close_handle, made[0].agent_id)
            raise
        return made[0]

    async def close_agent(self, handle_id: str, agent_id: str) -> None:
        """Let the bridge forget an agent; in the owner, so a cancelled caller leaves nothing half closed."""
        owner, forget = self.owner(), lambda: self._forgotten(agent_id)
        close = partial(self._close_handle, handle_id)
        await self.runs.errands.run(owner, self.runs.close_agent, owner, (agent_id, handle_id), forget, close)

    def _forgotten(self, agent_id: str) -> None:
        """With an agent, the bridge drops its runs from its table."""
        for scope in list(self.known.values()):
            if scope.agent_id == agent_id:
                scope.registered = False

    async def _close_handle(self, handle_id: str) -> None:
        with anyio.move_on_after(CANCEL_SECONDS):
            try:
                request = _convert.close_agent_request(handle_id)
                await self.channel.unary("SdkAgentService/CloseAgent", request)
            except (NotFoundError, BridgeExitedError):
                pass  # it is closed already, with the bridge or without

    async def agent_operation(
        self, verb: str, agent_id: str, *, cwd: str | None, api_key: str | None
    ) -> None:
        """Archive, unarchive or delete an agent."""
        self.check_open(verb)
        request = _convert.agent_operation_request(verb, agent_id, cwd=cwd, api_key=api_key)
        await self.channel.unary(f"SdkAgentService/{verb}", request)

    async def download(self, request: Any) -> bytes:
        """The whole of a downloaded artifact."""
        self.check_open("download_artifact()")
        stream = await self.channel.stream("SdkAgentService/DownloadArtifact", request)
        parts: list[bytes] = []
        try:
            while True:
                parts.extend(await stream.receive())
        except anyio.EndOfStream:
            return b"".join(parts)
        finally:
            await stream.aclose()
