"""Calls with one answer."""

from __future__ import annotations

import gzip
import json
from typing import Any

import anyio
import pytest

from cursor_sdk_async._gen.sdk import v1
from cursor_sdk_async.errors import (
    APITimeoutError,
    AuthenticationError,
    BridgeExitedError,
    ClosedError,
    CursorSDKError,
    InternalServerError,
    NetworkError,
    ProtocolError,
)
from tests.connect.opening import TOKEN, Wiring, ping
from tests.connect.server import PING, SHUTDOWN, Reply, serving

pytestmark = pytest.mark.anyio


async def pong(reply: Reply) -> None:
    await reply.message({"message": "pong"})


async def silence(reply: Reply) -> None:
    await reply.until_closed()


@pytest.mark.promise("CHN-01")
async def test_a_call_is_answered(wiring: Wiring) -> None:
    async with wiring.served(pong) as (channel, server):
        assert [await ping(channel) for _ in range(3)] == ["pong"] * 3
        request = server.requests[0]
        assert request.path == f"/sdk.v1.{PING}"
        assert request.headers["authorization"] == f"Bearer {TOKEN}"
        assert request.headers["connect-protocol-version"] == "1"
        assert request.headers["content-type"] == f"application/{wiring.codec}"
        assert server.connections == 1


@pytest.mark.promise("CHN-01")
async def test_the_path_of_the_base_url_is_kept(wiring: Wiring) -> None:
    async with serving(pong) as server, wiring.channel(server.url + "/bridge/") as channel:
        assert await ping(channel) == "pong"
        assert server.requests[0].path == f"/bridge/sdk.v1.{PING}"


@pytest.mark.promise("CHN-20")
async def test_no_compression_is_asked_for(wiring: Wiring) -> None:
    async with wiring.served(pong) as (channel, server):
        await ping(channel)
        assert server.requests[0].headers.get("accept-encoding", "identity") == "identity"


@pytest.mark.promise("CHN-20")
async def test_a_compressed_answer_is_refused_or_undone_but_never_misread(wiring: Wiring) -> None:
    async def squeezed(reply: Reply) -> None:
        name = "gzip" if reply.request.rpc == PING else "zstd"
        body = gzip.compress(reply.payload({"message": "pong"})) if name == "gzip" else b"("
        await reply.answer(body, headers=f"Content-Encoding: {name}\r\n")

    async with wiring.served(squeezed) as (channel, _):
        if wiring.lane == "loopback":
            with pytest.raises(ProtocolError, match="content encoding 'gzip'"):
                await ping(channel)
        else:
            assert await ping(channel) == "pong"
        with pytest.raises(ProtocolError, match="content encoding 'zstd'"):
            await channel.unary("SdkBridgeControlService/GetVersion", v1.GetVersionRequest())


@pytest.mark.promise("CHN-11")
async def test_a_reported_failure_becomes_an_error_with_its_facts(wiring: Wiring) -> None:
    async def refuse(reply: Reply) -> None:
        body = {"code": "unauthenticated", "message": "Unauthorized"}
        await reply.answer(json.dumps(body).encode(), 401, "application/json", "X-Request-Id: q1\r\n")

    async with wiring.served(refuse) as (channel, _):
        with pytest.raises(AuthenticationError, match="Unauthorized") as caught:
            await ping(channel)
    error = caught.value
    assert (error.code, error.status, error.rpc, error.request_id) == ("unauthenticated", 401, PING, "q1")


@pytest.mark.promise("CHN-11", "CHN-15")
@pytest.mark.parametrize(
    ("status", "body", "kind", "retryable"),
    [
        (502, b"<html><h1>Bad Gateway</h1></html>", NetworkError, True),
        (500, b"", InternalServerError, False),
        (415, b"", CursorSDKError, False),
        (404, b"", CursorSDKError, False),
        (408, b"\xff\xfe", CursorSDKError, True),
        (200, b"<html>login</html>", ProtocolError, False),
    ],
)
async def test_answers_of_something_else_become_errors(
    wiring: Wiring, status: int, body: bytes, kind: type[CursorSDKError], retryable: bool
) -> None:
    async def other(reply: Reply) -> None:
        await reply.answer(body, status, "text/html")

    async with wiring.served(other) as (channel, _):
        with pytest.raises(kind) as caught:
            await ping(channel)
        assert type(caught.value) is kind
        assert caught.value.is_retryable is retryable
        assert caught.value.status == status
        assert caught.value.rpc == PING


