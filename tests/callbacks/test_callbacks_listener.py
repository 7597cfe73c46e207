"""The listener against callers that are wrong, slow, or gone."""

from __future__ import annotations

import gc
import logging
import socket
import warnings
from typing import Any

import anyio
import pytest

from cursor_sdk_async import ConfigurationError, CustomToolContext
from cursor_sdk_async._callbacks._endpoint import ToolEndpoint
from cursor_sdk_async._callbacks._exchange import Limits
from cursor_sdk_async._callbacks._listener import Listener
from cursor_sdk_async._callbacks._request import HEAD_LIMIT
from tests.callbacks.caller import AGENT, caller_of, endpoint_of, until

pytestmark = pytest.mark.anyio


def echo(args: Any, context: CustomToolContext) -> Any:
    return {"args": args, "id": context.tool_call_id}


WRONG = {
    "token": ({"authorization": "Bearer wrong"}, 401, "unauthenticated"),
    "no token": ({"drop": "authorization"}, 401, "unauthenticated"),
    "scheme": ({"authorization": "Basic xyz"}, 401, "unauthenticated"),
    "non-ASCII token": ({"authorization": "Bearer \xff"}, 401, "unauthenticated"),
    "host": ({"Host": "evil.example"}, 403, "permission_denied"),
    "port": ({"Host": "127.0.0.1:1"}, 403, "permission_denied"),
    "no host": ({"drop": "Host"}, 403, "permission_denied"),
    "origin": ({"Origin": "http://127.0.0.1"}, 403, "permission_denied"),
    "path": ({"path": "/"}, 404, "not_found"),
    "method": ({"method": "GET"}, 405, "unimplemented"),
    "type": ({"content-type": "text/plain"}, 415, "invalid_argument"),
    "encoding": ({"content-encoding": "gzip"}, 415, "unimplemented"),
    "version": ({"connect-protocol-version": "2"}, 400, "invalid_argument"),
}


@pytest.mark.promise("CBK-02")
@pytest.mark.parametrize("what", list(WRONG))
async def test_a_request_that_is_not_the_bridges_is_refused_and_the_connection_goes_on(what: str) -> None:
    headers, status, code = WRONG[what]
    ran: list[object] = []
    with anyio.fail_after(30):
        async with endpoint_of(t=lambda a, c: ran.append(1)) as endpoint, caller_of(endpoint) as caller:
            reply = await caller.ask(caller.call("t", **headers).replace("\xff".encode(), b"\xff"))
            assert (reply.status, reply.code) == (status, code)
            assert reply.headers.get("allow") == ("POST" if status == 405 else None)
            assert ran == []
            assert (await caller.ask(caller.call("t"))).status == 200


@pytest.mark.promise("CBK-02")
@pytest.mark.parametrize("host", ["127.0.0.1", "::1"])
async def test_the_literal_address_and_localhost_are_its_names(host: str) -> None:
    with anyio.fail_after(30):
        async with endpoint_of(host=host, t=echo) as endpoint, caller_of(endpoint) as caller:
            port = caller.authority.rpartition(":")[2]
            for name in (caller.authority, f"localhost:{port}", f"LOCALHOST:{port}"):
                assert (await caller.ask(caller.call("t", Host=name))).status == 200


@pytest.mark.promise("CBK-01")
@pytest.mark.parametrize("host", ["0.0.0.0", "localhost", "example.com", ""])
def test_it_listens_on_literal_loopback_addresses_only(host: str) -> None:
    with pytest.raises(ConfigurationError, match="loopback"):
        ToolEndpoint(host=host)


@pytest.mark.promise("CBK-01")
def test_a_port_that_is_taken_is_a_typed_error() -> None:
    listener = Listener({})
    with pytest.raises(ConfigurationError, match="port") as caught:
        Listener({}, port=listener.port)
    assert caught.value.code == "callback_port"
    listener.close()
    with pytest.raises(ConfigurationError, match="port"):
        Listener({}, port=99999)


