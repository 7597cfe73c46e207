"""Steps that are cancelled, loops that are left, handles that are forgotten."""

from __future__ import annotations

import gc
from collections.abc import AsyncIterator, Callable
from typing import Any

import anyio
import pytest

from cursor_sdk_async import AsyncClient, AsyncRun
from cursor_sdk_async.testing import Hold, Script, ScriptedControl, Text, Turn, Wait
from tests.client.conftest import local_agent

pytestmark = pytest.mark.anyio

LETTERS = "abcdefghij"
SLOW = Script([Turn([step for letter in LETTERS for step in (Text(letter), Wait(0.02))])])


def messages_text(run: AsyncRun) -> AsyncIterator[Any]:
    return run.messages()


ITERATORS: dict[str, Callable[[AsyncRun], AsyncIterator[Any]]] = {
    "messages": lambda run: run.messages(),
    "stream": lambda run: run.stream(),
    "events": lambda run: run.events(),
    "iter_text": lambda run: run.iter_text(),
    "aiter": lambda run: run.__aiter__(),
    "observe": lambda run: run.observe(),
}


def text_of(item: Any) -> str:
    if isinstance(item, str):
        return item
    message = getattr(item, "sdk_message", item)
    if getattr(message, "type", "") != "assistant":
        return ""
    return "".join(block.text for block in message.message.content)


@pytest.mark.promise("CLT-04")
@pytest.mark.parametrize("name", ITERATORS)
async def test_wait_for_around_single_steps_loses_nothing(
    client: AsyncClient, control: ScriptedControl, name: str
) -> None:
    control.set_script(SLOW)
    run = await (await local_agent(client)).send("go")
    iterator = ITERATORS[name](run)
    text, timeouts = "", 0
    with anyio.fail_after(30):
        while True:
            try:
                with anyio.fail_after(0.004):
                    text += text_of(await iterator.__anext__())
            except TimeoutError:
                timeouts += 1
            except StopAsyncIteration:
                break
    assert text == LETTERS
    assert timeouts > 0


@pytest.mark.promise("CLT-05")
async def test_breaking_off_and_waiting_leaves_no_stream_open(
    client: AsyncClient, control: ScriptedControl
) -> None:
    control.set_script(SLOW)
    run = await (await local_agent(client)).send("go")
    async for _ in run.messages():
        break
    result = await run.wait()
    assert result.status == "finished"
    assert await run.text() == LETTERS
    with anyio.fail_after(30):
        while control.state()["open_streams"]:
            await anyio.sleep(0.01)


@pytest.mark.promise("CLT-05")
async def test_a_run_that_is_forgotten_drops_its_stream_and_goes_on(
    client: AsyncClient, control: ScriptedControl
) -> None:
    control.set_script(Script([Turn([Text("a"), Hold()])]))
    agent = await local_agent(client)
    run = await agent.send("go")
    run_id = run.id
    assert control.state()["open_streams"] == 1
    del run
    gc.collect()
    with anyio.fail_after(30):
        while control.state()["open_streams"]:
            await anyio.sleep(0.01)
    control.release()
    assert (await client.wait_live_run(run_id)).status == "finished"


@pytest.mark.promise("CLT-05")
async def test_iterating_keeps_a_run_alive_that_nobody_else_holds(
    client: AsyncClient, control: ScriptedControl
) -> None:
    control.set_script(SLOW)
    text = ""
    async for piece in (await (await local_agent(client)).send("go")).iter_text():
        gc.collect()
        text += piece
    assert text == LETTERS
