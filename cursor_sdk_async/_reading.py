"""The iterators of a run: ``events()``, ``messages()``, ``iter_text()``, each with limits of its own."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

from cursor_sdk_async._runs._deadline import Limit, Limits
from cursor_sdk_async._runs._reader import RunReader
from cursor_sdk_async._runs._views import RunView, events, messages, texts
from cursor_sdk_async.events import RunStreamEvent
from cursor_sdk_async.messages import SDKMessage

if TYPE_CHECKING:
    from cursor_sdk_async._core import Core, RunScope

__all__ = ["Reading"]


class Reading:
    """What of ``AsyncRun`` iterates."""

    _core: Core
    _scope: RunScope
    _reader: RunReader

    def events(
        self, *, timeout: float | None = None, idle_timeout: float | None = None
    ) -> AsyncIterator[RunStreamEvent]:
        """Everything that the stream carries, except keep-alives.

        Args:
            timeout: Seconds from now until the end of the run; no limit by default. When a limit passes, the
                run is cancelled; what arrives until its end is still handed out, for 5 s at most.
            idle_timeout: Seconds that a step may wait without a frame other than a keep-alive.

        Raises:
            RunTimeoutError: While iterating: a limit passed.
            StreamInterruptedError: While iterating: the stream broke off; the run may go on.
            BridgeExitedError: While iterating: the bridge process ended.
        """
        return RunView(self._reader, events, self, self._limit(timeout, idle_timeout))

    def __aiter__(self) -> AsyncIterator[RunStreamEvent]:
        return self.events()

    def messages(
        self, *, timeout: float | None = None, idle_timeout: float | None = None
    ) -> AsyncIterator[SDKMessage]:
        """The messages of the run. Limits and errors are those of :meth:`events`."""
        return RunView(self._reader, messages, self, self._limit(timeout, idle_timeout))

    def stream(
        self, *, timeout: float | None = None, idle_timeout: float | None = None
    ) -> AsyncIterator[SDKMessage]:
        """The messages of the run, by the other documented name."""
        return self.messages(timeout=timeout, idle_timeout=idle_timeout)

    def iter_text(
        self, *, timeout: float | None = None, idle_timeout: float | None = None
    ) -> AsyncIterator[str]:
        """The pieces of the assistant's text. Limits and errors are those of :meth:`events`."""
        return RunView(self._reader, texts, self, self._limit(timeout, idle_timeout))

    def _limit(self, timeout: float | None, idle_timeout: float | None) -> Limit | None:
        limits = Limits.of(timeout, idle_timeout)
        if limits is None:
            return None
        return self._core.runs.limited(self._core.owner(), self._reader, self._scope, limits)
