"""Callbacks of the user that raise, cancel, close and call back in."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import anyio
import anyio.lowlevel
import pytest

from cursor_sdk_async import (
    AsyncClient,
    AsyncRun,
    ClosedError,
    ConfigurationError,
    CursorSDKError,
    StreamInterruptedError,
)
from cursor_sdk_async._lifecycle import Opening
from cursor_sdk_async.testing import Hold, Script, ScriptedControl, StepFrame, Text, Turn, Usage
from tests.client.conftest import cloud_agent, local_agent

pytestmark = [pytest.mark.anyio, pytest.mark.promise("CLT-24")]

STEP = StepFrame("assistant_message", {"message": {"text": "ab"}})
SCRIPT = Script([Turn([Text("a"), STEP, Text("b"), Usage()])])
HELD = Script([Turn([Text("a"), STEP, Text("b"), Hold()])])
KINDS = ["on_delta", "on_step", "listener"]
Callback = Callable[[Any], Any]


def made(call: Callable[[], Awaitable[object]], *, asynchronous: bool) -> Callback:
    """A callback that makes the call: itself, or as something to be awaited."""

    async def callback(_: object) -> None:
        await call()

    def sync(_: object) -> Awaitable[object]:
        return call()

    return callback if asynchronous else sync


async def start(agent: Any, kind: str, callback: Callback) -> AsyncRun:
    options = {} if kind == "listener" else {kind: callback}
    run: AsyncRun = await agent.send("go", options)
    if kind == "listener":
        run.on_did_change_status(callback)
    return run


@pytest.mark.promise("RUN-08")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("asynchronous", [True, False])
@pytest.mark.parametrize("how", ["iterate", "wait", "text"])
async def test_what_one_raises_reaches_the_owner_of_the_run_once_and_no_other_run(
    client: AsyncClient, control: ScriptedControl, kind: str, asynchronous: bool, how: str
) -> None:
    control.set_script(SCRIPT)
    raised: list[str] = []

    def once(_: object) -> None:
        if not raised:
            raised.append(kind)
            raise ValueError("mine")

    async def once_async(value: object) -> None:
        await anyio.lowlevel.checkpoint()
        once(value)

    other = await (await local_agent(client)).send("go")
    run = await start(await local_agent(client), kind, once_async if asynchronous else once)
    kinds: list[str] = []

    async def use() -> None:
        if how == "iterate":
            async for event in run.events():
                kinds.append(event.kind)
        else:
            await (run.wait() if how == "wait" else run.text())

    with anyio.fail_after(30):
        with pytest.raises(ValueError, match="mine"):
            await use()
        await use()
        assert (await run.wait()).status == "finished"
        assert await run.text() == "ab"
        assert await other.text() == "ab"
    if how == "iterate":
        assert kinds[-2:] == ["result", "done"]
        assert kinds.count("sdk_message") == 5


@pytest.mark.parametrize("kind", ["on_delta", "on_step"])
async def test_one_may_cancel_its_run(client: AsyncClient, control: ScriptedControl, kind: str) -> None:
    control.set_script(HELD)
    runs: list[AsyncRun] = []
    run = await start(await local_agent(client), kind, made(lambda: runs[0].cancel(), asynchronous=True))
    runs.append(run)
    with anyio.fail_after(30):
        assert (await run.wait()).status == "cancelled"


@pytest.mark.parametrize("kind", ["on_delta", "on_step"])
@pytest.mark.parametrize("cloud", [True, False])
async def test_one_may_close_its_agent(
    client: AsyncClient, control: ScriptedControl, kind: str, cloud: bool
) -> None:
    control.set_script(HELD)
    agent = await (cloud_agent if cloud else local_agent)(client)
    run = await start(agent, kind, made(agent.close, asynchronous=True))
    with anyio.fail_after(30), pytest.raises(StreamInterruptedError):
        async for _ in run.events():
            pass
    control.release()


@pytest.mark.parametrize("kind", ["on_delta", "on_step", "listener"])
@pytest.mark.parametrize("asynchronous", [True, False])
async def test_one_may_close_the_client_that_launched_the_bridge(
    launch: Callable[..., Opening[AsyncClient]], kind: str, asynchronous: bool
) -> None:
    script = SCRIPT if kind == "listener" else HELD
    with anyio.fail_after(30):
        async with launch(script) as client:
            run = await start(await local_agent(client), kind, made(client.aclose, asynchronous=asynchronous))
            with pytest.raises(ClosedError):
                async for _ in run.events():
                    pass
            assert client.bridge is not None
            assert not client.bridge.is_alive()


@pytest.mark.parametrize("kind", KINDS)
async def test_one_may_call_the_client_and_send_to_another_agent(
    client: AsyncClient, control: ScriptedControl, kind: str
) -> None:
    control.set_script(SCRIPT)
    texts: list[str] = []

    async def reenter(_: object) -> None:
        if not texts:
            texts.append("")
            assert await client.ping() == "pong"
            other = await (await local_agent(client)).send("other")
            texts[0] = await other.text()

    run = await start(await local_agent(client), kind, reenter)
    with anyio.fail_after(30):
        assert await run.text() == "ab"
    assert texts == ["ab"]


@pytest.mark.parametrize("kind", KINDS)
async def test_one_may_wait_for_its_own_run(client: AsyncClient, control: ScriptedControl, kind: str) -> None:
    control.set_script(SCRIPT)
    results: list[str] = []
    runs: list[AsyncRun] = []

    async def wait() -> None:
        results.append((await runs[0].wait()).result)

    run = await start(await local_agent(client), kind, made(wait, asynchronous=True))
    runs.append(run)
    with anyio.fail_after(30):
        kinds = [event.kind async for event in run.events()]
    assert kinds[-1] == "done"
    assert set(results) == {"ab"}


@pytest.mark.parametrize("kind", KINDS)
async def test_one_that_reads_its_own_run_is_told_that_it_cannot(
    client: AsyncClient, control: ScriptedControl, kind: str
) -> None:
    control.set_script(SCRIPT)
    runs: list[AsyncRun] = []
    errors: list[CursorSDKError] = []

    async def read(_: object) -> None:
        with pytest.raises(ConfigurationError, match="callback") as caught:
            async for _ in runs[0].messages():
                pass
        errors.append(caught.value)

    run = await start(await local_agent(client), kind, read)
    runs.append(run)
    with anyio.fail_after(30):
        assert await run.text() == "ab"
    assert errors


async def test_one_that_blocks_is_only_late_for_its_own_run(
    client: AsyncClient, control: ScriptedControl
) -> None:
    control.set_script(SCRIPT)
    go_on = anyio.Event()
    run = await start(await local_agent(client), "on_delta", made(go_on.wait, asynchronous=True))
    with anyio.fail_after(30):
        async with anyio.create_task_group() as group:
            group.start_soon(run.wait)
            other = await (await local_agent(client)).send("other")
            assert await other.text() == "ab"
            assert run.status == "running"
            await run.aclose()
            go_on.set()
    assert (await run.wait()).status == "finished"


async def test_a_listener_may_remove_itself_and_add_another(
    client: AsyncClient, control: ScriptedControl
) -> None:
    control.set_script(SCRIPT)
    run = await (await local_agent(client)).send("go")
    heard: list[str] = []

    def first(word: str) -> None:
        heard.append(word)
        remove()
        remove()
        run.on_did_change_status(heard.append)

    remove = run.on_did_change_status(first)
    with anyio.fail_after(30):
        await run.wait()
    assert heard == ["finished"]
