"""What the handles of one client share: channel, owner task, keys, and the runs that are being read.

Nothing leaks: every open run stream is in ``live`` until it ends, is closed or is forgotten, and all of them
are dropped when the client closes. Nothing hangs: each step of the farewell is bounded, the sum is
``FAREWELL_SECONDS``.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Collection, Iterable
from copy import copy
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar
from weakref import WeakValueDictionary

import anyio

from cursor_sdk_async import _convert
from cursor_sdk_async._connect._channel import Channel
from cursor_sdk_async._keys import KeyRing
from cursor_sdk_async._lifecycle import Owner
from cursor_sdk_async._runs._feed import RunFeed
from cursor_sdk_async._runs._reader import Frames, RunReader
from cursor_sdk_async._runs._start import RunStart
from cursor_sdk_async.errors import (
    BridgeExitedError,
    ClosedError,
    CursorSDKError,
    NotFoundError,
    StreamInterruptedError,
)
from cursor_sdk_async.options import SendOptions, UserMessage
from cursor_sdk_async.results import RunResult, RunSnapshot

__all__ = ["FAREWELL_SECONDS", "Core", "RunScope", "is_cloud_id"]

logger = logging.getLogger("cursor_sdk_async")

#: Cancelling what still runs, when a handle is left early or an owned bridge closes.
CANCEL_SECONDS = 2.0
#: The Shutdown RPC: it answers at once, or not at all.
SHUTDOWN_SECONDS = 1.0
#: How long the polite part of closing an owned bridge may take before signals follow.
FAREWELL_SECONDS = CANCEL_SECONDS + SHUTDOWN_SECONDS

T = TypeVar("T")


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


class OwnerSource(Protocol):
    """Gives the owner task of the client for the loop that runs now."""

    def __call__(self) -> Owner:
        """The owner, started."""
        ...


class Watch(Protocol):
    """What is asked of a launched bridge; it does not keep the bridge alive."""

    def on_exit(self, callback: Callable[[BridgeExitedError], None]) -> object:
        """Have ``callback`` called when the process has ended."""
        ...

    def exited_error(self, run_ids: Collection[str] = ()) -> BridgeExitedError:
        """A fresh error that says how it ended."""
        ...

    async def explain_loss(self) -> BridgeExitedError | None:
        """After a lost connection: the error, if the process has ended or is about to."""
        ...


class Core:
    """The shared part of a client.

    Args:
        channel: The channel to the bridge.
        keys: The API keys.
        owner: Gives the owner task.
        end: Ends the owner, when it is the client's own and not that of a launched bridge.
    """

    def __init__(
        self,
        channel: Channel,
        keys: KeyRing,
        owner: OwnerSource,
        *,
        end: Callable[[], Awaitable[None]] | None = None,
    ) -> None:
        self.channel = channel
        self.keys = keys
        self.owner = owner
        self._end = end
        self.live: dict[RunReader, RunScope] = {}
        self.known: WeakValueDictionary[str, RunScope] = WeakValueDictionary()
        self._watch: Watch | None = None
        self._lost_runs: list[str] = []
        self._closed = anyio.Event()  # shared by the copies of with_channel()

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

        def exited(error: BridgeExitedError) -> None:
            runs = self._in_flight()
            self.channel.fail(lambda: watch.exited_error(runs))

        self._watch = watch
        watch.on_exit(exited)

    async def explain_loss(self) -> CursorSDKError | None:
        """Why a connection was lost: the end of the process, or nothing that is known."""
        if self._watch is None or await self._watch.explain_loss() is None:
            return None
        return self._watch.exited_error(self._in_flight())

    def _in_flight(self) -> tuple[str, ...]:
        """The runs that had no result when the first loss was noticed."""
        if not self._lost_runs:
            self._lost_runs.extend(reader.feed.run_id for reader in self.live if not reader.feed.ended)
        return tuple(self._lost_runs)

    async def aclose(self) -> None:
        """Close an attached client: drop streams and connections, end its owner, leave the bridge alone."""
        self.refuse_new_calls()
        for reader in list(self.live):
            await self.close_run(reader)
        await self.channel.aclose()
        if self._end is not None:
            await self._end()

    async def call(self, rpc: str, request: Any, read: Callable[[Any], T], **options: Any) -> T:
        """One unary call of a user, its answer turned into a public type."""
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
            return await self.channel.stream("SdkAgentService/Send", request, extra=extra)

        async def cancel_run(run_id: str, agent_id: str) -> None:
            await self.cancel_run(
                RunScope(agent_id, scope.cloud, scope.cwd, scope.api_key, registered=True), run_id
            )

        start = RunStart(open_stream, cancel_run)
        owner = self.owner()
        try:
            await owner.call(start.run, keep=True)
        except anyio.get_cancelled_exc_class():
            if start.stream is None:
                start.abandon()
            else:
                owner.post(start.discard)
            raise
        reader = RunReader(
            RunFeed(start.run_id, start.agent_id or scope.agent_id),
            start.stream,
            frames=start.frames,
            on_delta=options.on_delta,
            on_step=options.on_step,
        )
        self.live[reader] = scope
        self.known[start.run_id] = scope
        reader.on_end = self._run_ended
        return reader

    def _run_ended(self, reader: RunReader) -> None:
        self.live.pop(reader, None)

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
        if not scope.registered:
            await self.get_run(scope, run_id)

    async def wait_live_run(self, scope: RunScope, run_id: str) -> RunResult:
        """Wait for the end of a run, without a time limit."""
        request = _convert.wait_live_run_request(run_id)
        return await self._ask(scope, run_id, "SdkAgentService/WaitLiveRun", request, _convert.run_result_of)

    async def _ask(self, scope: RunScope, run_id: str, rpc: str, request: Any, read: Callable[[Any], T]) -> T:
        """A question that lasts as long as the run.

        When the agent is closed meanwhile, the bridge answers as if the run had failed, or has forgotten it;
        a cloud run goes on, so it is asked again.
        """
        while True:
            await self._prime(scope, run_id)
            try:
                answer = await self.call(rpc, request, read)
            except NotFoundError:
                if scope.registered:
                    raise
            else:
                if scope.registered or not scope.cloud:
                    return answer

    async def cancel_run(self, scope: RunScope, run_id: str) -> None:
        """Cancel a run at the bridge."""
        await self._prime(scope, run_id)
        request = _convert.cancel_run_request(run_id, agent_id=scope.agent_id if scope.cloud else None)
        await self.channel.unary("SdkAgentService/CancelRun", request)

    async def observe_run(self, scope: RunScope, run_id: str, after_offset: str | None) -> Frames:
        """Open an observation that starts at the first message: a handle replays once, so it is made anew."""
        self.check_open("observe()")
        await self.get_run(scope, run_id)
        request = _convert.observe_run_request(run_id, after_offset=after_offset)
        return await self.channel.stream("SdkAgentService/ObserveRun", request)

    async def conversation_json(self, scope: RunScope, run_id: str) -> str:
        """The turns of a run as JSON text; waits for its end."""
        request = _convert.run_conversation_request(run_id)
        return await self._ask(
            scope, run_id, "SdkAgentService/GetRunConversation", request, _convert.conversation_json_of
        )

    async def close_run(self, reader: RunReader) -> None:
        """Drop the stream of a run."""
        self.live.pop(reader, None)
        await reader.aclose()

    def forget_run(self, reader: RunReader) -> None:
        """The handle was garbage: drop its stream. May be called in any thread."""
        if self.live.pop(reader, None) is not None:
            self.owner().post_threadsafe(reader.aclose)

    async def leave_run(self, scope: RunScope, reader: RunReader) -> None:
        """End a run that is left early: cancel it at the bridge, drop its stream; in the owner, bounded."""
        if reader.feed.result is not None:
            await self.close_run(reader)
        else:
            await self.owner().call(self._cancel_and_close, [(reader, scope)], keep=True)

    async def _cancel_and_close(self, runs: Iterable[tuple[RunReader, RunScope]]) -> None:
        async def one(reader: RunReader, scope: RunScope) -> None:
            try:
                await self.cancel_run(scope, reader.feed.run_id)
            except CursorSDKError as error:
                logger.debug("run %s could not be cancelled: %s", reader.feed.run_id, error)

        runs = list(runs)
        with anyio.move_on_after(CANCEL_SECONDS):
            async with anyio.create_task_group() as group:
                for reader, scope in runs:
                    if reader.feed.result is None:
                        group.start_soon(one, reader, scope)
        for reader, _ in runs:
            await self.close_run(reader)

    async def interrupt_runs(self, agent_id: str) -> None:
        """Before an agent is closed: the bridge would end its streams as failed runs while they go on."""
        for reader, scope in list(self.live.items()):
            if scope.agent_id == agent_id and reader.feed.result is None:
                run_id = reader.feed.run_id
                logger.warning("agent %s is closed while its run %s is still going on", agent_id, run_id)
                self.live.pop(reader, None)
                await reader.interrupt(
                    StreamInterruptedError(
                        f"Agent {agent_id} was closed while run {run_id} was still going on. "
                        "The run was not cancelled; read it later with get_run().",
                        run_id=run_id,
                        offset=reader.feed.offset,
                    )
                )

    async def farewell(self) -> None:
        """The polite end of an owned bridge: cancel live local runs, drop all streams, ask for the end."""
        await self._cancel_and_close(
            [(reader, scope) for reader, scope in self.live.items() if not scope.cloud]
        )
        for reader in list(self.live):
            await self.close_run(reader)
        with anyio.move_on_after(SHUTDOWN_SECONDS):
            try:
                await self.channel.unary("SdkBridgeControlService/Shutdown", _convert.shutdown_request(0))
            except CursorSDKError as error:
                logger.debug("the bridge did not answer Shutdown: %s", error)
        await self.channel.aclose()

    async def close_agent(self, handle_id: str, agent_id: str) -> None:
        """Let the bridge forget an agent; in the owner, so a cancelled caller leaves nothing half closed."""

        async def close() -> None:
            self._forgotten(agent_id)  # before: answers that come now are not about the runs themselves
            with anyio.move_on_after(CANCEL_SECONDS):
                try:
                    await self.channel.unary(
                        "SdkAgentService/CloseAgent", _convert.close_agent_request(handle_id)
                    )
                except (NotFoundError, BridgeExitedError):
                    pass  # it is closed already, with the bridge or without
            self._forgotten(agent_id)  # after: what was asked meanwhile may be lost again

        await self.owner().call(close, keep=True)

    def _forgotten(self, agent_id: str) -> None:
        """With an agent, the bridge drops its runs from its table."""
        for scope in list(self.known.values()):
            if scope.agent_id == agent_id:
                scope.registered = False

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
