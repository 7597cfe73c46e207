"""Every operation, cancelled at its first, second, third … checkpoint: nothing is left, all goes on."""

from __future__ import annotations

import asyncio
import gc
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import anyio
import pytest

from cursor_sdk_async import AsyncAgent, AsyncClient, AsyncRun
from cursor_sdk_async._lifecycle import Opening
from cursor_sdk_async.testing import Hold, Script, ScriptedBridge, ScriptedControl, Text, Turn, Wait
from tests.client.cancelling import WAYS, Leftovers, Operation, every_checkpoint
from tests.client.conftest import KEY, cloud_agent, local_agent

pytestmark = [pytest.mark.anyio, pytest.mark.promise("CLT-22"), pytest.mark.timeout(120)]

QUICK = Script([Turn([Text("a"), Wait(0.02), Text("b")])])
HELD = Script([Turn([Text("a"), Hold()])])
Prepare = Callable[[AsyncClient], Awaitable[Operation]]


#: A task of trio is cancelled through a scope only.
ON_BOTH = [("asyncio", way) for way in WAYS] + [("trio", "scope")]
in_every_way = pytest.mark.parametrize(("anyio_backend", "way"), ON_BOTH, indirect=["anyio_backend"])


async def idle(client: AsyncClient, control: ScriptedControl) -> None:
    """Wait until nothing is on its way: no stream, no run, no errand; then the client is as good as new."""
    core = client._core
    with anyio.fail_after(20):
        while True:
            gc.collect()
            state = control.state()
            ours = (core.runs.errands, core.runs.open, core.runs.starting, core.channel.open_streams)
            if not (state["open_streams"] or state["live_runs"] or any(ours)):
                break
            await anyio.sleep(0.005)
    assert await client.ping() == "pong"


async def create(client: AsyncClient) -> Operation:
    async def operation() -> None:
        await (await local_agent(client)).close()

    return operation


async def send_and_leave(client: AsyncClient) -> Operation:
    agent = await cloud_agent(client)

    async def operation() -> None:
        async with await agent.send("go"):
            pass

    return operation


async def prompt(client: AsyncClient) -> Operation:
    async def operation() -> None:
        await AsyncAgent.prompt("go", {"model": "scripted", "local": {}}, client=client)

    return operation


async def wait(client: AsyncClient) -> Operation:
    return (await (await local_agent(client)).send("go")).wait


async def wait_beside_a_reader(client: AsyncClient) -> Operation:
    run = await (await local_agent(client)).send("go")
    kept = run.messages()
    await kept.__anext__()

    async def operation() -> None:
        await run.wait()
        async for _ in kept:
            pass

    return operation


async def text(client: AsyncClient) -> Operation:
    return (await (await local_agent(client)).send("go")).text


async def cancel(client: AsyncClient) -> Operation:
    return (await (await local_agent(client)).send("go")).cancel


async def get_run(client: AsyncClient) -> Operation:
    run = await (await local_agent(client)).send("go")
    await run.wait()

    async def operation() -> None:
        found = await client.agents.get_run(run.id)
        async for _ in found.events():
            pass

    return operation


async def close_agent(client: AsyncClient) -> Operation:
    return (await local_agent(client)).close


async def download(client: AsyncClient) -> Operation:
    agent = await cloud_agent(client)
    await (await agent.send("go")).wait()

    async def operation() -> None:
        await agent.download_artifact("artifacts/report.txt")

    return operation


async def catalogue(client: AsyncClient) -> Operation:
    return client.models.list


OPERATIONS: list[Prepare] = [
    create,
    send_and_leave,
    prompt,
    wait,
    wait_beside_a_reader,
    text,
    cancel,
    get_run,
    close_agent,
    download,
    catalogue,
]


@pytest.mark.parametrize("prepare", OPERATIONS, ids=lambda prepare: prepare.__name__)
@in_every_way
async def test_an_operation(
    shared_bridge: ScriptedBridge, control: ScriptedControl, way: str, prepare: Prepare
) -> None:
    control.set_script(QUICK)
    before = control.state()["open_agents"]
    leftovers = Leftovers()
    client = AsyncClient.connect(shared_bridge.url, shared_bridge.token, api_key=KEY)
    await client.ping()

    async def check() -> None:
        await idle(client, control)

    assert await every_checkpoint(way, lambda: prepare(client), check) > 0
    await client.aclose()
    await leftovers.none()
    if prepare in (create, prompt):
        assert control.state()["open_agents"] == before


