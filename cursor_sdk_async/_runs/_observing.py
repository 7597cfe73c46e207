"""Reading runs from their first message: the streams of handles, of observations, and of what broke.

Nothing is shared: a handle of the bridge replays once and splits its messages between its readers, so each
stream gets a handle of its own, made by ``GetRun`` right before, one by one for a run.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Protocol
from weakref import WeakValueDictionary

import anyio

from cursor_sdk_async import _convert
from cursor_sdk_async._lifecycle import Owner
from cursor_sdk_async._runs._feed import RunFeed
from cursor_sdk_async._runs._late import LateStream
from cursor_sdk_async._runs._mend import PAUSES, MendedStream
from cursor_sdk_async._runs._observe import Observation, checked_offset
from cursor_sdk_async._runs._reader import Frames, RunReader
from cursor_sdk_async._runs._resume import Journal, Mark
from cursor_sdk_async._runs._scope import RunScope
from cursor_sdk_async._runs._start import RunStart
from cursor_sdk_async.options import SendOptions
from cursor_sdk_async.results import RunSnapshot

__all__ = ["Observing", "RunCalls"]

OpenStream = Callable[[], Awaitable[Frames]]


class RunCalls(Protocol):
    """What is asked of the client."""

    owner: Callable[[], Owner]

    def check_open(self, what: str) -> None:
        """Refuse ``what`` when the client is closed."""
        ...

    async def get_run(self, scope: RunScope, run_id: str) -> RunSnapshot:
        """Put a fresh handle into the bridge's table."""
        ...

    async def open_observation(self, request: Any) -> Frames:
        """The stream of ``ObserveRun``."""
        ...

    async def result_payload(self, scope: RunScope, run_id: str) -> dict[str, Any]:
        """Wait for the result, as the payload of a result frame."""
        ...


class Observing:
    """Makes the streams; shared by the copies of one client.

    Attributes:
        opening: For each run, the turn of those that open a stream of it.
        pauses: Seconds before each attempt to take up a broken stream.
    """

    pauses: tuple[float, ...] = PAUSES

    def __init__(self) -> None:
        self.opening: WeakValueDictionary[str, anyio.Lock] = WeakValueDictionary()

    def stream(self, calls: RunCalls, scope: RunScope, run_id: str) -> LateStream:
        """One stream that starts at the first message, opened at its first step."""
        calls.check_open("observe()")
        lock = self.opening.get(run_id)
        if lock is None:
            self.opening[run_id] = lock = anyio.Lock()

        async def open_stream() -> Frames:
            async with lock:  # one by one: both streams would share the last handle, and split its messages
                await calls.get_run(scope, run_id)
                return await calls.open_observation(_convert.observe_run_request(run_id))

        return LateStream(open_stream, calls.owner())

    def mended(
        self,
        calls: RunCalls,
        scope: RunScope,
        run_id: str,
        journal: Journal,
        stream: Frames | None = None,
        *,
        updates: bool = False,
    ) -> MendedStream:
        """As many streams as it takes; ``stream`` is the first one, where it is open already."""
        return MendedStream(
            journal,
            lambda: self.stream(calls, scope, run_id),
            lambda: calls.result_payload(scope, run_id),
            calls.owner(),
            run_id=run_id,
            stream=stream,
            updates=updates,
            pauses=self.pauses,
        )

    def sent(self, calls: RunCalls, scope: RunScope, start: RunStart, options: SendOptions) -> RunReader:
        """The reader of a run that was just sent."""
        assert start.stream is not None
        journal = Journal(sent=True)
        updates = options.on_delta is not None or options.on_step is not None
        return RunReader(
            RunFeed(start.run_id, start.agent_id or scope.agent_id),
            self.mended(calls, scope, start.run_id, journal, start.stream, updates=updates),
            frames=journal.take(start.frames),
            on_delta=options.on_delta,
            on_step=options.on_step,
            home=calls.owner(),
            journal=journal,
        )

    def found(
        self, calls: RunCalls, scope: RunScope, snapshot: RunSnapshot, after: Mark | None = None
    ) -> RunReader:
        """The reader of a handle without a stream of its own: it observes the run from its start.

        Args:
            calls: The client.
            scope: Where the run lives.
            snapshot: What is known of it.
            after: How much of it was read elsewhere; that is not handed out again.
        """
        feed = RunFeed(snapshot=snapshot)
        journal = Journal(start=after, on_skip=feed.take)
        return RunReader(
            feed,
            open_stream=lambda: self.mended(calls, scope, snapshot.id, journal),
            journal=journal,
        )

    def observation(
        self,
        calls: RunCalls,
        scope: Callable[[], Awaitable[RunScope]],
        run_id: str,
        *,
        after_offset: str | None = None,
        after: Mark | None = None,
        keep: object = None,
    ) -> Observation:
        """An observation of a run; ``keep`` is the public handle that lives as long.

        An offset is counted here and not by the bridge: a stream that begins at one could not be taken up
        again, since offsets count differently in each stream.
        """

        async def open_stream() -> MendedStream:
            return self.mended(calls, await scope(), run_id, Journal(start=after))

        return Observation(open_stream, run_id, keep, after_offset=checked_offset(after_offset))
