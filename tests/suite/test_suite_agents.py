"""What lasts of cloud agents: lists, archive, deletion, artifacts, usage; idempotency and environment."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest

from cursor_sdk_async import AsyncClient
from cursor_sdk_async.errors import (
    AgentNotFoundError,
    BadRequestError,
    ConfigurationError,
    CursorSDKError,
    InternalServerError,
    NotFoundError,
)
from tests.suite.steps import cloud_agent, finished_run
from tests.suite.world import HELLO, HELLO_TEXT, PULL, World

pytestmark = pytest.mark.anyio
ROCKET = {"url": "https://github.com/acme/rocket"}


async def ids(client: AsyncClient, **options: Any) -> list[str]:
    """The cloud agents of one page."""
    return [agent.agent_id for agent in await client.agents.list(runtime="cloud", **options)]


@pytest.mark.promise("CTR-14")
async def test_agents_are_listed_newest_first_in_pages(client: AsyncClient) -> None:
    made = [(await finished_run(client))[0].agent_id for _ in range(3)][::-1]
    first = await client.agents.list(runtime="cloud", limit=2)
    assert [agent.agent_id for agent in first] == made[:2]
    second = await first.get_next_page()
    assert second[0].agent_id == made[2]
    found: list[str] = []
    async for agent in first.auto_paging_iter():
        found.append(agent.agent_id)
        if len(found) == 3:
            break
    assert found == made
    assert await ids(client, limit=1, cursor=first.next_cursor) == made[2:]


@pytest.mark.promise("CTR-14")
async def test_a_page_of_more_than_a_hundred_agents_is_refused(client: AsyncClient) -> None:
    with pytest.raises(BadRequestError, match="limit"):
        await client.agents.list(runtime="cloud", limit=101)


@pytest.mark.promise("CTR-14")
async def test_an_agent_tells_its_name_runtime_repositories_and_labels(client: AsyncClient) -> None:
    agent, _ = await finished_run(client, name="Rocket", cloud={"repos": [ROCKET], "metadata": {"team": "a"}})
    info = await client.agents.get(agent.agent_id)
    assert (info.agent_id, info.name, info.summary, info.runtime) == (
        agent.agent_id,
        "Rocket",
        "Rocket",
        "cloud",
    )
    assert tuple(info.repos) == (ROCKET["url"],)
    assert dict(info.metadata) == {"team": "a"}
    assert info.env is not None
    assert info.env.type == "cloud"
    assert info.status is None
    assert info.created_at is not None
    assert info.last_modified is not None
    assert not info.archived


@pytest.mark.promise("CTR-14")
async def test_an_agent_is_found_by_its_pull_request(client: AsyncClient) -> None:
    plain, _ = await finished_run(client)
    agent, run = await finished_run(client, PULL, cloud={"repos": [ROCKET], "auto_create_pr": True})
    assert run.git is not None
    (branch,) = run.git.branches
    assert branch.repo_url == "github.com/acme/rocket"
    assert branch.branch
    found = await ids(client, pr_url=branch.pr_url, limit=1)
    assert found == [agent.agent_id]
    assert plain.agent_id not in await ids(client, pr_url=branch.pr_url)


@pytest.mark.promise("CTR-15")
async def test_an_archived_agent_is_left_out_of_lists_and_takes_no_prompt(client: AsyncClient) -> None:
    agent, _ = await finished_run(client)
    await agent.archive()
    assert (await client.agents.get(agent.agent_id)).archived
    assert agent.agent_id not in await ids(client, limit=5)
    assert agent.agent_id in await ids(client, limit=5, include_archived=True)
    with pytest.raises(CursorSDKError) as caught:
        await agent.send(HELLO)
    assert caught.value.api_code == "agent_archived"
    assert isinstance(caught.value, ConfigurationError | BadRequestError)
    await agent.unarchive()
    assert not (await client.agents.get(agent.agent_id)).archived
    assert agent.agent_id in await ids(client, limit=5)
    assert await (await agent.send(HELLO)).text() == HELLO_TEXT


@pytest.mark.promise("CTR-15")
async def test_agents_are_archived_and_deleted_by_their_ids(client: AsyncClient) -> None:
    agent, _ = await finished_run(client)
    await client.agents.archive(agent.agent_id)
    assert (await client.agents.get(agent.agent_id)).archived
    await client.agents.unarchive(agent.agent_id)
    assert not (await client.agents.get(agent.agent_id)).archived
    await client.agents.delete(agent.agent_id)
    for call in (client.agents.get, client.agents.delete, client.agents.list_runs):
        with pytest.raises(AgentNotFoundError):
            await call(agent.agent_id)
    with pytest.raises(AgentNotFoundError):
        await agent.send(HELLO)
    await agent.close()


@pytest.mark.promise("CTR-15")
async def test_an_agent_does_not_exist_before_its_first_prompt(client: AsyncClient) -> None:
    agent = await cloud_agent(client)
    with pytest.raises(AgentNotFoundError):
        await client.agents.get(agent.agent_id)
    assert await agent.list_artifacts() == []
    with pytest.raises(CursorSDKError):
        await agent.download_artifact("artifacts/report.txt")


@pytest.mark.promise("CTR-15")
async def test_a_closed_agent_refuses_prompts_and_can_be_closed_again(client: AsyncClient) -> None:
    agent, _ = await finished_run(client)
    await agent.close()
    await agent.close()
    await agent.aclose()
    with pytest.raises(ConfigurationError, match="closed"):
        await agent.send(HELLO)
    assert (await client.agents.get(agent.agent_id)).agent_id == agent.agent_id


@pytest.mark.promise("CTR-16")
async def test_artifacts_of_any_size_are_listed_and_downloaded(client: AsyncClient, world: World) -> None:
    agent, _ = await finished_run(client)
    artifacts = await agent.list_artifacts()
    assert {artifact.path: artifact.size_bytes for artifact in artifacts} == {
        path: len(content) for path, content in world.artifacts.items()
    }
    assert all(artifact.updated_at for artifact in artifacts)
    assert max(map(len, world.artifacts.values())) > 2 * 1024 * 1024
    for path, content in world.artifacts.items():
        assert await agent.download_artifact(path) == content


@pytest.mark.promise("CTR-16")
async def test_an_artifact_that_does_not_exist_is_an_error(client: AsyncClient) -> None:
    agent, _ = await finished_run(client)
    with pytest.raises(CursorSDKError) as caught:
        await agent.download_artifact("artifacts/none")
    assert caught.value.api_code == "artifact_not_found"
    assert isinstance(caught.value, BadRequestError | NotFoundError)


@pytest.mark.promise("CTR-17")
async def test_usage_and_cost_are_told_for_the_agent_and_for_one_run(client: AsyncClient) -> None:
    agent, first = await finished_run(client)
    second = await agent.send(HELLO)
    await second.wait()
    usage = await agent.get_usage()
    assert [row.run_id for row in usage.runs] == [second.id, first.id]
    assert (usage.usage.input_tokens, usage.usage.total_tokens) == (2400, 4780)
    assert usage.cost is not None
    assert (usage.cost.raw_cost_cents, usage.cost.charged_cents) == (3.0, 2.5)
    one = await agent.get_usage(run_id=first.id)
    assert [row.run_id for row in one.runs] == [first.id]
    assert one.usage.total_tokens == 2390
    with pytest.raises(NotFoundError):
        await agent.get_usage(run_id=f"run-{uuid4()}")


@pytest.mark.promise("CTR-18")
async def test_one_idempotency_key_makes_one_run_of_two_prompts(client: AsyncClient) -> None:
    agent, first = await finished_run(client)
    key = str(uuid4())
    runs = [await agent.send(HELLO, idempotency_key=key)]
    await runs[0].wait()
    runs.append(await agent.send(HELLO, {"idempotency_key": key}))
    assert (await runs[1].wait()).result == HELLO_TEXT
    assert runs[0].id == runs[1].id != first.id
    assert len(await client.agents.list_runs(agent.agent_id)) == 2


@pytest.mark.promise("CTR-18")
async def test_one_idempotency_key_makes_one_agent_of_two_with_the_same_id(client: AsyncClient) -> None:
    chosen = {"agent_id": f"bc-{uuid4()}", "idempotency_key": str(uuid4())}
    runs: list[str] = []
    for _ in range(2):
        async with await cloud_agent(client, **chosen) as agent:
            run = await agent.send(HELLO)
            assert (await run.wait()).result == HELLO_TEXT
            assert run.agent_id == agent.agent_id == chosen["agent_id"]
            runs.append(run.id)
    assert runs[0] == runs[1]
    assert len(await client.agents.list_runs(chosen["agent_id"])) == 1


@pytest.mark.promise("CTR-18")
async def test_an_idempotency_key_of_another_agent_is_an_error_of_its_first_prompt(
    client: AsyncClient,
) -> None:
    key = str(uuid4())
    first, second = [await cloud_agent(client, idempotency_key=key) for _ in range(2)]
    assert await (await first.send(HELLO)).text() == HELLO_TEXT
    with pytest.raises(InternalServerError, match="mismatched agent id"):
        await second.send(HELLO)


@pytest.mark.promise("CTR-18")
async def test_an_agent_with_environment_variables_gets_its_id_with_the_first_prompt(
    client: AsyncClient,
) -> None:
    agent = await cloud_agent(client, cloud={"env_vars": {"A": "1"}})
    provisional = agent.agent_id
    run = await agent.send(HELLO, {"cloud": {"env_vars": {"B": "2"}}})
    assert agent.agent_id == run.agent_id != provisional
    assert await run.text() == HELLO_TEXT
    second = await agent.send(HELLO)
    assert (await second.wait()).agent_id == agent.agent_id
    assert (await client.agents.get(agent.agent_id)).agent_id == agent.agent_id
    assert (await agent.get_usage()).usage.total_tokens == 4780
    assert len(await agent.list_artifacts()) == 3
    found = await client.agents.get_run(second.id, agent_id=agent.agent_id)
    assert found.result == HELLO_TEXT
    await agent.archive()
    assert (await client.agents.get(agent.agent_id)).archived
    await agent.unarchive()
    await agent.close()
    await agent.delete()
    with pytest.raises(AgentNotFoundError):
        await client.agents.get(agent.agent_id)
