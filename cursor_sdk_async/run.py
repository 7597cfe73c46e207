"""AsyncRun: one prompt, with its stream, status, result and cancellation."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from functools import partial
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal
from weakref import finalize

import anyio
from typing_extensions import Self

from cursor_sdk_async import _convert
from cursor_sdk_async._legacy import LegacyRun
from cursor_sdk_async._reading import Reading
from cursor_sdk_async._runs._deadline import seconds_of, waited_too_long
from cursor_sdk_async._runs._feed import TERMINAL, RunFeed
from cursor_sdk_async._runs._reader import RunReader
from cursor_sdk_async._runs._resume import Mark
from cursor_sdk_async._shown import Shown
from cursor_sdk_async.conversation import ConversationTurn
from cursor_sdk_async.errors import (
    ConfigurationError,
    CursorSDKError,
    RunTimeoutError,
    UnsupportedRunOperationError,
)
from cursor_sdk_async.events import RunStreamEvent
from cursor_sdk_async.options import ModelSelection
from cursor_sdk_async.results import RunGitInfo, RunPosition, RunResult, RunSnapshot, TokenUsage

if TYPE_CHECKING:
    from cursor_sdk_async._core import Core, RunScope
    from cursor_sdk_async._display import RunState
    from cursor_sdk_async.client import AsyncClient

__all__ = ["AsyncRun"]

OPERATIONS = ("stream", "wait", "cancel", "conversation")


class AsyncRun(Reading, LegacyRun, Shown):
    """One prompt of an agent.

    Runs come from :meth:`AsyncAgent.send`, and from ``get_run`` and ``list_runs``. All readers share one
    stream: each event is handed out once, to whichever of :meth:`events`, :meth:`messages`,
        :meth:`iter_text`, :meth:`text` and
    :meth:`wait` asks first. Dropping an iterator or cancelling a reading task never cancels the run; leaving
    ``async with run`` before its end does.
    """

    def __init__(self, client: AsyncClient, core: Core, scope: RunScope, reader: RunReader) -> None:
        self._client = client
        self._core = core
        self._scope = scope
        self._reader = reader
        self._feed: RunFeed = reader.feed
        # No reference to the handle goes with it: a forgotten run drops its connection, the run itself goes
        # on.
        self._finalizer = finalize(self, core.runs.forget, reader)
        self._finalizer.atexit = False

    @property
    def client(self) -> AsyncClient:
        """The client that the run belongs to."""
        return self._client

    @property
    def id(self) -> str:
        """The run id, known as soon as ``send()`` has returned."""
        return self._feed.run_id

    @property
    def agent_id(self) -> str:
        """The agent, as the stream names it."""
        return self._feed.agent_id

    @property
    def status(self) -> str:
        """As far as was read: ``running``, ``finished``, ``error``, ``cancelled`` or ``expired``."""
        return self._feed.status

    @property
    def result(self) -> str:
        """The final assistant text; empty before the result has come."""
        return self._feed.result.result if self._feed.result is not None else ""

    @property
    def model(self) -> ModelSelection | None:
        """The model of the result or of the snapshot."""
        return self._record.model if self._record is not None else None

    @property
    def duration_ms(self) -> int:
        """How long the run took, in milliseconds; 0 before the result has come."""
        return self._record.duration_ms if self._record is not None else 0

    @property
    def git(self) -> RunGitInfo | None:
        """Branches and pull requests of the agent, from the result or the snapshot."""
        return self._record.git if self._record is not None else None

    @property
    def created_at(self) -> str | None:
        """When the run was created, RFC 3339."""
        return self._record.created_at if self._record is not None else None

    @property
    def usage(self) -> TokenUsage | None:
        """Tokens used so far; ``None``, never zero, when nothing was reported."""
        return self._feed.usage

    @property
    def _record(self) -> RunResult | None:
        return self._feed.result or self._feed.snapshot

    async def text(self, *, timeout: float | None = None, idle_timeout: float | None = None) -> str:
        """The final text. Waits for the end.

        Args:
            timeout: As for :meth:`events`.
            idle_timeout: As for :meth:`events`.

        Returns:
            The text of the result; where the result has none, all assistant text that was received, with a
            blank line where a tool call lay between. A run that failed does not raise: see :attr:`status`.
        """
        limit = self._limit(timeout, idle_timeout)
        if limit is not None:
            await limit.around(self._wait)
            limit.check()
        else:
            await self._wait()
        return self._feed.text

    async def wait(self, *, timeout: float | None = None) -> RunResult:
        """Wait for the end of the run. Can be called again and from several tasks.

        Reads what is left of the stream; beside another reader it takes nothing away and asks the bridge
        instead.

        Args:
            timeout: Seconds to wait, no limit by default. When they are over the run goes on, unlike with the
                limits of :meth:`events` and :meth:`AsyncAgent.send`.

        Returns:
            The result, also of a run that failed: see its ``status``, ``error_code`` and ``error_message``.

        Raises:
            RunTimeoutError: The time is over, or a limit given to ``send()`` has ended the run.
            BridgeExitedError: The bridge process ended.
            NotFoundError: The bridge has forgotten the run, for example since its agent was closed.
            CursorSDKError: Any other failure of the question, not of the run.
        """
        if timeout is None:
            return await self._wait()
        with anyio.move_on_after(seconds_of(timeout, "timeout")):
            return await self._wait()
        raise waited_too_long(self._feed, timeout)

    async def _wait(self) -> RunResult:
        result = await self._ended()
        if self._reader.limit is not None:
            self._reader.limit.check()
        return result

    async def _ended(self) -> RunResult:
        feed, reader = self._feed, self._reader
        if not feed.ended and reader.streaming and not reader.busy:
            try:
                await reader.drain()
            except RunTimeoutError:
                raise
            except CursorSDKError:
                if not reader.over:
                    raise  # it came from a callback of the user's; the stream is not broken
        if not feed.ended:
            try:
                result = await self._ask_for_result()
            except CursorSDKError:
                if not feed.ended:  # a reader beside us may have got it meanwhile
                    raise
            else:
                if not feed.ended:
                    await reader.settle(result)
        assert feed.result is not None
        return feed.result

    async def _ask_for_result(self) -> RunResult:
        limit, ask = self._reader.limit, partial(self._core.wait_live_run, self._scope, self.id)
        return await (ask() if limit is None else limit.around(ask))

    async def display(self, *, how: Literal["auto", "notebook", "terminal", "plain"] = "auto") -> RunResult:
        """Show the run while it goes on: text, thinking, tool calls, status, tokens and time.

        Reads what is left of the stream, after the text that was read before. Being cancelled it leaves the
        run as it is, as any reader does.

        Args:
            how: Where to. ``"auto"`` takes a notebook or a terminal where there is one, and else writes plain
                text to standard output. A terminal needs the extra ``cli``.

        Returns:
            The result, also of a run that failed.

        Raises:
            ConfigurationError: What was asked for explicitly cannot be had here.
            StreamInterruptedError: The stream broke off; the run may go on.
            CursorSDKError: As :meth:`wait`.
        """
        from cursor_sdk_async._display import show

        return await show(self, self._seen(), how)

    def _seen(self) -> RunState:
        """What was read so far, for drawing; takes nothing from the stream."""
        from cursor_sdk_async._display import RunState

        state = RunState(self.id, self.agent_id)
        state.say(self._feed.text)
        state.usage = self.usage
        if self._record is not None:
            state.settle(self._record)
        return state

    def _repr_html_(self) -> str:
        from cursor_sdk_async._display import html

        return html(self._seen())

    def __rich__(self) -> Any:
        from cursor_sdk_async._display import renderable

        return renderable(self._seen())

    async def cancel(self, *, wait: bool = False) -> None:
        """Cancel the run. Harmless when it was cancelled before, and possible from any task of the loop.

        Args:
            wait: Wait until the run has ended.

        Raises:
            UnsupportedRunOperationError: The run has ended otherwise.
            CursorSDKError: The bridge refused.
        """
        result: RunResult | None = self._feed.result
        if result is None:
            try:
                await self._core.cancel_run(self._scope, self.id)
            except CursorSDKError as error:
                if error.api_code != "run_not_cancellable":
                    raise
                result = await self._core.get_run(self._scope, self.id)  # it has ended, unseen by us
                if result.status not in TERMINAL:
                    raise
        if result is not None and result.status != "cancelled":
            raise UnsupportedRunOperationError(
                "cancel",
                f"Run {self.id} has ended with status {result.status!r}; there is nothing to cancel.",
            )
        if wait:
            await self._ended()

    async def interrupt(self) -> None:
        """Cancel the run for somebody who was interrupted, as by Ctrl-C, and does not wait for it any more.

        Unlike :meth:`cancel` it does nothing when the run has ended or the client is closed, says nothing
        when the bridge refuses, takes at most 2 s, and goes on when its caller is cancelled. The stream can
        still be read, to its result.
        """
        if not self._client.closed and not self._feed.ended:
            await self._core.runs.interrupt(self._core.owner(), self._reader, self._scope)

    @property
    def position(self) -> RunPosition:
        """How far this handle was read: store it, and go on with ``client.agents.resume_run()``."""
        mark, scope = self._reader.mark(), self._scope
        return RunPosition(self.agent_id, self.id, scope.cloud, scope.cwd, mark.count, mark.digest)

    def observe(
        self, *, after_offset: str | None = None, after: RunPosition | None = None
    ) -> AsyncIterator[RunStreamEvent]:
        """Watch the run from its first message, beside its own stream; this handle's state is not touched.

        Args:
            after_offset: Skip what lies up to this offset of an observation. Offsets of ``send()`` streams
                with deltas or steps count differently (``docs/protocol.md``, "Offsets"); a position does not.
            after: Skip what lies before this position of the run.

        Raises:
            ConfigurationError: The position is that of another run, both are given, or the offset is none.
            StreamInterruptedError: While iterating: the run is not the one that was read up to ``after``
                (code ``replay_differs``).
        """
        mark = None
        if after is not None:
            if after_offset is not None or after.run_id != self.id:
                raise ConfigurationError(
                    f"observe(after=) takes a position of run {self.id}, and no after_offset beside it.",
                    is_safe_to_retry=True,
                )
            mark = Mark(after.count, after.digest)

        async def scope() -> RunScope:
            return self._scope

        return self._core.observing.observation(
            self._core, scope, self.id, after_offset=after_offset, after=mark, keep=self
        )

    async def conversation(self) -> list[ConversationTurn]:
        """The turns of the run, once it has ended; waits for that."""
        return _convert.conversation_turns(await self.conversation_json())

    async def conversation_json(self) -> str:
        """The turns of the run as the JSON text of the bridge."""
        return await self._core.conversation_json(self._scope, self.id)

    def supports(self, operation: str) -> bool:
        """Whether ``operation`` is one that a run has: stream, wait, cancel, conversation."""
        return operation in OPERATIONS

    def unsupported_reason(self, operation: str) -> str | None:
        """Why the operation is not supported; ``None`` when it is."""
        if self.supports(operation):
            return None
        return f"{operation!r} is not an operation of a run; there are: {', '.join(OPERATIONS)}."

    def on_did_change_status(self, listener: Callable[[str], Any | Awaitable[Any]]) -> Callable[[], None]:
        """Call ``listener`` with the new status whenever it changes; it may be asynchronous.

        What it raises is raised once, to whoever reads the run.

        Returns:
            A function that removes the listener; calling it twice is harmless.
        """
        self._reader.listeners.append(listener)

        def remove() -> None:
            if listener in self._reader.listeners:
                self._reader.listeners.remove(listener)

        return remove

    async def aclose(self) -> None:
        """Drop the connection of the stream; the run itself goes on. Closing twice is harmless."""
        self._finalizer.detach()
        await self._core.runs.close(self._reader)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._finalizer.detach()
        await self._core.leave_run(self._scope, self._reader)

    def __repr__(self) -> str:
        return f"AsyncRun(id={self.id!r}, agent_id={self.agent_id!r}, status={self.status!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        raise TypeError(
            "A run is a live handle and cannot be pickled; store run.position, or run.id and run.agent_id."
        )

    @classmethod
    def _from_snapshot(
        cls,
        client: AsyncClient,
        core: Core,
        scope: RunScope,
        snapshot: RunSnapshot,
        after: RunPosition | None = None,
    ) -> AsyncRun:
        """A handle without a stream of its own; iterating observes the run, from its start or a position."""
        mark = None if after is None else Mark(after.count, after.digest)
        return cls(client, core, scope, core.observing.found(core, scope, snapshot, mark))
