"""The end of the bridge process, as the runs of its client learn of it."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Protocol

from cursor_sdk_async._runs._reader import RunReader
from cursor_sdk_async.errors import BridgeExitedError, CursorSDKError

__all__ = ["Loss", "Watch"]


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


class Loss:
    """Says how a bridge ended, and which runs were in flight then.

    Args:
        live: The runs that are being read.
    """

    def __init__(self, live: Collection[RunReader]) -> None:
        self._live = live
        self._watch: Watch | None = None
        self._runs: list[str] = []

    def watch(self, watch: Watch, fail: Callable[[Callable[[], CursorSDKError]], None]) -> None:
        """When the process ends: call ``fail`` with a maker of errors that name the runs in flight."""

        def exited(error: BridgeExitedError) -> None:
            runs = self._in_flight()
            fail(lambda: watch.exited_error(runs))

        self._watch = watch
        watch.on_exit(exited)

    async def explain(self) -> CursorSDKError | None:
        """Why a connection was lost: the end of the process, or nothing that is known."""
        if self._watch is None or await self._watch.explain_loss() is None:
            return None
        return self._watch.exited_error(self._in_flight())

    def _in_flight(self) -> tuple[str, ...]:
        """The runs that had no result when the first loss was noticed."""
        if not self._runs:
            self._runs.extend(reader.feed.run_id for reader in self._live if not reader.feed.ended)
        return tuple(self._runs)