STEPS: dict[str, Callable[[AsyncRun], AsyncIterator[Any]]] = {
    "messages": lambda run: run.messages(),
    "events": lambda run: run.events(),
    "iter_text": lambda run: run.iter_text(),
    "observe": lambda run: run.observe(),
}


@pytest.mark.parametrize("name", STEPS)
@in_every_way
async def test_one_step_of_an_iterator_loses_nothing(
    client: AsyncClient, control: ScriptedControl, way: str, name: str
) -> None:
    control.set_script(QUICK)
    full = 2 if name == "iter_text" else None
    for number in range(1, 60):
        run = await (await local_agent(client)).send("go")
        iterator = STEPS[name](run)
        got: list[Any] = []
        reached = False

        async def step() -> None:
            got.append(await iterator.__anext__())  # noqa: B023

        with anyio.fail_after(20):
            while True:
                try:
                    reached = await WAYS[way](step, number) or reached
                except StopAsyncIteration:
                    break
                if reached:
                    break
            async for item in iterator:
                got.append(item)
        full = full or len(got)
        assert len(got) == full
        if not reached:
            break
        await run.aclose()
        await idle(client, control)


@pytest.mark.parametrize("launched", [False, True])
@in_every_way
async def test_closing_a_client_with_live_runs(
    shared_bridge: ScriptedBridge,
    control: ScriptedControl,
    launch: Callable[..., Opening[AsyncClient]],
    way: str,
    launched: bool,
) -> None:
    leftovers = Leftovers()
    control.set_script(HELD)
    clients: list[AsyncClient] = []

    async def prepare() -> Operation:
        if launched:
            client = await launch(HELD)
        else:
            client = AsyncClient.connect(shared_bridge.url, shared_bridge.token, api_key=KEY)
        clients[:] = [client]
        for make in (local_agent, cloud_agent):
            await (await make(client)).send("go")
        return client.aclose

    async def check() -> None:
        with anyio.fail_after(20):
            while control.state()["open_streams"]:
                await anyio.sleep(0.005)
            await leftovers.none()
            await clients[0].aclose()

    assert await every_checkpoint(way, prepare, check) > 0


@in_every_way
async def test_launching(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, launch: Callable[..., Opening[AsyncClient]], way: str
) -> None:
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    leftovers = Leftovers()

    async def prepare() -> Operation:
        async def operation() -> None:
            async with launch():
                pass

        return operation

    async def check() -> None:
        await leftovers.none()
        assert not list(folder.iterdir())

    assert await every_checkpoint(way, prepare, check) > 0


@pytest.mark.parametrize("anyio_backend", ["asyncio"])
@pytest.mark.parametrize("prepare", [create, send_and_leave, prompt, wait], ids=lambda made: made.__name__)
async def test_the_time_limits_of_asyncio(
    shared_bridge: ScriptedBridge, control: ScriptedControl, prepare: Prepare
) -> None:
    control.set_script(QUICK)
    leftovers = Leftovers()
    client = AsyncClient.connect(shared_bridge.url, shared_bridge.token, api_key=KEY)
    held: list[Operation] = []
    seconds = 0.0

    async def operate() -> None:
        await held[0]()

    while True:
        held[:] = [await prepare(client)]
        try:
            await asyncio.wait_for(operate(), seconds)
            ended = True
        except asyncio.TimeoutError:
            ended = False
        if sys.version_info >= (3, 11) and not ended:
            held[:] = [await prepare(client)]
            try:
                async with asyncio.timeout(10), asyncio.timeout(seconds):
                    await operate()
            except asyncio.TimeoutError:
                pass
        held.clear()
        await idle(client, control)
        if ended:
            break
        seconds += 0.001
    await client.aclose()
    await leftovers.none()
