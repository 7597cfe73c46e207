"""Cloud runs: streamed, awaited, read as text, continued, failed."""

from __future__ import annotations

from typing import Any

import anyio
import pytest
from anyio.lowlevel import checkpoint

from cursor_sdk_async import AsyncAgent, AsyncClient
from cursor_sdk_async.errors import InternalServerError, RateLimitError
from cursor_sdk_async.messages import SDKThinkingMessage, SDKToolUseMessage, SDKUsageMessage
from tests.suite.steps import brief, cloud_agent, finished_run, kinds, read_until_text, statuses
from tests.suite.world import (
    COUNT,
    COUNT_PIECES,
    COUNT_TEXT,
    FAIL,
    HELLO,
    HELLO_TEXT,
    HOLD,
    HOLD_TEXT,
    World,
)

pytestmark = pytest.mark.anyio


@pytest.mark.promise("CTR-03")
async def test_a_run_is_streamed_message_by_message_to_its_result(client: AsyncClient) -> None:
    async with await cloud_agent(client, model="composer-2.5") as agent:
        run = await agent.send(HELLO)
        assert run.id.startswith("run-")
        assert run.status == "running"
        messages = [message async for message in run.messages()]
        assert statuses(messages) == ["CREATING", "RUNNING", "FINISHED"]
        before, answer = ["thinking", "thinking", "tool_call", "tool_call"], ["assistant"] * 3
        assert kinds(messages) == [*before, *answer, "usage"]
        assert {(message.agent_id, message.run_id) for message in messages} == {(agent.agent_id, run.id)}
        result = await run.wait()
        assert (result.id, result.agent_id, result.status) == (run.id, agent.agent_id, "finished")
        assert result.result == run.result == await run.text() == HELLO_TEXT
        assert result.model is not None
        assert result.model.id == "composer-2.5"
        assert result.created_at == run.created_at is not None
        assert (result.error_code, result.error_message) == (None, None)


@pytest.mark.promise("CTR-03")
async def test_the_messages_carry_what_happened(client: AsyncClient) -> None:
    run = await (await cloud_agent(client)).send(HELLO)
    messages = [message async for message in run.stream()]
    thoughts = [message.text for message in messages if isinstance(message, SDKThinkingMessage)]
    assert "".join(thoughts) == "The prompt is short. One look at the readme will do."
    started, completed = (message for message in messages if isinstance(message, SDKToolUseMessage))
    assert (started.name, started.status, started.args) == ("read", "running", {"path": "README.md"})
    assert (completed.call_id, completed.status) == (started.call_id, "completed")
    assert completed.result["value"]["content"] == "# Demo\n"
    assert completed.result["value"]["totalLines"] == 1
    assert isinstance(completed.result["value"]["totalLines"], int)
    (told,) = (message.usage for message in messages if isinstance(message, SDKUsageMessage))
    assert (told.input_tokens, told.output_tokens) == (1200, 340)
    assert (told.cache_read_tokens, told.cache_write_tokens, told.reasoning_tokens) == (800, 50, None)
    assert run.usage == (await run.wait()).usage == told


@pytest.mark.promise("CTR-03")
async def test_events_are_numbered_and_end_with_result_and_done(client: AsyncClient) -> None:
    run = await (await cloud_agent(client)).send(HELLO)
    events = [event async for event in run]
    assert [event.offset for event in events] == [str(number + 1) for number in range(len(events))]
    assert [event.kind for event in events[-2:]] == ["result", "done"]
    assert events[-2].result is not None
    assert events[-2].result["result"] == HELLO_TEXT
    assert [event async for event in run.events()] == []


@pytest.mark.promise("CTR-03")
async def test_a_run_can_be_waited_for_without_reading_it(client: AsyncClient) -> None:
    run = await (await cloud_agent(client)).send(HELLO)
    result = await run.wait()
    assert (result.status, result.result, run.status) == ("finished", HELLO_TEXT, "finished")
    assert await run.wait() == result


@pytest.mark.promise("CTR-03")
async def test_text_arrives_piece_by_piece_and_as_a_whole(client: AsyncClient) -> None:
    agent = await cloud_agent(client)
    run = await agent.send(HELLO)
    assert [piece async for piece in run.iter_text()] == ["You asked: ", "hello", ". Done."]
    assert await (await agent.send(HELLO)).text() == HELLO_TEXT


@pytest.mark.promise("CTR-03")
async def test_many_pieces_arrive_complete_and_in_order(client: AsyncClient) -> None:
    run = await (await cloud_agent(client)).send(COUNT)
    assert tuple([piece async for piece in run.iter_text()]) == COUNT_PIECES
    assert (await run.wait()).result == COUNT_TEXT


@pytest.mark.promise("CTR-03")
async def test_a_prompt_returns_the_result_and_leaves_no_agent_open(client: AsyncClient) -> None:
    result = await AsyncAgent.prompt(HELLO, {"cloud": {}}, client=client)
    assert (result.status, result.result) == ("finished", HELLO_TEXT)
    assert (await client.agents.get(result.agent_id)).agent_id == result.agent_id


