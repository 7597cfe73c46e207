"""Tool calls per second on keep-alive connections: our callback server, the official one, and a bare floor.

Paired rounds: each drives the three servers one after the other, from a process of its own that writes bytes
on raw sockets. The floor is an asyncio protocol that answers constant bytes and reads nothing. The official
server closes its connections, so that the driver connects anew for each call. ``--smoke`` only checks that
every call was answered.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from importlib import import_module
from statistics import median
from typing import Any
from urllib.parse import urlsplit

import anyio

from cursor_sdk_async import CustomTool, ToolCallbackServer
from tests.benchmarks.report import ratio, write

__all__ = ["main"]

PATH = "/sdk.v1.SdkCustomToolCallbackService/CallCustomTool"
ANSWER = b'{"result":{"content":[{"type":"text","text":"ok"}]}}'
CONNECTIONS = 8

#: Runs in a process of its own: one thread for each connection, one call after the other in each.
DRIVER = """
import json, socket, sys, threading, time
host, port, token, calls, lanes, path = json.loads(sys.argv[1])
body = json.dumps({"toolName": "t", "args": {"n": 1}, "toolCallId": "c", "agentId": "a"}).encode()
head = f"POST {path} HTTP/1.1\\r\\nHost: {host}:{port}\\r\\nAuthorization: Bearer {token}\\r\\n"
head += "Content-Type: application/json\\r\\nConnect-Protocol-Version: 1\\r\\n"
head += "Transfer-Encoding: chunked\\r\\n\\r\\n"
request = head.encode() + b"%x\\r\\n%b\\r\\n0\\r\\n\\r\\n" % (len(body), body)
seconds, good = [], []
def lane(count):
    sock = None
    for _ in range(count):
        start = time.perf_counter()
        try:
            if sock is None:
                sock = socket.create_connection((host, port), timeout=30)
                sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            sock.sendall(request)
            data = b""
            while b"\\r\\n\\r\\n" not in data or not data.rstrip().endswith(b"}"):
                piece = sock.recv(65536)
                if not piece:
                    break
                data += piece
            good.append(b" 200 " in data.split(b"\\r\\n")[0] and b'"ok"' in data)
            if data.startswith(b"HTTP/1.0"):
                sock.close()
                sock = None
        except OSError:
            good.append(False)
            sock = None
        seconds.append(time.perf_counter() - start)
threads = [threading.Thread(target=lane, args=(calls // lanes,)) for _ in range(lanes)]
start = time.perf_counter()
for thread in threads: thread.start()
for thread in threads: thread.join()
total = time.perf_counter() - start
seconds.sort()
print(json.dumps({"total": total, "p50": seconds[len(seconds) // 2], "p99": seconds[int(len(seconds) * 0.99)],
                  "calls": len(seconds), "good": sum(good)}))
"""

Place = tuple[str, str]


async def drive(place: Place, calls: int) -> dict[str, float]:
    """What the driver measured, and our own CPU time for each call."""
    parts = urlsplit(place[0])
    task = json.dumps([parts.hostname, parts.port, place[1], calls, CONNECTIONS, PATH])
    before = time.process_time()
    done = await anyio.run_process([sys.executable, "-c", DRIVER, task])
    found: dict[str, float] = json.loads(done.stdout)
    found["cpu"] = (time.process_time() - before) / found["calls"]
    return found


@asynccontextmanager
async def ours() -> AsyncGenerator[Place]:
    """Our server with an asynchronous tool."""

    async def tool(args: Any, context: Any) -> str:
        return "ok"

    async with ToolCallbackServer() as server:
        server.register_agent("a", {"t": CustomTool(tool)})
        yield server.endpoint.url, server.endpoint.auth_token


@asynccontextmanager
async def official() -> AsyncGenerator[Place]:
    """The server of the official package, with a plain tool, which it runs fastest."""
    package: Any = import_module("cursor_sdk")

    def tool(args: Any, context: Any) -> str:
        return "ok"

    server = package.ToolCallbackServer()
    server.register_agent("a", {"t": package.CustomTool(execute=tool)})
    try:
        yield server.endpoint.url, server.endpoint.auth_token
    finally:
        await anyio.to_thread.run_sync(server.close)


class _Constant(asyncio.Protocol):
    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._transport.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%b" % (len(ANSWER), ANSWER))


@asynccontextmanager
async def floor() -> AsyncGenerator[Place]:
    """Constant bytes for whatever comes in."""
    server = await asyncio.get_running_loop().create_server(_Constant, "127.0.0.1", 0)
    try:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", "token"
    finally:
        server.close()


SERVERS: dict[str, Callable[[], AbstractAsyncContextManager[Place]]] = {
    "ours": ours,
    "official": official,
    "floor": floor,
}


async def measure(rounds: int, calls: int) -> dict[str, list[dict[str, float]]]:
    """All rounds, by server."""
    found: dict[str, list[dict[str, float]]] = {name: [] for name in SERVERS}
    for _ in range(rounds):
        for name, server in SERVERS.items():
            async with server() as place:
                found[name].append(await drive(place, calls))
    return found


def main(rounds: int, *, keep: bool = True) -> None:
    """Measure and write ``callbacks.json``."""
    calls = 400 if keep else 80
    found = anyio.run(measure, rounds, calls)
    lost = {name: int(sum(one["calls"] - one["good"] for one in each)) for name, each in found.items()}
    if lost["ours"] or lost["floor"]:
        raise SystemExit(f"calls that were not answered: {lost}")
    result: dict[str, Any] = {
        "rounds": rounds,
        "calls": calls,
        "connections": CONNECTIONS,
        "lost": lost,
    }
    for name, each in found.items():
        result[name] = {
            "calls_per_second": round(median(one["calls"] / one["total"] for one in each)),
            "p50_ms": round(1000 * median(one["p50"] for one in each), 2),
            "p99_ms": round(1000 * median(one["p99"] for one in each), 2),
            "cpu_us_per_call": round(1e6 * median(one["cpu"] for one in each)),
        }
    totals = {name: [one["total"] for one in each] for name, each in found.items()}
    result["time_ours_to_official"] = ratio(totals["ours"], totals["official"])
    result["time_ours_to_floor"] = ratio(totals["ours"], totals["floor"])
    write("callbacks", result, keep=keep)
