"""Launch and close again and again, by each exit path: nothing piles up."""

from __future__ import annotations

import asyncio
import gc
import warnings
from collections.abc import Awaitable, Callable
from pathlib import Path

import anyio
import pytest

from cursor_sdk_async.errors import BridgeStartError
from tests.bridge.helpers import launch, nothing_left, until

pytestmark = [pytest.mark.anyio, pytest.mark.promise("BRG-11")]


async def normal() -> None:
    async with launch():
        pass


async def exception_in_the_body() -> None:
    with pytest.raises(ZeroDivisionError):
        async with launch():
            raise ZeroDivisionError


async def cancelled_start() -> None:
    with anyio.move_on_after(0.005):
        async with launch({"never_ready": True}):
            pass


async def failed_start() -> None:
    with pytest.raises(BridgeStartError):
        await launch({"exit_before": 1})


async def closed_from_another_task() -> None:
    bridge = await launch()
    async with anyio.create_task_group() as group:
        group.start_soon(bridge.aclose)


async def garbage() -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        bridge = await launch()
        owner = bridge.owner
        del bridge
        gc.collect()
        await owner.wait_ended()
    assert len(caught) == 1


def tasks(backend: str) -> int:
    """How many tasks the loop knows."""
    if backend == "asyncio":
        return len(asyncio.all_tasks())
    import trio

    return trio.lowlevel.current_statistics().tasks_living


@pytest.mark.slow
@pytest.mark.timeout(240)
@pytest.mark.parametrize(
    "path",
    [normal, exception_in_the_body, cancelled_start, failed_start, closed_from_another_task, garbage],
)
async def test_a_hundred_cycles_leave_nothing(
    path: Callable[[], Awaitable[None]], anyio_backend_name: str, token_home: Path
) -> None:
    await path()
    before = tasks(anyio_backend_name)
    with nothing_left(token_home) as left:
        for _ in range(100):
            await path()
        await until(lambda: not left() and tasks(anyio_backend_name) <= before)
