"""Bridges that fall silent: one that lives is waited for, one that is stopped is not."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

import anyio
import pytest

from cursor_sdk_async import AsyncClient, AsyncRun, BridgeNotRespondingError
from cursor_sdk_async._runs._silence import Patience
from cursor_sdk_async.testing import (
    CallFault,
    Faults,
    Hold,
    Script,
    ScriptedBridge,
    ScriptedControl,
    StreamFault,
    Text,
    Turn,
)
from tests.client.conftest import KEY, cloud_agent, local_agent

pytestmark = [pytest.mark.anyio, pytest.mark.promise("RUN-24")]

HELD = Script([Turn([Text("One, "), Hold(), Text("two.")])])
SHORT = Patience(silence=0.1, answer=0.2, pings=2)


async def read(run: AsyncRun) -> None:
    async for _ in run.messages():
        pass


async def asked(control: ScriptedControl, times: int) -> None:
    while len(control.requests("Ping")) < times:
        await anyio.sleep(0.01)


async def release_after_pings(control: ScriptedControl) -> None:
    await asked(control, 3)
    control.release()


@pytest.mark.parametrize("way", [read, AsyncRun.wait])
async def test_a_stopped_bridge_ends_the_wait_with_an_error_of_its_own(tmp_path: Path, way: Any) -> None:
    with ScriptedBridge(HELD, workspace=tmp_path) as bridge, anyio.fail_after(30):
        async with AsyncClient.connect(bridge.url, bridge.token, api_key=KEY) as client:
            client._core.watchdog.patience = SHORT
            run = await (await cloud_agent(client)).send("go")
            caught: list[BridgeNotRespondingError] = []

            async def wait() -> None:
                with pytest.raises(BridgeNotRespondingError) as error:
                    await way(run)
                caught.append(error.value)

            async with anyio.create_task_group() as group:
                group.start_soon(wait)
                await asked(bridge.control, 1)
                os.kill(bridge.process.pid, signal.SIGSTOP)
            try:
                assert caught[0].is_retryable
                assert "answered none of 2 pings" in str(caught[0])
            finally:
                os.kill(bridge.process.pid, signal.SIGCONT)
            bridge.control.release()
            client._core.watchdog.patience = Patience()
            assert (await run.wait()).result == "One, two."


async def test_a_prompt_to_a_stopped_bridge_does_not_hang(tmp_path: Path) -> None:
    with ScriptedBridge(HELD, workspace=tmp_path) as bridge, anyio.fail_after(30):
        async with AsyncClient.connect(bridge.url, bridge.token, api_key=KEY) as client:
            client._core.watchdog.patience = SHORT
            agent = await local_agent(client)
            os.kill(bridge.process.pid, signal.SIGSTOP)
            try:
                with pytest.raises(BridgeNotRespondingError):
                    await agent.send("go")
            finally:
                os.kill(bridge.process.pid, signal.SIGCONT)


async def test_a_bridge_that_answers_pings_is_waited_for(
    client: AsyncClient, control: ScriptedControl
) -> None:
    client._core.watchdog.patience = SHORT
    control.set_script(HELD)
    control.set_faults(Faults(calls=[CallFault("Ping", "error", times=1)]))  # an answer all the same
    run = await (await local_agent(client)).send("go")
    pieces = run.iter_text()
    with anyio.fail_after(30):
        assert await pieces.__anext__() == "One, "
        async with anyio.create_task_group() as group:
            group.start_soon(release_after_pings, control)
            assert [piece async for piece in pieces] == ["two."]


async def test_a_long_question_is_waited_for_while_the_bridge_answers_pings(
    client: AsyncClient, control: ScriptedControl
) -> None:
    client._core.watchdog.patience = SHORT
    control.set_script(HELD)
    agent = await local_agent(client)
    run = await agent.send("go")
    found = await client.agents.get_run(run.id, agent_id=agent.agent_id)
    with anyio.fail_after(30):
        async with anyio.create_task_group() as group:
            group.start_soon(release_after_pings, control)
            assert (await found.wait()).result == "One, two."


async def test_a_stream_that_is_silent_for_ever_is_left_open_while_the_bridge_lives(
    client: AsyncClient, control: ScriptedControl
) -> None:
    client._core.watchdog.patience = SHORT
    control.set_script(HELD)
    control.set_faults(Faults(streams=[StreamFault("silence", 3, rpc="Send")]))
    run = await (await local_agent(client)).send("go")
    ended: list[str] = []

    async def wait() -> None:
        await read(run)
        ended.append("ended")

    with anyio.fail_after(30):
        async with anyio.create_task_group() as group:
            group.start_soon(wait)
            await asked(control, 4)
            assert not ended
            group.cancel_scope.cancel()
        control.release()
        await run.cancel()
