"""Launch to first ping on the real bridge, against the time the process itself needs to its ready line.

Paired rounds: each starts the launcher by hand and reads the ready line, then launches a client and pings.
The ratio is what our supervision, handshake and first call add.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from statistics import median
from time import perf_counter

import anyio

from cursor_sdk_async import AsyncClient
from tests.benchmarks.report import ratio, write
from tests.real.raw_bridge import RawBridge, find_launcher

__all__ = ["main"]


def by_hand(launcher: Path, workspace: Path) -> float:
    """Seconds from the start of the process to its ready line."""
    start = perf_counter()
    bridge = RawBridge(launcher, workspace, os.environ)
    seconds = perf_counter() - start
    bridge.stop()
    return seconds


async def by_us(workspace: Path) -> tuple[float, float]:
    """Seconds from launch to the first answer, and for closing."""
    start = perf_counter()
    client = await AsyncClient.launch_bridge(workspace=workspace)
    await client.ping()
    ready = perf_counter()
    await client.aclose()
    return ready - start, perf_counter() - ready


def main(rounds: int, *, keep: bool = True) -> None:
    """Measure and write ``launch.json``."""
    launcher = find_launcher()
    if launcher is None:
        raise SystemExit("needs the bridge of the cursor-sdk wheel: pip install cursor-sdk")
    floor: list[float] = []
    ours: list[float] = []
    closing: list[float] = []
    with tempfile.TemporaryDirectory() as folder:
        anyio.run(by_us, Path(folder))  # imports and caches
        for _ in range(rounds):
            floor.append(by_hand(launcher, Path(folder)))
            launched, closed = anyio.run(by_us, Path(folder))
            ours.append(launched)
            closing.append(closed)
    write(
        "launch",
        {
            "rounds": rounds,
            "ready_line_by_hand_ms": round(1000 * median(floor), 1),
            "launch_to_first_ping_ms": round(1000 * median(ours), 1),
            "close_ms": round(1000 * median(closing), 1),
            "ratio": ratio(ours, floor),
        },
        keep=keep,
    )
