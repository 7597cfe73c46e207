"""The real bridge from the launch to the end: ours, cursor-sdk, and a floor.

Paired rounds in one warm process: launch to the first ping, and closing; the floor starts the launcher by
hand and reads the ready line. ``cold`` is a whole Python process, from its start to the first ping. ``cloud``
is a cloud run of many pieces through the bridge, with a loopback stand-in behind it.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from statistics import median
from time import perf_counter, process_time
from typing import Any

import anyio

from tests.benchmarks.report import ratio, write
from tests.real.raw_bridge import RawBridge, find_launcher
from tests.rest_standin import ACCEPTED_KEY, RestStandin, Script
from tests.rest_standin import script as beats

__all__ = ["main"]

OURS, THEIRS = "cursor_sdk_async", "cursor_sdk"
PIECES = 2000
#: cursor-sdk takes an agent with an empty ``cloud`` for a local one.
CLOUD = {"repos": [{"url": "https://github.com/acme/rocket"}]}
COLD = """
import asyncio, sys
from {name} import AsyncClient

async def main():
    async with await AsyncClient.launch_bridge(workspace=sys.argv[1]) as client:
        await client.ping()
        print(flush=True)

asyncio.run(main())
"""


def by_hand(launcher: Path, workspace: Path) -> float:
    """Seconds from the start of the process to its ready line."""
    start = perf_counter()
    bridge = RawBridge(launcher, workspace, os.environ)
    seconds = perf_counter() - start
    bridge.stop()
    return seconds


async def warm(package: Any, workspace: Path) -> tuple[float, float]:
    """Seconds from launch to the first answer, and for closing."""
    start = perf_counter()
    client = await package.AsyncClient.launch_bridge(workspace=str(workspace))
    await client.ping()
    ready = perf_counter()
    await client.aclose()
    return ready - start, perf_counter() - ready


def cold(name: str, workspace: Path) -> float:
    """Seconds from the start of a Python process to its first ping."""
    command = [sys.executable, "-c", COLD.format(name=name), str(workspace)]
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    start = perf_counter()
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment) as process:
        assert process.stdout is not None
        process.stdout.readline()
        seconds = perf_counter() - start
    if process.returncode:
        raise RuntimeError(f"{name} ended with exit code {process.returncode}")
    return seconds


async def cloud(package: Any, url: str, token: str) -> tuple[float, float]:
    """CPU of the client for each message of a cloud run, and seconds for all of it."""
    async with package.AsyncClient.connect(url, token) as client:
        agent = await client.agents.create(model="plain-1", api_key=ACCEPTED_KEY, cloud=CLOUD)
        start, cpu = perf_counter(), process_time()
        run = await agent.send("count")
        count = len([message async for message in run.messages()])
        if count < PIECES:
            raise RuntimeError(f"{count} of {PIECES} pieces were delivered")
        return (process_time() - cpu) / count, perf_counter() - start


def _pairs(rounds: int, measure: Callable[[str], tuple[float, ...]]) -> dict[str, list[tuple[float, ...]]]:
    """Both packages in turn, taking turns at who is first."""
    found: dict[str, list[tuple[float, ...]]] = {OURS: [], THEIRS: []}
    for at in range(rounds + 1):
        for name in (OURS, THEIRS) if at % 2 else (THEIRS, OURS):
            figures = measure(name)
            if at:  # the first round fills the caches
                found[name].append(figures)
    return found


def _row(found: dict[str, list[tuple[float, ...]]], at: int, scale: float) -> dict[str, Any]:
    ours, theirs = ([row[at] for row in found[name]] for name in (OURS, THEIRS))
    return {
        "ours": round(scale * median(ours), 1),
        "official": round(scale * median(theirs), 1),
        "ratio": ratio(ours, theirs),
    }


def main(rounds: int, *, keep: bool = True) -> None:
    """Measure and write ``launch.json``."""
    launcher = find_launcher()
    if launcher is None:
        raise SystemExit("needs the bridge of the cursor-sdk wheel: pip install cursor-sdk")
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        warmed = _pairs(rounds, lambda name: anyio.run(warm, import_module(name), folder))
        floor = [by_hand(launcher, folder) for _ in range(rounds)]
        colds = _pairs(rounds, lambda name: (cold(name, folder),))
        with RestStandin() as standin:
            run = Script(beats=(beats.burst(PIECES), beats.turn_ended()))
            standin.script(run, when="count", times=None)
            variables = {"PATH": os.environ["PATH"], "CURSOR_BACKEND_URL": standin.url, "HOME": place}
            bridge = RawBridge(launcher, folder, variables)
            try:
                address = (bridge.ready["url"], bridge.token)
                clouds = _pairs(rounds, lambda name: anyio.run(cloud, import_module(name), *address))
            finally:
                bridge.stop()
    write(
        "launch",
        {
            "rounds": rounds,
            "ready_line_by_hand_ms": round(1000 * median(floor), 1),
            "launch_to_first_ping_ms": _row(warmed, 0, 1000),
            "close_ms": _row(warmed, 1, 1000),
            "cold_process_to_first_ping_ms": _row(colds, 0, 1000),
            "cloud_run_cpu_us_per_message": _row(clouds, 0, 1e6),
            "cloud_run_ms": _row(clouds, 1, 1000),
        },
        keep=keep,
    )
