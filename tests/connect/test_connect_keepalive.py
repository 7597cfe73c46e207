"""Connections that are kept, go stale, or are closed by the bridge meanwhile."""

from __future__ import annotations

import gc

import anyio
import pytest

from cursor_sdk_async._connect import _connection
from cursor_sdk_async._connect._channel import Channel
from cursor_sdk_async._connect._lanes import open_lane
from cursor_sdk_async._gen.sdk import v1
from cursor_sdk_async._lifecycle import Owner
from cursor_sdk_async.errors import NetworkError
from tests.connect.opening import TOKEN, Wiring, drain, ping, send, status
from tests.connect.server import PING, SHUTDOWN, Reply, serving

pytestmark = pytest.mark.anyio


@pytest.fixture
def loopback(codec: str) -> Wiring:
    return Wiring("loopback", codec)


async def pong(reply: Reply) -> None:
    await reply.message({"message": "pong"} if reply.request.rpc == PING else {})


class CloseSecond:
    """Answers the first request of each connection, and hangs up on the next one."""

    def __init__(self, first_calls: int) -> None:
        self.first_calls = first_calls
        self.seen: dict[int, int] = {}

    async def __call__(self, reply: Reply) -> None:
        number = reply.request.connection
        self.seen[number] = self.seen.get(number, 0) + 1
        if self.seen[number] > 1:
            await reply.cut()
        else:
            await pong(reply)


@pytest.mark.promise("CHN-08")
async def test_a_read_on_a_connection_that_was_closed_meanwhile_is_sent_again(wiring: Wiring) -> None:
    async with wiring.served(CloseSecond(1)) as (channel, server):
        for _ in range(10):
            assert await ping(channel) == "pong"
        assert server.connections == 10


@pytest.mark.promise("CHN-08")
async def test_a_read_is_sent_again_only_once(wiring: Wiring) -> None:
    async def hang_up(reply: Reply) -> None:
        if len(reply.request.headers) and reply.request.connection == 1 and not used:
            used.append(1)
            await pong(reply)
        else:
            await reply.cut()

    used: list[int] = []
    async with wiring.served(hang_up) as (channel, server):
        assert await ping(channel) == "pong"
        with pytest.raises(NetworkError, match="may be repeated"):
            await ping(channel)
        assert len(server.requests) == 3


@pytest.mark.promise("CHN-09")
async def test_a_call_with_effects_is_never_sent_again(loopback: Wiring) -> None:
    async with loopback.served(CloseSecond(1)) as (channel, server):
        assert await ping(channel) == "pong"
        with pytest.raises(NetworkError, match="outcome is unknown"):
            await channel.unary(SHUTDOWN, v1.ShutdownRequest())
        assert [request.rpc for request in server.requests] == [PING, SHUTDOWN]


@pytest.mark.promise("CHN-09")
async def test_a_call_with_effects_gets_a_connection_that_has_not_idled(
    loopback: Wiring, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cursor_sdk_async._connect._lane.FRESH_SECONDS", 0.0)
    async with loopback.served(CloseSecond(1)) as (channel, server):
        for _ in range(3):
            assert await ping(channel) == "pong"
            await anyio.sleep(0.001)
            await channel.unary(SHUTDOWN, v1.ShutdownRequest())
        assert [request.rpc for request in server.requests].count(SHUTDOWN) == 3


@pytest.mark.promise("CHN-09")
async def test_calls_in_quick_succession_share_a_connection(loopback: Wiring) -> None:
    async with loopback.served(pong) as (channel, server):
        for _ in range(5):
            await channel.unary(SHUTDOWN, v1.ShutdownRequest())
        assert server.connections == 1


@pytest.mark.promise("CHN-08", "CHN-09")
async def test_a_connection_that_the_bridge_has_closed_is_not_used_again(loopback: Wiring) -> None:
    closed = anyio.Event()

    async def answer_and_close(reply: Reply) -> None:
        await pong(reply)
        await reply.cut()
        closed.set()

    async with loopback.served(answer_and_close) as (channel, server):
        for _ in range(5):
            await channel.unary(SHUTDOWN, v1.ShutdownRequest())
            await closed.wait()
            await anyio.sleep(0.01)
            closed = anyio.Event()
        assert (server.connections, len(server.requests)) == (5, 5)


@pytest.mark.promise("CHN-08")
async def test_an_answer_that_closes_its_connection_ends_it(wiring: Wiring) -> None:
    async def close(reply: Reply) -> None:
        await reply.answer(reply.payload({"message": "pong"}), headers="Connection: close\r\n")
        await reply.until_closed()

    async with wiring.served(close) as (channel, server):
        for _ in range(3):
            assert await ping(channel) == "pong"
        assert server.connections == 3


@pytest.mark.promise("CHN-08")
async def test_connections_that_idle_are_dropped_before_the_bridge_closes_them(
    loopback: Wiring, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert _connection.KEEP_SECONDS < 5
    monkeypatch.setattr(_connection, "KEEP_SECONDS", 0.05)
    async with loopback.served(pong) as (channel, server):
        async with anyio.create_task_group() as group:
            for _ in range(5):
                group.start_soon(ping, channel)
        while server.open:
            await anyio.sleep(0.01)
        assert await ping(channel) == "pong"


@pytest.mark.promise("CHN-08")
async def test_a_burst_leaves_no_more_than_a_few_idle_connections(
    loopback: Wiring, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_connection, "KEEP_COUNT", 3)
    async with loopback.served(pong) as (channel, server):
        async with anyio.create_task_group() as group:
            for _ in range(20):
                group.start_soon(ping, channel)
        while server.open > 3:
            await anyio.sleep(0.01)


@pytest.mark.promise("CHN-08")
async def test_a_connection_is_kept_after_a_stream_that_ended_well(loopback: Wiring) -> None:
    async def run(reply: Reply) -> None:
        if reply.request.rpc == PING:
            await pong(reply)
            return
        await reply.head()
        await reply.frame(status("RUNNING", 1))
        await reply.end_record()
        await reply.end()

    async with loopback.served(run) as (channel, server):
        assert len(await drain(await send(channel))) == 1
        assert await ping(channel) == "pong"
        assert server.connections == 1


@pytest.mark.promise("CHN-21")
def test_a_lane_goes_from_loop_to_loop_and_leaves_nothing_behind(anyio_backend: str) -> None:
    """Each loop gets connections of its own; those of a loop that ended were closed with it."""
    owners: list[Owner] = []
    channels: list[Channel] = []
    ports = [0]

    async def main() -> None:
        async with serving(pong, ports[0]) as server:
            owners[:] = [Owner("test")]
            owners[0].start()
            if not channels:
                ports[0] = server.port
                channels.append(Channel(open_lane(server.url, owner=lambda: owners[0]), token=TOKEN))
            assert await ping(channels[0]) == "pong"
            assert await ping(channels[0]) == "pong"
            assert server.connections == 1

    for _ in range(3):
        anyio.run(main, backend=anyio_backend)
    gc.collect()  # what was left unclosed warns now, and warnings are errors
