"""The same over each codec and lane: nobody can tell them apart by what comes back."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from typing import Any, Literal

import anyio
import httpx
import pytest

from cursor_sdk_async import AsyncClient
from cursor_sdk_async.errors import AgentBusyError, AgentNotFoundError, APITimeoutError, AuthenticationError
from tests.rest_standin import ACCEPTED_KEY, REJECTED_KEY
from tests.suite.steps import cloud_agent, finished_run, kinds, read_until_text, statuses
from tests.suite.world import COUNT, COUNT_PIECES, FAIL, HELLO, HELLO_TEXT, HOLD, HOLD_TEXT, World

pytestmark = [pytest.mark.anyio, pytest.mark.promise("CTR-21")]

NO_AGENT = "bc-00000000-0000-4000-8000-000000000000"
Codec = Literal["proto", "json"]


@pytest.fixture(params=["proto", "json"])
def codec(request: pytest.FixtureRequest) -> Codec:
    """Both codecs, for every kind of call."""
    found: Codec = request.param
    return found


@pytest.fixture(params=["loopback", "httpx", "blocking-httpx"])
async def lane(request: pytest.FixtureRequest) -> AsyncIterator[dict[str, Any]]:
    """The options of a client that choose its lane."""
    async with AsyncExitStack() as stack:
        if request.param == "httpx":
            yield {"http_client": await stack.enter_async_context(httpx.AsyncClient())}
        elif request.param == "blocking-httpx":
            yield {"http_client": stack.enter_context(httpx.Client())}
        else:
            yield {}


@pytest.fixture
async def client(world: World, codec: Codec, lane: dict[str, Any]) -> AsyncIterator[AsyncClient]:
    """A client of this codec and lane."""
    async with AsyncClient.connect(
        world.url, world.token, api_key=ACCEPTED_KEY, codec=codec, **lane
    ) as client:
        yield client


async def test_a_run_is_streamed_with_all_that_it_carries(client: AsyncClient) -> None:
    agent = await cloud_agent(client, model="composer-2.5", name="Lane", cloud={"metadata": {"team": "a"}})
    deltas: list[Any] = []
    steps: list[Any] = []
    run = await agent.send(HELLO, {"on_delta": deltas.append, "on_step": steps.append})
    messages = [message async for message in run.messages()]
    assert statuses(messages) == ["CREATING", "RUNNING", "FINISHED"]
    assert kinds(messages) == [*["thinking"] * 2, *["tool_call"] * 2, *["assistant"] * 3, "usage"]
    result = await run.wait()
    assert (result.result, result.status) == (HELLO_TEXT, "finished")
    assert result.usage is not None
    assert (result.usage.input_tokens, result.usage.total_tokens) == (1200, 1540)
    assert "".join(delta.text for delta in deltas if delta.type == "text-delta") == HELLO_TEXT
    ended = next(delta for delta in deltas if delta.type == "turn-ended")
    assert ended.usage["inputTokens"] == 1200
    assert [step.type for step in steps] == ["thinkingMessage", "toolCall", "assistantMessage"]
    info = await client.agents.get(agent.agent_id)
    assert (info.name, dict(info.metadata)) == ("Lane", {"team": "a"})


async def test_many_pieces_arrive_in_order(client: AsyncClient) -> None:
    run = await (await cloud_agent(client)).send(COUNT)
    assert tuple([piece async for piece in run.iter_text()]) == COUNT_PIECES


async def test_a_held_run_is_busy_awaited_and_released(client: AsyncClient, world: World) -> None:
    agent = await cloud_agent(client)
    run = await agent.send(HOLD)
    texts = await read_until_text(run)
    with pytest.raises(AgentBusyError):
        await agent.send(HELLO)
    assert await client.ping() == "pong"
    with anyio.move_on_after(0.02) as scope:
        await texts.__anext__()
    assert scope.cancelled_caught
    world.release()
    with anyio.fail_after(30):
        assert (await run.wait()).result == HOLD_TEXT
        assert [piece async for piece in texts] == [" no more."]


async def test_a_run_is_cancelled_and_observed(client: AsyncClient) -> None:
    run = await (await cloud_agent(client)).send(HOLD)
    await read_until_text(run)
    await run.cancel()
    with anyio.fail_after(30):
        assert (await run.wait()).status == "cancelled"
        found = await client.agents.get_run(run.id, agent_id=run.agent_id)
        assert [event async for event in found.observe()][-1].kind == "done"


async def test_a_failed_run_and_its_conversation(client: AsyncClient) -> None:
    _, run = await finished_run(client, FAIL)
    result = await run.wait()
    assert (result.status, result.error_code, result.error_message) == ("error", "bad_luck", "No luck.")
    assert isinstance(await run.conversation(), list)


async def test_artifacts_and_usage_are_whole(client: AsyncClient, world: World) -> None:
    agent, _ = await finished_run(client)
    for path, content in world.artifacts.items():
        assert await agent.download_artifact(path) == content
    usage = await agent.get_usage()
    assert usage.usage.total_tokens == 2390
    assert usage.cost is not None
    assert usage.cost.raw_cost_cents == 1.5


async def test_the_catalogue_and_its_errors(client: AsyncClient) -> None:
    assert (await client.me()).user_id == 42
    assert [model.id for model in await client.models.list()] == ["composer-2.5", "plain-1"]
    assert (await client.get_version())["protocol_version"] == "sdk.v1"
    with pytest.raises(AuthenticationError) as refused:
        await client.models.list(api_key=REJECTED_KEY)
    assert refused.value.status == 401
    with pytest.raises(AgentNotFoundError) as missing:
        await client.agents.get(NO_AGENT)
    assert missing.value.proto_error_code == "SDK_ERROR_CODE_AGENT_NOT_FOUND"
    assert missing.value.request_id
    lost = await client.agents.resume(NO_AGENT)
    with pytest.raises(AgentNotFoundError):
        await lost.send(HELLO)


async def test_a_copy_with_other_limits_shares_the_connection(client: AsyncClient, world: World) -> None:
    agent = await cloud_agent(client)
    run = await agent.send(HOLD)
    hasty = client.with_options(stream_timeout=0.05)
    found = await hasty.agents.get_run(run.id, agent_id=run.agent_id)
    with anyio.fail_after(30), pytest.raises(APITimeoutError):
        async for _ in found.events():
            pass
    await hasty.aclose()
    assert await client.ping() == "pong"
    world.release()
    with anyio.fail_after(30):
        assert (await run.wait()).result == HOLD_TEXT


async def test_a_wrong_token_is_an_authentication_error(
    world: World, codec: Codec, lane: dict[str, Any]
) -> None:
    async with AsyncClient.connect(world.url, "wrong", api_key=ACCEPTED_KEY, codec=codec, **lane) as stranger:
        for call in (stranger.ping, stranger.me):
            with pytest.raises(AuthenticationError):
                await call()
        events = stranger.observe_run("run-00000000-0000-4000-8000-000000000000")
        with pytest.raises(AuthenticationError):
            await events.__anext__()
