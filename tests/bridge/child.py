"""A small stand-in for the bridge process, standard library only: its behaviour is told by ``CHILD`` (JSON).

It prints a ready line and whatever else it is told to, waits for SIGTERM, and serves nothing. The keys are
the fields of ``Plan``.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from typing import Any

READY = b"cursor-sdk-bridge ready "


def write(data: bytes) -> None:
    while data:
        data = data[os.write(2, data) :]


def ready_line(plan: dict[str, Any]) -> bytes:
    folder = tempfile.mkdtemp(prefix="cursor-sdk-bridge-")
    token_file = os.path.join(folder, "auth-token")
    with open(token_file, "w") as file:
        file.write(plan.get("token", "child-token-0123456789"))
    facts: dict[str, Any] = {
        "schemaVersion": 1,
        "serverVersion": "child",
        "pid": os.getpid(),
        "transport": "tcp",
        "protocol": "connect",
        "url": "http://127.0.0.1:9",
        "authTokenFile": token_file,
        "workspaceRef": os.getcwd(),
        "stateRoot": "/nowhere",
        **plan.get("ready", {}),
    }
    return READY + json.dumps(facts).encode()


def flood(size: int) -> None:
    line = b"noise " * 12 + b"\n"
    write(line * (size // len(line)))


def main() -> None:
    plan: dict[str, Any] = json.loads(os.environ.get("CHILD", "{}"))
    if plan.get("record"):
        facts = {
            "argv": sys.argv,
            "env": dict(os.environ),
            "cwd": os.getcwd(),
            "fds": sorted(os.listdir("/proc/self/fd")),
        }
        with open(plan["record"], "w") as file:
            json.dump(facts, file)
    if plan.get("ignore_term"):
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    else:
        signal.signal(signal.SIGTERM, lambda _number, _frame: finish(plan))
    if plan.get("setsid"):
        os.setsid()
    if plan.get("grandchild"):
        # It holds stderr, and outlives us unless the group is signalled.
        subprocess.Popen([sys.executable, "-c", "import time; time.sleep(1000)"])
    flood(plan.get("flood_before", 0))
    write(plan.get("noise_before", "").encode() * plan.get("times", 1))
    if "exit_before" in plan:
        leave(plan["exit_before"])
    if plan.get("never_ready"):
        wait()
    # A bridge that is ended between making its token directory and naming it leaves a directory that nobody
    # knows of.
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])
    line = plan["ready_text"].encode() if "ready_text" in plan else ready_line(plan)
    if plan.get("fragments"):
        for at in range(0, len(line), 7):
            write(line[at : at + 7])
            time.sleep(0.001)
    else:
        write(line)
    write(plan.get("noise_after", "").encode())
    write(plan.get("end", "\n").encode())
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGTERM])
    flood(plan.get("flood_after", 0))
    if plan.get("stop"):
        os.kill(os.getpid(), signal.SIGSTOP)
    if "exit_after" in plan:
        leave(plan["exit_after"])
    wait()


def wait() -> None:
    while True:
        signal.pause()


def finish(plan: dict[str, Any]) -> None:
    flood(plan.get("flood_end", 0))
    time.sleep(plan.get("clean_up", 0))
    if plan.get("marker"):
        with open(plan["marker"], "w") as file:
            file.write("cleaned up")
    os._exit(0)


def leave(how: int) -> None:
    """Exit with a code, or by the signal of a negative number."""
    if how < 0:
        os.kill(os.getpid(), -how)
    os._exit(how)


if __name__ == "__main__":
    main()
