"""Closing while something is on its way: readers, prompts, agents, observations."""

from __future__ import annotations

import gc
import threading
from collections.abc import AsyncIterator, Callable

import anyio
import anyio.lowlevel
import anyio.to_thread
import pytest

from cursor_sdk_async import AsyncClient, AsyncRun, ClosedError
from cursor_sdk_async._lifecycle import Opening
from cursor_sdk_async.testing import (
    CallFault,
    Faults,
    Hold,
    Script,
    ScriptedBridge,
    ScriptedControl,
    Text,
    Turn,
)
from tests.client.conftest import KEY, cloud_agent, control_of, local_agent

pytestmark = pytest.mark.anyio

HELD = Script([Turn([Text("started"), Hold()])])
Launch = Callable[..., Opening[AsyncClient]]


@pytest.fixture
async def attached(shared_bridge: ScriptedBridge, control: ScriptedControl) -> AsyncIterator[AsyncClient]:
    """A client that the test closes itself."""
    control.set_script(HELD)
    client = AsyncClient.connect(shared_bridge.url, shared_bridge.token, api_key=KEY)
    yield client
    await client.aclose()


async def no_streams(control: ScriptedControl) -> None:
    with anyio.fail_after(30):
        while control.state()["open_streams"]:
            await anyio.sleep(0.01)


async def read_until_closed(run: AsyncRun, got: list[str], closed: anyio.Event) -> None:
    with pytest.raises(ClosedError) as caught:
        async for piece in run.iter_text():
            got.append(piece)
    assert caught.value.run_id == run.id
    closed.set()


@pytest.mark.promise("CLT-30")
@pytest.mark.parametrize("what", ["run", "client"])
async def test_a_reader_beside_the_closer_is_told_and_does_not_take_it_for_the_end(
    attached: AsyncClient, control: ScriptedControl, what: str
) -> None:
    run = await (await local_agent(attached)).send("go")
    got: list[str] = []
    closed = anyio.Event()
    with anyio.fail_after(30):
        async with anyio.create_task_group() as group:
            group.start_soon(read_until_closed, run, got, closed)
            while not got:
                await anyio.sleep(0.001)
            await (run.aclose() if what == "run" else attached.aclose())
            await closed.wait()
    await no_streams(control)
    if what == "run":
        with pytest.raises(ClosedError):
            await run.messages().__anext__()
        control.release()
        assert (await run.wait()).status == "finished"


@pytest.mark.promise("CLT-30")
async def test_a_reader_of_a_launched_client_that_is_closed_gets_an_error_or_the_cancelled_result(
    launch: Launch,
) -> None:
    async with launch(HELD) as client:
        run = await (await local_agent(client)).send("go")
        outcomes: list[str] = []

        async def read() -> None:
            try:
                async for _ in run.events():
                    pass
                outcomes.append(run.status)
            except ClosedError:
                outcomes.append("closed")

        with anyio.fail_after(30):
            async with anyio.create_task_group() as group:
                group.start_soon(read)
                await anyio.lowlevel.checkpoint()
                await client.aclose()
        assert outcomes in (["closed"], ["cancelled"])


@pytest.mark.promise("CLT-31", "RUN-10")
@pytest.mark.parametrize("kind", ["slow", "slow_answer"])
async def test_a_prompt_whose_caller_has_gone_is_cancelled_before_the_client_is_closed(
    attached: AsyncClient, control: ScriptedControl, kind: str
) -> None:
    agent = await cloud_agent(attached)
    control.set_faults(Faults(calls=[CallFault("Send", kind, seconds=0.3)]))  # type: ignore[arg-type]
    with anyio.move_on_after(0.05) as scope:
        await agent.send("go")
    assert scope.cancelled_caught
    await attached.aclose()
    assert len(control.requests("CancelRun")) == 1
    assert not control.state()["live_runs"]
    await no_streams(control)


@pytest.mark.promise("CLT-31")
async def test_a_prompt_that_is_on_its_way_while_the_client_closes_is_cancelled(
    attached: AsyncClient, control: ScriptedControl
) -> None:
    agent = await cloud_agent(attached)
    control.set_faults(Faults(calls=[CallFault("Send", "slow", seconds=0.3)]))
    done = anyio.Event()

    async def send() -> None:
        with pytest.raises(ClosedError):
            await agent.send("go")
        done.set()

    with anyio.fail_after(30):
        async with anyio.create_task_group() as group:
            group.start_soon(send)
            while not control.requests("Send"):
                await anyio.sleep(0.01)
            await attached.aclose()
            await done.wait()
    assert len(control.requests("CancelRun")) == 1
    assert not control.state()["live_runs"]


@pytest.mark.promise("CLT-31")
async def test_a_send_that_is_cancelled_before_it_started_sends_nothing(
    attached: AsyncClient, control: ScriptedControl
) -> None:
    agent = await local_agent(attached)
    with anyio.CancelScope() as scope:
        scope.cancel()
        await agent.send("go")
    await attached.ping()
    assert not control.requests("Send")


