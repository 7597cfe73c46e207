"""Watching a run live.

Nothing leaks: the view is closed and the iterator is let go however it ends. Nothing hangs: it waits for the
run and for nothing else, and a reader that is cancelled leaves the run as it is.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from time import monotonic
from typing import Protocol

import anyio

from cursor_sdk_async._display._choose import choose
from cursor_sdk_async._display._state import RunState
from cursor_sdk_async._display._views import View
from cursor_sdk_async.errors import CursorAgentError
from cursor_sdk_async.events import RunStreamEvent
from cursor_sdk_async.results import RunResult

__all__ = ["Watched", "show"]

#: How often the elapsed time is drawn while nothing else happens, in seconds.
IDLE_SECONDS = 1.0
#: Drawing takes at most one part in so many of the time, so that a long text does not stop the loop.
SHARE = 10


class Watched(Protocol):
    """What is needed of a run."""

    def events(self) -> AsyncIterator[RunStreamEvent]:
        """What is left of its stream."""
        ...

    async def wait(self) -> RunResult:
        """Its result."""
        ...


async def show(run: Watched, state: RunState, how: str) -> RunResult:
    """Show a run until its end.

    Args:
        run: The run.
        state: What was read of it before.
        how: See :meth:`AsyncRun.display`.
    """
    view, began = choose(how), monotonic()
    try:
        await _follow(run, state, view, began)
        result = await run.wait()
        state.settle(result)
        return result
    except CursorAgentError as error:
        state.fail(f"{type(error).__name__}: {error}")
        raise
    finally:
        if state.status == "running":
            state.leave()
        view.close(state, monotonic() - began)


async def _follow(run: Watched, state: RunState, view: View, began: float) -> None:
    """Read to the end of the stream; a step that is cut off for a drawing loses nothing."""
    events = run.events()
    changed, drawn, cost = True, began - IDLE_SECONDS, 0.0
    while True:
        due = drawn + max(view.interval if changed else IDLE_SECONDS, cost * SHARE)
        if monotonic() >= due:
            started = monotonic()
            view.draw(state, started - began)
            drawn = monotonic()
            changed, cost = False, drawn - started
            continue
        with anyio.move_on_after(due - monotonic()):
            try:
                event = await anext(events)
            except StopAsyncIteration:
                return
            state.take(event)
            changed = True
