"""Many streams at once, and an environment that wants to interfere."""

from __future__ import annotations

import socket

import anyio
import anyio.lowlevel
import pytest

from cursor_sdk_async._connect._channel import Channel
from cursor_sdk_async._connect._httpx_lane import HttpxLane
from cursor_sdk_async._connect._lanes import open_lane
from cursor_sdk_async._connect._url import check_url
from cursor_sdk_async._gen.sdk import v1
from cursor_sdk_async._lifecycle import Owner
from tests.connect.opening import TOKEN, Wiring, drain, ping, send, status
from tests.connect.server import PING, Reply, serving

pytestmark = pytest.mark.anyio

STREAMS = 150


@pytest.mark.promise("CHN-06")
async def test_calls_are_answered_while_150_streams_are_open(wiring: Wiring) -> None:
    release = anyio.Event()

    async def handle(reply: Reply) -> None:
        if reply.request.rpc != "SdkAgentService/Send":
            await reply.message({"message": "pong"} if reply.request.rpc == PING else {})
            return
        await reply.head()
        await reply.frame(status("RUNNING", 1))
        await release.wait()
        await reply.frame(status("FINISHED", 2))
        await reply.end_record()
        await reply.end()

    async with wiring.served(handle) as (channel, _):
        ended = 0

        async def read() -> None:
            nonlocal ended
            assert len(await drain(await send(channel))) == 2
            ended += 1

        async with anyio.create_task_group() as group:
            for _ in range(STREAMS):
                group.start_soon(read)
            while channel.open_streams < STREAMS:
                await anyio.sleep(0.01)
            assert await ping(channel) == "pong"
            await channel.unary("SdkAgentService/CancelRun", v1.CancelRunRequest(run_id="r"))
            assert ended == 0
            release.set()
        assert ended == STREAMS


@pytest.mark.promise("CHN-07")
@pytest.mark.parametrize("lane_kind", ["loopback", "own httpx"], indirect=False)
@pytest.mark.parametrize("no_proxy", ["", "localhost", "10.0.0.0/8"])
async def test_proxies_of_the_environment_see_nothing(
    lane_kind: str, no_proxy: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.socket() as dead:
        dead.bind(("127.0.0.1", 0))  # nobody listens
        for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"):
            scheme = "socks5" if name.lower().startswith("all") else "http"
            monkeypatch.setenv(name, f"{scheme}://127.0.0.1:{dead.getsockname()[1]}")
        monkeypatch.setenv("NO_PROXY", no_proxy)

        async def handle(reply: Reply) -> None:
            if reply.request.rpc == PING:
                await reply.message({"message": "pong"})
            else:
                await reply.head()
                await reply.frame(status("RUNNING", 1))
                await reply.end_record()
                await reply.end()

        with anyio.fail_after(30):
            async with serving(handle) as server:
                owner = Owner("test")
                owner.start()
                if lane_kind == "loopback":
                    lane = open_lane(server.url, owner=lambda: owner)
                else:
                    lane = HttpxLane(check_url(server.url), lambda: owner)
                channel = Channel(lane, token=TOKEN)
                assert await ping(channel) == "pong"
                assert len(await drain(await send(channel))) == 1
                await channel.aclose()
                await owner.aclose()


@pytest.mark.promise("CHN-05")
@pytest.mark.parametrize("operation", ["call", "stream"])
async def test_cancelled_at_any_step_an_operation_leaves_nothing(wiring: Wiring, operation: str) -> None:
    """Cancelled at its first, second, third … step, until it is through."""

    async def handle(reply: Reply) -> None:
        if reply.request.rpc == PING:
            await reply.message({"message": "pong"})
            return
        await reply.head()
        for number in range(3):
            await reply.frame(status("RUNNING", number))
        await reply.end_record()
        await reply.end()

    async with wiring.served(handle) as (channel, server):

        async def once() -> bool:
            if operation == "call":
                return await ping(channel) == "pong"
            stream = await send(channel)
            try:
                return len(await drain(stream)) == 3
            finally:
                await stream.aclose()

        steps, through, done = 0, 0, False
        while through < 3:
            steps += 1
            with anyio.CancelScope() as scope:
                async with anyio.create_task_group() as group:

                    async def cancel_later() -> None:
                        for _ in range(steps):  # noqa: B023
                            await anyio.lowlevel.checkpoint()
                        scope.cancel()

                    group.start_soon(cancel_later)
                    done = await once()
                    group.cancel_scope.cancel()
            if not scope.cancel_called:
                assert done
                through += 1
            assert channel.open_streams == 0
        await channel.aclose()
        assert steps > 3
        if wiring.lane == "loopback":
            while server.open:
                await anyio.sleep(0.01)
