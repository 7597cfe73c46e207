"""Observations: each of them sees the whole run, however many there are and however they are opened."""

from __future__ import annotations

import anyio
import pytest

from cursor_sdk_async import AsyncClient, AsyncRun, ClosedError, CursorSDKError
from cursor_sdk_async.testing import CallFault, Faults, Hold, Script, ScriptedControl, Text, Turn
from tests.client.conftest import cloud_agent, local_agent

pytestmark = pytest.mark.anyio

LETTERS = "abcdef"
HELD = Script([Turn([*map(Text, LETTERS[:3]), Hold(), *map(Text, LETTERS[3:])])])


@pytest.fixture(params=["local", "cloud"])
async def run(client: AsyncClient, control: ScriptedControl, request: pytest.FixtureRequest) -> AsyncRun:
    control.set_script(HELD)
    make = local_agent if request.param == "local" else cloud_agent
    return await (await make(client)).send("go")


async def observed(run: AsyncRun) -> str:
    text = ""
    async for event in run.observe():
        for block in getattr(getattr(event.sdk_message, "message", None), "content", ()):
            text += block.text
    return text


@pytest.mark.promise("CLT-32")
async def test_observers_that_start_at_once_share_nothing(run: AsyncRun, control: ScriptedControl) -> None:
    texts: list[str] = []

    async def observe() -> None:
        texts.append(await observed(run))

    with anyio.fail_after(30):
        async with anyio.create_task_group() as group:
            for _ in range(5):
                group.start_soon(observe)
            while control.state()["open_streams"] < 6:
                await anyio.sleep(0.01)
            control.release()
        assert texts == [LETTERS] * 5
        assert await run.text() == LETTERS


@pytest.mark.promise("CLT-04")
async def test_an_opening_goes_on_while_its_steps_are_cancelled(
    run: AsyncRun, control: ScriptedControl
) -> None:
    control.set_faults(Faults(calls=[CallFault("ObserveRun", "slow", seconds=0.3)]))
    events = run.observe()
    for _ in range(3):
        with anyio.move_on_after(0.05):
            await events.__anext__()
    control.release()
    with anyio.fail_after(30):
        assert [event async for event in events][-1].kind == "done"
    assert len(control.requests("ObserveRun")) == 1


@pytest.mark.promise("CLT-05")
async def test_an_observation_that_is_closed_while_it_opens_leaves_nothing_open(
    run: AsyncRun, control: ScriptedControl
) -> None:
    control.set_faults(Faults(calls=[CallFault("ObserveRun", "slow", seconds=0.2)]))
    events = run.observe()
    with anyio.move_on_after(0.05):
        await events.__anext__()
    await events.aclose()  # type: ignore[attr-defined]
    assert [event async for event in events] == []
    with anyio.fail_after(30):
        while not control.requests("ObserveRun") or control.state()["open_streams"] > 1:
            await anyio.sleep(0.01)


@pytest.mark.promise("CLT-04")
@pytest.mark.parametrize("handle", ["observe", "get_run"])
async def test_an_opening_that_fails_is_an_error_and_tried_again_at_the_next_step(
    client: AsyncClient, run: AsyncRun, control: ScriptedControl, handle: str
) -> None:
    control.release()
    await run.wait()
    found = await client.agents.get_run(
        run.id, agent_id=run.agent_id, runtime="cloud" if run.agent_id.startswith("bc-") else "local"
    )
    control.set_faults(Faults(calls=[CallFault("GetRun", "error", times=1)]))
    events = found.observe() if handle == "observe" else found.events()
    with pytest.raises(CursorSDKError):
        await events.__anext__()
    with anyio.fail_after(30):
        assert [event async for event in events][-1].kind == "done"


@pytest.mark.promise("CLT-08")
async def test_an_observation_of_a_closed_client_is_refused(run: AsyncRun, client: AsyncClient) -> None:
    events = run.observe()
    await client.aclose()
    with pytest.raises(ClosedError):
        await events.__anext__()
