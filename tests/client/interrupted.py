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

        if where == "start":
            # From a thread: a task would put a group around the launch. Late: while a thread still imports,
            # Python may forget that it was interrupted, and exit with 1.
            threading.Timer(2.0, print, ["ready 0"], {"flush": True}).start()
        async with AsyncClient.launch_bridge(
            command, workspace=Path.cwd(), api_key="key-for-tests", verbose=True, on_stderr=note
        ) as client:
            assert client.bridge is not None
            ready = f"ready {client.bridge.process.pid}"
            if where == "call":
                print(ready, flush=True)
                await client.models.list()
            if where == "stream":
                agent = await client.agents.create(model="scripted", local={})
                run = await agent.send("go")
                async for piece in run.iter_text():
                    assert piece == "a"
                    print(ready, flush=True)
            if where == "wait":
                agent = await client.agents.create(model="scripted", local={})
                run = await agent.send("go")
                print(ready, flush=True)
                await run.wait()
        print("closed in order", flush=True)


if __name__ == "__main__":
    anyio.run(main, sys.argv[2], sys.argv[3], backend=sys.argv[1])
