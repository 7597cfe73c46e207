"""The runs of one client that are being read, and how each of them is let go.

Nothing leaks: every open run stream is here until it ends, is closed or is forgotten. Nothing hangs: what is
asked of the bridge when a run is left is bounded by ``CANCEL_SECONDS``.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Awaitable, Callable, Iterable
from functools import partial

import anyio

from cursor_sdk_async._lifecycle import Owner
from cursor_sdk_async._runs._deadline import GRACE_SECONDS, Limit, Limits, no_run_in_time
from cursor_sdk_async._runs._errands import Errands
from cursor_sdk_async._runs._reader import RunReader
from cursor_sdk_async._runs._scope import RunScope
from cursor_sdk_async._runs._start import RunStart
from cursor_sdk_async.errors import CursorSDKError, StreamInterruptedError

__all__ = ["CANCEL_SECONDS", "LiveRuns"]

logger = logging.getLogger("cursor_sdk_async")

#: Cancelling what still runs, when a handle is left early or a client closes.
CANCEL_SECONDS = 2.0


class LiveRuns:
    """The registry.

    Args:
        cancel_run: Cancels a run at the bridge.

    Attributes:
        open: The readers whose stream may still be open.
        starting: Prompts whose run is not known yet.
        errands: What the owner finishes for callers who have gone.
        grace: How long the end of a run is waited for after a limit has passed, in seconds.
    """

    def __init__(self, cancel_run: Callable[[RunScope, str], Awaitable[None]]) -> None:
        self.open: dict[RunReader, RunScope] = {}
        self.starting: set[RunStart] = set()
        self.errands: Errands = Errands()
        self.grace: float = GRACE_SECONDS
        self._cancel_run = cancel_run
        self._pid = os.getpid()
        self._closing: dict[str, tuple[Owner, anyio.Event]] = {}

    def add(self, reader: RunReader, scope: RunScope) -> None:
        """From now on the stream of ``reader`` is closed with the client."""
        self.open[reader] = scope
        reader.on_end = self._ended

    def _ended(self, reader: RunReader) -> None:
        self.open.pop(reader, None)

    def forget(self, reader: RunReader) -> None:
        """The handle was garbage: drop its stream. May be called in any thread."""
        if self._pid != os.getpid():
            return  # in a forked child: the connection is the parent's, and may not even be finalised here
        self.open.pop(reader, None)
        reader.drop()

    async def close(self, reader: RunReader) -> None:
        """Drop the stream of a run."""
        self.open.pop(reader, None)
        await reader.aclose()

    async def close_all(self) -> None:
        """Drop all streams."""
        for reader in list(self.open):
            await self.close(reader)

    async def cancel_local(self) -> None:
        """Cancel local runs that have not ended, and drop their streams; bounded."""
        await self.cancel_and_close(
            [(reader, scope) for reader, scope in self.open.items() if not scope.cloud]
        )

    async def let_go(self, owner: Owner) -> None:
        """Give up prompts whose run is not known yet, and let errands end; bounded."""
        for start in tuple(self.starting):
            start.abandon()
        with anyio.move_on_after(CANCEL_SECONDS):
            await self.errands.settled(owner)

    async def leave(self, owner: Owner, reader: RunReader, scope: RunScope) -> None:
        """Cancel a run and drop its stream, also for a caller who is cancelled."""
        runs = [(reader, scope)]
        await self.errands.run(owner, self.cancel_and_close, runs, about=scope.agent_id)

    async def interrupt(self, owner: Owner, reader: RunReader, scope: RunScope) -> None:
        """Cancel a run whose stream can still be read, also for a caller who is cancelled."""
        runs = [(reader, scope)]
        await self.errands.run(owner, self._cancel_each, runs, about=scope.agent_id)

    def limited(
        self, owner: Owner, reader: RunReader, scope: RunScope, limits: Limits | None
    ) -> Limit | None:
        """The limits of a reader: when one passes, the run is cancelled."""
        if limits is None:
            return None
        return Limit(reader, limits, partial(self.interrupt, owner, reader, scope), self.grace)

    async def start_limited(
        self, owner: Owner, start: Callable[[], Awaitable[RunReader]], scope: RunScope, limits: Limits
    ) -> RunReader:
        """Send a prompt whose run must end in time."""
        with anyio.CancelScope(deadline=limits.until(limits.begun)):
            reader = await start()
            limit = reader.limit = self.limited(owner, reader, scope, limits)
            if limit is not None and limits.timeout is not None:
                owner.post(limit.keep)
            return reader
        raise no_run_in_time(limits)

    async def close_agent(
        self,
        owner: Owner,
        ids: tuple[str, str],
        forget: Callable[[], None],
        close: Callable[[], Awaitable[None]],
    ) -> None:
        """Close an agent at the bridge.

        Args:
            owner: The owner, in which this runs.
            ids: The agent's id, and the one that it was given first.
            forget: Called before and after, since the bridge forgets the agent's runs in between.
            close: Asks the bridge.
        """
        with anyio.move_on_after(CANCEL_SECONDS):  # cancels of its runs come first
            await self.errands.settled(owner, ids)
        entry = self._closing[ids[0]] = owner, anyio.Event()
        try:
            forget()
            await self._interrupt(ids[0])
            await close()
        finally:
            forget()
            entry[1].set()
            if self._closing.get(ids[0]) is entry:
                del self._closing[ids[0]]

    async def closing_over(self, owner: Owner, agent_id: str) -> None:
        """Wait while the agent is being closed: what the bridge says of its runs meanwhile is not true."""
        entry = self._closing.get(agent_id)
        if entry is not None and entry[0] is owner:
            await entry[1].wait()

    async def _interrupt(self, agent_id: str) -> None:
        """Before an agent is closed: the bridge would end its streams as failed runs while they go on."""
        for reader, scope in list(self.open.items()):
            if scope.agent_id == agent_id and not reader.feed.ended:
                run_id = reader.feed.run_id
                logger.warning("agent %s is closed while its run %s is still going on", agent_id, run_id)
                self.open.pop(reader, None)
                await reader.interrupt(
                    StreamInterruptedError(
                        f"Agent {agent_id} was closed while run {run_id} was still going on. "
                        "The run was not cancelled; read it later with get_run().",
                        run_id=run_id,
                        offset=reader.feed.offset,
                    )
                )

    async def cancel_and_close(self, runs: Iterable[tuple[RunReader, RunScope]]) -> None:
        """Cancel those that have not ended, and drop their streams; bounded."""
        runs = list(runs)
        await self._cancel_each(runs)
        for reader, _ in runs:
            await self.close(reader)

    async def _cancel_each(self, runs: list[tuple[RunReader, RunScope]]) -> None:
        async def one(reader: RunReader, scope: RunScope) -> None:
            try:
                await self._cancel_run(scope, reader.feed.run_id)
            except CursorSDKError as error:
                logger.debug("run %s could not be cancelled: %s", reader.feed.run_id, error)

        with anyio.move_on_after(CANCEL_SECONDS):
            async with anyio.create_task_group() as group:
                for reader, scope in runs:
                    if not reader.feed.ended:
                        group.start_soon(one, reader, scope)
