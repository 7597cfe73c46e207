"""A run as the bridge holds it: it is read once, and all its readers share one queue.

Facts: docs/protocol.md, "Losing and resuming". A handle made by Send shows the run as it happens. A later one
(GetRun, ListRuns, ObserveRun) replays it: a cloud run with its present status first and without the old ones,
a local run from its durable events, which begin with a ``request`` message.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from cursor_sdk_async.testing._records import Record, Run

__all__ = ["Handle"]

Json = dict[str, Any]


class Handle:
    """The bridge's hold on a run.

    Attributes:
        forced: A result that ends the handle's streams at once, whatever the run does.
    """

    def __init__(self, run: Run, *, live: bool) -> None:
        self.run = run
        self.live = live
        self.forced: Json | None = None
        self.cancelled = False
        self._position = 0
        self._opened: int | None = None
        self._made: Iterator[Record] = iter(())

    def take(self) -> Record | None:
        """The next record, if there is one: the next reader gets the one after it."""
        if self._opened is None:
            self._open()
        for record in self._made:
            return record
        if self.forced is not None:
            return None
        while self._position < len(self.run.log):
            position, record = self._position, self.run.log[self._position]
            self._position += 1
            if not self._shows(position, record):
                continue
            if record.kind == "burst":
                self._made = burst(self.run, *record.payload)
                return self.take()
            return record
        return None

    @property
    def over(self) -> bool:
        """Whether nothing more will come, once :meth:`take` has nothing."""
        return self.forced is not None or self.run.terminal

    def end(self, status: str) -> None:
        """End the streams of this handle with a result of its own: no text, no duration."""
        run = self.run
        self.forced = {
            "runId": run.id,
            "agentId": run.agent.id,
            "status": f"RUN_LIFECYCLE_STATUS_{status}",
            **({"model": run.model} if run.model and self.live else {}),
            "createdAt": run.created,
        }
        run.wake()

    def result(self) -> Json:
        """The result that ends its streams."""
        if self.forced is not None:
            return self.forced
        return self.run.snapshot(model=self.live or not self.run.agent.cloud)

    def _open(self) -> None:
        self._opened = len(self.run.log)
        if not self.live and self.run.agent.cloud:
            self._made = iter((self.run.say("status", {"status": self.run.status}),))

    def _shows(self, position: int, record: Record) -> bool:
        if self.live:
            return record.type != "request"
        old = position < (self._opened or 0)
        return not (self.run.agent.cloud and record.type == "status" and old)


def burst(run: Run, count: int, size: int) -> Iterator[Record]:
    """Many pieces of text, made as they are read."""
    for number in range(count):
        text = f"{number} ".ljust(size, ".")
        yield Record("update", "text-delta", {"type": "text-delta", "text": text})
        content = [{"type": "text", "text": text}]
        yield run.say("assistant", {"message": {"role": "assistant", "content": content}})
