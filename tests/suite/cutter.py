"""A TCP relay between a client and a bridge that cuts the answers of chosen calls after some bytes.

Nothing leaks: its sockets live in the task group that it is given.
"""

from __future__ import annotations

from urllib.parse import urlsplit

import anyio
from anyio.abc import Listener, SocketAttribute, SocketStream, TaskGroup

__all__ = ["Cutter"]


class Cutter:
    """The relay.

    Args:
        url: Of the bridge.

    Attributes:
        url: Of the relay, once it listens.
        cut: How many bytes of an answer pass, for each RPC that is cut, and how often it is cut.
        passed: How many bytes of the last answer of each RPC passed.
    """

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        self._host, self._port = parts.hostname or "", parts.port or 0
        self.url = ""
        self.cut: dict[str, tuple[int, int]] = {}
        self.passed: dict[str, int] = {}

    async def start(self, group: TaskGroup) -> None:
        """Listen, in this task group."""
        listener = await anyio.create_tcp_listener(local_host="127.0.0.1")
        port = listener.extra(SocketAttribute.local_port)
        self.url = f"http://127.0.0.1:{port}"
        group.start_soon(self._listen, listener)

    async def _listen(self, listener: Listener[SocketStream]) -> None:
        async with listener:
            await listener.serve(self._serve)

    async def _serve(self, client: SocketStream) -> None:
        try:
            async with client, await anyio.connect_tcp(self._host, self._port) as bridge:
                rpc = [""]
                async with anyio.create_task_group() as both:

                    async def back() -> None:
                        await self._answer(bridge, client, rpc)
                        both.cancel_scope.cancel()

                    both.start_soon(back)
                    async for data in client:
                        if data.startswith(b"POST "):
                            rpc[0] = data.split(b" ", 2)[1].decode().rpartition("/")[2]
                            self.passed[rpc[0]] = 0
                        await bridge.send(data)
                    both.cancel_scope.cancel()
        except (anyio.BrokenResourceError, anyio.EndOfStream, OSError):
            pass  # one of the two is gone, and so is the other

    async def _answer(self, bridge: SocketStream, client: SocketStream, rpc: list[str]) -> None:
        async for data in bridge:
            name = rpc[0]
            limit, times = self.cut.get(name, (0, 0))
            if times and self.passed[name] + len(data) > limit:
                self.cut[name] = limit, times - 1
                await client.send(data[: limit - self.passed[name]])
                return
            self.passed[name] += len(data)
            await client.send(data)