@pytest.mark.promise("CTR-04")
async def test_a_conversation_goes_on_with_the_next_prompt(client: AsyncClient) -> None:
    async with await cloud_agent(client) as agent:
        first = await agent.send(HELLO)
        await first.wait()
        second = await agent.send({"text": "hello again"})
        assert await second.text() == "You asked: hello again. Done."
        assert second.id != first.id
        assert second.agent_id == first.agent_id == agent.agent_id


@pytest.mark.promise("CTR-04")
async def test_a_resumed_agent_takes_the_next_prompt(client: AsyncClient) -> None:
    agent, first = await finished_run(client)
    await agent.close()
    async with await client.agents.resume(agent.agent_id, cloud={}) as again:
        assert again.agent_id == agent.agent_id
        assert await (await again.send(HELLO)).text() == HELLO_TEXT
    runs = await client.agents.list_runs(agent.agent_id, runtime="cloud")
    assert len(runs) == 2
    assert runs[1].id == first.id


@pytest.mark.promise("CTR-05")
async def test_deltas_and_steps_go_to_their_callbacks(client: AsyncClient) -> None:
    deltas: list[Any] = []
    steps: list[Any] = []

    async def on_step(step: Any) -> None:
        await checkpoint()
        steps.append(step)

    agent = await cloud_agent(client)
    run = await agent.send(HELLO, {"on_delta": deltas.append, "on_step": on_step})
    words = [brief(event) async for event in run.events()]
    text = "".join(delta.text for delta in deltas if delta.type == "text-delta")
    assert text == HELLO_TEXT
    expected = {"thinking-delta", "text-delta", "tool-call-started", "tool-call-completed", "turn-ended"}
    assert {delta.type for delta in deltas} >= expected
    assert [step.type for step in steps] == ["thinkingMessage", "toolCall", "assistantMessage"]
    assert steps[-1].message.text == HELLO_TEXT
    assert set(words) >= {"assistant", "text-delta", "assistantMessage", "result", "done"}


@pytest.mark.promise("CTR-05")
async def test_callbacks_are_called_when_the_run_is_only_waited_for(client: AsyncClient) -> None:
    deltas: list[Any] = []

    async def on_delta(delta: Any) -> None:
        deltas.append(delta)

    run = await (await cloud_agent(client)).send(HELLO, {"on_delta": on_delta})
    result = await run.wait()
    assert "".join(delta.text for delta in deltas if delta.type == "text-delta") == result.result
    assert not [event async for event in run.events() if event.step is not None]


@pytest.mark.promise("CTR-05")
async def test_status_changes_go_to_the_listeners(client: AsyncClient, world: World) -> None:
    run = await (await cloud_agent(client)).send(HOLD)
    heard: list[str] = []
    remove = run.on_did_change_status(heard.append)
    await read_until_text(run)
    world.release()
    await run.wait()
    assert heard == ["finished"]
    remove()
    remove()


@pytest.mark.promise("CTR-06")
async def test_a_run_that_fails_has_a_result_that_says_why(client: AsyncClient) -> None:
    agent = await cloud_agent(client)
    run = await agent.send(FAIL)
    messages = [message async for message in run.messages()]
    assert statuses(messages)[-1] == "ERROR"
    result = await run.wait()
    assert (result.status, result.error_code, result.error_message) == ("error", "bad_luck", "No luck.")
    assert run.status == "error"
    assert await run.text() == "Trying"
    assert await (await agent.send(HELLO)).text() == HELLO_TEXT


@pytest.mark.promise("CTR-06")
async def test_a_refused_prompt_is_an_error_of_send(client: AsyncClient, world: World) -> None:
    agent = await cloud_agent(client)
    world.refuse_send(429, "rate_limited")
    with pytest.raises(RateLimitError) as limited:
        await agent.send(HELLO)
    assert limited.value.code == "resource_exhausted"
    assert limited.value.is_retryable
    world.refuse_send(500, "internal_error")
    with pytest.raises(InternalServerError) as failed:
        await agent.send(HELLO)
    assert failed.value.api_code == "internal_error"
    assert await (await agent.send(HELLO)).text() == HELLO_TEXT


@pytest.mark.promise("CTR-03")
async def test_many_agents_run_beside_each_other_on_one_client(client: AsyncClient) -> None:
    results: dict[int, str] = {}

    async def one(number: int) -> None:
        async with await cloud_agent(client) as agent:
            results[number] = await (await agent.send(f"hello {number}")).text()

    with anyio.fail_after(30):
        async with anyio.create_task_group() as group:
            for number in range(20):
                group.start_soon(one, number)
    assert results == {number: f"You asked: hello {number}. Done." for number in range(20)}


@pytest.mark.promise("CTR-04")
async def test_a_held_run_goes_on_when_the_service_does(client: AsyncClient, world: World) -> None:
    run = await (await cloud_agent(client)).send(HOLD)
    texts = await read_until_text(run)
    assert run.status == "running"
    world.release()
    assert [piece async for piece in texts] == [" no more."]
    assert (await run.wait()).result == HOLD_TEXT
