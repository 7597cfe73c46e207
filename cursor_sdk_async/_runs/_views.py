"""Iterators over one run: objects with ``__anext__`` and ``aclose``, never generators.

Dropping one half-read leaves nothing open: the stream belongs to the run. A step that is cancelled loses
nothing, the next step goes on.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from typing import TypeVar

from cursor_sdk_async._runs._deadline import Limit
from cursor_sdk_async._runs._reader import RunReader
from cursor_sdk_async.blocking import ReadyIterator
from cursor_sdk_async.events import RunStreamEvent
from cursor_sdk_async.messages import SDKAssistantMessage, SDKMessage, TextBlock

__all__ = ["RunView", "events", "messages", "texts"]

T = TypeVar("T")


class RunView(ReadyIterator[T]):
    """What one reader of a run asks for, picked from its events.

    Args:
        reader: The shared reader of the run.
        pick: What of an event is handed out.
        keep_alive: The public handle; the run lives while somebody iterates over it.
        limit: The time limits of this reader.
    """

    def __init__(
        self,
        reader: RunReader,
        pick: Callable[[RunStreamEvent], Sequence[T]],
        keep_alive: object = None,
        limit: Limit | None = None,
    ) -> None:
        self._reader = reader
        self._pick = pick
        self._keep_alive = keep_alive
        self._limit = limit
        self._pending: deque[T] = deque()
        self._listed = False
        self._closed = False

    def __aiter__(self) -> RunView[T]:
        return self

    async def __anext__(self) -> T:
        pending, reader, limit = self._pending, self._reader, self._limit
        while not pending:
            if self._closed:
                raise StopAsyncIteration
            if not self._listed:
                self._listed = True
                reader.iterators.add(self)
            try:
                event = await (reader.next() if limit is None else limit.next(reader.next))
            except Exception:  # the stream is broken: it is over for this iterator, and the reader says why
                self._unlist()
                raise
            if event is None:
                await self.aclose()
                continue
            picked = self._pick(event)
            if len(picked) == 1:
                return picked[0]
            pending.extend(picked)
        return pending.popleft()

    def make_ready(self, limit: int) -> None:
        """As :class:`ReadyIterator` says."""
        self._reader.make_ready(limit)

    def next_ready(self) -> tuple[T] | None:
        """As :class:`ReadyIterator` says."""
        while not self._pending:
            event = None if self._closed else self._reader.next_ready()
            if event is None:
                return None
            self._pending.extend(self._pick(event))
        return (self._pending.popleft(),)

    async def aclose(self) -> None:
        """Stop iterating; the run and its stream are left alone. Closing twice is harmless."""
        self._closed = True
        self._unlist()

    def _unlist(self) -> None:
        self._listed = False
        self._reader.iterators.discard(self)


def events(event: RunStreamEvent) -> Sequence[RunStreamEvent]:
    """Every event."""
    return (event,)


def messages(event: RunStreamEvent) -> Sequence[SDKMessage]:
    """The message of an event that has one."""
    return () if event.sdk_message is None else (event.sdk_message,)


def texts(event: RunStreamEvent) -> Sequence[str]:
    """The pieces of assistant text that are not empty."""
    message = event.sdk_message
    if not isinstance(message, SDKAssistantMessage):
        return ()
    return [block.text for block in message.message.content if isinstance(block, TextBlock) and block.text]
