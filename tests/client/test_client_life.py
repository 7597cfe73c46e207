"""The life of a client: the main job, closing, garbage, loops."""

from __future__ import annotations

import asyncio
import gc
import logging
import pickle
from collections.abc import Callable
from pathlib import Path

import anyio
import pytest
import trio

from cursor_sdk_async import AsyncClient, ClosedError
from cursor_sdk_async._lifecycle import Opening
from cursor_sdk_async.testing import Hold, Script, ScriptedBridge, Text, Turn, scripted_bridge_command
from tests.client.conftest import KEY, control_of, local_agent

HELD = Script([Turn([Text("started"), Hold()])])
Launch = Callable[..., Opening[AsyncClient]]


def alive(pid: int | None) -> bool:
    """Whether a process exists and is no zombie."""
    try:
        return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False


@pytest.mark.anyio
@pytest.mark.promise("CLT-01")
async def test_the_main_job(launch: Launch) -> None:
    async with launch() as client:
        assert client.bridge is not None
        pid = client.bridge.pid
        agent = await client.agents.create(model="composer-2.5", local={})
        run = await agent.send("Say hello")
        assert run.id
        text = "".join([piece async for piece in run.iter_text()])
        result = await run.wait()
        assert "Say hello" in text
        assert (result.status, result.result) == ("finished", text)
        assert result.usage is not None
        assert alive(pid)
    assert not alive(pid)
    assert client.closed


@pytest.mark.anyio
@pytest.mark.promise("CLT-01")
async def test_an_exception_in_the_body_closes_the_bridge_and_passes_through(launch: Launch) -> None:
    pid = None
    with pytest.raises(ZeroDivisionError):
        async with launch() as client:
            assert client.bridge is not None
            pid = client.bridge.pid
            raise ZeroDivisionError
    assert not alive(pid)


@pytest.mark.anyio
@pytest.mark.promise("CLT-10")
async def test_closing_the_client_cancels_live_local_runs(launch: Launch) -> None:
    client = await launch(HELD)
    run = await (await local_agent(client)).send("go")
    control = control_of(client)
    control.forget()
    seen: list[str] = []

    async def watch() -> None:
        # The process is gone when aclose() has returned, so its record is read while it ends.
        try:
            while True:
                seen[:] = [request["rpc"] for request in control.requests()]
                await anyio.sleep(0)
        except OSError:
            pass

    async with anyio.create_task_group() as group:
        group.start_soon(watch)
        await client.aclose()
    assert any("CancelRun" in rpc for rpc in seen) or run.status == "cancelled"


@pytest.mark.anyio
@pytest.mark.promise("CLT-07")
async def test_closing_twice_and_from_two_tasks_is_harmless(launch: Launch) -> None:
    client = await launch()
    async with anyio.create_task_group() as group:
        group.start_soon(client.aclose)
        group.start_soon(client.close)
    await client.aclose()
    assert client.bridge is not None
    assert not alive(client.bridge.pid)


@pytest.mark.anyio
@pytest.mark.promise("CLT-07")
async def test_closing_in_a_cancelled_scope_still_ends_the_bridge(launch: Launch) -> None:
    pid = None
    with anyio.CancelScope() as scope:
        async with launch(HELD) as client:
            assert client.bridge is not None
            pid = client.bridge.pid
            await (await local_agent(client)).send("go")
            scope.cancel()
    with anyio.fail_after(30):
        while alive(pid):
            await anyio.sleep(0.01)


@pytest.mark.anyio
@pytest.mark.promise("CLT-07")
async def test_closing_an_agent_twice_or_after_its_client_is_harmless(launch: Launch) -> None:
    async with launch() as client:
        agent = await local_agent(client)
        await agent.close()
        await agent.close()
        with pytest.raises(ClosedError, match="resume"):
            await agent.send("go")
        other = await local_agent(client)
    await other.close()


@pytest.mark.anyio
@pytest.mark.promise("CLT-08")
async def test_a_closed_client_refuses_calls(launch: Launch) -> None:
    async with launch() as client:
        agent = await local_agent(client)
    calls = (client.ping, client.me, client.models.list, client.agents.list, agent.reload, agent.archive)
    for call in calls:
        with pytest.raises(ClosedError) as caught:
            await call()
        assert caught.value.is_safe_to_retry
    with pytest.raises(ClosedError):
        await agent.send("go")
    with pytest.raises(ClosedError):
        async with client:
            pass


@pytest.mark.anyio
@pytest.mark.promise("CLT-06")
async def test_a_forgotten_client_ends_its_bridge_with_one_warning(launch: Launch) -> None:
    client = await launch()
    assert client.bridge is not None
    pid = client.bridge.pid
    with pytest.warns(ResourceWarning, match="not closed") as warned:
        del client
        gc.collect()
        with anyio.fail_after(30):
            while alive(pid):
                await anyio.sleep(0.01)
    assert len([warning for warning in warned if warning.category is ResourceWarning]) == 1


@pytest.mark.promise("CLT-09")
def test_a_launched_client_says_that_it_belongs_to_another_loop(tmp_path: Path) -> None:
    kept: list[AsyncClient] = []

    async def first() -> None:
        kept.append(
            await AsyncClient.launch_bridge(scripted_bridge_command(), workspace=tmp_path, api_key=KEY)
        )

    async def second() -> None:
        with pytest.raises(ClosedError):
            await kept[0].ping()

    asyncio.run(first())
    asyncio.run(second())
    trio.run(second)


@pytest.mark.promise("CLT-09")
def test_a_connected_client_may_be_used_in_one_loop_after_another(shared_bridge: ScriptedBridge) -> None:
    client = AsyncClient.connect(shared_bridge.url, shared_bridge.token, api_key=KEY)

    async def use() -> str:
        run = await (await local_agent(client)).send("go")
        return (await run.wait()).status

    assert [asyncio.run(use()), trio.run(use), asyncio.run(use())] == ["finished"] * 3
    anyio.run(client.aclose)


@pytest.mark.anyio
@pytest.mark.promise("CLT-12")
async def test_live_handles_refuse_to_be_pickled(client: AsyncClient) -> None:
    agent = await local_agent(client)
    run = await agent.send("go")
    for handle in (client, agent, run):
        with pytest.raises(TypeError, match="pickled"):
            pickle.dumps(handle)
    await run.wait()


@pytest.mark.anyio
@pytest.mark.promise("CLT-13")
async def test_keys_and_tokens_show_nowhere(launch: Launch, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    secret = "canary-0123456789-canary"
    async with launch(verbose=True) as client:
        assert client.bridge is not None
        token = client.bridge.endpoint.auth_token
        agent = await client.agents.create(
            model="composer-2.5",
            local={},
            api_key=secret,
            mcp_servers={"m": {"type": "http", "url": "http://127.0.0.1:1", "headers": {"X-Key": secret}}},
        )
        run = await agent.send("go")
        await run.wait()
        with pytest.raises(Exception) as caught:
            await client.agents.get("bc-none", api_key=secret)
        shown = [repr(thing) for thing in (client, agent, run, client.bridge, client.bridge.endpoint)]
        shown += [str(caught.value), repr(vars(caught.value)), caplog.text]
        shown += [
            Path(f"/proc/{pid}/cmdline").read_text() for pid in (client.bridge.pid, client.bridge.process.pid)
        ]
    assert not [text for text in shown if secret in text or token in text]
