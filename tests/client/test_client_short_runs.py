"""Thousands of short runs on one client: tables empty, descriptors and memory flat."""

from __future__ import annotations

import gc
import tracemalloc
from collections.abc import Awaitable, Callable

import anyio
import pytest

from cursor_sdk_async import AsyncAgent, AsyncClient
from cursor_sdk_async.testing import Script, ScriptedControl, Text, Turn
from tests.client.cancelling import Leftovers
from tests.client.conftest import cloud_agent, local_agent

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.promise("CLT-26"),
    pytest.mark.slow,
    pytest.mark.timeout(240),
]

#: What may come and go, such as the timers that the loops forget later; a run that is kept is dozens of
#: objects and thousands of bytes.
OBJECTS = 3000
BYTES = 400_000
#: Tracing slows everything down, so it is done for some runs only.
TRACED_RUNS = 160


def objects() -> int:
    gc.collect()
    return len(gc.get_objects())


async def short_runs(agent: AsyncAgent, count: int) -> None:
    """Each read in another way, and then forgotten."""
    for number in range(count):
        run = await agent.send("go")
        way = number % 4
        if way == 0:
            assert await run.text() == "ab"
        elif way == 1:
            assert len([message async for message in run.messages()]) > 2
        elif way == 2:
            assert (await run.wait()).status == "finished"
        else:
            async with run:
                async for _ in run.events():
                    break


async def tables_are_empty(client: AsyncClient) -> None:
    core = client._core
    with anyio.fail_after(30):
        while True:
            gc.collect()
            runs = core.runs
            tables = (runs.open, runs.starting, runs.errands, core.known, core.observing.opening)
            if not any(tables) and not core.channel.open_streams:
                return
            await anyio.sleep(0.01)


async def traced_bytes(client: AsyncClient, agent: AsyncAgent) -> int:
    """What is left of ``TRACED_RUNS`` runs; some before them fill what is allocated once."""
    tracemalloc.start()
    try:
        before = 0
        for count in (40, TRACED_RUNS):
            before = tracemalloc.get_traced_memory()[0]
            await short_runs(agent, count)
            await tables_are_empty(client)
            gc.collect()
        return tracemalloc.get_traced_memory()[0] - before
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(("make", "count"), [(local_agent, 2000), (cloud_agent, 200)], ids=["local", "cloud"])
async def test_short_runs(
    client: AsyncClient,
    control: ScriptedControl,
    make: Callable[[AsyncClient], Awaitable[AsyncAgent]],
    count: int,
) -> None:
    control.set_script(Script([Turn([Text("a"), Text("b")])]))
    agent = await make(client)
    await short_runs(agent, 20)
    await tables_are_empty(client)
    leftovers = Leftovers()
    await short_runs(agent, count // 2)
    await tables_are_empty(client)
    before = objects()
    await short_runs(agent, count // 2)
    await tables_are_empty(client)
    more = objects() - before
    assert more < OBJECTS, f"{more} objects more after {count // 2} runs"
    kept = await traced_bytes(client, agent)
    assert kept < BYTES, f"{kept} bytes are left of {TRACED_RUNS} runs"
    await leftovers.none()
