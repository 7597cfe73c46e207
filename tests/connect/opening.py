"""Opening a channel for a test, over the lane and in the codec that the test runs with."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, cast

import anyio
import httpx

from cursor_sdk_async._connect._channel import Channel
from cursor_sdk_async._connect._codec import Codec
from cursor_sdk_async._connect._lanes import open_lane
from cursor_sdk_async._connect._stream import FrameStream
from cursor_sdk_async._gen.sdk import v1
from cursor_sdk_async._lifecycle import Owner
from tests.connect.server import PING, SEND, Handler, Server, serving

TOKEN = "canary-0123456789abcdefABCDEF-_0123456789ab"


@dataclass
class Wiring:
    """How the channel of a test is wired."""

    lane: str = "loopback"
    codec: str = "json"

    @asynccontextmanager
    async def channel(self, url: str, **options: Any) -> AsyncGenerator[Channel, None]:
        """A channel to that URL, closed with the block."""
        owner = Owner("test")
        owner.start()
        codec = cast("Codec", self.codec)
        options = {"token": TOKEN, "unary_codec": codec, "stream_codec": codec, **options}
        client: Any = None
        if self.lane == "httpx":
            client = httpx.AsyncClient(trust_env=False, limits=httpx.Limits(max_connections=None))
        elif self.lane == "httpx-blocking":
            client = httpx.Client(trust_env=False, limits=httpx.Limits(max_connections=None))
        channel = Channel(open_lane(url, owner=lambda: owner, http_client=client), **options)
        try:
            yield channel
        finally:
            with anyio.CancelScope(shield=True):
                await channel.aclose()
                await owner.aclose()
                if isinstance(client, httpx.AsyncClient):
                    await client.aclose()
                elif client is not None:
                    client.close()

    @asynccontextmanager
    async def served(self, handler: Handler, **options: Any) -> AsyncGenerator[tuple[Channel, Server], None]:
        """A server with that handler, and a channel to it; a test that waits for ever fails."""
        with anyio.fail_after(30):
            async with serving(handler) as server, self.channel(server.url, **options) as channel:
                yield channel, server


async def ping(channel: Channel, **options: Any) -> str:
    answer = await channel.unary(PING, v1.PingRequest(), **options)
    assert isinstance(answer, v1.PingResponse)
    return answer.message


async def send(channel: Channel, **options: Any) -> FrameStream[Any]:
    return await channel.stream(SEND, v1.SendRequest(agent_id="a"), **options)


async def drain(stream: FrameStream[Any]) -> list[Any]:
    """All frames up to a clean end."""
    frames: list[Any] = []
    while True:
        try:
            frames += await stream.receive()
        except anyio.EndOfStream:
            return frames


def status(word: str, offset: int) -> dict[str, Any]:
    """A frame with a status message."""
    message = {"type": "status", "run_id": "r", "agent_id": "a", "status": word}
    return {"sdkMessage": {"type": "status", "message": message}, "offset": str(offset)}
