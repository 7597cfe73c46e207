"""Cancelling runs, busy agents, and waiting beside readers."""

from __future__ import annotations

from functools import partial
from uuid import uuid4

import anyio
import pytest

from cursor_sdk_async import AsyncAgent, AsyncClient
from cursor_sdk_async.errors import (
    AgentBusyError,
    ConfigurationError,
    LocalAgentBusyError,
    StreamInterruptedError,
    UnsupportedRunOperationError,
)
from cursor_sdk_async.results import RunResult
from tests.rest_standin import ACCEPTED_KEY
from tests.suite.steps import cloud_agent, finished_run, read_until_text
from tests.suite.world import HELLO, HELLO_TEXT, HOLD, HOLD_TEXT, World

pytestmark = pytest.mark.anyio


@pytest.mark.promise("CTR-07")
async def test_a_live_run_can_be_cancelled_and_its_stream_ends(client: AsyncClient) -> None:
    agent = await cloud_agent(client)
    run = await agent.send(HOLD)
    texts = await read_until_text(run)
    await run.cancel()
    with anyio.fail_after(30):
        assert [piece async for piece in texts] == []
        assert (await run.wait()).status == "cancelled"
    assert run.status == "cancelled"
    await run.cancel()
    assert await (await agent.send(HELLO)).text() == HELLO_TEXT


@pytest.mark.promise("CTR-07")
async def test_a_run_that_nobody_reads_can_be_cancelled(client: AsyncClient) -> None:
    run = await (await cloud_agent(client)).send(HOLD)
    await run.cancel()
    with anyio.fail_after(30):
        assert (await run.wait()).status == "cancelled"


@pytest.mark.promise("CTR-07")
async def test_a_run_that_is_over_cannot_be_cancelled(client: AsyncClient) -> None:
    agent, run = await finished_run(client)
    with pytest.raises(UnsupportedRunOperationError, match="finished"):
        await run.cancel()
    with pytest.raises(ConfigurationError) as caught:
        await client.agents.cancel_run(run.id, agent_id=agent.agent_id)
    assert caught.value.api_code == "run_not_cancellable"


@pytest.mark.promise("CTR-07")
async def test_a_run_is_cancelled_by_its_ids_from_another_client(client: AsyncClient, world: World) -> None:
    run = await (await cloud_agent(client)).send(HOLD)
    texts = await read_until_text(run)
    async with AsyncClient.connect(world.url, world.token, api_key=ACCEPTED_KEY) as other:
        await other.agents.cancel_run(run.id, agent_id=run.agent_id)
    with anyio.fail_after(30):
        assert [piece async for piece in texts] == []
        assert (await run.wait()).status == "cancelled"


@pytest.mark.promise("CTR-07")
async def test_leaving_a_run_early_cancels_it(client: AsyncClient) -> None:
    agent = await cloud_agent(client)
    async with await agent.send(HOLD) as run:
        await read_until_text(run)
    with anyio.fail_after(30):
        again = await client.agents.get_run(run.id, agent_id=agent.agent_id)
        assert (await again.wait()).status == "cancelled"


@pytest.mark.promise("CTR-07")
async def test_a_cancelled_prompt_cancels_its_run(client: AsyncClient, world: World) -> None:
    name = f"Prompted {uuid4()}"

    async def prompted() -> list[str]:
        agents = await client.agents.list(runtime="cloud", limit=20)
        return [agent.agent_id for agent in agents if agent.name == name]

    found: list[str] = []
    with anyio.fail_after(30):
        async with anyio.create_task_group() as group:
            group.start_soon(partial(AsyncAgent.prompt, HOLD, {"cloud": {}, "name": name}, client=client))
            while not found:
                found = await prompted()
            group.cancel_scope.cancel()
        (run,) = await client.agents.list_runs(found[0])
        assert (await run.wait()).status == "cancelled"


@pytest.mark.promise("CTR-08")
async def test_an_agent_with_a_live_run_is_busy(client: AsyncClient, world: World) -> None:
    agent = await cloud_agent(client)
    run = await agent.send(HOLD)
    with pytest.raises(AgentBusyError) as caught:
        await agent.send(HELLO)
    assert not isinstance(caught.value, LocalAgentBusyError)
    assert caught.value.proto_error_code == "SDK_ERROR_CODE_AGENT_BUSY"
    assert not caught.value.is_retryable
    world.release()
    assert (await run.wait()).result == HOLD_TEXT
    assert await (await agent.send(HELLO)).text() == HELLO_TEXT


