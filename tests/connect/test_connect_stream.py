"""Streams that go as they should."""

from __future__ import annotations

import asyncio
from base64 import b64encode
from typing import Any

import anyio
import pytest

from cursor_sdk_async._connect._envelope import encode_envelope
from cursor_sdk_async._connect._frames import RunFrame
from cursor_sdk_async._gen.sdk import v1
from cursor_sdk_async.errors import (
    APITimeoutError,
    AuthenticationError,
    BridgeExitedError,
    ClosedError,
    ConfigurationError,
    LocalAgentBusyError,
)
from tests.connect.opening import TOKEN, Wiring, drain, send, status
from tests.connect.server import DOWNLOAD, SEND, Reply

pytestmark = pytest.mark.anyio

FRAMES: list[dict[str, Any]] = [
    status("RUNNING", 1),
    {"interactionUpdate": {"type": "text-delta", "update": {"type": "text-delta", "text": "hé", "n": 3}}},
    {},
    {"step": {"type": "toolCall", "step": {"args": {"x": [1, 2.5, True, None, {}]}}}, "offset": "2"},
    {"result": {"runId": "r", "status": "RUN_LIFECYCLE_STATUS_FINISHED", "result": {"durationMs": "115"}}},
    {"done": {"agentId": "a", "runId": "r"}, "offset": "3"},
]
EXPECTED = [
    RunFrame("sdk_message", FRAMES[0]["sdkMessage"], "1"),
    RunFrame("interaction_update", FRAMES[1]["interactionUpdate"], None),
    RunFrame("keepalive", {}, None),
    RunFrame("step", FRAMES[3]["step"], "2"),
    RunFrame("result", FRAMES[4]["result"], None),
    RunFrame("done", FRAMES[5]["done"], "3"),
]


async def run(reply: Reply) -> None:
    await reply.head()
    for frame in FRAMES:
        await reply.frame(frame)
    await reply.end_record()
    await reply.end()


async def silent(reply: Reply) -> None:
    await reply.head()
    await reply.frame(status("RUNNING", 1))
    await reply.until_closed()


@pytest.mark.promise("CHN-01", "CHN-16")
async def test_a_run_stream_gives_its_frames_and_ends(wiring: Wiring) -> None:
    async with wiring.served(run) as (channel, server):
        stream = await send(channel)
        assert channel.open_streams == 1
        assert await drain(stream) == EXPECTED
        with pytest.raises(anyio.EndOfStream):
            await stream.receive()
        assert channel.open_streams == 0
        assert stream.offset == "3"
        request = server.requests[0]
        assert (request.rpc, request.message) == (SEND, {"agentId": "a"})
        assert request.headers["content-type"] == f"application/connect+{wiring.codec}"
        assert request.headers["authorization"] == f"Bearer {TOKEN}"
        assert "connect-accept-encoding" not in request.headers


@pytest.mark.promise("CHN-02")
async def test_frames_that_arrive_byte_by_byte_are_the_same(wiring: Wiring) -> None:
    async def trickle(reply: Reply) -> None:
        await reply.head()
        data = b"".join(encode_envelope(reply.payload(frame)) for frame in FRAMES) + encode_envelope(b"{}", 2)
        for byte in data:
            await reply.chunk(bytes((byte,)))
        await reply.end()

    async with wiring.served(trickle) as (channel, _):
        assert await drain(await send(channel)) == EXPECTED


@pytest.mark.promise("CHN-02")
async def test_frames_that_arrive_at_once_are_handed_out_at_once(wiring: Wiring) -> None:
    async def burst(reply: Reply) -> None:
        data = b"".join(encode_envelope(reply.payload(frame)) for frame in FRAMES) + encode_envelope(b"{}", 2)
        await reply.head()
        await reply.raw(b"%x\r\n" % len(data) + data + b"\r\n0\r\n\r\n")

    async with wiring.served(burst) as (channel, _):
        stream = await send(channel)
        assert await stream.receive() == EXPECTED
        with pytest.raises(anyio.EndOfStream):
            await stream.receive()


@pytest.mark.promise("CHN-01")
async def test_a_download_gives_its_chunks(wiring: Wiring) -> None:
    chunks = [bytes(range(256)) * 40, b"", b"\xff\xfe\xfd"]

    async def download(reply: Reply) -> None:
        await reply.head()
        for chunk in chunks:
            await reply.frame({"data": b64encode(chunk).decode()} if chunk else {})
        await reply.end_record()
        await reply.end()

    async with wiring.served(download) as (channel, _):
        stream = await channel.stream(DOWNLOAD, v1.DownloadArtifactRequest(agent_id="a", path="p"))
        assert await drain(stream) == chunks


