"""The blocking client does what the asynchronous one does."""

from __future__ import annotations

import os
import pickle
import signal
from collections.abc import Callable
from importlib import import_module

import httpx
import pytest

import cursor_sdk_async
import cursor_sdk_sync
from cursor_sdk_async.testing import (
    Hold,
    Script,
    ScriptedBridge,
    ScriptedControl,
    Text,
    Turn,
    scripted_bridge_command,
)
from cursor_sdk_sync import (
    Agent,
    AgentNotFoundError,
    Bridge,
    BridgeExitedError,
    ClosedError,
    Cursor,
    CursorClient,
    DefaultHttpxClient,
    LocalAgentBusyError,
    NotFoundError,
    UnsupportedRunOperationError,
)
from tests.client.conftest import KEY
from tests.sync.program import until

pytestmark = pytest.mark.promise("SYN-01")


def local(client: CursorClient) -> Agent:
    return client.agents.create(model="scripted", local={})


def test_the_main_job(launch: Callable[..., CursorClient]) -> None:
    client = launch()
    assert client.bridge is not None
    with client.agents.create(model="scripted", local={}) as agent:
        run = agent.send("Say hello")
        assert run.client is client
        assert run.agent_id == agent.agent_id
        text = "".join(run.iter_text())
        result = run.wait()
        assert (result.status, run.status, run.result, run.text()) == ("finished", "finished", text, text)
        assert run.usage == result.usage
        assert run.conversation()
        assert [info.agent_id for info in client.agents.list(runtime="local")] == [agent.agent_id]
        with pytest.raises(UnsupportedRunOperationError):
            run.cancel()
    client.close()
    client.close()
    assert client.closed
    assert not client.bridge.is_alive()
    with pytest.raises(ClosedError):
        client.ping()


def test_every_call_of_the_class_and_of_the_client(client: CursorClient) -> None:
    agent = Agent.create(client=client, model="scripted", local={}, name="one")
    run = agent.send("hello")
    run.wait()
    assert agent.prompt("again").status == "finished"
    assert Agent.prompt("hello", {"model": "scripted", "local": {}}, client=client).status == "finished"
    assert Agent.get(agent.agent_id, client=client).name == "one"
    assert Agent.get_run(run.id, agent_id=agent.agent_id, client=client).wait().status == "finished"
    assert run.id in [found.id for found in Agent.list_runs(agent.agent_id, client=client)]
    assert list(Agent.get_run(run.id, client=client).observe())
    assert list(client.observe_run(run.id, agent_id=agent.agent_id))
    assert client.wait_live_run(run.id).id == run.id
    assert agent.list_messages(limit=1)
    assert Agent.messages.list(agent.agent_id, {"limit": 1}, client=client)
    assert agent.list_artifacts() == []
    assert agent.get_usage().usage.total_tokens
    agent.reload()
    agent.close()
    agent.close()
    assert Agent.resume(agent.agent_id, client=client, model="scripted").agent_id == agent.agent_id
    assert Cursor.me(client=client) == client.me()
    assert Cursor.models.list(client=client) == client.list_models()
    assert Cursor.repositories.list(client=client) == client.list_repositories()
    assert client.ping() == "pong"
    assert client.get_version()["protocol_version"]
    assert client.with_options(timeout=5).ping() == "pong"


@pytest.mark.promise("SYN-01", "RUN-31")
def test_a_busy_agent_is_forced(client: CursorClient, control: ScriptedControl) -> None:
    control.set_script(Script([Turn([Hold("gate")]), Turn([Text("second")])]))
    agent = local(client)
    first = agent.send("go")
    with pytest.raises(LocalAgentBusyError):
        agent.send("again")
    assert agent.prompt("again", on_busy="force").result == "second"
    assert agent.send("more", on_busy="force").wait().status == "finished"
    assert first.wait().status == "error"


def test_archive_on_the_class_and_on_an_instance(client: CursorClient) -> None:
    with Agent.create(client=client, cloud={}) as agent:
        agent.prompt("hello")
        agent.archive()
        Agent.unarchive(agent.agent_id, client=client)
        with pytest.warns(DeprecationWarning, match=r"Agent\.archive\."):
            Agent.lifecycle.archive(agent.agent_id, client=client)
        agent.delete()
    with pytest.raises(AgentNotFoundError):
        Agent.delete(agent.agent_id, client=client)


def test_pages_go_on(client: CursorClient) -> None:
    agents = {local(client).agent_id for _ in range(3)}
    page = client.agents.list(runtime="local", limit=1)
    assert page.has_next_page()
    assert len(page.get_next_page()) == 1
    found = {info.agent_id for info in client.agents.list(runtime="local", limit=1).auto_paging_iter()}
    assert agents <= found


def test_leaving_a_run_early_cancels_it(client: CursorClient, control: ScriptedControl) -> None:
    control.set_script(Script([Turn([Text("a"), Hold()])]))
    with local(client).send("go") as run:
        next(run.messages())
    until(lambda: not control.state()["live_runs"])
    assert run.wait().status == "cancelled"


def test_a_bridge_that_dies_is_a_typed_error(launch: Callable[..., CursorClient]) -> None:
    client = launch(Script([Turn([Text("a"), Hold()])]))
    run = local(client).send("go")
    assert client.bridge is not None
    assert client.bridge.pid is not None
    os.kill(client.bridge.pid, signal.SIGKILL)
    with pytest.raises(BridgeExitedError) as caught:
        list(run.events())
    assert run.id in caught.value.run_ids
    assert not client.is_alive()


def test_a_blocking_http_client_carries_the_calls(shared_bridge: ScriptedBridge) -> None:
    seen: list[str] = []

    def note(request: httpx.Request) -> None:
        seen.append(request.url.path)

    with DefaultHttpxClient(event_hooks={"request": [note]}) as own:
        assert isinstance(own, httpx.Client)
        with CursorClient.connect(
            shared_bridge.url, shared_bridge.token, api_key=KEY, http_client=own
        ) as client:
            assert local(client).prompt("hello").status == "finished"
        assert not own.is_closed
    assert any(path.endswith("/Send") for path in seen)


def test_a_bridge_alone() -> None:
    with Bridge.launch(scripted_bridge_command()) as bridge:
        with CursorClient(bridge.endpoint) as client:
            assert client.ping() == "pong"
        assert bridge.is_alive()
        assert bridge.pid
    bridge.wait_exited()
    assert not bridge.is_alive()


def test_an_error_is_the_same_class(client: CursorClient) -> None:
    with pytest.raises(NotFoundError) as caught:
        client.agents.get("agent-00000000-0000-4000-8000-000000000000")
    assert isinstance(caught.value, cursor_sdk_async.NotFoundError)


def test_live_handles_refuse_to_be_pickled(client: CursorClient) -> None:
    for handle in (client, local(client)):
        with pytest.raises(TypeError, match="live handle"):
            pickle.dumps(handle)


@pytest.mark.promise("SYN-12")
@pytest.mark.parametrize("module", ["", ".types", ".events", ".errors", ".asyncio", ".testing"])
def test_everything_else_is_the_very_same_object(module: str) -> None:
    theirs, ours = import_module(f"cursor_sdk_async{module}"), import_module(f"cursor_sdk_sync{module}")
    assert set(theirs.__all__) <= set(ours.__all__)
    assert all(getattr(ours, name) is getattr(theirs, name) for name in theirs.__all__)
    with pytest.raises(AttributeError):
        _ = cursor_sdk_sync.nothing
