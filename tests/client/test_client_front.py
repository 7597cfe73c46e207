"""What a front without ``await`` builds on, on both backends."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import anyio
import anyio.lowlevel
import pytest

from cursor_sdk_async import AsyncClient, ConfigurationError
from cursor_sdk_async._lifecycle import Opening
from cursor_sdk_async.blocking import ReadyIterator, callback_runner
from cursor_sdk_async.testing import (
    Hold,
    Script,
    ScriptedBridge,
    ScriptedControl,
    Text,
    Turn,
    scripted_bridge_command,
    write_launcher,
)
from tests.client.conftest import local_agent

pytestmark = [pytest.mark.anyio, pytest.mark.promise("SYN-13")]

HELD = Script([Turn([Text("a"), Hold()])])


async def test_callbacks_go_through_the_runner_of_the_context(client: AsyncClient) -> None:
    seen: list[str] = []

    async def runner(callback: Callable[..., Any], argument: Any) -> Any:
        seen.append("run")
        await anyio.lowlevel.checkpoint()
        return callback(argument)

    def on_delta(_: object) -> None:
        seen.append("called")

    run = await (await local_agent(client)).send("go", {"on_delta": on_delta})
    token = callback_runner.set(runner)
    try:
        await run.wait()
    finally:
        callback_runner.reset(token)
    assert seen
    assert seen[::2] == ["run"] * (len(seen) // 2)
    assert seen[1::2] == ["called"] * (len(seen) // 2)


async def test_what_is_made_ready_is_the_next_of_whoever_reads(
    client: AsyncClient, control: ScriptedControl
) -> None:
    control.set_script(Script([Turn([Text(str(number)) for number in range(20)])]))
    run = await (await local_agent(client)).send("go")
    texts = run.iter_text()
    assert isinstance(texts, ReadyIterator)
    assert texts.next_ready() is None
    told = [await anext(texts)]
    while len(told) < 3:
        texts.make_ready(4)
        ready = texts.next_ready()
        told.append(await anext(texts) if ready is None else ready[0])
    assert run.status == "running"
    told += [text async for text in run.iter_text()]
    assert told == [str(number) for number in range(20)]
    assert run.status == "finished"


async def test_an_interrupted_run_is_cancelled_and_can_be_read_to_its_result(
    client: AsyncClient, control: ScriptedControl
) -> None:
    control.set_script(HELD)
    run = await (await local_agent(client)).send("go")
    with anyio.CancelScope() as scope:
        scope.cancel()
        await run.interrupt()
    await client.settle()
    assert not control.state()["live_runs"]
    assert (await run.wait()).status == "cancelled"
    await run.interrupt()


async def test_settling_waits_for_what_a_cancelled_prompt_left_behind(
    client: AsyncClient, control: ScriptedControl
) -> None:
    control.set_script(HELD)
    agent = await local_agent(client)
    async with anyio.create_task_group() as group:
        group.start_soon(agent.prompt, "go")
        with anyio.fail_after(30):
            while not control.state()["waiting"]:
                await anyio.sleep(0.005)
        group.cancel_scope.cancel()
    await client.settle()
    assert not control.state()["live_runs"]
    await client.aclose()
    await client.settle()
    assert not client.is_alive()


async def test_a_dead_bridge_shows_in_is_alive(launch: Callable[..., Opening[AsyncClient]]) -> None:
    async with launch() as client:
        assert client.is_alive()
        assert client.bridge is not None
        await client.shutdown()
        with anyio.fail_after(30):
            await client.bridge.wait_exited()
        assert not client.is_alive()


async def test_the_environment_says_which_bridge(
    shared_bridge: ScriptedBridge, monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    monkeypatch.setenv("CURSOR_SDK_BRIDGE_URL", shared_bridge.url)
    with pytest.raises(ConfigurationError, match="CURSOR_SDK_BRIDGE_TOKEN"):
        await AsyncClient.from_environment()
    monkeypatch.setenv("CURSOR_SDK_BRIDGE_TOKEN", shared_bridge.token)
    async with AsyncClient.from_environment() as client:
        assert (client.bridge, await client.ping()) == (None, "pong")
    monkeypatch.delenv("CURSOR_SDK_BRIDGE_URL")
    monkeypatch.delenv("CURSOR_SDK_BRIDGE_TOKEN")
    launcher = write_launcher(tmp_path / "cursor-sdk-bridge", scripted_bridge_command())
    monkeypatch.setenv("CURSOR_SDK_BRIDGE_BIN", str(launcher))
    async with AsyncClient.from_environment() as client:
        assert client.bridge is not None
        assert await client.ping() == "pong"
