"""What ends a run at the bridge, and what does not."""

from __future__ import annotations

import logging
from functools import partial
from typing import Any

import anyio
import pytest

from cursor_sdk_async import AsyncAgent, AsyncClient, StreamInterruptedError, UnsupportedRunOperationError
from cursor_sdk_async.testing import CallFault, Faults, Hold, Script, ScriptedControl, Text, Turn
from tests.client.conftest import cloud_agent, local_agent

pytestmark = [pytest.mark.anyio, pytest.mark.promise("CLT-11")]

HELD = Script([Turn([Text("started"), Hold()])])


async def cancelled(control: ScriptedControl) -> bool:
    """Whether CancelRun reaches the bridge before long."""
    with anyio.fail_after(30):
        while not control.requests("CancelRun"):
            await anyio.sleep(0.01)
    return True


@pytest.fixture(autouse=True)
def held(control: ScriptedControl) -> None:
    control.set_script(HELD)


async def test_cancel_ends_the_run_and_may_be_repeated(client: AsyncClient) -> None:
    run = await (await local_agent(client)).send("go")
    await run.cancel()
    assert (await run.wait()).status == "cancelled"
    await run.cancel()
    assert run.status == "cancelled"


async def test_cancel_of_a_finished_run_is_refused(client: AsyncClient, control: ScriptedControl) -> None:
    control.release()
    run = await (await local_agent(client)).send("go")
    await run.wait()
    with pytest.raises(UnsupportedRunOperationError) as caught:
        await run.cancel()
    assert (caught.value.operation, caught.value.code) == ("cancel", "unsupported_run_operation")


async def test_leaving_async_with_before_the_end_cancels(
    client: AsyncClient, control: ScriptedControl
) -> None:
    agent = await local_agent(client)
    async with await agent.send("go"):
        pass
    assert len(control.requests("CancelRun")) == 1


async def test_leaving_async_with_after_the_end_does_not(
    client: AsyncClient, control: ScriptedControl
) -> None:
    control.release()
    async with await (await local_agent(client)).send("go") as run:
        await run.wait()
    assert not control.requests("CancelRun")


async def test_a_cancelled_prompt_cancels_its_run(client: AsyncClient, control: ScriptedControl) -> None:
    async with anyio.create_task_group() as group:

        async def prompt() -> None:
            await AsyncAgent.prompt("go", {"model": "scripted", "local": {}}, client=client)

        group.start_soon(prompt)
        with anyio.fail_after(30):
            while not control.state()["live_runs"]:
                await anyio.sleep(0.01)
        group.cancel_scope.cancel()
    assert await cancelled(control)


@pytest.mark.promise("RUN-10")
async def test_a_send_that_is_cancelled_before_the_run_is_known_has_it_cancelled(
    client: AsyncClient, control: ScriptedControl
) -> None:
    control.set_faults(Faults(calls=[CallFault("Send", "slow", seconds=0.3)]))
    agent = await local_agent(client)
    with anyio.move_on_after(0.05) as scope:
        await agent.send("go")
    assert scope.cancelled_caught
    assert await cancelled(control)
    with anyio.fail_after(30):
        while control.state()["open_streams"]:
            await anyio.sleep(0.01)


async def test_cancelling_a_task_that_reads_or_waits_leaves_the_run_alone(
    client: AsyncClient, control: ScriptedControl
) -> None:
    run = await (await local_agent(client)).send("go")
    with anyio.move_on_after(0.1):
        async for _ in run.messages():
            pass
    with anyio.move_on_after(0.1):
        await run.wait()
    assert not control.requests("CancelRun")
    control.release()
    assert (await run.wait()).status == "finished"


@pytest.mark.promise("CLT-14")
async def test_closing_an_agent_with_a_live_run_interrupts_its_readers_and_names_the_run(
    client: AsyncClient, control: ScriptedControl, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING)
    agent = await cloud_agent(client)
    run = await agent.send("go")
    messages = run.messages()
    await messages.__anext__()
    await agent.close()
    with pytest.raises(StreamInterruptedError) as caught:
        async for _ in messages:
            pass
    assert caught.value.run_id == run.id
    assert run.id in caplog.text
    assert run.status != "error"
    assert not control.requests("CancelRun")


@pytest.mark.promise("RUN-26")
@pytest.mark.parametrize("make", [local_agent, cloud_agent])
async def test_cancel_can_wait_for_the_end(client: AsyncClient, control: ScriptedControl, make: Any) -> None:
    control.set_script(Script([Turn([Text("One, "), Hold()])]))
    run = await (await make(client)).send("go")
    with anyio.fail_after(30):
        async with anyio.create_task_group() as group:
            for _ in range(3):
                group.start_soon(partial(run.cancel, wait=True))
        assert run.status == "cancelled"
        await run.cancel(wait=True)
        await run.cancel()


@pytest.mark.promise("RUN-26")
@pytest.mark.parametrize("status", ["FINISHED", "CANCELLED"])
async def test_cancel_of_a_run_that_ended_unseen_says_how_it_ended(
    client: AsyncClient, control: ScriptedControl, status: Any
) -> None:
    control.set_script(Script([Turn([Text("One.")], status=status)]))
    run = await (await cloud_agent(client)).send("go")
    await client.agents.get_run(run.id, agent_id=run.agent_id, runtime="cloud")
    other = await client.agents.get_run(run.id, agent_id=run.agent_id, runtime="cloud")
    with anyio.fail_after(30):
        await other.wait()
        assert run.status == "running"  # nobody has read it
        if status == "CANCELLED":
            await run.cancel()
        else:
            with pytest.raises(UnsupportedRunOperationError, match="nothing to cancel") as caught:
                await run.cancel()
            assert caught.value.operation == "cancel"
