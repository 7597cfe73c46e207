"""A program that launches a bridge and ends in a way that is told: ``host.py <backend> <ending> [launcher]``.

Prints the pid of the guard, which is the session's number, and the pid of the bridge.
"""

from __future__ import annotations

import faulthandler
import os
import signal
import sys
from typing import Any

import anyio

from cursor_sdk_async.bridge import AsyncBridge
from tests.bridge.helpers import launch

kept: list[Any] = []


async def main(ending: str, launcher: str | None) -> None:
    bridge = await (AsyncBridge.launch(launcher) if launcher else launch({"grandchild": True}))
    print(bridge.process.pid, bridge.pid, flush=True)
    if ending == "keep":
        kept.append(bridge)
    elif ending == "sys.exit":
        sys.exit(3)
    elif ending == "error":
        raise RuntimeError("uncaught")
    elif ending == "os._exit":
        os._exit(0)
    elif ending == "segfault":
        faulthandler._sigsegv()  # type: ignore[attr-defined]  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]
    elif ending == "interrupt":
        os.kill(os.getpid(), signal.SIGINT)
        await anyio.sleep_forever()
    elif ending == "wait":
        await anyio.sleep_forever()


def without_running() -> None:
    """Leave the loop without ending its tasks, as ``run_until_complete`` does."""
    import asyncio

    loop = asyncio.new_event_loop()
    loop.run_until_complete(main("keep", None))
    loop.close()
    kept.clear()


if __name__ == "__main__":
    backend, ending = sys.argv[1:3]
    if ending == "loop closed":
        without_running()
    else:
        anyio.run(main, ending, sys.argv[3] if len(sys.argv) > 3 else None, backend=backend)
