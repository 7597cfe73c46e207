"""Runs taken up again by their ids: read, awaited, observed, cancelled, and what was said in them."""

from __future__ import annotations

import anyio
import pytest

from cursor_sdk_async import AsyncClient
from cursor_sdk_async.conversation import (
    AgentConversationTurn,
    AssistantConversationStep,
    ThinkingConversationStep,
    ToolCallConversationStep,
)
from cursor_sdk_async.errors import AgentNotFoundError, BadRequestError, NotFoundError
from tests.rest_standin import ACCEPTED_KEY
from tests.suite.steps import brief, cloud_agent, finished_run, kinds, read_until_text, statuses
from tests.suite.world import HELLO, HELLO_TEXT, HOLD, HOLD_TEXT, World

pytestmark = pytest.mark.anyio

NO_RUN = "run-00000000-0000-4000-8000-000000000000"
NO_AGENT = "bc-00000000-0000-4000-8000-000000000000"


@pytest.mark.promise("CTR-10")
async def test_a_finished_run_is_found_with_its_result(client: AsyncClient) -> None:
    agent, run = await finished_run(client)
    found = await client.agents.get_run(run.id, agent_id=agent.agent_id)
    assert (found.id, found.agent_id, found.status) == (run.id, agent.agent_id, "finished")
    assert found.result == await found.text() == HELLO_TEXT
    assert found.created_at == run.created_at
    assert found.duration_ms > 0
    assert (await found.wait()).result == HELLO_TEXT


@pytest.mark.promise("CTR-10")
async def test_reading_a_found_run_shows_it_from_its_start(client: AsyncClient) -> None:
    agent, run = await finished_run(client)
    found = await client.agents.get_run(run.id, agent_id=agent.agent_id)
    messages = [message async for message in found.messages()]
    assert statuses(messages)[-1] == "FINISHED"
    assert kinds(messages) == [*["thinking"] * 2, *["tool_call"] * 2, *["assistant"] * 3, "usage"]
    assert found.usage == run.usage
    again = await client.agents.get_run(run.id, agent_id=agent.agent_id)
    assert "".join([piece async for piece in again.iter_text()]) == HELLO_TEXT


@pytest.mark.promise("CTR-10")
async def test_a_live_run_is_followed_from_another_client(client: AsyncClient, world: World) -> None:
    run = await (await cloud_agent(client)).send(HOLD)
    await read_until_text(run)
    async with AsyncClient.connect(world.url, world.token, api_key=ACCEPTED_KEY) as other:
        found = await other.agents.get_run(run.id, agent_id=run.agent_id)
        assert found.status == "running"
        texts = await read_until_text(found)
        world.release()
        with anyio.fail_after(30):
            assert [piece async for piece in texts] == [" no more."]
            assert (await found.wait()).result == HOLD_TEXT
    with anyio.fail_after(30):
        assert (await run.wait()).result == HOLD_TEXT


@pytest.mark.promise("CTR-10")
async def test_a_found_run_can_be_cancelled(client: AsyncClient) -> None:
    run = await (await cloud_agent(client)).send(HOLD)
    found = await client.agents.get_run(run.id, agent_id=run.agent_id)
    await found.cancel()
    with anyio.fail_after(30):
        assert (await found.wait()).status == "cancelled"
        assert (await run.wait()).status == "cancelled"


@pytest.mark.promise("CTR-10")
async def test_runs_are_listed_newest_first_in_pages(client: AsyncClient) -> None:
    agent, first = await finished_run(client)
    made = [first.id]
    for _ in range(2):
        run = await agent.send(HELLO)
        await run.wait()
        made.append(run.id)
    page = await client.agents.list_runs(agent.agent_id, limit=2)
    assert [run.id for run in page] == made[:0:-1]
    assert page.has_next_page()
    rest = await page.get_next_page()
    assert [run.id for run in rest] == made[:1]
    assert not rest.has_next_page()
    assert [run.id async for run in page.auto_paging_iter()] == made[::-1]
    assert (await rest[0].wait()).result == HELLO_TEXT
    assert "".join([piece async for piece in rest[0].iter_text()]) == HELLO_TEXT


@pytest.mark.promise("CTR-10")
async def test_a_run_is_found_again_when_another_client_has_closed_its_agent(
    client: AsyncClient, world: World
) -> None:
    agent, run = await finished_run(client)
    async with AsyncClient.connect(world.url, world.token, api_key=ACCEPTED_KEY) as other:
        await (await other.agents.resume(agent.agent_id)).close()
    assert len(await run.conversation()) == 1
    assert [event async for event in run.observe()][-1].kind == "done"


