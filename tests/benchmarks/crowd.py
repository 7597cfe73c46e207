"""Many paced streams at once on one client: do they end in time, and is it there for others meanwhile?

Each stream is 44 messages in 4.4 s from the server of ``loopback.py``. Beside them a heart beats every 10 ms,
which tells the longest stall of the event loop, and a ping is due every 100 ms; its latency counts from the
time at which it was due, so that a stall cannot hide. Paired rounds, each side in a process of its own. A
side that has not ended after ``LONGEST`` seconds is stopped; its row says so.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from importlib import import_module
from statistics import median
from time import perf_counter, process_time
from typing import Any

import anyio

from tests.benchmarks.loopback import server
from tests.benchmarks.report import ratio, write

__all__ = ["main"]

MESSAGES, SECONDS = 44, 4.4
LONGEST = 180.0

Found = dict[str, float]


async def _measure(package: Any, port: int, streams: int, options: dict[str, Any]) -> Found:
    stalls, pings = [0.0], [0.0]
    async with package.AsyncClient.connect(f"http://127.0.0.1:{port}", "token", **options) as client:
        local = package.LocalAgentOptions(cwd=".")
        agent = await client.agents.create(model="plain", api_key="key", local=local)
        start, cpu = perf_counter(), process_time()

        async def beat() -> None:
            while True:
                due = perf_counter() + 0.01
                await anyio.sleep(0.01)
                stalls.append(perf_counter() - due)

        async def ping() -> None:
            due = perf_counter()
            while True:
                await client.ping()
                pings.append(perf_counter() - due)
                due += 0.1
                await anyio.sleep(max(0.0, due - perf_counter()))

        async def read() -> None:
            run = await agent.send(f"{MESSAGES} {SECONDS / MESSAGES}")
            count = len([message async for message in run.messages()])
            if count != MESSAGES:
                raise RuntimeError(f"{count} of {MESSAGES} messages were delivered")

        taken: list[float] = []
        async with anyio.create_task_group() as beside:
            beside.start_soon(beat)
            beside.start_soon(ping)
            async with anyio.create_task_group() as readers:
                for _ in range(streams):
                    readers.start_soon(read)
            taken += perf_counter() - start, process_time() - cpu
            beside.cancel_scope.cancel()
    return {
        "wall_s": taken[0],
        "cpu_us_per_message": 1e6 * taken[1] / streams / MESSAGES,
        "longest_stall_ms": 1000 * max(stalls),
        "slowest_ping_ms": 1000 * max(pings),
    }


def _round(name: str, port: int, streams: int) -> Found:
    """One side in a process of its own."""
    command = [sys.executable, "-m", "tests.benchmarks.crowd", name, str(port), str(streams)]
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, check=True, timeout=LONGEST)
    except subprocess.TimeoutExpired:
        return {"wall_s": LONGEST, "stopped": 1.0}
    found: Found = json.loads(done.stdout)
    return found


def _medians(rows: list[Found]) -> dict[str, Any]:
    keys = {key: None for row in rows for key in row}
    return {key: round(median(row.get(key, 0.0) for row in rows), 1) for key in keys}


def main(rounds: int, sizes: tuple[int, ...] = (300, 1000), *, keep: bool = True) -> None:
    """Measure and write ``crowd.json``."""
    result: dict[str, Any] = {"rounds": rounds, "ideal_s": SECONDS, "stopped_after_s": LONGEST}
    with server() as port:
        for streams in sizes:
            ours: list[Found] = []
            theirs: list[Found] = []
            for _ in range(rounds):
                ours.append(_round("cursor_sdk_async", port, streams))
                theirs.append(_round("cursor_sdk", port, streams))
            result[f"{streams}_streams"] = {
                "ours": _medians(ours),
                "official": _medians(theirs),
                "wall_ours_to_official": ratio(
                    [row["wall_s"] for row in ours], [row["wall_s"] for row in theirs]
                ),
            }
    write("crowd", result, keep=keep)


if __name__ == "__main__":
    _, limit = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))
    side = import_module(sys.argv[1])
    codec = {"codec": "json"} if sys.argv[1] == "cursor_sdk_async" else {}
    print(json.dumps(anyio.run(_measure, side, int(sys.argv[2]), int(sys.argv[3]), codec)))