@pytest.mark.promise("CHN-15")
@pytest.mark.parametrize(
    "raw",
    [
        b"SSH-2.0-OpenSSH_9.6\r\n",
        b"HTTP/1.1 2000 OK\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"HTTP/1.1 101 Switching\r\nUpgrade: h2c\r\nConnection: upgrade\r\n\r\n",
        b"\x00" * 100,
    ],
)
async def test_what_is_not_http_becomes_an_error_of_ours(wiring: Wiring, raw: bytes) -> None:
    async def garbage(reply: Reply) -> None:
        await reply.raw(raw)
        await reply.cut()

    async with wiring.served(garbage) as (channel, _):
        with pytest.raises(CursorSDKError):
            await channel.unary(SHUTDOWN, v1.ShutdownRequest())


@pytest.mark.promise("CHN-15", "CHN-16")
@pytest.mark.parametrize("body", [b"\x0a\x05pon", b"[1]", b'{"message": 5}', b"\xff", b"[" * 100_000])
async def test_an_answer_that_cannot_be_read_becomes_an_error(wiring: Wiring, body: bytes) -> None:
    async def broken(reply: Reply) -> None:
        await reply.answer(body)

    async with wiring.served(broken) as (channel, _):
        with pytest.raises(ProtocolError, match="cannot be read") as caught:
            await ping(channel)
        assert caught.value.rpc == PING


@pytest.mark.promise("CHN-04")
@pytest.mark.parametrize("announced", [True, False])
async def test_an_answer_over_the_limit_is_refused(wiring: Wiring, announced: bool) -> None:
    async def long(reply: Reply) -> None:
        if announced:
            await reply.raw(
                b"HTTP/1.1 200 X\r\nContent-Type: application/proto\r\nContent-Length: 99999\r\n\r\n"
            )
        else:
            await reply.head(f"application/{reply.request.codec}")
        for _ in range(100):
            await (reply.raw if announced else reply.chunk)(b" " * 1000)
        await reply.until_closed()

    async with wiring.served(long, max_message_bytes=1000) as (channel, server):
        with pytest.raises(ProtocolError, match="1000 bytes"):
            await ping(channel)
        server.handler = pong
        assert await ping(channel) == "pong"


@pytest.mark.promise("CHN-09")
async def test_a_lost_answer_of_a_call_with_effects_is_an_unknown_outcome(wiring: Wiring) -> None:
    async def lose(reply: Reply) -> None:
        await reply.cut()

    async with wiring.served(lose) as (channel, server):
        with pytest.raises(NetworkError, match="outcome is unknown") as caught:
            await channel.unary(SHUTDOWN, v1.ShutdownRequest())
        assert not caught.value.is_safe_to_retry
        assert len(server.requests) == 1


@pytest.mark.promise("CHN-09")
async def test_a_bridge_that_is_not_there_is_safe_to_call_again(wiring: Wiring) -> None:
    async with serving(pong) as server:
        url = server.url
    async with wiring.channel(url) as channel:
        with pytest.raises(NetworkError, match="Nothing was sent") as caught:
            await channel.unary(SHUTDOWN, v1.ShutdownRequest())
        assert caught.value.is_safe_to_retry
        assert caught.value.is_retryable
        with pytest.raises(NetworkError, match="Nothing was sent"):
            await channel.stream("SdkAgentService/Send", v1.SendRequest())


@pytest.mark.promise("CHN-10")
async def test_a_call_that_takes_too_long_names_its_limit(wiring: Wiring) -> None:
    async with wiring.served(silence, unary_timeout=0.2) as (channel, server):
        with pytest.raises(APITimeoutError, match=r"within 0\.2 s.*unary_timeout") as caught:
            await ping(channel)
        assert (caught.value.is_safe_to_retry, caught.value.rpc) == (True, PING)
        with pytest.raises(APITimeoutError, match=r"within 0\.05 s.*taken effect") as caught:
            await channel.unary(SHUTDOWN, v1.ShutdownRequest(), timeout=0.05)
        assert not caught.value.is_safe_to_retry
        server.handler = pong
        assert await ping(channel) == "pong"