@pytest.mark.promise("CTR-08", "RUN-30")
async def test_a_prompt_can_wait_for_a_busy_agent(client: AsyncClient, world: World) -> None:
    agent = await cloud_agent(client)
    run = await agent.send(HOLD)

    async def release() -> None:
        await anyio.sleep(0.5)  # by then the prompt was refused once
        world.release()

    with anyio.fail_after(30):
        async with anyio.create_task_group() as group:
            group.start_soon(release)
            assert (await agent.prompt(HELLO, on_busy="wait")).result == HELLO_TEXT
        assert (await run.wait()).result == HOLD_TEXT
        assert len(await client.agents.list_runs(agent.agent_id)) == 2


@pytest.mark.promise("CTR-09")
async def test_waiting_beside_a_slow_reader_takes_nothing_from_it(client: AsyncClient, world: World) -> None:
    run = await (await cloud_agent(client)).send(HOLD)
    texts = await read_until_text(run)  # this reader stops here for as long as the run lives
    world.release()
    with anyio.fail_after(30):
        result = await run.wait()
    assert (result.status, result.result) == ("finished", HOLD_TEXT)
    assert [piece async for piece in texts] == [" no more."]


@pytest.mark.promise("CTR-09")
async def test_several_tasks_can_wait_while_another_reads(client: AsyncClient, world: World) -> None:
    run = await (await cloud_agent(client)).send(HOLD)
    results: list[RunResult] = []
    texts = await read_until_text(run)
    pieces: list[str] = []

    async def wait() -> None:
        results.append(await run.wait())

    async def read() -> None:
        world.release()
        pieces.extend([piece async for piece in texts])

    with anyio.fail_after(30):
        async with anyio.create_task_group() as group:
            group.start_soon(read)
            for _ in range(3):
                group.start_soon(wait)
    assert pieces == [" no more."]
    assert [result.result for result in results] == [HOLD_TEXT] * 3


@pytest.mark.promise("CTR-09")
async def test_a_run_goes_on_when_its_reader_breaks_off(client: AsyncClient, world: World) -> None:
    run = await (await cloud_agent(client)).send(HOLD)
    async for _ in run.iter_text():
        break
    assert run.status == "running"
    world.release()
    with anyio.fail_after(30):
        assert (await run.wait()).result == await run.text() == HOLD_TEXT


@pytest.mark.promise("CTR-09")
async def test_a_step_that_is_given_up_loses_nothing(client: AsyncClient, world: World) -> None:
    run = await (await cloud_agent(client)).send(HOLD)
    texts = await read_until_text(run)
    for _ in range(3):
        with anyio.move_on_after(0.02) as scope:
            await texts.__anext__()
        assert scope.cancelled_caught
    world.release()
    with anyio.fail_after(30):
        assert [piece async for piece in texts] == [" no more."]


@pytest.mark.promise("CTR-09")
async def test_closing_an_agent_interrupts_its_readers_and_not_its_run(
    client: AsyncClient, world: World, caplog: pytest.LogCaptureFixture
) -> None:
    agent = await cloud_agent(client)
    run = await agent.send(HOLD)
    texts = await read_until_text(run)
    await agent.close()
    assert run.id in caplog.text
    with pytest.raises(StreamInterruptedError) as caught:
        await texts.__anext__()
    assert caught.value.run_id == run.id
    again = await client.agents.get_run(run.id, agent_id=agent.agent_id)
    assert again.status == "running"
    world.release()
    with anyio.fail_after(30):
        assert (await again.wait()).result == HOLD_TEXT


@pytest.mark.promise("CTR-09")
async def test_a_run_can_be_waited_for_after_its_agent_was_closed(client: AsyncClient, world: World) -> None:
    agent = await cloud_agent(client)
    run = await agent.send(HOLD)
    await read_until_text(run)
    results: list[RunResult] = []

    async def wait() -> None:
        results.append(await run.wait())

    with anyio.fail_after(30):
        async with anyio.create_task_group() as group:
            group.start_soon(wait)
            await anyio.wait_all_tasks_blocked()
            await agent.close()
            group.start_soon(wait)
            await anyio.wait_all_tasks_blocked()
            world.release()
    assert [(result.status, result.result) for result in results] == [("finished", HOLD_TEXT)] * 2


@pytest.mark.promise("CTR-07")
async def test_a_run_can_be_cancelled_after_its_agent_was_closed(client: AsyncClient) -> None:
    agent = await cloud_agent(client)
    run = await agent.send(HOLD)
    await agent.close()
    await run.cancel()
    with anyio.fail_after(30):
        assert (await run.wait()).status == "cancelled"
