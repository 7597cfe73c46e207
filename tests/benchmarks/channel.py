"""CPU of the client for each message of a stream and for each unary call: ours, cursor-sdk, and a floor.

Paired rounds against the server of ``loopback.py``, all in JSON, each side in a process of its own, so that
none pays for the garbage of another. The floor is a blocking raw socket with ``json.loads`` for each frame.
``paced`` is 100 streams at once, of 40 messages in 2 s each.
"""

from __future__ import annotations

import json
import socket
import struct
import subprocess
import sys
from importlib import import_module
from statistics import median
from time import perf_counter, process_time
from typing import Any

import anyio
from typing_extensions import Self

from tests.benchmarks.loopback import RAW_REQUEST, SERVICE, server
from tests.benchmarks.report import ratio, write

__all__ = ["main"]

TOKEN = "token-for-benchmarks"  # it is no secret
MESSAGES, CALLS = 20_000, 500
PACED, PACED_MESSAGES, PACED_SECONDS = 100, 40, 2.0

Found = dict[str, float]


class _Clock:
    """CPU seconds for each of what is done within ``with``, and seconds in all."""

    def __init__(self, wanted: int) -> None:
        self.wanted = wanted
        self.done = 0

    def __enter__(self) -> Self:
        self._start, self._cpu = perf_counter(), process_time()
        return self

    def __exit__(self, *error: object) -> None:
        self.each = (process_time() - self._cpu) / self.wanted
        self.wall = perf_counter() - self._start
        if error[0] is None and self.done != self.wanted:
            raise RuntimeError(f"{self.done} of {self.wanted} were delivered")


async def _asynchronous(package: Any, place: tuple[str, str], options: dict[str, Any]) -> Found:
    async with package.AsyncClient.connect(*place, **options) as client:
        local = package.LocalAgentOptions(cwd=".")
        agent = await client.agents.create(model="plain", api_key="key", local=local)

        async def read(prompt: str) -> int:
            run = await agent.send(prompt)
            return len([message async for message in run.messages()])

        async def read_paced(clock: _Clock) -> None:
            count = await read(f"{PACED_MESSAGES} {PACED_SECONDS / PACED_MESSAGES}")
            clock.done += count  # in one step: others add meanwhile

        async def ping(clock: _Clock, times: int) -> None:
            for _ in range(times):
                await client.ping()
                clock.done += 1

        await read("100 0")
        await client.ping()
        with _Clock(MESSAGES) as events:
            events.done = await read(f"{MESSAGES} 0")
        with _Clock(CALLS) as calls:
            await ping(calls, CALLS)
        with _Clock(CALLS) as calls_at_once:
            async with anyio.create_task_group() as group:
                for _ in range(50):
                    group.start_soon(ping, calls_at_once, CALLS // 50)
        with _Clock(PACED * PACED_MESSAGES) as paced:
            async with anyio.create_task_group() as group:
                for _ in range(PACED):
                    group.start_soon(read_paced, paced)
        return {
            "event": events.each,
            "call": calls.each,
            "call_50_at_once": calls_at_once.each,
            "paced_event": paced.each,
            "paced_wall": paced.wall,
        }


def _blocking(package: Any, place: tuple[str, str], options: dict[str, Any]) -> Found:
    with package.CursorClient.connect(*place, **options) as client:
        local = package.LocalAgentOptions(cwd=".")
        agent = client.agents.create(model="plain", api_key="key", local=local)

        list(agent.send("100 0").messages())
        client.ping()
        with _Clock(MESSAGES) as events:
            events.done = len(list(agent.send(f"{MESSAGES} 0").messages()))
        with _Clock(CALLS) as calls:
            for _ in range(CALLS):
                client.ping()
                calls.done += 1
        return {"sync_event": events.each, "sync_call": calls.each}


def _floor(port: int) -> Found:
    with socket.create_connection(("127.0.0.1", port)) as sock, sock.makefile("rb") as stream:

        def ask(method: str, kind: str, body: bytes) -> None:
            head = RAW_REQUEST.format(path=f"{SERVICE}/{method}", kind=kind, length=len(body))
            sock.sendall(head.encode() + body)
            while stream.readline() != b"\r\n":
                pass

        def read(count: int) -> int:
            body = json.dumps({"message": {"text": f"{count} 0"}}).encode()
            ask("Send", "application/connect+json", struct.pack(">BI", 0, len(body)) + body)
            frames = 0
            while length := int(stream.readline(), 16):
                json.loads(stream.read(length + 2)[5:-2])
                frames += 1
            stream.readline()
            return frames - 3  # result, done, end record

        read(100)
        with _Clock(MESSAGES) as events:
            events.done = read(MESSAGES)
        with _Clock(CALLS) as calls:
            for _ in range(CALLS):
                ask("Ping", "application/json", b"{}")
                calls.done += b"pong" in stream.read(19)
        return {"event": events.each, "call": calls.each}


def _side(name: str, port: int) -> Found:
    """All that is measured of one side."""
    if name == "floor":
        return _floor(port)
    place = (f"http://127.0.0.1:{port}", TOKEN)
    if name == "official":
        package = blocking = import_module("cursor_sdk")
        options: dict[str, Any] = {}
    else:
        package, blocking = import_module("cursor_sdk_async"), import_module("cursor_sdk_sync")
        options = {"codec": "json"}  # as the other, and the only one that the server speaks
    return {**anyio.run(_asynchronous, package, place, options), **_blocking(blocking, place, options)}


def main(rounds: int, *, keep: bool = True) -> None:
    """Measure and write ``channel.json``."""
    sides: dict[str, list[Found]] = {"ours": [], "official": [], "floor": []}
    with server() as port:
        for _ in range(rounds):
            for name, found in sides.items():
                command = [sys.executable, "-m", "tests.benchmarks.channel", name, str(port)]
                found.append(json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout))
    columns = {name: {key: [row[key] for row in rows] for key in rows[0]} for name, rows in sides.items()}
    ours, official, floor = columns["ours"], columns["official"], columns["floor"]
    write(
        "channel",
        {
            "rounds": rounds,
            **{
                name: {key: round(1e6 * median(values), 1) for key, values in column.items()}
                for name, column in columns.items()
            },
            "unit": "microseconds of CPU for one; paced_wall in all",
            "ours_to_official": {key: ratio(ours[key], official[key]) for key in ours},
            "ours_to_floor": {key: ratio(ours[key], floor[key]) for key in floor},
        },
        keep=keep,
    )


if __name__ == "__main__":
    print(json.dumps(_side(sys.argv[1], int(sys.argv[2]))))
