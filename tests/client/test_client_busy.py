"""Sending to an agent that has another run."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from functools import partial

import anyio
import pytest

from cursor_sdk_async import AsyncAgent, AsyncClient
from cursor_sdk_async._lifecycle import Opening
from cursor_sdk_async.errors import (
    AgentBusyError,
    BridgeExitedError,
    ClosedError,
    ConfigurationError,
    RunTimeoutError,
)
from cursor_sdk_async.testing import Hold, Script, ScriptedControl, Text, Turn
from tests.client.conftest import cloud_agent, control_of, local_agent

pytestmark = pytest.mark.anyio

SCRIPT = Script([Turn([Text("first"), Hold("gate")]), Turn([Text("second")])])


@pytest.fixture(params=["local", "cloud"])
async def agent(client: AsyncClient, control: ScriptedControl, request: pytest.FixtureRequest) -> AsyncAgent:
    control.set_script(SCRIPT)
    return await (local_agent if request.param == "local" else cloud_agent)(client)


def sends(control: ScriptedControl) -> int:
    """How many prompts reached the bridge, refused ones too."""
    return len(control.requests("Send"))


@pytest.mark.promise("RUN-30")
async def test_a_busy_agent_is_left_alone_unless_told_otherwise(
    agent: AsyncAgent, control: ScriptedControl
) -> None:
    with anyio.fail_after(30):
        first = await agent.send("go")
        with pytest.raises(AgentBusyError):
            await agent.send("again")
        with pytest.raises(AgentBusyError):
            await agent.prompt("again", on_busy="raise")
        assert sends(control) == 3
        control.release("gate")
        assert (await first.wait()).result == "first"


@pytest.mark.promise("RUN-30")
async def test_a_prompt_can_wait_until_the_agent_is_free(agent: AsyncAgent, control: ScriptedControl) -> None:
    with anyio.fail_after(30):
        first = await agent.send("go")

        async def release() -> None:
            while sends(control) < 3:  # refused, and refused again
                await anyio.sleep(0.02)
            control.release("gate")

        async with anyio.create_task_group() as group:
            group.start_soon(release)
            assert (await agent.prompt("again", on_busy="wait")).result == "second"
        assert (await first.wait()).result == "first"
        assert len(await agent.client.agents.list_runs(agent.agent_id)) == 2


@pytest.mark.promise("RUN-30")
async def test_waiting_ends_with_the_timeout_with_its_task_and_with_the_agent(
    agent: AsyncAgent, control: ScriptedControl
) -> None:
    with anyio.fail_after(30):
        first = await agent.send("go")
        with pytest.raises(RunTimeoutError):
            await agent.send("again", on_busy="wait", timeout=0.5)
        with anyio.move_on_after(0.5) as scope:
            await agent.send("again", on_busy="wait")
        assert scope.cancelled_caught
        control.release("gate")
        assert (await first.wait()).result == "first"
        assert len(await agent.client.agents.list_runs(agent.agent_id)) == 1


@pytest.mark.promise("RUN-30")
async def test_closing_the_agent_ends_the_waiting(agent: AsyncAgent, control: ScriptedControl) -> None:
    failed: list[ClosedError] = []

    async def wait() -> None:
        try:
            await agent.send("again", on_busy="wait")
        except ClosedError as error:
            failed.append(error)

    with anyio.fail_after(30):
        await agent.send("go")
        async with anyio.create_task_group() as group:
            group.start_soon(wait)
            while sends(control) < 2:
                await anyio.sleep(0.02)
            await agent.close()
    assert len(failed) == 1


@pytest.mark.promise("RUN-31")
async def test_force_ends_the_other_run_of_a_local_agent(
    client: AsyncClient, control: ScriptedControl
) -> None:
    control.set_script(SCRIPT)
    agent = await local_agent(client)
    with anyio.fail_after(30):
        first = await agent.send("go", on_busy="force")
        assert sends(control) == 1  # nothing was in the way
        second = await agent.send("again", {"mode": "plan"}, on_busy="force")
        assert sends(control) == 3
        assert await second.text() == "second"
        assert (await first.wait()).status == "error"


@pytest.mark.promise("RUN-31")
async def test_force_is_no_word_for_a_cloud_agent(client: AsyncClient, control: ScriptedControl) -> None:
    agent = await cloud_agent(client)
    for send in (partial(agent.send, "go", on_busy="force"), partial(agent.prompt, "go", on_busy="force")):
        with pytest.raises(ConfigurationError, match="local agents") as caught:
            await send()
        assert caught.value.is_safe_to_retry
    with pytest.raises(ConfigurationError, match="'raise', 'wait' or 'force'"):
        await agent.send("go", on_busy="queue")  # type: ignore[arg-type]
    assert sends(control) == 0


@pytest.mark.promise("CLT-02")
async def test_the_death_of_the_bridge_ends_the_waiting(launch: Callable[..., Opening[AsyncClient]]) -> None:
    async with launch(SCRIPT) as client:
        bridge, failed = client.bridge, list[BridgeExitedError]()
        assert bridge is not None
        control = control_of(client)
        agent = await local_agent(client)

        async def wait() -> None:
            try:
                await agent.send("again", on_busy="wait")
            except BridgeExitedError as error:
                failed.append(error)

        with anyio.fail_after(30):
            await agent.send("go")
            async with anyio.create_task_group() as group:
                group.start_soon(wait)
                while sends(control) < 2:
                    await anyio.sleep(0.02)
                os.kill(bridge.pid or 0, signal.SIGKILL)
        assert [error.signal for error in failed] == [signal.SIGKILL]
