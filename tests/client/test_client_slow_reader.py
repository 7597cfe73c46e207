"""Slow readers and huge messages: they hold up nobody, and still get everything in order."""

from __future__ import annotations

import anyio
import pytest

from cursor_sdk_async import AsyncClient
from cursor_sdk_async.messages import SDKAssistantMessage, TextBlock
from cursor_sdk_async.testing import Burst, Fill, Script, ScriptedControl, Text, Turn
from tests.client.conftest import cloud_agent, local_agent

pytestmark = [pytest.mark.anyio, pytest.mark.promise("CLT-27"), pytest.mark.timeout(180)]

PIECES = 20_000
HUGE = 20 * 1024 * 1024
SCRIPT = Script(
    by_prompt={
        "burst": Turn([Burst(PIECES, size=200)]),
        "huge": Turn([Text("before "), Fill(HUGE), Text(" after")]),
        "short": Turn([Text("short")]),
    }
)


async def others_go_on(client: AsyncClient) -> None:
    """Single answers, other runs of both kinds: nothing waits for the slow one."""
    with anyio.fail_after(30):
        assert await client.ping() == "pong"
        assert await client.models.list()
        for make in (local_agent, cloud_agent):
            run = await (await make(client)).send("short")
            assert await run.text() == "short"
            assert (await run.wait()).status == "finished"


async def test_a_run_that_nobody_reads_holds_up_nothing(
    client: AsyncClient, control: ScriptedControl
) -> None:
    control.set_script(SCRIPT)
    unread = await (await local_agent(client)).send("burst")
    await others_go_on(client)
    with anyio.fail_after(120):
        numbers = [int(piece.split()[0]) async for piece in unread.iter_text()]
    assert numbers == list(range(PIECES))
    assert (await unread.wait()).status == "finished"


async def test_a_reader_that_is_slower_than_its_run_holds_up_nothing(
    client: AsyncClient, control: ScriptedControl
) -> None:
    control.set_script(SCRIPT)
    run = await (await local_agent(client)).send("burst")
    numbers: list[int] = []
    done = anyio.Event()

    async def read_with_naps() -> None:
        async for piece in run.iter_text():
            numbers.append(int(piece.split()[0]))
            if len(numbers) in (1, 100, 5_000):
                await done.wait() if len(numbers) == 100 else await anyio.sleep(0.05)

    with anyio.fail_after(120):
        async with anyio.create_task_group() as group:
            group.start_soon(read_with_naps)
            await others_go_on(client)
            assert len(numbers) < PIECES
            done.set()
    assert numbers == list(range(PIECES))


async def test_a_message_of_twenty_mebibytes_holds_up_nothing(
    client: AsyncClient, control: ScriptedControl
) -> None:
    control.set_script(SCRIPT)
    run = await (await local_agent(client)).send("huge")
    sizes: list[int] = []

    async def read() -> None:
        async for message in run.messages():
            if isinstance(message, SDKAssistantMessage):
                sizes.extend(
                    len(block.text) for block in message.message.content if isinstance(block, TextBlock)
                )

    with anyio.fail_after(120):
        async with anyio.create_task_group() as group:
            group.start_soon(read)
            await others_go_on(client)
    assert sizes == [len("before "), HUGE, len(" after")]
    assert (await run.wait()).status == "finished"


async def test_an_unread_huge_message_holds_up_nothing_and_can_be_left(
    client: AsyncClient, control: ScriptedControl
) -> None:
    control.set_script(SCRIPT)
    async with await (await local_agent(client)).send("huge"):
        await others_go_on(client)
    await others_go_on(client)
