"""Time limits of a run: when one passes, the run is cancelled at the bridge, and whoever reads it is told.

Nothing hangs: after a limit has passed, the end of the run is waited for ``GRACE_SECONDS`` at most, so that
what was said until then, and what it cost, is known. Nothing is lost: what arrives meanwhile is handed out.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING, Any, TypeVar

import anyio

from cursor_sdk_async.errors import ConfigurationError, RunTimeoutError

if TYPE_CHECKING:
    from cursor_sdk_async._runs._feed import RunFeed
    from cursor_sdk_async._runs._reader import RunReader
    from cursor_sdk_async.events import RunStreamEvent

__all__ = ["GRACE_SECONDS", "Limit", "Limits", "no_run_in_time", "seconds_of", "waited_too_long"]

T = TypeVar("T")

#: After a limit has passed: how long the end of the cancelled run is waited for.
GRACE_SECONDS = 5.0


def seconds_of(value: Any, name: str) -> float | None:
    """A time limit as it was given.

    Raises:
        ConfigurationError: It is no positive number.
    """
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not value > 0:
        raise ConfigurationError(
            f"{name} is a number of seconds above 0, or None for no limit; not {value!r}.",
            code="bad_timeout",
            is_safe_to_retry=True,
        )
    return float(value)


@dataclass(frozen=True)
class Limits:
    """What a caller allows.

    Attributes:
        timeout: Seconds in all.
        idle_timeout: Seconds without a frame other than a keep-alive.
        begun: When the clock was started.
    """

    timeout: float | None
    idle_timeout: float | None
    begun: float

    @classmethod
    def of(cls, timeout: float | None, idle_timeout: float | None) -> Limits | None:
        """The limits, their clock running; ``None`` for none.

        Raises:
            ConfigurationError: One is no positive number.
        """
        whole, idle = seconds_of(timeout, "timeout"), seconds_of(idle_timeout, "idle_timeout")
        return None if whole is None and idle is None else cls(whole, idle, anyio.current_time())

    @property
    def at(self) -> float:
        """When the time is up in all."""
        return inf if self.timeout is None else self.begun + self.timeout

    def until(self, heard: float) -> float:
        """When the first of them passes, if nothing is heard any more."""
        return min(self.at, inf if self.idle_timeout is None else heard + self.idle_timeout)

    def passed(self) -> str:
        """Which of them has passed, for people."""
        if anyio.current_time() >= self.at:
            return f"did not end within {self.timeout:g} s (timeout)"
        return f"was silent for {self.idle_timeout:g} s (idle_timeout)"


class Limit:
    """The limits of one run, or of one of its readers.

    Args:
        reader: The run's reader.
        limits: The limits.
        cancel: Cancels the run at the bridge; bounded, and goes on when its caller is cancelled.
        grace: Instead of ``GRACE_SECONDS``.
    """

    def __init__(
        self,
        reader: RunReader,
        limits: Limits,
        cancel: Callable[[], Awaitable[object]],
        grace: float = GRACE_SECONDS,
    ) -> None:
        self.over: anyio.Event = anyio.Event()
        self._reader = reader
        self._limits = limits
        self._cancel = cancel
        self._grace = grace
        self._since: float | None = None  # when somebody began to wait for the event that is due
        self._passed = ""
        self._patience = inf

    async def keep(self) -> None:
        """Wait for the deadline, also when nobody reads; ends early when the run does."""
        with anyio.move_on_after(max(0.0, self._limits.at - anyio.current_time())):
            await self.over.wait()
            return
        await self._pass()

    async def next(self, step: Callable[[], Awaitable[RunStreamEvent | None]]) -> RunStreamEvent | None:
        """One step of a reader.

        Raises:
            RunTimeoutError: A limit passed, and nothing more comes.
        """
        event = await self.around(step)
        self._since = None
        if event is None or self._reader.feed.ended:
            self.over.set()
        if event is None:
            self.check()
        return event

    async def around(self, fn: Callable[..., Awaitable[T]], *args: Any) -> T:
        """Wait for ``fn(*args)``, which may be cancelled and called again without losing anything.

        Raises:
            RunTimeoutError: A limit passed, and the run did not end after it.
        """
        if self._since is None:
            self._since = anyio.current_time()
        while True:
            with anyio.CancelScope(deadline=self._until()):
                return await fn(*args)
            if self._until() > anyio.current_time():
                continue  # a frame came meanwhile, or another reader was the first to notice
            if self._passed:
                raise self._error("did not end after it was cancelled")
            await self._pass()

    def check(self) -> None:
        """Raise when the limit has ended the run; a run that ended in another way is left alone.

        Raises:
            RunTimeoutError: It has.
        """
        result = self._reader.feed.result
        if self._passed and (result is None or result.status == "cancelled"):
            raise self._error("was cancelled")

    def _until(self) -> float:
        if self._reader.feed.ended:
            return inf
        if self._passed:
            return self._patience
        return self._limits.until(max(self._since or 0.0, self._reader.heard))

    async def _pass(self) -> None:
        if self._passed or self._reader.feed.ended:
            return
        self._passed = self._limits.passed()
        self._patience = anyio.current_time() + self._grace
        await self._cancel()

    def _error(self, ending: str) -> RunTimeoutError:
        feed = self._reader.feed
        error = RunTimeoutError(
            f"Run {feed.run_id} {self._passed} and {ending}. The text received until then is in error.text. "
            "Allow more time, or wait with run.wait(timeout=...), which leaves the run alone.",
            code="run_timeout",
            run_id=feed.run_id,
            text=feed.text,
            usage=feed.usage,
        )
        error.offset = feed.offset
        return error


def waited_too_long(feed: RunFeed, timeout: float) -> RunTimeoutError:
    """The error of a wait that was shorter than its run; the run is left alone."""
    error = RunTimeoutError(
        f"Run {feed.run_id} had not ended after {timeout:g} s (timeout of wait()). It goes on: wait again, "
        "read it, or cancel() it.",
        code="run_timeout",
        is_retryable=True,
        is_safe_to_retry=True,
        run_id=feed.run_id,
        text=feed.text,
        usage=feed.usage,
    )
    error.offset = feed.offset
    return error


def no_run_in_time(limits: Limits) -> RunTimeoutError:
    """The error of a ``send()`` whose run was not known in time; its owner cancels the run when it is."""
    seconds = min(limit for limit in (limits.timeout, limits.idle_timeout) if limit is not None)
    return RunTimeoutError(
        f"The prompt had no run after {seconds:g} s. A run that it starts all the same is cancelled.",
        code="run_timeout",
        rpc="SdkAgentService/Send",
    )
