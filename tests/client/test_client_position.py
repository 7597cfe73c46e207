"""Positions: read a part, store where that was, go on in another client."""

from __future__ import annotations

import json
import pickle
from dataclasses import replace
from typing import Any

import anyio
import pytest

from cursor_sdk_async import (
    AsyncClient,
    AsyncRun,
    ConfigurationError,
    NotFoundError,
    RunPosition,
    StreamInterruptedError,
)
from cursor_sdk_async.messages import SDKStatusMessage
from cursor_sdk_async.testing import Faults, Script, ScriptedBridge, ScriptedControl, StreamFault, Turn
from tests.client.conftest import KEY, cloud_agent, local_agent
from tests.client.test_client_resume import STEPS

pytestmark = [pytest.mark.anyio, pytest.mark.promise("RUN-23")]

OTHER: dict[str, Any] = {"proto": "json", "json": "proto"}


@pytest.fixture(autouse=True)
def script(control: ScriptedControl) -> None:
    control.set_script(Script([Turn(STEPS)]))


def counted(message: object) -> bool:
    return not isinstance(message, SDKStatusMessage) and getattr(message, "type", "") != "request"


async def messages(run: AsyncRun, most: int | None = None) -> list[Any]:
    got: list[Any] = []
    async for message in run.messages():
        if counted(message):
            got.append(message)
        if most is not None and len(got) == most:
            break
    return got


def stored(position: RunPosition) -> RunPosition:
    """By way of JSON and pickle."""
    read = RunPosition.from_dict(json.loads(json.dumps(position.to_dict())))
    assert pickle.loads(pickle.dumps(read)) == read == position
    assert KEY not in json.dumps(position.to_dict())
    return read


@pytest.mark.parametrize("make", [local_agent, cloud_agent])
@pytest.mark.parametrize("codec", ["proto", "json"])
async def test_another_client_goes_on_after_any_message(
    shared_bridge: ScriptedBridge, control: ScriptedControl, make: Any, codec: Any
) -> None:
    url, token = shared_bridge.url, shared_bridge.token
    with anyio.fail_after(30):
        async with (
            AsyncClient.connect(url, token, api_key=KEY, codec=codec) as here,
            AsyncClient.connect(url, token, api_key=KEY, codec=OTHER[codec]) as there,
        ):
            agent = await make(here)
            whole = await agent.send("go")
            every = [message.type for message in await messages(whole)]
            for read in range(1, len(every) + 1):
                run = await agent.send("go")
                assert run.position.count == 0
                first = await messages(run, read)
                position = stored(run.position)
                assert (position.count, position.run_id, position.cloud) == (
                    read,
                    run.id,
                    make is cloud_agent,
                )
                await run.aclose()
                again = await there.agents.resume_run(position if read % 2 else position.to_dict())
                assert again.position == position
                rest = await messages(again)
                assert [message.type for message in [*first, *rest]] == every
                assert (await again.text(), again.usage) == (await whole.text(), whole.usage)
                assert again.position.count == len(every)
                seen = [event.sdk_message async for event in run.observe(after=position)]
                assert [message for message in seen if message and counted(message)] == rest


async def test_a_resumed_run_that_is_cut_goes_on_and_counts_nothing_twice(
    client: AsyncClient, control: ScriptedControl
) -> None:
    run = await (await cloud_agent(client)).send("go")
    first = await messages(run, 4)
    position = run.position
    rest, usage = await messages(run), run.usage
    for frame in range(2, 12):
        control.set_faults(Faults(streams=[StreamFault("cut", frame, rpc="ObserveRun", times=1)]))
        with anyio.fail_after(30):
            again = await client.agents.resume_run(position)
            assert await messages(again) == rest
            assert again.usage == usage
            assert again.position == run.position
    assert len(first) == 4


@pytest.mark.promise("RUN-21")
async def test_a_position_that_does_not_fit_is_refused(client: AsyncClient, control: ScriptedControl) -> None:
    client._core.observing.pauses = (0.0,)
    run = await (await cloud_agent(client)).send("go")
    await messages(run, 3)
    position = run.position
    for wrong in (replace(position, digest="00" * 16), replace(position, count=99)):
        with anyio.fail_after(30):
            other = await client.agents.resume_run(wrong)
            with pytest.raises(StreamInterruptedError) as caught:
                await messages(other)
            assert caught.value.code == "replay_differs"
            assert other.position == wrong
            with pytest.raises(StreamInterruptedError):
                [event async for event in run.observe(after=wrong)]
    with pytest.raises(NotFoundError):
        await client.agents.resume_run(replace(position, run_id=f"run-{'0' * 8}-0000-0000-0000-{'0' * 12}"))
    with pytest.raises(ConfigurationError, match="takes a position of run"):
        run.observe(after=replace(position, run_id="run-x"))
    with pytest.raises(ConfigurationError, match="takes a position of run"):
        run.observe(after=position, after_offset="1")
    for broken in ({}, {**position.to_dict(), "count": "3"}, {**position.to_dict(), "agent_id": ""}):
        with pytest.raises(ConfigurationError, match="no run position") as refused:
            await client.agents.resume_run(broken)
        assert refused.value.code == "bad_position"
    assert stored(RunPosition.from_dict({**position.to_dict(), "newer": 1})) == position
