"""Memory: of one more open run on the scripted bridge, of a run that is over and kept, of events consumed.

The last two read runs of the server in ``loopback.py``.
"""

from __future__ import annotations

import gc
import tempfile
import tracemalloc
from pathlib import Path
from time import perf_counter

import anyio

from cursor_sdk_async import AsyncClient, AsyncRun
from cursor_sdk_async.testing import Hold, Script, Text, Turn, scripted_bridge_command
from tests.benchmarks.loopback import server
from tests.benchmarks.report import write

__all__ = ["main"]


def resident() -> int:
    """Resident memory of this process, in bytes."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) * 1024
    raise RuntimeError("the system does not tell the resident memory")


async def measure(streams: int) -> dict[str, float]:
    """Open many runs, measure, cancel them."""
    script = Script([Turn([Text("started"), Hold("gate")])])
    with tempfile.TemporaryDirectory() as folder:
        async with AsyncClient.launch_bridge(
            scripted_bridge_command(script), workspace=folder, api_key="key"
        ) as client:
            runs: list[AsyncRun] = []

            async def open_one() -> None:
                agent = await client.agents.create(model="scripted", local={"cwd": folder})
                runs.append(await agent.send("go"))

            await open_one()
            gc.collect()
            before, start = resident(), perf_counter()
            for _ in range(streams // 50):
                async with anyio.create_task_group() as group:
                    for _ in range(50):
                        group.start_soon(open_one)
            opened = perf_counter() - start
            gc.collect()
            after = resident()
            start = perf_counter()
            await client.ping()
            ping = perf_counter() - start
    return {
        "streams": len(runs) - 1,
        "kib_per_stream": round((after - before) / 1024 / (len(runs) - 1), 1),
        "open_all_s": round(opened, 2),
        "ping_while_open_ms": round(1000 * ping, 2),
    }


async def measure_read(port: int, events: int) -> dict[str, float]:
    """What is left of runs that were read: of one long one, and of fifty that are kept."""
    async with AsyncClient.connect(f"http://127.0.0.1:{port}", "token", codec="json") as client:
        agent = await client.agents.create(model="plain", api_key="key", local={"cwd": "."})

        async def read(count: int) -> AsyncRun:
            run = await agent.send(f"{count} 0")
            async for _ in run.messages():
                pass
            return run

        await read(events)
        gc.collect()
        before = resident()
        await read(events)
        gc.collect()
        consumed = resident()
        tracemalloc.start()
        kept = [await read(1000) for _ in range(50)]
        gc.collect()
        traced = tracemalloc.get_traced_memory()[0]
        tracemalloc.stop()
        return {
            "events": events,
            "kib_after_as_many_events_again": round((consumed - before) / 1024, 1),
            "kib_per_kept_run_of_1000_events": round(traced / 1024 / len(kept), 1),
        }


def main(streams: int, *, keep: bool = True) -> None:
    """Measure and write ``streams.json``."""
    opened = anyio.run(measure, streams)
    with server() as port:
        read = anyio.run(measure_read, port, 100 * streams)
    write("streams", {**opened, **read}, keep=keep)
