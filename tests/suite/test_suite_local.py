"""Local agents. What one says needs Cursor's own service, so on the real bridge a prompt ends in an error."""

from __future__ import annotations

from pathlib import Path

import anyio
import pytest

from cursor_sdk_async import AsyncAgent, AsyncClient, AsyncRun
from cursor_sdk_async.errors import (
    AgentNotFoundError,
    BadRequestError,
    ConfigurationError,
    CursorSDKError,
    LocalAgentBusyError,
)
from tests.rest_standin import ACCEPTED_KEY
from tests.suite.real_world import RealWorld
from tests.suite.world import HELLO, HELLO_TEXT, HOLD, World

pytestmark = pytest.mark.anyio


async def local_agent(client: AsyncClient, cwd: Path | None = None, name: str | None = None) -> AsyncAgent:
    """A new local agent."""
    return await client.agents.create(model="plain-1", name=name, local={"cwd": cwd} if cwd else {})


@pytest.mark.promise("CTR-19")
async def test_a_local_agent_lives_in_the_store_of_its_directory(
    client: AsyncClient, world: World, tmp_path: Path
) -> None:
    agent = await local_agent(client, name="Named")
    assert not agent.agent_id.startswith("bc-")
    assert agent.model is not None
    assert agent.model.id == "plain-1"
    info = await client.agents.get(agent.agent_id)
    assert (info.agent_id, info.name, info.runtime) == (agent.agent_id, "Named", "local")
    assert Path(info.cwd) == world.workspace
    assert not info.archived
    assert agent.agent_id in [item.agent_id for item in await client.agents.list()]
    with pytest.raises(AgentNotFoundError):
        await client.agents.get(agent.agent_id, cwd=tmp_path)


@pytest.mark.promise("CTR-19")
async def test_local_agents_are_listed_in_pages_by_their_directory(
    client: AsyncClient, tmp_path: Path
) -> None:
    made = {(await local_agent(client, tmp_path)).agent_id for _ in range(3)}
    page = await client.agents.list(cwd=str(tmp_path), limit=2)
    assert len(page) == 2
    assert page.has_next_page()
    assert {agent.agent_id async for agent in page.auto_paging_iter()} == made
    assert not made & {agent.agent_id for agent in await client.agents.list()}


@pytest.mark.promise("CTR-19")
async def test_a_local_agent_is_resumed_by_its_id(client: AsyncClient) -> None:
    agent = await local_agent(client, name="Again")
    await agent.close()
    async with await client.agents.resume(agent.agent_id, model="plain-1", local={}) as again:
        assert again.agent_id == agent.agent_id
        await again.reload()
        assert await again.list_messages() == []
        assert await again.list_artifacts() == []
    with pytest.raises(AgentNotFoundError):
        await client.agents.resume("agent-00000000-0000-4000-8000-000000000000")


@pytest.mark.promise("CTR-19")
async def test_a_local_agent_is_archived_taken_back_and_deleted(client: AsyncClient) -> None:
    agent = await local_agent(client)
    await agent.archive()
    assert (await client.agents.get(agent.agent_id)).archived
    await client.agents.unarchive(agent.agent_id)
    assert not (await client.agents.get(agent.agent_id)).archived
    (run,) = await client.agents.list_runs(agent.agent_id)  # it is made with the agent
    assert run.status == "running"
    await run.cancel()
    await agent.delete()
    with pytest.raises(AgentNotFoundError):
        await client.agents.get(agent.agent_id)
    await agent.close()


@pytest.mark.promise("CTR-19")
async def test_what_a_local_agent_cannot_do_is_refused(client: AsyncClient) -> None:
    agent = await local_agent(client)
    with pytest.raises(BadRequestError):
        await agent.download_artifact("artifacts/report.txt")
    with pytest.raises(BadRequestError, match="model"):
        await client.agents.create(model="no-such-model", local={})
    with pytest.raises(CursorSDKError, match="Idempotency"):
        await agent.send(HELLO, idempotency_key="once")
    again = await client.agents.resume(agent.agent_id)
    with pytest.raises(CursorSDKError, match="model"):
        await again.send(HELLO)


@pytest.mark.promise("CTR-20")
async def test_a_local_agent_with_a_live_run_is_busy_until_it_is_cancelled(
    scripted_client: AsyncClient,
) -> None:
    async with await local_agent(scripted_client) as agent:
        run = await agent.send(HOLD)
        assert (run.agent_id, run.status) == (agent.agent_id, "running")
        await is_busy(scripted_client, agent, run)
        await run.cancel()
        with anyio.fail_after(30):
            assert (await run.wait()).status == "cancelled"
        assert await (await agent.send(HELLO)).text() == HELLO_TEXT


@pytest.mark.promise("CTR-20")
async def test_force_ends_the_live_run_of_a_local_agent_first(scripted_client: AsyncClient) -> None:
    async with await local_agent(scripted_client) as agent:
        first = await agent.send(HOLD)
        second = await agent.send(HELLO, {"local": {"force": True}})
        assert second.id != first.id
        with anyio.fail_after(30):
            assert (await first.wait()).status == "error"
            assert (await second.wait()).result == HELLO_TEXT


async def is_busy(client: AsyncClient, agent: AsyncAgent, run: AsyncRun) -> None:
    """The agent takes no prompt, and lists its run as running."""
    with pytest.raises(LocalAgentBusyError, match="active run"):
        await agent.send(HELLO)
    (listed,) = await client.agents.list_runs(agent.agent_id)
    assert (listed.id, listed.status) == (run.id, "running")


@pytest.mark.promise("CTR-20")
@pytest.mark.real_bridge
@pytest.mark.slow
@pytest.mark.parametrize("anyio_backend", ["asyncio"])  # its 15 seconds are spent once
async def test_without_cursors_service_local_runs_end_in_errors(real_world: RealWorld) -> None:
    real_world.fresh()
    async with AsyncClient.connect(real_world.url, real_world.token, api_key=ACCEPTED_KEY) as client:
        agent = await local_agent(client)
        first = await agent.send(HELLO)
        await is_busy(client, agent, first)
        second = await agent.send(HELLO, on_busy="force")
        assert second.id != first.id
        messages = [message async for message in second.messages()]
        assert [message.type for message in messages] == ["status", "status"]
        result = await second.wait()
        assert (result.status, second.status, result.id) == ("error", "error", second.id)
        assert "API key exchange" in (result.error_message or "")
        assert (await first.wait()).status == "error"
        found = await client.agents.get_run(second.id)
        assert (found.status, (await found.wait()).error_code) == ("error", "unknown")
        events = [event async for event in found.events()]
        assert [event.kind for event in events[-2:]] == ["result", "done"]
        await agent.delete()


@pytest.mark.promise("CTR-02")
async def test_a_local_agent_needs_a_key_to_be_made_and_none_to_be_read(
    client: AsyncClient, world: World
) -> None:
    agent = await local_agent(client)
    async with AsyncClient.connect(world.url, world.token) as other:
        with pytest.raises(ConfigurationError) as caught:
            await local_agent(other)
        assert caught.value.code == "missing_api_key"
        assert (await other.agents.get(agent.agent_id)).agent_id == agent.agent_id
        assert len(await other.agents.list_runs(agent.agent_id)) == 1
