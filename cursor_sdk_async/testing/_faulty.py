"""Which fault strikes now: counts how often each has struck."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from cursor_sdk_async.testing.faults import CallFault, Faults, StreamFault

__all__ = ["Faulty"]

Fault = TypeVar("Fault", CallFault, StreamFault)


class Faulty:
    """The faults of calls and streams, and how often they met their RPC."""

    def __init__(self, faults: Faults) -> None:
        self.faults = faults
        self._met: dict[int, int] = {}

    def set(self, faults: Faults) -> None:
        """Other faults from now on."""
        self.faults = faults
        self._met.clear()

    def call(self, rpc: str) -> CallFault | None:
        """The first fault of a call."""
        return next(iter(self._strike(self.faults.calls, rpc)), None)

    def stream(self, rpc: str) -> list[StreamFault]:
        """The faults of a stream."""
        return self._strike(self.faults.streams, rpc)

    def _strike(self, faults: Sequence[Fault], rpc: str) -> list[Fault]:
        found: list[Fault] = []
        for fault in faults:
            if fault.rpc not in ("*", rpc):
                continue
            met = self._met.get(id(fault), 0)
            self._met[id(fault)] = met + 1
            if met >= fault.skip and (fault.times is None or met < fault.skip + fault.times):
                found.append(fault)
        return found
