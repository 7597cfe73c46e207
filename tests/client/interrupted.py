"""A program that is interrupted: ``python -m tests.client.interrupted BACKEND WHERE RECORD``.

It says ``ready`` with the session of its bridge, and writes what the bridge says to the file RECORD.
"""

from __future__ import annotations

import sys
import threading
from pathlib import Path

import anyio

from cursor_sdk_async import AsyncClient
from cursor_sdk_async.testing import (
    CallFault,
    Faults,
    Hold,
    ProcessFaults,
    Script,
    Text,
    Turn,
    scripted_bridge_command,
)


async def main(where: str, record: str) -> None:
    """Launch, and be somewhere when the interrupt comes."""
    faults = Faults(
        process=ProcessFaults(never_ready=where == "start"),
        calls=[CallFault("ListModels", "silence")],
    )
    command = scripted_bridge_command(Script([Turn([Text("a"), Hold()])]), faults)
    with Path(record).open("a", buffering=1) as file:

        def note(line: str) -> None:
            file.write(line + "\n")

        def say_ready(seconds: float, pid: int) -> None:
            # From a thread, once the program waits: a task would put a group around what is interrupted, and
            # between making a coroutine and awaiting it Python itself warns of an interrupt.
            threading.Timer(seconds, print, [f"ready {pid}"], {"flush": True}).start()

        if where == "start":
            # Late: while a thread still imports, Python may forget that it was interrupted, and exit with 1.
            say_ready(2.0, 0)
        async with AsyncClient.launch_bridge(
            command, workspace=Path.cwd(), api_key="key-for-tests", verbose=True, on_stderr=note
        ) as client:
            assert client.bridge is not None
            pid = client.bridge.process.pid
            if where == "call":
                say_ready(0.5, pid)
                await client.models.list()
            if where == "stream":
                agent = await client.agents.create(model="scripted", local={})
                run = await agent.send("go")
                async for piece in run.iter_text():
                    assert piece == "a"
                    say_ready(0.5, pid)
            if where == "wait":
                agent = await client.agents.create(model="scripted", local={})
                run = await agent.send("go")
                say_ready(0.5, pid)
                await run.wait()
        print("closed in order", flush=True)


if __name__ == "__main__":
    anyio.run(main, sys.argv[2], sys.argv[3], backend=sys.argv[1])
