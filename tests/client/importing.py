"""A program of its own: which modules which thread imports, from the launch to the end of a first run.

``python -m tests.client.importing BACKEND [URL TOKEN]`` prints JSON, and so does ``first URL TOKEN CALL`` for
a client that is attached and makes this one call.
"""

from __future__ import annotations

import json
import sys
import threading
from contextlib import suppress
from typing import Any

import anyio

from cursor_sdk_async import AsyncAgent, AsyncClient, CursorAgentError
from cursor_sdk_async.testing import Script, Text, Turn, scripted_bridge_command


class Recorder:
    """Stands in front of all finders, and finds nothing itself."""

    def __init__(self) -> None:
        self.main: list[str] = []
        self.others: list[str] = []

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> None:
        """Note who asks."""
        here = threading.current_thread() is threading.main_thread()
        (self.main if here else self.others).append(name)


async def main(address: list[str]) -> None:
    """Launch or attach, one agent, one run; meanwhile a heart beats."""
    loop_only = Recorder()
    sys.meta_path.insert(0, loop_only)
    beats = 0

    async def beat() -> None:
        nonlocal beats
        while True:
            beats += 1
            await anyio.sleep(0.001)

    async with anyio.create_task_group() as group:
        group.start_soon(beat)
        if address:
            client = AsyncClient.connect(address[0], address[1], api_key="key-for-tests")
        else:
            command = scripted_bridge_command(Script([Turn([Text("a"), Text("b")])]))
            client = await AsyncClient.launch_bridge(command, workspace=".", api_key="key-for-tests")
        agent = await client.agents.create(model="scripted", local={})
        run = await agent.send("go")
        async for _ in run.messages():
            pass
        await run.wait()
        await client.aclose()
        group.cancel_scope.cancel()
    print(json.dumps({"main": loop_only.main, "others": loop_only.others, "beats": beats}))


async def first(*arguments: str) -> None:
    """One call, of which it does not matter how it ends."""
    url, token, call = arguments
    seen = Recorder()
    sys.meta_path.insert(0, seen)
    async with AsyncClient.connect(url, token, api_key="key-for-tests") as client:
        with suppress(CursorAgentError):
            await eval(call, {"client": client, "AsyncAgent": AsyncAgent})
    print(json.dumps({"main": seen.main, "others": seen.others}))


if __name__ == "__main__":
    if sys.argv[1] == "first":
        anyio.run(first, *sys.argv[2:])
        sys.exit()
    anyio.run(main, sys.argv[2:], backend=sys.argv[1])
