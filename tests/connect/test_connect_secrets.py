"""The bearer token shows nowhere, whatever goes wrong."""

from __future__ import annotations

import io
import logging
import pickle
import traceback
from base64 import b64encode
from collections.abc import Awaitable, Callable

import anyio
import pytest

from cursor_sdk_async._gen.sdk import v1
from cursor_sdk_async.errors import CursorSDKError
from tests.connect.opening import TOKEN, Wiring, drain, ping, send
from tests.connect.server import SHUTDOWN, Reply

pytestmark = [pytest.mark.anyio, pytest.mark.promise("CHN-14")]

HINTS = (TOKEN, TOKEN[: len(TOKEN) // 2], b64encode(TOKEN.encode()).decode()[:40])


def shown(error: BaseException) -> str:
    """Everything that a careless log could show of an error."""
    out = io.StringIO()
    trace = traceback.TracebackException.from_exception(error, capture_locals=True)
    print("".join(trace.format()), repr(error), error, vars(error), file=out)
    print(pickle.dumps(error), file=out)
    return out.getvalue()


async def echo_error(reply: Reply) -> None:
    # An HTTP library of the user's may log what the peer wrote; what we wrote it does not.
    ours = "python-httpx" not in reply.request.headers.get("user-agent", "")
    echo = f"X-Echo: Bearer {TOKEN}\r\n" if ours else ""
    await reply.answer(str(reply.request.headers).encode(), 502, "text/html", echo)


async def echo_record(reply: Reply) -> None:
    if reply.request.rpc == "SdkAgentService/Send":
        await reply.head()
        await reply.end_record({"error": {"code": "internal", "message": f"bad token {TOKEN}"}})
        await reply.end()
    else:
        await echo_error(reply)


async def hang_up(reply: Reply) -> None:
    await reply.cut()


async def garbage(reply: Reply) -> None:
    await reply.raw(b"no http at all\r\n\r\n")
    await reply.cut()


async def unreadable(reply: Reply) -> None:
    await reply.answer(b"\xff\xff")


async def silence(reply: Reply) -> None:
    await reply.until_closed()


@pytest.mark.parametrize("handler", [echo_error, echo_record, hang_up, garbage, unreadable, silence])
async def test_the_token_shows_in_no_error_traceback_log_or_repr(
    wiring: Wiring, handler: Callable[[Reply], Awaitable[None]], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    async with wiring.served(handler, unary_timeout=0.2, stream_timeout=0.2) as (channel, _):

        async def stream() -> None:
            await drain(await send(channel))

        async def shutdown() -> None:
            await channel.unary(SHUTDOWN, v1.ShutdownRequest())

        async def call() -> None:
            await ping(channel)

        for operation in (call, shutdown, stream):
            with pytest.raises(CursorSDKError) as caught:
                await operation()
            text = shown(caught.value)
            assert not [hint for hint in HINTS if hint in text], text
        seen = f"{channel!r}{vars(channel)}{channel._line.lane!r}{vars(channel._line.lane)}{caplog.text}"
        assert not [hint for hint in HINTS if hint in seen]


async def test_the_token_shows_in_no_error_of_a_bridge_that_is_not_there(wiring: Wiring) -> None:
    async with wiring.served(silence) as (_, server):
        port = server.port
    with anyio.fail_after(30):
        async with wiring.channel(f"http://127.0.0.1:{port}") as channel:
            with pytest.raises(CursorSDKError) as caught:
                await ping(channel)
            assert not [hint for hint in HINTS if hint in shown(caught.value)]
