"""Streams that break in every way, seen by a user of the whole client, in both codecs."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from typing import Any

import anyio
import pytest

from cursor_sdk_async import (
    APITimeoutError,
    AsyncClient,
    AsyncRun,
    BridgeExitedError,
    CursorSDKError,
    NetworkError,
    ProtocolError,
    StreamInterruptedError,
)
from cursor_sdk_async._lifecycle import Opening
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
    Usage,
)
from tests.client.conftest import KEY, cloud_agent, local_agent

pytestmark = [pytest.mark.anyio, pytest.mark.promise("CLT-20")]

WORDS = [f"word{number} " for number in range(6)]
TEXT = "".join(WORDS)
SCRIPT = Script([Turn([*map(Text, WORDS), Usage()])])
FRAME = 5

BREAKS: dict[str, tuple[StreamFault, type[CursorSDKError]]] = {
    "cut": (StreamFault("cut", FRAME, times=1), StreamInterruptedError),
    "cut before the headers of the answer": (StreamFault("cut", 1, times=1), StreamInterruptedError),
    "no_end": (StreamFault("no_end", FRAME, times=1), StreamInterruptedError),
    "half_header": (StreamFault("half_header", FRAME, times=1), StreamInterruptedError),
    "half_header, reset": (StreamFault("half_header", FRAME, times=1, abort=True), StreamInterruptedError),
    "half_frame": (StreamFault("half_frame", FRAME, times=1), StreamInterruptedError),
    "half_frame, reset": (StreamFault("half_frame", FRAME, times=1, abort=True), StreamInterruptedError),
    "error_end": (StreamFault("error_end", FRAME, times=1), NetworkError),
    "bad_end": (StreamFault("bad_end", FRAME, times=1), ProtocolError),
    "compressed": (StreamFault("compressed", FRAME, times=1), ProtocolError),
    "garbage": (StreamFault("garbage", FRAME, times=1), ProtocolError),
    "length": (StreamFault("length", FRAME, times=1), ProtocolError),
    "silence": (StreamFault("silence", FRAME, times=1), APITimeoutError),
}


@pytest.fixture(params=["proto", "json"])
async def codec_client(
    shared_bridge: ScriptedBridge, control: ScriptedControl, request: pytest.FixtureRequest
) -> AsyncIterator[AsyncClient]:
    control.set_script(SCRIPT)
    # Only silence needs a limit; where others work, half a second may pass between two frames.
    silent = request.node.callspec.params.get("name") == "silence"
    async with AsyncClient.connect(
        shared_bridge.url,
        shared_bridge.token,
        api_key=KEY,
        codec=request.param,
        stream_timeout=1.5 if silent else None,
    ) as client:
        yield client


async def read(run: AsyncRun, got: list[str]) -> None:
    async for piece in run.iter_text():
        got.append(piece)


async def still_works(client: AsyncClient) -> None:
    run = await (await local_agent(client)).send("again")
    got: list[str] = []
    await read(run, got)
    assert "".join(got) == TEXT
    assert (await run.wait()).status == "finished"
    assert await client.ping() == "pong"


MENDED = [name for name, (_, kind) in BREAKS.items() if issubclass(kind, NetworkError) and name != "silence"]


@pytest.mark.promise("RUN-04", "RUN-20")
@pytest.mark.parametrize("name", [name for name in MENDED if "before" not in name])
async def test_readers_notice_nothing_of_a_connection_that_broke(
    codec_client: AsyncClient, control: ScriptedControl, name: str
) -> None:
    fault, _ = BREAKS[name]
    control.set_faults(Faults(streams=[fault]))
    with anyio.fail_after(30):
        run = await (await local_agent(codec_client)).send("go")
        got: list[str] = []
        await read(run, got)
        assert got == WORDS
        assert (run.status, run.result) == ("finished", TEXT)
        assert [len(control.requests(rpc)) for rpc in ("Send", "GetRun", "ObserveRun")] == [1, 1, 1]
        await still_works(codec_client)


@pytest.mark.promise("RUN-04")
@pytest.mark.parametrize("name", [name for name in BREAKS if name not in MENDED])
async def test_readers_get_our_error_with_position_and_wait_gets_the_result(
    codec_client: AsyncClient, control: ScriptedControl, name: str
) -> None:
    fault, kind = BREAKS[name]
    control.set_faults(Faults(streams=[fault]))
    with anyio.fail_after(30):
        run = await (await local_agent(codec_client)).send("go")
        got: list[str] = []
        for attempt in range(2):
            with pytest.raises(kind) as caught:
                await read(run, got)
            assert (caught.value.run_id, caught.value.offset) == (run.id, str(FRAME - 1)), attempt
            assert caught.value.rpc == "SdkAgentService/Send"
        assert got == WORDS[: len(got)]
        assert got
        result = await run.wait()
        assert (result.status, result.result) == ("finished", TEXT)
        assert await run.text() == TEXT
        assert not [event async for event in run.observe() if event.kind == "gap"]
        await still_works(codec_client)
        while control.state()["open_streams"]:
            await anyio.sleep(0.01)


@pytest.mark.parametrize("name", BREAKS)
async def test_wait_alone_gets_the_result_of_a_run_whose_stream_broke(
    codec_client: AsyncClient, control: ScriptedControl, name: str
) -> None:
    fault, _ = BREAKS[name]
    control.set_faults(Faults(streams=[fault]))
    with anyio.fail_after(30):
        agent = await cloud_agent(codec_client)
        if "before" in name:
            with pytest.raises(NetworkError, match="outcome is unknown"):
                await agent.send("go")
            assert len(control.requests("Send")) == 1
        else:
            run = await agent.send("go")
            assert (await run.wait()).result == TEXT
            assert (await run.wait()).result == TEXT
            assert len(control.requests("Send")) == 1
        await still_works(codec_client)


async def test_an_answer_that_is_no_stream_is_refused_and_sent_once(
    codec_client: AsyncClient, control: ScriptedControl
) -> None:
    control.set_faults(Faults(streams=[StreamFault("content_type", times=1)]))
    agent = await local_agent(codec_client)
    with pytest.raises(ProtocolError, match="content type") as caught:
        await agent.send("go")
    assert caught.value.rpc == "SdkAgentService/Send"
    assert len(control.requests("Send")) == 1
    control.set_faults(Faults())
    await still_works(codec_client)


@pytest.mark.parametrize("kind", ["bytes", "coalesce", "after_end"])
async def test_pieces_of_any_size_make_the_same_text(
    codec_client: AsyncClient, control: ScriptedControl, kind: Any
) -> None:
    control.set_faults(Faults(streams=[StreamFault(kind, times=1)]))
    run = await (await local_agent(codec_client)).send("go")
    got: list[str] = []
    try:
        await read(run, got)
    except ProtocolError:
        assert kind == "after_end"
    assert "".join(got) == TEXT
    assert (await run.wait()).result == TEXT
    await still_works(codec_client)


async def test_a_run_whose_stream_ends_without_a_result_still_has_one(
    codec_client: AsyncClient, control: ScriptedControl
) -> None:
    control.set_faults(Faults(streams=[StreamFault("lose_result", times=1)]))
    run = await (await local_agent(codec_client)).send("go")
    got: list[str] = []
    await read(run, got)
    assert "".join(got) == TEXT
    assert (await run.wait()).result == TEXT


async def test_a_result_with_a_status_of_a_newer_contract_ends_the_run(
    codec_client: AsyncClient, control: ScriptedControl
) -> None:
    control.set_faults(Faults(streams=[StreamFault("unknown_status", times=1)]))
    run = await (await local_agent(codec_client)).send("go")
    with anyio.fail_after(30):
        result = await run.wait()
    assert result.result == TEXT
    assert run.status == result.status
    await still_works(codec_client)


async def test_a_frame_that_comes_twice_is_shown_twice_and_breaks_nothing(
    codec_client: AsyncClient, control: ScriptedControl
) -> None:
    control.set_faults(Faults(streams=[StreamFault("repeat", 3, times=1)]))
    run = await (await local_agent(codec_client)).send("go")
    got: list[str] = []
    await read(run, got)
    assert set(got) == set(WORDS)
    assert (await run.wait()).result == TEXT


@pytest.mark.parametrize("codec", ["proto", "json"])
async def test_a_bridge_that_crashes_at_a_frame_ends_reader_and_waiter_with_its_signal(
    launch: Callable[..., Opening[AsyncClient]], codec: str
) -> None:
    faults = Faults(streams=[StreamFault("crash", FRAME)])
    async with launch(SCRIPT, faults, codec=codec) as client:
        run = await (await local_agent(client)).send("go")
        got: list[str] = []
        with anyio.fail_after(30):
            with pytest.raises(BridgeExitedError) as caught:
                await read(run, got)
            assert caught.value.signal == 9
            assert caught.value.run_ids == (run.id,)
            assert got == WORDS[: len(got)]
            with pytest.raises(BridgeExitedError):
                await run.wait()


async def test_text_that_arrived_before_the_break_is_kept_when_the_result_cannot_be_had(
    codec_client: AsyncClient, control: ScriptedControl
) -> None:
    codec_client._core.observing.pauses = (0.0, 0.0)
    control.set_script(Script([Turn([*map(Text, WORDS), Hold()])]))
    control.set_faults(
        Faults(
            streams=[StreamFault("error_end", FRAME, code="resource_exhausted")],
            calls=[CallFault("WaitLiveRun", "error", code="internal")],
        )
    )
    run = await (await local_agent(codec_client)).send("go")
    got: list[str] = []
    with pytest.raises(CursorSDKError):
        await read(run, got)
    with pytest.raises(CursorSDKError):
        await run.wait()
    assert run._feed.text == "".join(got) != ""
    await run.cancel()


async def test_an_observation_that_breaks_the_contract_is_an_error_and_can_be_begun_again(
    codec_client: AsyncClient, control: ScriptedControl
) -> None:
    run = await (await local_agent(codec_client)).send("go")
    await run.wait()
    control.set_faults(Faults(streams=[StreamFault("garbage", 3, rpc="ObserveRun", times=1)]))
    observation = run.observe()
    with pytest.raises(ProtocolError) as caught:
        async for _ in observation:
            pass
    assert caught.value.run_id == run.id
    assert [event async for event in run.observe()][-1].kind == "done"