@pytest.mark.promise("CBK-03")
@pytest.mark.parametrize(
    "garbage",
    [
        b"\x16\x03\x01\x02\x00\x01\x00",
        b"hello\r\n\r\n",
        b"POST / HTTP/9.9\r\n\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"POST / HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
        b"POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
        b"CONNECT evil:80 HTTP/1.1\r\n\r\n",
    ],
)
async def test_what_is_not_http_is_answered_once_and_closed(garbage: bytes) -> None:
    with anyio.fail_after(30):
        async with endpoint_of(t=echo) as endpoint, caller_of(endpoint) as caller:
            reply = await caller.ask(garbage)
            assert reply.status in (400, 403)
            assert reply.headers["connection"] == "close"
            assert await caller.closed()


@pytest.mark.promise("CBK-03")
async def test_heads_and_bodies_are_bounded() -> None:
    with anyio.fail_after(30):
        async with endpoint_of(Limits(body=1000), t=echo) as endpoint:
            for chunks in (0, 100):
                async with caller_of(endpoint) as caller:
                    reply = await caller.ask(caller.request(b"x" * 300_000, chunks=chunks))
                    assert (reply.status, reply.code) == (413, "resource_exhausted")
                    assert await caller.closed()
            async with caller_of(endpoint) as caller:
                reply = await caller.ask(caller.call("t", more="x" * 2 * HEAD_LIMIT))
                assert (reply.status, reply.code) == (431, "resource_exhausted")
            async with caller_of(endpoint) as caller:
                head = caller.request(b"", chunks=1).removesuffix(b"0\r\n\r\n")
                reply = await caller.ask(head + b"1;" + b"x" * 2 * HEAD_LIMIT + b"\r\nx\r\n")
                assert (reply.status, reply.code) == (431, "resource_exhausted")
            async with caller_of(endpoint) as caller:
                assert (await caller.ask(caller.request(b"x" * 1000))).code == "invalid_argument"


@pytest.mark.promise("CBK-03")
async def test_a_wrong_token_is_answered_before_the_body_has_come() -> None:
    with anyio.fail_after(30):
        async with endpoint_of(t=echo) as endpoint, caller_of(endpoint) as caller:
            head, _, _ = caller.call("t", authorization="Bearer no", chunks=0).partition(b"\r\n\r\n")
            reply = await caller.ask(head.replace(b"Content-Length: ", b"Content-Length: 99") + b"\r\n\r\n{")
            assert (reply.status, reply.headers["connection"]) == (401, "close")
            await caller.send(b"x" * 10_000)
            assert await caller.closed()


@pytest.mark.promise("CBK-04")
@pytest.mark.parametrize("sent", [0, 10, 400])
async def test_a_client_that_is_slow_to_send_is_dropped(sent: int) -> None:
    with anyio.fail_after(30):
        async with endpoint_of(Limits(request=0.1), t=echo) as endpoint, caller_of(endpoint) as caller:
            await caller.send(caller.call("t", {"long": "x" * 500})[:sent])
            assert await caller.closed()
            await until(lambda: endpoint.connections == 0)


@pytest.mark.promise("CBK-04")
async def test_an_idle_connection_lives_longer_than_announced_and_a_running_call_is_not_idle() -> None:
    gate = anyio.Event()

    async def wait(args: Any, context: Any) -> str:
        await gate.wait()
        return "done"

    assert Limits().idle >= Limits().announced + 15
    limits = Limits(request=0.2, idle=0.2)
    with anyio.fail_after(30):
        async with endpoint_of(limits, t=echo, wait=wait) as endpoint, caller_of(endpoint) as caller:
            assert (await caller.ask(caller.call("t"))).headers["keep-alive"] == "timeout=60"
            await caller.send(caller.call("wait"))
            await anyio.sleep(0.6)
            gate.set()
            assert (await caller.reply()).text == "done"
            assert await caller.closed()