@pytest.mark.promise("CHN-04")
async def test_a_message_of_64_mib_passes(wiring: Wiring) -> None:
    text = "x" * (64 * 1024 * 1024)

    async def huge(reply: Reply) -> None:
        await reply.head()
        await reply.frame({"sdkMessage": {"type": "t", "message": {"text": text}}})
        await reply.end_record()
        await reply.end()

    async with wiring.served(huge) as (channel, _):
        (frame,) = await drain(await send(channel))
        assert frame.payload["message"]["text"] == text


@pytest.mark.promise("CHN-04")
@pytest.mark.slow
async def test_it_is_the_size_of_a_message_that_is_limited_and_not_their_sum(codec: str) -> None:
    frames, text = 8000, "x" * (64 * 1024)

    async def many(reply: Reply) -> None:
        await reply.head()
        frame = encode_envelope(reply.payload({"sdkMessage": {"type": "t", "message": {"text": text}}}))
        for _ in range(frames):
            await reply.chunk(frame)
        await reply.end_record()
        await reply.end()

    async with Wiring("loopback", codec).served(many) as (channel, _):
        stream, count = await send(channel), 0
        with pytest.raises(anyio.EndOfStream):
            while True:
                batch = await stream.receive()
                assert all(len(frame.payload["message"]["text"]) == len(text) for frame in batch)
                count += len(batch)
        assert count == frames


@pytest.mark.promise("CHN-11")
@pytest.mark.parametrize("frames", [0, 1])
async def test_a_refusal_after_a_frame_is_not_safe_to_repeat(wiring: Wiring, frames: int) -> None:
    async def refuse(reply: Reply) -> None:
        await reply.head()
        end = encode_envelope(b'{"error": {"code": "unauthenticated", "message": "no"}}', 2)
        await reply.chunk(encode_envelope(reply.payload(status("RUNNING", 1))) * frames + end)
        await reply.end()

    async with wiring.served(refuse) as (channel, _):
        stream = await send(channel)
        for _ in range(frames):
            await stream.receive()
        with pytest.raises(AuthenticationError) as caught:
            await stream.receive()
        assert caught.value.is_safe_to_retry == (frames == 0)


@pytest.mark.promise("CHN-11")
async def test_an_error_of_the_end_record_is_raised_after_the_frames_before_it(wiring: Wiring) -> None:
    async def refuse(reply: Reply) -> None:
        await reply.head()
        await reply.frame(status("RUNNING", 1))
        await reply.end_record(
            {"error": {"code": "unauthenticated", "message": "no"}, "metadata": {"X-Request-Id": ["q"]}}
        )
        await reply.end()

    async with wiring.served(refuse) as (channel, _):
        stream = await send(channel)
        assert [frame.offset for frame in await stream.receive()] == ["1"]
        for _ in range(2):
            with pytest.raises(AuthenticationError, match="no") as caught:
                await stream.receive()
            assert (caught.value.rpc, caught.value.status, caught.value.request_id) == (SEND, 200, "q")
        assert channel.open_streams == 0


@pytest.mark.promise("CHN-12")
async def test_a_second_send_to_a_busy_local_agent_is_recognised(wiring: Wiring) -> None:
    async def busy(reply: Reply) -> None:
        await reply.head()
        await reply.end_record(
            {"error": {"code": "internal", "message": "Agent agent-1 already has active run"}}
        )
        await reply.end()

    async with wiring.served(busy) as (channel, _):
        with pytest.raises(LocalAgentBusyError, match="active run") as caught:
            await (await send(channel)).receive()
        assert not caught.value.is_retryable


@pytest.mark.promise("CHN-10")
async def test_a_silent_stream_has_no_limit_unless_one_is_given(wiring: Wiring) -> None:
    async with wiring.served(silent) as (channel, _):
        patient = await send(channel)
        await patient.receive()
        with anyio.move_on_after(0.3) as scope:
            await patient.receive()
        assert scope.cancelled_caught
        impatient = await send(channel, timeout=0.1)
        await impatient.receive()
        with pytest.raises(APITimeoutError, match=r"more than 0\.1 s \(stream_timeout\)"):
            await impatient.receive()
        assert channel.open_streams == 1


@pytest.mark.promise("CHN-10")
async def test_the_limit_of_a_stream_holds_for_its_head_too(wiring: Wiring) -> None:
    async def hold(reply: Reply) -> None:
        await reply.until_closed()

    async with wiring.served(hold, stream_timeout=0.1) as (channel, _):
        with pytest.raises(APITimeoutError, match="stream_timeout"):
            await send(channel)