@pytest.mark.promise("CHN-10")
async def test_calls_that_wait_for_a_run_have_no_limit(wiring: Wiring) -> None:
    release = anyio.Event()

    async def late(reply: Reply) -> None:
        if reply.request.rpc == PING:
            return await reply.until_closed()
        await release.wait()
        return await reply.message({})

    answers: list[Any] = []
    async with wiring.served(late, unary_timeout=0.1) as (channel, _), anyio.create_task_group() as group:

        async def wait() -> None:
            answers.append(
                await channel.unary("SdkAgentService/WaitLiveRun", v1.WaitLiveRunRequest(run_id="r"))
            )

        group.start_soon(wait)
        with pytest.raises(APITimeoutError):
            await ping(channel)
        with pytest.raises(APITimeoutError):
            await ping(channel.with_options(unary_timeout=0.05))
        release.set()
    assert answers == [v1.WaitLiveRunResponse()]


@pytest.mark.promise("CHN-05")
async def test_a_cancelled_call_hangs_up_and_the_next_one_works(wiring: Wiring) -> None:
    started = anyio.Event()
    hung_up = anyio.Event()

    async def hold(reply: Reply) -> None:
        started.set()
        await reply.until_closed()
        hung_up.set()

    async with wiring.served(hold) as (channel, server):
        async with anyio.create_task_group() as group:
            group.start_soon(ping, channel)
            await started.wait()
            group.cancel_scope.cancel()
        if wiring.lane != "httpx-blocking":  # its thread cannot be interrupted while it waits for an answer
            await hung_up.wait()
        server.handler = pong
        assert await ping(channel) == "pong"
        hung_up.set()


@pytest.mark.promise("CHN-13")
async def test_when_the_bridge_dies_pending_calls_fail_at_once_each_with_its_own_error(
    wiring: Wiring,
) -> None:
    caught: list[CursorSDKError] = []

    async def call(channel: Any) -> None:
        with pytest.raises(BridgeExitedError) as error:
            await ping(channel)
        caught.append(error.value)

    async with wiring.served(silence) as (channel, server):
        async with anyio.create_task_group() as group:
            for _ in range(3):
                group.start_soon(call, channel)
            while len(server.requests) < 3:
                await anyio.sleep(0.01)
            channel.fail(lambda: BridgeExitedError("The bridge ended.", exit_code=3))
        assert len({id(error) for error in caught}) == 3
        with pytest.raises(BridgeExitedError) as later:
            await ping(channel)
        assert later.value.is_safe_to_retry
        assert len(server.requests) == 3


@pytest.mark.promise("CHN-13")
@pytest.mark.parametrize("knows", [True, False])
async def test_a_lost_connection_is_explained_by_the_end_of_the_bridge(wiring: Wiring, knows: bool) -> None:
    async def explain() -> CursorSDKError | None:
        return BridgeExitedError("It ended.", signal=9) if knows else None

    async def lose(reply: Reply) -> None:
        await reply.cut()

    async with wiring.served(lose, explain_loss=explain) as (channel, _):
        with pytest.raises(NetworkError) as caught:
            await channel.unary(SHUTDOWN, v1.ShutdownRequest())
        assert isinstance(caught.value, BridgeExitedError) is knows
        assert (caught.value.rpc, caught.value.is_safe_to_retry) == (SHUTDOWN, False)


@pytest.mark.promise("CHN-21")
async def test_a_closed_channel_refuses_calls_and_ends_those_that_wait(wiring: Wiring) -> None:
    async with wiring.served(silence) as (channel, server):
        async with anyio.create_task_group() as group:

            async def call() -> None:
                with pytest.raises(ClosedError):
                    await channel.unary(SHUTDOWN, v1.ShutdownRequest())

            group.start_soon(call)
            while not server.requests:
                await anyio.sleep(0.01)
            await channel.aclose()
            await channel.aclose()
        with pytest.raises(ClosedError) as caught:
            await ping(channel)
        assert caught.value.is_safe_to_retry
        with pytest.raises(ClosedError):
            await channel.stream("SdkAgentService/Send", v1.SendRequest())


@pytest.mark.promise("CHN-18")
async def test_fields_of_a_newer_contract_are_merged_into_the_request(wiring: Wiring) -> None:
    async def created(reply: Reply) -> None:
        await reply.message({"agentId": "x"})

    async with wiring.served(created) as (channel, server):
        request = v1.CreateAgentRequest(options=v1.AgentOptions(name="n"))
        extra = {"options": {"colour": "red"}, "later": [1]}
        answer = await channel.unary("SdkAgentService/CreateAgent", request, extra=extra)
        assert answer.agent_id == "x"
        assert server.requests[0].codec == "json"
        assert server.requests[0].message == {"options": {"name": "n", "colour": "red"}, "later": [1]}