@pytest.mark.promise("CBK-04")
async def test_a_client_that_does_not_read_is_dropped() -> None:
    big = "x" * 40_000_000
    with anyio.fail_after(30):
        async with (
            endpoint_of(Limits(write=0.2), t=lambda a, c: big) as endpoint,
            caller_of(endpoint) as caller,
        ):
            await caller.send(caller.call("t"))
            await until(lambda: endpoint.connections == 1)
            await until(lambda: endpoint.connections == 0)


@pytest.mark.promise("CBK-05")
async def test_requests_in_a_row_are_answered_in_order_on_one_connection() -> None:
    with anyio.fail_after(30):
        async with endpoint_of(t=echo) as endpoint, caller_of(endpoint) as caller:
            await caller.send(b"".join(caller.call("t", {"n": n}, id=f"call-{n}") for n in range(20)))
            for n in range(20):
                assert (await caller.reply()).result == {"args": {"n": n}, "id": f"call-{n}"}
            await caller.send(caller.call("t") + b"garbage\r\n\r\n")
            assert (await caller.reply()).status == 200
            assert (await caller.reply()).status == 400
            assert await caller.closed()


@pytest.mark.promise("CBK-05")
async def test_a_client_may_ask_for_the_end_of_the_connection_or_for_leave_to_send() -> None:
    with anyio.fail_after(30):
        async with endpoint_of(t=echo) as endpoint:
            async with caller_of(endpoint) as caller:
                reply = await caller.ask(caller.call("t", Connection="close"))
                assert (reply.status, reply.headers["connection"]) == (200, "close")
                assert await caller.closed()
            async with caller_of(endpoint) as caller:
                head, _, body = caller.call("t", Expect="100-continue").partition(b"\r\n\r\n")
                await caller.send(head + b"\r\n\r\n")
                assert (await caller.stream.receive()).startswith(b"HTTP/1.1 100 ")
                assert (await caller.ask(body)).status == 200


@pytest.mark.promise("CBK-06")
@pytest.mark.parametrize("how", ["close", "half-close", "reset"])
async def test_a_client_that_hangs_up_during_a_call_cancels_it(how: str) -> None:
    events: list[str] = []

    async def wait(args: Any, context: CustomToolContext) -> None:
        events.append("started")
        try:
            await anyio.sleep_forever()
        finally:
            events.append(f"cancelled {context.cancelled}")

    with anyio.fail_after(30):
        async with endpoint_of(wait=wait, t=echo) as endpoint, caller_of(endpoint) as other:
            assert (await other.ask(other.call("t"))).status == 200
            async with caller_of(endpoint) as caller:
                await caller.send(caller.call("wait"))
                await until(lambda: events)
                if how == "half-close":
                    await caller.stream.send_eof()
                    assert await caller.closed()
                elif how == "reset":
                    raw: socket.socket = caller.stream.extra(anyio.abc.SocketAttribute.raw_socket)
                    raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\0\0\0\0\0\0\0")
            await until(lambda: len(events) == 2)
            assert events == ["started", "cancelled True"]
            assert (await other.ask(other.call("t"))).status == 200
            await until(lambda: endpoint.connections == 1)


