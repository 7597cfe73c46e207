"""Streams that break at every place of a run, seen by a user of the whole client."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Sequence
from typing import Any

import anyio
import pytest

from cursor_sdk_async import (
    AsyncAgent,
    AsyncClient,
    AsyncRun,
    ConfigurationError,
    CursorSDKError,
    StreamInterruptedError,
)
from cursor_sdk_async.events import RunStreamEvent
from cursor_sdk_async.messages import SDKStatusMessage
from cursor_sdk_async.options import SendOptions
from cursor_sdk_async.testing import (
    CallFault,
    Faults,
    Hold,
    Script,
    ScriptedBridge,
    ScriptedControl,
    StreamFault,
    Text,
    Thinking,
    ToolCall,
    Turn,
    Usage,
)
from tests.client.conftest import KEY, cloud_agent, local_agent

pytestmark = [pytest.mark.anyio, pytest.mark.promise("RUN-20")]

STEPS = (
    Thinking("Let me see. "),
    ToolCall("read", {"path": "README.md"}, {"status": "success", "value": {"totalLines": 1}}, call_id="c1"),
    Text("One, "),
    Text("two, "),
    Usage(),
    Text("three."),
    Usage(output_tokens=7),
)
SCRIPT = Script([Turn(STEPS)])
NEVER = Script([Turn((Text("One, "), Text("two, "), Hold(), Text("three."), Usage()))])


@pytest.fixture(params=["proto", "json"])
async def codec_client(
    shared_bridge: ScriptedBridge, control: ScriptedControl, request: pytest.FixtureRequest
) -> AsyncIterator[AsyncClient]:
    control.set_script(SCRIPT)
    async with AsyncClient.connect(
        shared_bridge.url, shared_bridge.token, api_key=KEY, codec=request.param
    ) as client:
        client._core.observing.pauses = (0.0, 0.0, 0.01)
        yield client


def same(events: Sequence[RunStreamEvent], run: AsyncRun) -> list[Any]:
    """The messages of a run, without what differs from one run to the next.

    A replay of a cloud run lacks the statuses that are over.
    """
    plain: list[Any] = []
    for event in events:
        if isinstance(event.sdk_message, SDKStatusMessage) and run.agent_id.startswith("bc-"):
            continue
        if event.sdk_message is not None:
            text = repr(event.sdk_message).replace(run.id, "RUN").replace(run.agent_id, "AGENT")
            plain.append(text)
        elif event.kind in ("result", "done"):
            plain.append(event.kind)
    return plain


def told(run: AsyncRun, text: str) -> list[Any]:
    result = run._feed.result
    assert result is not None
    return [text, run.status, run.result, run.usage, result.status, result.usage]


async def whole(agent: AsyncAgent, options: SendOptions | None) -> tuple[list[Any], list[Any], int]:
    run = await agent.send("go", options)
    events = [event async for event in run.events()]
    assert not [event for event in events if event.kind == "gap"]
    return same(events, run), told(run, await run.text()), len(events)


def deltas() -> SendOptions:
    seen: list[Any] = []
    return SendOptions(on_delta=seen.append, on_step=seen.append)


@pytest.mark.promise("RUN-22")
@pytest.mark.parametrize("updates", [False, True], ids=["messages", "updates"])
@pytest.mark.parametrize("make", [local_agent, cloud_agent])
async def test_a_stream_cut_before_within_or_after_any_frame_gives_what_an_uncut_one_gives(
    codec_client: AsyncClient, control: ScriptedControl, make: Any, updates: bool
) -> None:
    agent = await make(codec_client)
    messages, facts, frames = await whole(agent, deltas() if updates else None)
    assert len(messages) >= 10
    for kind in ("cut", "half_frame", "no_end"):
        for frame in range(2, frames + 2):
            control.set_faults(Faults(streams=[StreamFault(kind, frame, rpc="Send", times=1)]))
            with anyio.fail_after(30):
                run = await agent.send("go", deltas() if updates else None)
                events = [event async for event in run.events()]
                assert same(events, run) == messages, (kind, frame)
                assert told(run, await run.text()) == facts, (kind, frame)
            gaps = [event for event in events if event.kind == "gap"]
            assert len(gaps) == (updates and frame < frames), (kind, frame)


async def test_a_stream_that_breaks_again_and_again_goes_on_while_it_brings_anything(
    codec_client: AsyncClient, control: ScriptedControl
) -> None:
    agent = await cloud_agent(codec_client)
    messages, facts, frames = await whole(agent, None)
    faults = [StreamFault("cut", 3, rpc="Send", times=1)]
    faults += [
        StreamFault("half_frame", frame, rpc="ObserveRun", skip=frame - 3, times=1)
        for frame in range(3, frames)
    ]
    control.set_faults(Faults(streams=faults))
    with anyio.fail_after(30):
        run = await agent.send("go")
        events = [event async for event in run.events()]
        assert same(events, run) == messages
        assert told(run, await run.text()) == facts
    assert len(control.requests("ObserveRun")) > 5


@pytest.mark.promise("RUN-21")
@pytest.mark.parametrize("what", ["stream", "GetRun"])
async def test_a_stream_that_never_gets_further_ends_in_our_error_with_its_position(
    codec_client: AsyncClient, control: ScriptedControl, what: str
) -> None:
    cut = StreamFault("cut", 4, rpc="*" if what == "stream" else "Send")
    calls = [] if what == "stream" else [CallFault("GetRun", "drop", times=None)]
    control.set_faults(Faults(streams=[cut], calls=calls))
    with anyio.fail_after(30):
        run = await (await cloud_agent(codec_client)).send("go")
        got: list[RunStreamEvent] = []
        for _ in range(2):
            with pytest.raises(StreamInterruptedError, match="could not be taken up again") as caught:
                got += [event async for event in run.events()]
            assert caught.value.run_id == run.id
            assert caught.value.offset is not None
            assert caught.value.cause is not None
        assert len(control.requests("GetRun")) >= 3
        control.set_faults(Faults())
        assert (await run.wait()).status == "finished"


@pytest.mark.promise("RUN-21")
async def test_a_run_that_cannot_be_found_again_is_an_error_at_once(
    codec_client: AsyncClient, control: ScriptedControl
) -> None:
    control.set_faults(
        Faults(
            streams=[StreamFault("cut", 4, rpc="Send")],
            calls=[CallFault("GetRun", "error", code="permission_denied", message="not yours")],
        )
    )
    run = await (await cloud_agent(codec_client)).send("go")
    with anyio.fail_after(30), pytest.raises(StreamInterruptedError, match="not yours") as caught:
        [event async for event in run.events()]
    assert isinstance(caught.value.cause, CursorSDKError)
    assert len(control.requests("GetRun")) == 1


async def test_a_slow_reader_that_the_bridge_gives_up_goes_on(
    codec_client: AsyncClient, control: ScriptedControl
) -> None:
    agent = await cloud_agent(codec_client)
    messages, _, _ = await whole(agent, None)
    control.set_faults(
        Faults(streams=[StreamFault("error_end", 5, rpc="Send", times=1, code="resource_exhausted")])
    )
    with anyio.fail_after(30):
        run = await agent.send("go")
        assert same([event async for event in run.events()], run) == messages


@pytest.mark.parametrize("times", [1, 2, None])
async def test_a_stream_that_ends_well_without_a_result_still_ends_with_one(
    codec_client: AsyncClient, control: ScriptedControl, times: int | None
) -> None:
    agent = await local_agent(codec_client)
    messages, facts, _ = await whole(agent, None)
    control.set_faults(Faults(streams=[StreamFault("lose_result", times=times)]))
    with anyio.fail_after(30):
        run = await agent.send("go")
        assert same([event async for event in run.events()], run) == messages
        assert told(run, await run.text()) == facts


async def test_a_live_run_goes_on_after_the_break(
    codec_client: AsyncClient, control: ScriptedControl, caplog: pytest.LogCaptureFixture
) -> None:
    control.set_script(NEVER)
    caplog.set_level(logging.INFO, "cursor_sdk_async")
    for make in (local_agent, cloud_agent):
        control.hold()
        control.set_faults(Faults(streams=[StreamFault("cut", 4, rpc="Send", times=1)]))
        with anyio.fail_after(30):
            run = await (await make(codec_client)).send("go")
            pieces = run.iter_text()
            assert [await pieces.__anext__(), await pieces.__anext__()] == ["One, ", "two, "]
            control.release()
            assert [piece async for piece in pieces] == ["three."]
            assert (await run.wait()).result == "One, two, three."
        said = [record.getMessage() for record in caplog.records if run.id in record.getMessage()]
        assert len(said) == 1
        assert "goes on after message" in said[0]


@pytest.mark.promise("RUN-02")
async def test_steps_that_are_cancelled_while_a_stream_is_taken_up_lose_nothing(
    codec_client: AsyncClient, control: ScriptedControl
) -> None:
    agent = await cloud_agent(codec_client)
    messages, _, _ = await whole(agent, None)
    control.set_faults(
        Faults(
            streams=[StreamFault("cut", 5, rpc="Send", times=1)],
            calls=[CallFault("GetRun", "slow", seconds=0.1), CallFault("ObserveRun", "slow", seconds=0.1)],
        )
    )
    run = await agent.send("go")
    events, got = run.events(), list[RunStreamEvent]()
    with anyio.fail_after(30):
        while True:
            try:
                with anyio.move_on_after(0.02):
                    got.append(await events.__anext__())
            except StopAsyncIteration:
                break
    assert same(got, run) == messages
    assert len(control.requests("ObserveRun")) == 1


@pytest.mark.promise("CLT-05")
async def test_a_run_that_is_closed_while_its_stream_is_taken_up_leaves_nothing_open(
    codec_client: AsyncClient, control: ScriptedControl
) -> None:
    control.set_faults(
        Faults(
            streams=[StreamFault("cut", 5, rpc="Send", times=1)],
            calls=[CallFault("ObserveRun", "slow", seconds=0.1)],
        )
    )
    run = await (await cloud_agent(codec_client)).send("go")

    async def read() -> None:
        with pytest.raises(CursorSDKError, match="closed on this side"):
            [event async for event in run.events()]

    with anyio.fail_after(30):
        async with anyio.create_task_group() as group:
            group.start_soon(read)
            while not control.requests("GetRun"):
                await anyio.sleep(0.005)
            await run.aclose()
        while control.state()["open_streams"]:
            await anyio.sleep(0.01)


async def test_handles_and_observations_that_are_cut_go_on_too(
    codec_client: AsyncClient, control: ScriptedControl
) -> None:
    agent = await cloud_agent(codec_client)
    first = await agent.send("go")
    messages = same([event async for event in first.observe()], first)
    found = await codec_client.agents.get_run(first.id, agent_id=first.agent_id, runtime="cloud")
    for read in (found.events, first.observe):
        control.set_faults(Faults(streams=[StreamFault("half_frame", 5, rpc="ObserveRun", times=1)]))
        with anyio.fail_after(30):
            events = [event async for event in read()]
        assert same(events, first) == messages
        assert not [event for event in events if event.kind == "gap"]


@pytest.mark.promise("RUN-32")
@pytest.mark.parametrize("make", [local_agent, cloud_agent])
async def test_an_observation_that_was_begun_at_an_offset_goes_on_too(
    codec_client: AsyncClient, control: ScriptedControl, make: Any
) -> None:
    run = await (await make(codec_client)).send("go")
    await run.wait()
    events = [event async for event in run.observe()]
    for kind in ("cut", "half_frame"):
        for frame in range(2, len(events) + 1):
            control.set_faults(Faults(streams=[StreamFault(kind, frame, rpc="ObserveRun", times=1)]))
            with anyio.fail_after(30):
                rest = [event async for event in run.observe(after_offset="4")]
            assert [(event.kind, event.sdk_message) for event in rest] == [
                (event.kind, event.sdk_message) for event in events if int(event.offset or 0) > 4
            ], (kind, frame)


@pytest.mark.promise("RUN-32")
@pytest.mark.parametrize("offset", ["x", "-1", " 4", "4.0", 4])
async def test_what_is_no_offset_is_refused(codec_client: AsyncClient, offset: Any) -> None:
    run = await (await cloud_agent(codec_client)).send("go")
    with pytest.raises(ConfigurationError, match="after_offset"):
        run.observe(after_offset=offset)
    with pytest.raises(ConfigurationError, match="after_offset"):
        codec_client.observe_run(run.id, after_offset=offset, agent_id=run.agent_id)
    assert [event async for event in run.observe(after_offset="999")] == []