@pytest.mark.promise("CLT-31", "CLT-11")
async def test_leaving_a_cloud_run_in_a_cancelled_scope_and_closing_at_once_still_cancels_it(
    attached: AsyncClient, control: ScriptedControl
) -> None:
    control.set_faults(Faults(calls=[CallFault("CancelRun", "slow", seconds=0.3)]))
    with anyio.CancelScope() as scope:
        async with attached, await (await cloud_agent(attached)).send("go"):
            scope.cancel()
            await anyio.lowlevel.checkpoint()
    with anyio.fail_after(30):
        while control.state()["live_runs"]:
            await anyio.sleep(0.01)
    assert len(control.requests("CancelRun")) == 1


@pytest.mark.promise("CLT-07")
async def test_leaving_a_run_and_an_agent_after_the_client_was_closed_is_harmless(
    attached: AsyncClient, control: ScriptedControl
) -> None:
    async with await local_agent(attached) as agent, await agent.send("go"):
        await attached.aclose()
    assert not control.requests("CancelRun")


@pytest.mark.promise("CLT-22")
async def test_an_agent_whose_create_was_cancelled_is_let_go(
    attached: AsyncClient, control: ScriptedControl
) -> None:
    before = control.state()["open_agents"]
    control.set_faults(Faults(calls=[CallFault("CreateAgent", "slow_answer", seconds=0.2)]))
    with anyio.move_on_after(0.05) as scope:
        await local_agent(attached)
    assert scope.cancelled_caught
    await attached.aclose()
    assert control.requests("CreateAgent")
    assert control.state()["open_agents"] == before


@pytest.mark.promise("CLT-22")
async def test_an_agent_with_a_live_run_that_is_closed_in_a_cancelled_scope_is_closed_all_the_same(
    attached: AsyncClient, control: ScriptedControl
) -> None:
    agent = await cloud_agent(attached)
    await agent.send("go")
    assert agent.agent_id in control.state()["open_agents"]
    with anyio.CancelScope() as scope:
        scope.cancel()
        await agent.close()
    with anyio.fail_after(30):
        while agent.agent_id in control.state()["open_agents"]:
            await anyio.sleep(0.01)


@pytest.mark.promise("CLT-07")
async def test_an_attached_client_that_is_closed_in_a_cancelled_scope_drops_everything(
    attached: AsyncClient, control: ScriptedControl
) -> None:
    runs = [await (await local_agent(attached)).send("go") for _ in range(3)]
    with anyio.CancelScope() as scope:
        scope.cancel()
        await attached.aclose()
    await no_streams(control)
    await attached.aclose()
    assert not attached._core.runs.open
    assert all(run.status == "running" for run in runs)


@pytest.mark.promise("CLT-07")
async def test_two_tasks_close_an_attached_client_and_both_wait_for_the_end(
    attached: AsyncClient, control: ScriptedControl
) -> None:
    await (await local_agent(attached)).send("go")
    async with anyio.create_task_group() as group:
        group.start_soon(attached.aclose)
        group.start_soon(attached.close)
    assert attached._core.owner().ended
    await no_streams(control)


@pytest.mark.promise("CLT-05")
@pytest.mark.parametrize("what", ["observation", "snapshot", "run"])
async def test_what_is_forgotten_half_read_drops_its_stream_even_when_another_thread_collects_it(
    attached: AsyncClient, control: ScriptedControl, what: str
) -> None:
    run = await (await local_agent(attached)).send("go")
    run_id = run.id
    if what != "run":
        await run.aclose()
        await no_streams(control)
        del run
        found = await attached.agents.get_run(run_id)
        iterator = found.observe() if what == "observation" else found.events()
        await iterator.__anext__()
        assert control.state()["open_streams"] == 1
        found.extra = iterator  # type: ignore[attr-defined]  # only the collector finds the two
        del found, iterator
    else:
        run.myself = run  # type: ignore[attr-defined]
        del run
    thread = threading.Thread(target=gc.collect)
    thread.start()
    await anyio.to_thread.run_sync(thread.join)
    await no_streams(control)
    assert await attached.ping() == "pong"
    control.release()
    assert (await attached.wait_live_run(run_id)).status == "finished"


@pytest.mark.promise("CLT-05")
async def test_closing_an_observation_in_another_task_ends_it(
    attached: AsyncClient, control: ScriptedControl
) -> None:
    run = await (await local_agent(attached)).send("go")
    observation = run.observe()
    seen: list[str] = []

    async def read() -> None:
        async for event in observation:
            seen.append(event.kind)

    with anyio.fail_after(30):
        async with anyio.create_task_group() as group:
            group.start_soon(read)
            while not seen:
                await anyio.sleep(0.001)
            await observation.aclose()  # type: ignore[attr-defined]
        while control.state()["open_streams"] != 1:
            await anyio.sleep(0.01)


@pytest.mark.promise("CLT-31")
async def test_a_launched_client_that_closes_cancels_the_cloud_run_of_a_prompt_on_its_way(
    launch: Launch,
) -> None:
    seen: list[str] = []
    client = await launch(
        HELD, Faults(calls=[CallFault("Send", "slow", seconds=0.3)]), verbose=True, on_stderr=seen.append
    )
    agent = await cloud_agent(client)
    with anyio.move_on_after(0.05):
        await agent.send("go")
    control = control_of(client)
    assert control.requests("Send")
    await client.aclose()
    assert any("CancelRun" in line for line in seen)