@pytest.mark.promise("CBK-07")
async def test_a_connection_that_fails_hurts_no_other(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    with anyio.fail_after(30):
        async with endpoint_of(t=echo) as endpoint, caller_of(endpoint) as other:
            assert (await other.ask(other.call("t"))).status == 200
            handle = endpoint.service.handle

            async def broken(body: bytes) -> Any:
                if b"break" in body:
                    raise RuntimeError("ours")
                return await handle(body)

            for route in endpoint._listener._routes._routes.values():
                monkeypatch.setattr(route, "handler", broken)
            async with caller_of(endpoint) as caller:
                reply = await caller.ask(caller.call("break"))
                assert (reply.status, reply.code, b"ours" in reply.body) == (500, "internal", False)
            with monkeypatch.context() as patch:
                patch.setattr("cursor_sdk_async._callbacks._exchange.answer_bytes", broken)
                async with caller_of(endpoint) as caller:
                    await caller.send(caller.call("t"))
                    assert await caller.closed()
            assert (await other.ask(other.call("t"))).status == 200
    assert [record.levelno for record in caplog.records] == [logging.ERROR, logging.ERROR]


@pytest.mark.promise("CBK-07")
async def test_running_out_of_descriptors_makes_callers_wait_not_fail(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    with anyio.fail_after(30):
        async with endpoint_of(t=echo) as endpoint:
            real = endpoint._listener._socket
            failures = [OSError(24, "Too many open files"), ConnectionAbortedError()]

            class Exhausted:
                def accept(self) -> Any:
                    if failures:
                        raise failures.pop(0)
                    return real.accept()

                def __getattr__(self, name: str) -> Any:
                    return getattr(real, name)

            monkeypatch.setattr(endpoint._listener, "_socket", Exhausted())
            async with caller_of(endpoint) as caller:
                assert (await caller.ask(caller.call("t"))).status == 200
    assert "Too many open files" in caplog.text


@pytest.mark.promise("CBK-08")
async def test_closing_leaves_no_socket_and_no_call() -> None:
    ended: list[str] = []

    async def wait(args: Any, context: CustomToolContext) -> None:
        try:
            await anyio.sleep_forever()
        finally:
            ended.append("cancelled")

    with anyio.fail_after(30):
        async with endpoint_of(wait=wait, t=echo) as endpoint:
            async with caller_of(endpoint) as busy, caller_of(endpoint) as idle, caller_of(endpoint) as fresh:
                assert (await idle.ask(idle.call("t"))).status == 200
                await busy.send(busy.call("wait"))
                await until(lambda: endpoint.connections == 3 and endpoint.service.agents[AGENT].running)
                endpoint.close()
                await endpoint.owner.wait_ended()
                assert endpoint.connections == 0
                assert ended == ["cancelled"]
                for caller in (idle, fresh):
                    assert await caller.closed()
            with pytest.raises(OSError, match="connect"):
                async with caller_of(endpoint):
                    pass
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        gc.collect()


@pytest.mark.promise("CBK-09")
async def test_the_token_shows_nowhere(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(0)

    def leak(args: Any, context: CustomToolContext) -> None:
        raise ValueError(f"{context} {endpoint!r} {vars(endpoint)}")

    with anyio.fail_after(30):
        async with endpoint_of(leak=leak, t=echo) as endpoint, caller_of(endpoint) as caller:
            replies = [
                await caller.ask(caller.call("leak")),
                await caller.ask(caller.call("nope")),
                await caller.ask(caller.call("t", authorization=f"Bearer {endpoint.token}x")),
            ]
            token = endpoint.token
            assert len(token) > 40
            assert not token.startswith("-")
            other = ToolEndpoint()
            other.close()
            assert token != other.token
    assert not any(token.encode() in reply.body for reply in replies)
    assert token not in caplog.text


@pytest.mark.promise("CBK-01")
async def test_hundreds_of_connections_at_once_are_all_taken() -> None:
    async def one(endpoint: ToolEndpoint, n: int) -> None:
        async with caller_of(endpoint) as caller:
            results.append((await caller.ask(caller.call("t", {"n": n}))).result["args"]["n"])

    results: list[int] = []

    async def tool(args: Any, context: CustomToolContext) -> Any:
        return echo(args, context)

    with anyio.fail_after(60):
        async with endpoint_of(t=tool) as endpoint, anyio.create_task_group() as group:
            for n in range(200):
                group.start_soon(one, endpoint, n)
    assert sorted(results) == list(range(200))
