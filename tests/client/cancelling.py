"""Cancel an operation at its first, second, third … checkpoint, until it completes."""

from __future__ import annotations

import asyncio
import os
import threading
import types
from collections.abc import Awaitable, Callable, Generator
from pathlib import Path
from typing import Any

import anyio

__all__ = ["WAYS", "Leftovers", "cancelled_at", "every_checkpoint"]

Operation = Callable[[], Awaitable[object]]


@types.coroutine
def _counted(operation: Operation, at: dict[int, Callable[[], object]]) -> Generator[Any, Any, None]:
    """Run the operation; when it suspends for the n-th time, call ``at[n]``."""
    inner: Any = operation().__await__()
    count, value, error = 0, None, None
    while True:
        try:
            asked = inner.send(value) if error is None else inner.throw(error)
        except StopIteration:
            return
        count += 1
        if count in at:
            at[count]()
        value, error = None, None
        try:
            value = yield asked
        except BaseException as raised:  # noqa: BLE001 - it belongs to the operation
            error = raised


async def by_scope(operation: Operation, number: int) -> bool:
    """Cancel by a scope of anyio; whether it was cancelled."""
    with anyio.CancelScope() as scope:
        await _counted(operation, {number: scope.cancel})
        return scope.cancel_called  # it completed all the same
    return True


async def by_task(operation: Operation, number: int) -> bool:
    """Cancel the asyncio task."""
    return await _native(operation, number, 1)


async def by_task_twice(operation: Operation, number: int) -> bool:
    """Cancel the asyncio task, and again at its next checkpoint and the one after."""
    return await _native(operation, number, 3)


async def _native(operation: Operation, number: int, times: int) -> bool:
    asked = False

    async def run() -> None:
        task = asyncio.current_task()
        assert task is not None

        def cancel() -> None:
            nonlocal asked
            asked = True
            task.cancel()

        await _counted(operation, {number + extra: cancel for extra in range(times)})

    try:
        await asyncio.create_task(run())
    except asyncio.CancelledError:
        pass
    return asked


WAYS: dict[str, Callable[[Operation, int], Awaitable[bool]]] = {
    "scope": by_scope,
    "task": by_task,
    "task, twice": by_task_twice,
}


async def cancelled_at(way: str, operation: Operation, number: int) -> bool:
    """Whether the operation had so many checkpoints, and was cancelled at that one."""
    return await WAYS[way](operation, number)


async def every_checkpoint(
    way: str,
    prepare: Callable[[], Awaitable[Operation]],
    check: Callable[[], Awaitable[object]],
    most: int = 200,
) -> int:
    """Cancel a freshly prepared operation at each of its checkpoints; how many there were."""
    for number in range(1, most):
        operation = await prepare()
        reached = await cancelled_at(way, operation, number)
        del operation  # with it, the handles that only it holds
        await check()
        if not reached:
            return number - 1
    raise AssertionError("the operation never completed")


class Leftovers:
    """What a process has now, to be compared with later: descriptors, threads, tasks, children."""

    def __init__(self) -> None:
        self._before = self._now()

    @staticmethod
    def _now() -> tuple[set[str], set[int], int, set[str]]:
        descriptors: set[str] = set()
        for name in os.listdir("/proc/self/fd"):
            try:
                descriptors.add(f"{name}:{os.readlink(f'/proc/self/fd/{name}')}")
            except OSError:
                pass  # the listing's own
        threads = {
            thread.ident or 0
            for thread in threading.enumerate()
            if not thread.name.startswith(("AnyIO worker", "Trio thread"))  # idle ones are kept a while
        }
        try:
            tasks = len(asyncio.all_tasks())
        except RuntimeError:
            import trio

            tasks = trio.lowlevel.current_statistics().tasks_living
        children = set(Path(f"/proc/self/task/{os.getpid()}/children").read_text().split())
        return descriptors, threads, tasks, children

    def more(self) -> list[str]:
        """What there is now that was not there before."""
        before, now = self._before, self._now()
        return [
            *(f"descriptor {item}" for item in now[0] - before[0]),
            *(f"thread {item}" for item in now[1] - before[1]),
            *([f"{now[2] - before[2]} tasks"] if now[2] > before[2] else []),
            *(f"child {item}" for item in now[3] - before[3]),
        ]

    async def none(self) -> None:
        """Wait until there is nothing more."""
        with anyio.move_on_after(20):
            while self.more():
                await anyio.sleep(0.01)
        assert self.more() == []
