"""Streams that break: each way raises an error of ours, and none looks like an end."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import anyio
import pytest

from cursor_sdk_async._connect._envelope import encode_envelope
from cursor_sdk_async.errors import (
    BridgeExitedError,
    CursorSDKError,
    NetworkError,
    ProtocolError,
    StreamInterruptedError,
)
from tests.connect.opening import Wiring, drain, send, status
from tests.connect.server import SEND, Reply

pytestmark = [pytest.mark.anyio, pytest.mark.promise("CHN-03"), pytest.mark.promise("CHN-15")]

FIRST = status("RUNNING", 1)


async def opened(reply: Reply) -> None:
    await reply.head()
    await reply.frame(FIRST)


async def empty_body(reply: Reply) -> None:
    await reply.head()
    await reply.end()


async def no_end_record(reply: Reply) -> None:
    await opened(reply)
    await reply.end()


async def no_end_of_body(reply: Reply) -> None:
    await opened(reply)
    await reply.cut()


async def half_a_prefix(reply: Reply) -> None:
    await opened(reply)
    await reply.chunk(b"\x00\x00\x00")
    await reply.end()


async def half_a_payload(reply: Reply) -> None:
    await opened(reply)
    await reply.chunk(encode_envelope(reply.payload(FIRST))[:-3])
    await reply.cut()


async def half_a_chunk(reply: Reply) -> None:
    await opened(reply)
    await reply.raw(b"ff\r\n\x00\x00")
    await reply.cut()


async def after_the_end(reply: Reply) -> None:
    await opened(reply)
    await reply.end_record()
    await reply.frame(FIRST)
    await reply.end()


async def half_after_the_end(reply: Reply) -> None:
    await opened(reply)
    await reply.end_record()
    await reply.chunk(b"\x00\x00")
    await reply.end()


async def compressed(reply: Reply) -> None:
    await opened(reply)
    await reply.frame(FIRST, flags=1)
    await reply.end_record()
    await reply.end()


async def unknown_flag(reply: Reply) -> None:
    await opened(reply)
    await reply.frame(FIRST, flags=0x80)
    await reply.end()


async def bad_record(reply: Reply) -> None:
    await opened(reply)
    await reply.chunk(encode_envelope(b"null", 2))
    await reply.end()


async def bad_frame(reply: Reply) -> None:
    await opened(reply)
    await reply.chunk(encode_envelope(b"\xff\xff\xff\xff"))
    await reply.end_record()
    await reply.end()


async def bad_chunk(reply: Reply) -> None:
    await opened(reply)
    await reply.raw(b"xyz\r\n")
    await reply.cut()


CUTS: list[tuple[Callable[[Reply], Awaitable[None]], type[CursorSDKError]]] = [
    (no_end_record, StreamInterruptedError),
    (no_end_of_body, StreamInterruptedError),
    (half_a_prefix, StreamInterruptedError),
    (half_a_payload, StreamInterruptedError),
    (half_a_chunk, StreamInterruptedError),
    (after_the_end, ProtocolError),
    (half_after_the_end, ProtocolError),
    (compressed, ProtocolError),
    (unknown_flag, ProtocolError),
    (bad_record, ProtocolError),
    (bad_frame, ProtocolError),
    (bad_chunk, CursorSDKError),
]


@pytest.mark.parametrize(("handler", "kind"), CUTS, ids=[cut[0].__name__ for cut in CUTS])
async def test_a_broken_stream_raises_after_the_frames_before_the_break(
    wiring: Wiring, handler: Callable[[Reply], Awaitable[None]], kind: type[CursorSDKError]
) -> None:
    async with wiring.served(handler) as (channel, _):
        stream = await send(channel)
        assert [frame.offset for frame in await stream.receive()] == ["1"]
        for _ in range(2):
            with pytest.raises(kind) as caught:
                await stream.receive()
            assert (caught.value.rpc, caught.value.offset) == (SEND, "1")
            if isinstance(caught.value, StreamInterruptedError):
                assert "offset 1" in caught.value.message
        assert channel.open_streams == 0


async def test_an_empty_body_is_a_broken_stream(wiring: Wiring) -> None:
    async with wiring.served(empty_body) as (channel, _):
        stream = await send(channel)
        with pytest.raises(StreamInterruptedError, match="before any offset") as caught:
            await stream.receive()
        assert caught.value.offset is None


async def test_an_end_record_without_the_end_of_the_body_is_an_end(wiring: Wiring) -> None:
    async def cut(reply: Reply) -> None:
        await opened(reply)
        await reply.end_record()
        await reply.cut()

    async with wiring.served(cut) as (channel, _):
        assert len(await drain(await send(channel))) == 1


async def test_a_body_that_stays_open_after_the_end_record_is_an_end(wiring: Wiring) -> None:
    async def linger(reply: Reply) -> None:
        await opened(reply)
        await reply.end_record()
        await reply.until_closed()

    async with wiring.served(linger) as (channel, server):
        assert len(await drain(await send(channel))) == 1
        while server.open:
            await anyio.sleep(0.01)


@pytest.mark.parametrize("kind", ["text/html", "application/json", "application/connect+xml", ""])
async def test_a_stream_of_another_content_type_is_refused(wiring: Wiring, kind: str) -> None:
    async def other(reply: Reply) -> None:
        await reply.head(kind or " ")
        await reply.until_closed()

    async with wiring.served(other) as (channel, server):
        with pytest.raises(ProtocolError, match="content type"):
            await send(channel)
        assert channel.open_streams == 0
        while server.open:
            await anyio.sleep(0.01)


@pytest.mark.parametrize("status", [404, 415, 502])
async def test_a_stream_that_is_answered_by_a_status_raises_it(wiring: Wiring, status: int) -> None:
    async def refuse(reply: Reply) -> None:
        await reply.answer(b"<html>no</html>" if status == 502 else b"", status, "text/html")

    async with wiring.served(refuse) as (channel, _):
        with pytest.raises(CursorSDKError, match=str(status)) as caught:
            await send(channel)
        assert (caught.value.status, isinstance(caught.value, NetworkError)) == (status, status == 502)


@pytest.mark.promise("CHN-04")
async def test_a_message_that_announces_4_gib_is_refused_unread(wiring: Wiring) -> None:
    async def boast(reply: Reply) -> None:
        await opened(reply)
        await reply.chunk(b"\x00\xff\xff\xff\xff" + b"x" * 1000)
        await reply.until_closed()

    async with wiring.served(boast) as (channel, server):
        stream = await send(channel)
        await stream.receive()
        with pytest.raises(ProtocolError, match="4294967295 bytes"):
            await stream.receive()
        server.handler = no_end_of_body
        with pytest.raises(StreamInterruptedError):  # the channel is still usable
            await drain(await send(channel))


@pytest.mark.promise("CHN-13")
async def test_a_break_is_explained_by_the_end_of_the_bridge_even_if_that_takes_a_moment(
    wiring: Wiring,
) -> None:
    asked = 0

    async def explain() -> CursorSDKError | None:
        nonlocal asked
        asked += 1
        await anyio.sleep(0.05)
        return BridgeExitedError("The bridge ended.", signal=9)

    async with wiring.served(no_end_of_body, explain_loss=explain) as (channel, _):
        stream = await send(channel)
        await stream.receive()
        while not asked:  # cut off while the reason is looked for: the next step asks again
            with anyio.move_on_after(0.01):
                await stream.receive()
        for _ in range(2):
            with pytest.raises(BridgeExitedError) as caught:
                await stream.receive()
            assert caught.value.signal == 9
