"""Time limits: of a whole run, of one reader, of a wait; and what becomes of the run."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import anyio
import pytest

from cursor_sdk_async import AsyncAgent, AsyncClient, AsyncRun, ConfigurationError, RunTimeoutError
from cursor_sdk_async.testing import CallFault, Faults, Hold, Script, ScriptedControl, Text, Turn, Usage
from tests.client.conftest import cloud_agent, local_agent

pytestmark = [pytest.mark.anyio, pytest.mark.promise("RUN-25")]

STEPS = [Text("One, "), Text("two, "), Usage(), Hold(), Text("three.")]
HELD = Script([Turn(STEPS)], keep_alive_seconds=0.05)
SOON = 0.4


@pytest.fixture(autouse=True)
def script(control: ScriptedControl) -> None:
    control.set_script(HELD)


@pytest.fixture(params=[local_agent, cloud_agent])
async def agent(client: AsyncClient, request: pytest.FixtureRequest) -> AsyncAgent:
    made: AsyncAgent = await request.param(client)
    return made


async def drain(events: Any) -> None:
    async for _ in events:
        pass


async def by_events(run: AsyncRun, **limits: float) -> None:
    await drain(run.events(**limits))


async def by_messages(run: AsyncRun, **limits: float) -> None:
    await drain(run.messages(**limits))


async def by_stream(run: AsyncRun, **limits: float) -> None:
    await drain(run.stream(**limits))


async def by_pieces(run: AsyncRun, **limits: float) -> None:
    await drain(run.iter_text(**limits))


async def by_text(run: AsyncRun, **limits: float) -> None:
    await run.text(**limits)


#: How the run is read; each takes the limits of its own, if any.
READ: dict[str, Callable[..., Awaitable[None]]] = {
    "events": by_events,
    "messages": by_messages,
    "stream": by_stream,
    "iter_text": by_pieces,
    "text": by_text,
}


def checked(error: RunTimeoutError, run: AsyncRun, control: ScriptedControl, word: str) -> None:
    assert word in str(error)
    assert (error.run_id, error.text) == (run.id, "One, two, ")
    assert error.usage is not None
    assert error.usage.input_tokens == 1200
    assert isinstance(error, TimeoutError)
    assert len(control.requests("CancelRun")) == 1
    assert run.status == "cancelled"


@pytest.mark.parametrize("word", ["timeout", "idle_timeout"])
@pytest.mark.parametrize("way", [*READ, "wait"])
async def test_a_limit_of_the_run_is_told_to_whoever_reads_it(
    agent: AsyncAgent, control: ScriptedControl, way: str, word: str
) -> None:
    with anyio.fail_after(30):
        run = await agent.send("go", **{word: SOON})  # type: ignore[arg-type]
        read = READ.get(way) or AsyncRun.wait
        with pytest.raises(RunTimeoutError) as caught:
            await read(run)
        checked(caught.value, run, control, f"({word})")
        for again in (run.wait, run.text):
            with pytest.raises(RunTimeoutError):
                await again()


@pytest.mark.parametrize("word", ["timeout", "idle_timeout"])
@pytest.mark.parametrize("way", READ)
async def test_a_limit_of_one_reader_ends_the_run_too(
    agent: AsyncAgent, control: ScriptedControl, way: str, word: str
) -> None:
    with anyio.fail_after(30):
        run = await agent.send("go")
        with pytest.raises(RunTimeoutError) as caught:
            await READ[way](run, **{word: SOON})
        checked(caught.value, run, control, f"({word})")


async def test_a_prompt_that_takes_too_long_is_cancelled(
    client: AsyncClient, agent: AsyncAgent, control: ScriptedControl
) -> None:
    with anyio.fail_after(30):
        for limits in ({"timeout": SOON}, {"idle_timeout": SOON}):
            with pytest.raises(RunTimeoutError) as caught:
                await agent.prompt("go", **limits)  # type: ignore[arg-type]
            assert caught.value.text == "One, two, "
        with pytest.raises(RunTimeoutError):
            await AsyncAgent.prompt("go", {"model": "scripted", "local": {}}, client=client, timeout=SOON)
        assert len(control.requests("CancelRun")) == 3


async def test_the_deadline_holds_when_nobody_reads_and_the_reader_who_comes_later_is_told(
    agent: AsyncAgent, control: ScriptedControl
) -> None:
    with anyio.fail_after(30):
        run = await agent.send("go", timeout=SOON)
        while not control.requests("CancelRun"):
            await anyio.sleep(0.01)
        pieces: list[str] = []
        with pytest.raises(RunTimeoutError):
            async for piece in run.iter_text():
                pieces.append(piece)
        assert pieces == ["One, ", "two, "]


async def test_a_run_that_ends_in_time_is_left_alone(agent: AsyncAgent, control: ScriptedControl) -> None:
    control.release()
    with anyio.fail_after(30):
        run = await agent.send("go", timeout=25, idle_timeout=25)
        assert [piece async for piece in run.iter_text(timeout=25, idle_timeout=25)][-1] == "three."
        assert (await run.wait(timeout=25)).status == "finished"
        assert await run.text(timeout=25) == "One, two, three."
    assert not control.requests("CancelRun")


@pytest.mark.parametrize("beside", [False, True])
async def test_wait_that_times_out_leaves_the_run_alone(
    agent: AsyncAgent, control: ScriptedControl, beside: bool
) -> None:
    with anyio.fail_after(30):
        run = await agent.send("go")
        pieces = run.iter_text()
        if beside:
            await pieces.__anext__()
        with pytest.raises(RunTimeoutError, match="goes on") as caught:
            await run.wait(timeout=0.2)
        assert caught.value.run_id == run.id
        assert caught.value.text.startswith("One, ")
        assert not control.requests("CancelRun")
        control.release()
        assert (await run.wait()).result == "One, two, three."


async def test_a_slow_reader_is_no_silence(client: AsyncClient, control: ScriptedControl) -> None:
    control.release()
    run = await (await cloud_agent(client)).send("go", idle_timeout=0.2)
    with anyio.fail_after(30):
        async for _ in run.messages():
            await anyio.sleep(0.25)
    assert run.status == "finished"
    assert not control.requests("CancelRun")


async def test_a_send_that_takes_too_long_is_cancelled_once_its_run_is_known(
    agent: AsyncAgent, control: ScriptedControl
) -> None:
    control.set_faults(Faults(calls=[CallFault("Send", "slow_answer", seconds=0.6)]))
    with anyio.fail_after(30):
        with pytest.raises(RunTimeoutError, match="had no run") as caught:
            await agent.send("go", timeout=0.2)
        assert (caught.value.run_id, caught.value.text) == ("", "")
        while not control.requests("CancelRun"):
            await anyio.sleep(0.01)


async def test_a_run_that_does_not_end_after_its_cancel_is_given_up_after_the_grace(
    client: AsyncClient, control: ScriptedControl
) -> None:
    client._core.runs.grace = 0.2
    agent = await local_agent(client)
    with anyio.fail_after(30):
        for way in ("events", "text"):
            control.set_faults(Faults(calls=[CallFault("CancelRun", "error")]))
            run = await agent.send("go", timeout=SOON)
            with pytest.raises(RunTimeoutError, match="did not end after it was cancelled") as caught:
                await READ[way](run)
            assert caught.value.text == "One, two, "
            assert run.status == "running"
            control.set_faults(Faults())
            await run.cancel()
            await run.aclose()


@pytest.mark.parametrize("value", [0, -1, True, "5", float("nan")])
async def test_a_limit_that_is_no_positive_number_is_refused_before_anything_is_sent(
    agent: AsyncAgent, control: ScriptedControl, value: Any
) -> None:
    for call in (lambda: agent.send("go", timeout=value), lambda: agent.prompt("go", idle_timeout=value)):
        with pytest.raises(ConfigurationError, match="number of seconds above 0"):
            await call()
    assert not control.requests("Send")
    control.release()
    run = await agent.send("go")
    for read in (run.events, run.messages, run.iter_text, run.text):
        with pytest.raises(ConfigurationError, match="number of seconds"):
            made: Any = read(timeout=value)
            await made
    with pytest.raises(ConfigurationError):
        await run.wait(timeout=value)
