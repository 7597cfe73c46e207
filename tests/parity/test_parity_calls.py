"""The documented ways to say the same: on the class, on an instance, flat on the client, by older names."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

from cursor_sdk_async import AgentNotFoundError, AsyncAgent, AsyncClient, ConfigurationError
from cursor_sdk_async.testing import ScriptedControl

pytestmark = [pytest.mark.anyio, pytest.mark.promise("SUR-02")]


def calls(control: ScriptedControl) -> list[str]:
    return [row["rpc"].rpartition("/")[2] for row in control.requests()]


async def test_archive_unarchive_and_delete_work_on_the_class_and_on_an_instance(
    client: AsyncClient, control: ScriptedControl
) -> None:
    agent = await AsyncAgent.create(client=client, cloud={})
    await agent.prompt("hello")  # a cloud agent is made by its first prompt
    await agent.close()
    control.forget()
    await agent.archive()
    await agent.unarchive({"apiKey": "another-key"})
    await AsyncAgent.archive(agent.agent_id, client=client)
    await AsyncAgent.unarchive(agent.agent_id, {"api_key": "another-key"}, client=client)
    await agent.delete(api_key="another-key")
    with pytest.raises(AgentNotFoundError):
        await AsyncAgent.delete(agent.agent_id, client=client)
    assert calls(control) == ["ArchiveAgent", "UnarchiveAgent"] * 2 + ["DeleteAgent"] * 2
    keys = [row["body"]["options"]["apiKey"] for row in control.requests()]
    assert [key == "another-key" for key in keys] == [False, True, False, True, True, False]


async def test_prompt_on_an_instance_sends_on_that_instance(
    client: AsyncClient, control: ScriptedControl
) -> None:
    async with await AsyncAgent.create(client=client, model="scripted", local={}) as agent:
        control.forget()
        result = await agent.prompt("hello", {"mode": "plan"})
        assert (result.status, result.agent_id) == ("finished", agent.agent_id)
        assert calls(control)[0] == "Send"
        assert "CreateAgent" not in calls(control)


async def test_prompt_on_the_class_creates_sends_and_closes(
    client: AsyncClient, control: ScriptedControl
) -> None:
    control.forget()
    result = await AsyncAgent.prompt("hello", {"model": "scripted", "local": {}}, client=client)
    assert result.status == "finished"
    made = calls(control)
    assert (made[0], made[-1]) == ("CreateAgent", "CloseAgent")
    assert "Send" in made


async def test_the_class_reaches_every_call_of_the_client(client: AsyncClient) -> None:
    agent = await AsyncAgent.create(client=client, name="one", model="scripted", local={})
    run = await agent.send("hello")
    await run.wait()
    assert (await AsyncAgent.get(agent.agent_id, client=client)).name == "one"
    listed = await AsyncAgent.list({"runtime": "local"}, client=client)
    assert agent.agent_id in [info.agent_id for info in listed]
    runs = await AsyncAgent.list_runs(agent.agent_id, client=client, limit=5)
    assert run.id in [found.id for found in runs]
    found = await AsyncAgent.get_run(run.id, {"agent_id": agent.agent_id}, client=client)
    assert found.id == run.id
    await agent.list_messages(limit=1)
    assert isinstance(await AsyncAgent.messages.list(agent.agent_id, {"limit": 1}, client=client), list)
    await agent.close()
    again = await AsyncAgent.resume(agent.agent_id, client=client, model="scripted", local={})
    assert again.agent_id == agent.agent_id
    await again.close()


async def test_the_flat_methods_are_those_of_the_namespaces(
    client: AsyncClient, control: ScriptedControl
) -> None:
    agent = await client.create_agent(model="scripted", local={}, mode="plan")
    run = await agent.send("hello")
    await run.wait()
    control.forget()
    await client.get_agent(agent.agent_id)
    await client.list_agents(runtime="local", limit=3)
    await client.list_runs(agent.agent_id)
    await client.get_run(run.id, agent_id=agent.agent_id)
    await client.list_models()
    await client.list_repositories()
    assert calls(control) == [
        "GetAgent",
        "ListAgents",
        "ListRuns",
        "GetRun",
        "ListModels",
        "ListRepositories",
    ]
    await agent.close()
    await (await client.resume_agent(agent.agent_id, {"model": "scripted"}, local={})).close()


async def test_a_misspelt_keyword_is_refused_with_the_right_one(client: AsyncClient) -> None:
    wrong: dict[str, Any] = {"mcp_server": {}}
    with pytest.raises(ConfigurationError, match="mcp_servers"):
        await client.agents.create(model="scripted", local={}, **wrong)


async def test_older_names_work_and_warn(client: AsyncClient) -> None:
    agent = await client.agents.create(cloud={})
    run = await agent.send("hello")
    with pytest.warns(DeprecationWarning, match=r"AsyncRun\.id"):
        assert run.run_id == run.id
        run.run_id = run.id
    with pytest.warns(DeprecationWarning, match="unsupported_reason"):
        assert run.unsupportedReason("stream") is None
    await run.wait()
    await agent.close()
    with pytest.warns(DeprecationWarning, match=r"AsyncAgent\.archive"):
        await AsyncAgent.archive_agent(agent.agent_id, client=client)
    with pytest.warns(DeprecationWarning, match=r"AsyncAgent\.unarchive"):
        await AsyncAgent.lifecycle.unarchive(agent.agent_id, client=client)
    with pytest.warns(DeprecationWarning, match=r"AsyncAgent\.delete"):
        await AsyncAgent.delete_agent(agent.agent_id, client=client)


def test_both_forms_have_their_own_signature() -> None:
    assert next(iter(inspect.signature(AsyncAgent.archive).parameters)) == "agent_id"
    assert (AsyncAgent.prompt.__doc__ or "").startswith("Send one prompt")
