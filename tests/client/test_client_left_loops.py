"""Loops that are left in the middle, in any task: no error, no spinning, and the run can still be used."""

from __future__ import annotations

import gc
from collections.abc import Awaitable, Callable
from time import process_time

import anyio
import pytest

from cursor_sdk_async import AsyncClient, AsyncRun
from cursor_sdk_async.messages import SDKMessage
from cursor_sdk_async.testing import Hold, Script, ScriptedControl, Text, Turn
from tests.client.conftest import cloud_agent

pytestmark = [pytest.mark.anyio, pytest.mark.promise("CLT-42")]

SCRIPT = Script([Turn([Text("one "), Text("two "), Hold(), Text("three")])])
#: How long the idle process is watched, and which part of that it may work, in seconds.
WATCHED, BUSY = 1.0, 0.5


async def breaking(run: AsyncRun) -> None:
    async for _ in run.messages():
        break


async def dropping(run: AsyncRun) -> None:
    iterator = run.messages()
    await iterator.__anext__()
    del iterator
    gc.collect()


async def a_task_for_each_step(run: AsyncRun) -> None:
    iterator = run.messages()
    seen: list[SDKMessage] = []

    async def step() -> None:
        seen.append(await iterator.__anext__())

    for _ in range(2):
        async with anyio.create_task_group() as group:
            group.start_soon(step)
    assert len(seen) == 2


async def closing_elsewhere(run: AsyncRun) -> None:
    iterator = run.messages()
    ended = anyio.Event()

    async def read() -> None:
        async for _ in iterator:
            pass
        ended.set()

    async with anyio.create_task_group() as group:
        group.start_soon(read)
        await anyio.sleep(0.05)
        await iterator.aclose()  # type: ignore[attr-defined]
        with anyio.move_on_after(0.2):
            await ended.wait()
        group.cancel_scope.cancel()


async def a_visitor_who_leaves(run: AsyncRun) -> None:
    async def serve() -> None:
        async for _ in run.messages():
            pass

    async with anyio.create_task_group() as group:
        group.start_soon(serve)
        await anyio.sleep(0.05)
        group.cancel_scope.cancel()


LEAVING = [breaking, dropping, a_task_for_each_step, closing_elsewhere, a_visitor_who_leaves]


@pytest.mark.parametrize("leave", LEAVING)
async def test_a_loop_that_is_left_spins_nothing_and_breaks_nothing(
    client: AsyncClient,
    control: ScriptedControl,
    leave: Callable[[AsyncRun], Awaitable[None]],
) -> None:
    control.set_script(SCRIPT)
    agent = await cloud_agent(client)
    with anyio.fail_after(30):
        run = await agent.send("go")
        await leave(run)
        began = process_time()
        await anyio.sleep(WATCHED)
        assert process_time() - began < WATCHED * BUSY
        control.release()
        assert (await run.wait()).result == "one two three"
        assert await run.text() == "one two three"
        assert await client.ping() == "pong"