@pytest.mark.promise("CHN-05")
@pytest.mark.parametrize(
    ("anyio_backend", "how"), [("asyncio", "scope"), ("trio", "scope"), ("asyncio", "wait_for")]
)
async def test_cancelled_steps_lose_nothing(wiring: Wiring, how: str) -> None:
    """Each step is cut off again and again, while the bytes trickle in."""
    go_on = anyio.Event()

    async def trickle(reply: Reply) -> None:
        await reply.head()
        data = b"".join(encode_envelope(reply.payload(frame)) for frame in FRAMES) + encode_envelope(b"{}", 2)
        await go_on.wait()
        for start in range(0, len(data), 7):
            await reply.chunk(data[start : start + 7])
            await anyio.sleep(0.001)
        await reply.end()

    async with wiring.served(trickle) as (channel, _):
        stream = await send(channel)
        frames: list[Any] = []
        cancelled = 0
        while True:
            try:
                if how == "wait_for":
                    frames += await asyncio.wait_for(stream.receive(), 0.002)
                else:
                    with anyio.fail_after(0.002):
                        frames += await stream.receive()
            except anyio.EndOfStream:
                break
            except (TimeoutError, asyncio.TimeoutError):
                cancelled += 1
            go_on.set()
        assert frames == EXPECTED
        assert cancelled > 0


@pytest.mark.promise("CHN-13")
async def test_when_the_bridge_dies_pending_streams_fail_at_once_with_the_reason(wiring: Wiring) -> None:
    async with wiring.served(silent) as (channel, _), anyio.create_task_group() as group:
        reading = 0

        async def read() -> None:
            nonlocal reading
            stream = await send(channel)
            assert len(await stream.receive()) == 1
            reading += 1
            for _ in range(2):
                with pytest.raises(BridgeExitedError, match="ended") as caught:
                    await stream.receive()
                assert caught.value.exit_code == 7

        for _ in range(3):
            group.start_soon(read)
        while reading < 3:
            await anyio.sleep(0.01)
        channel.fail(lambda: BridgeExitedError("The bridge ended.", exit_code=7))


@pytest.mark.promise("CHN-13")
async def test_frames_that_arrived_before_the_bridge_died_are_still_handed_out(wiring: Wiring) -> None:
    sent = anyio.Event()

    async def last_words(reply: Reply) -> None:
        await reply.head()
        for frame in FRAMES:
            await reply.frame(frame)
        sent.set()
        await reply.cut()

    async with wiring.served(last_words) as (channel, _):
        stream = await send(channel)
        await sent.wait()
        await anyio.sleep(0.05)
        channel.fail(lambda: BridgeExitedError("The bridge ended."))
        frames: list[Any] = []
        with pytest.raises(BridgeExitedError):
            while True:
                frames += await stream.receive()
        assert frames == EXPECTED


@pytest.mark.promise("CHN-21")
async def test_closing_a_stream_hangs_up_and_ends_its_reader(wiring: Wiring) -> None:
    async with wiring.served(silent) as (channel, server):
        stream = await send(channel)
        await stream.receive()
        async with anyio.create_task_group() as group:

            async def read() -> None:
                with pytest.raises(ClosedError):
                    await stream.receive()

            group.start_soon(read)
            await anyio.wait_all_tasks_blocked()
            await stream.aclose()
            await stream.aclose()
        with pytest.raises(ClosedError):
            await stream.receive()
        assert channel.open_streams == 0
        while server.open:
            await anyio.sleep(0.01)


@pytest.mark.promise("CHN-21")
@pytest.mark.parametrize("how", ["aclose of the channel", "without waiting"])
async def test_a_stream_is_dropped_with_its_channel_or_without_waiting(wiring: Wiring, how: str) -> None:
    async with wiring.served(silent) as (channel, server):
        stream = await send(channel)
        await stream.receive()
        if how == "without waiting":
            stream.aclose_nowait()
        else:
            await channel.aclose()
        with pytest.raises(ClosedError):
            await stream.receive()
        while server.open:
            await anyio.sleep(0.01)
        await stream.aclose()


@pytest.mark.promise("CHN-05")
async def test_two_readers_of_one_stream_are_told_so(wiring: Wiring) -> None:
    async with wiring.served(silent) as (channel, _):
        stream = await send(channel)
        await stream.receive()
        async with anyio.create_task_group() as group:
            group.start_soon(stream.receive)
            await anyio.wait_all_tasks_blocked()
            with pytest.raises(ConfigurationError, match="Two tasks"):
                await stream.receive()
            group.cancel_scope.cancel()
