"""The bridge dies, and nobody waits for a time-out of their own."""

from __future__ import annotations

import os
import signal
from collections.abc import Awaitable, Callable

import anyio
import pytest

from cursor_sdk_async import AsyncClient, AsyncRun, BridgeExitedError, ClosedError
from cursor_sdk_async._lifecycle import Opening
from cursor_sdk_async.testing import Hold, Script, Text, Turn
from tests.client.conftest import control_of, local_agent

pytestmark = [pytest.mark.anyio, pytest.mark.promise("CLT-02")]

HELD = Script([Turn([Text("started"), Hold()])])


async def read(run: AsyncRun) -> None:
    async for _ in run.messages():
        pass


async def observe(run: AsyncRun) -> None:
    async for _ in run.observe():
        pass


async def test_every_pending_call_and_stream_fails_with_the_exit_status(
    launch: Callable[..., Opening[AsyncClient]],
) -> None:
    async with launch(HELD) as client:
        assert client.bridge is not None
        runs = [await (await local_agent(client)).send("go") for _ in range(4)]
        errors: list[BridgeExitedError] = []
        waiting = anyio.Event()

        async def failing(call: Callable[[], Awaitable[object]]) -> None:
            with pytest.raises(BridgeExitedError) as caught:
                await call()
            errors.append(caught.value)

        async with anyio.create_task_group() as group:
            for run in runs[:2]:
                group.start_soon(failing, lambda run=run: read(run))
                group.start_soon(failing, lambda run=run: run.conversation())
                group.start_soon(failing, lambda run=run: observe(run))
            group.start_soon(failing, runs[2].wait)
            group.start_soon(failing, lambda: client.wait_live_run(runs[3].id))
            with anyio.fail_after(30):
                while control_of(client).state()["open_streams"] < 6:
                    await anyio.sleep(0.01)
                waiting.set()
                os.kill(client.bridge.pid or 0, signal.SIGKILL)
                while len(errors) < 8:
                    await anyio.sleep(0.01)
        assert {error.signal for error in errors} == {signal.SIGKILL}
        assert all(set(error.run_ids) == {run.id for run in runs} for error in errors)
        assert not client.bridge.is_alive()
        with pytest.raises(BridgeExitedError):
            await client.ping()
        with pytest.raises(BridgeExitedError):
            await local_agent(client)
    with pytest.raises(ClosedError):
        await client.ping()


async def test_a_call_that_finds_the_bridge_dead_says_how_it_ended(
    launch: Callable[..., Opening[AsyncClient]],
) -> None:
    async with launch() as client:
        assert client.bridge is not None
        os.kill(client.bridge.pid or 0, signal.SIGTERM)
        with anyio.fail_after(30):
            await client.bridge.wait_exited()
        with pytest.raises(BridgeExitedError) as caught:
            await client.ping()
        assert (caught.value.exit_code, caught.value.signal) == (0, None)
        assert any("SIGTERM" in line for line in caught.value.stderr_tail)


async def test_a_bridge_that_dies_while_a_prompt_is_sent_ends_send(
    launch: Callable[..., Opening[AsyncClient]],
) -> None:
    from cursor_sdk_async.testing import CallFault, Faults

    async with launch(faults=Faults(calls=[CallFault("Send", "crash_after")])) as client:
        agent = await local_agent(client)
        with anyio.fail_after(30), pytest.raises(BridgeExitedError):
            await agent.send("go")