@pytest.mark.promise("CTR-11")
async def test_a_run_can_be_observed_as_often_as_wanted(client: AsyncClient, world: World) -> None:
    run = await (await cloud_agent(client)).send(HOLD)
    own = await read_until_text(run)
    first = run.observe()
    seen = [brief(await first.__anext__())]
    while seen[-1] != "assistant":
        seen.append(brief(await first.__anext__()))
    world.release()
    with anyio.fail_after(30):
        assert [brief(event) async for event in first][-3:] == ["status", "result", "done"]
        second = [event async for event in run.observe()]
    assert [brief(event) for event in second].count("assistant") == 2
    assert second[-2].result is not None
    assert second[-2].result["result"] == HOLD_TEXT
    assert [piece async for piece in own] == [" no more."]


@pytest.mark.promise("CTR-11")
async def test_an_observation_can_skip_what_lies_before_an_offset(client: AsyncClient) -> None:
    _, run = await finished_run(client)
    events = [event async for event in run.observe()]
    assert [event.offset for event in events] == [str(number + 1) for number in range(len(events))]
    rest = [event async for event in run.observe(after_offset=events[3].offset)]
    assert rest == events[4:]


@pytest.mark.promise("CTR-11")
async def test_a_run_is_observed_and_awaited_by_its_ids(client: AsyncClient, world: World) -> None:
    agent, run = await finished_run(client)
    async with AsyncClient.connect(world.url, world.token, api_key=ACCEPTED_KEY) as other:
        events = [event async for event in other.observe_run(run.id, agent_id=agent.agent_id)]
        assert [event.kind for event in events[-2:]] == ["result", "done"]
        result = await other.wait_live_run(run.id, agent_id=agent.agent_id)
        assert (result.id, result.result) == (run.id, HELLO_TEXT)


@pytest.mark.promise("CTR-12")
async def test_the_conversation_has_what_was_asked_thought_done_and_said(client: AsyncClient) -> None:
    _, run = await finished_run(client)
    (turn,) = await run.conversation()
    assert isinstance(turn.turn, AgentConversationTurn)
    thinking, call, answer = turn.turn.steps
    assert isinstance(thinking, ThinkingConversationStep)
    assert thinking.message.text == "The prompt is short. One look at the readme will do."
    assert isinstance(call, ToolCallConversationStep)
    assert call.message["type"] == "read"
    assert isinstance(answer, AssistantConversationStep)
    assert answer.message.text == HELLO_TEXT


@pytest.mark.promise("CTR-12")
async def test_the_conversation_of_a_live_run_comes_when_it_ends(client: AsyncClient, world: World) -> None:
    run = await (await cloud_agent(client)).send(HOLD)
    steps: list[object] = []

    async def ask() -> None:
        (turn,) = await run.conversation()
        assert isinstance(turn.turn, AgentConversationTurn)
        steps.extend(turn.turn.steps)

    with anyio.fail_after(30):
        async with anyio.create_task_group() as group:
            group.start_soon(ask)
            await read_until_text(run)
            assert not steps
            world.release()
    (answer,) = steps
    assert isinstance(answer, AssistantConversationStep)
    assert answer.message.text == HOLD_TEXT


@pytest.mark.promise("CTR-13")
async def test_unknown_runs_and_agents_are_not_found(client: AsyncClient) -> None:
    agent, run = await finished_run(client)
    with pytest.raises(NotFoundError) as caught:
        await client.agents.get_run(NO_RUN, agent_id=agent.agent_id)
    assert not isinstance(caught.value, AgentNotFoundError)
    for call in (
        client.agents.get_run(run.id, agent_id=NO_AGENT),
        client.agents.get(NO_AGENT),
        client.agents.list_runs(NO_AGENT),
        client.agents.archive(NO_AGENT),
        client.agents.delete(NO_AGENT),
    ):
        with pytest.raises(AgentNotFoundError) as missing:
            await call
        assert missing.value.code == "not_found"
    lost = await client.agents.resume(NO_AGENT)
    with pytest.raises(AgentNotFoundError):
        await lost.send(HELLO)


@pytest.mark.promise("CTR-13")
async def test_a_cloud_run_without_its_agent_is_refused_or_not_found(client: AsyncClient) -> None:
    _, run = await finished_run(client)
    with pytest.raises(BadRequestError, match="agent_id"):
        await client.agents.get_run(run.id, runtime="cloud")
    with pytest.raises(NotFoundError):
        await client.agents.get_run(run.id)
