"""A thousand streams on one client."""

from __future__ import annotations

import anyio
import pytest

from cursor_sdk_async import AsyncClient, AsyncRun
from cursor_sdk_async.testing import Hold, Script, ScriptedControl, Text, Turn
from tests.client.conftest import local_agent

pytestmark = [pytest.mark.anyio, pytest.mark.promise("CLT-03"), pytest.mark.slow, pytest.mark.timeout(180)]

STREAMS = 1000


async def test_a_thousand_streams_complete_and_hold_up_neither_a_ping_nor_a_cancel(
    client: AsyncClient, control: ScriptedControl
) -> None:
    control.set_script(Script([Turn([Text("started"), Hold(), Text(" and ended")])]))
    runs: list[AsyncRun] = []
    texts: list[str] = []
    ended = 0

    async def open_one(limit: anyio.CapacityLimiter) -> None:
        async with limit:
            runs.append(await (await local_agent(client)).send("go"))

    async def read(run: AsyncRun) -> None:
        nonlocal ended
        texts.append("".join([piece async for piece in run.iter_text()]))
        ended += 1

    with anyio.fail_after(150):
        limit = anyio.CapacityLimiter(50)
        async with anyio.create_task_group() as group:
            for _ in range(STREAMS):
                group.start_soon(open_one, limit)
        assert control.state()["open_streams"] == STREAMS
        extra = await (await local_agent(client)).send("to be cancelled")
        async with anyio.create_task_group() as group:
            for run in runs:
                group.start_soon(read, run)
            await client.ping()
            await extra.cancel()
            assert (await extra.wait()).status == "cancelled"
            assert ended == 0
            control.release()
    assert texts == ["started and ended"] * STREAMS
