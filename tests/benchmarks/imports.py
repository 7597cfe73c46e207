"""A cold import and one ``AgentOptions`` beside the official package, in fresh interpreters; and the client.

Paired rounds, taking turns at who is first. The time of an empty interpreter is taken off both. Whoever
touches ``AsyncClient`` pays for anyio too; the classes of the contract come later, in a worker thread.
"""

from __future__ import annotations

import os
import subprocess
import sys
from statistics import median
from time import perf_counter

from tests.benchmarks.report import ratio, write

__all__ = ["main"]

OPTIONS = "import {0} as sdk; sdk.AgentOptions(model='m', local=sdk.LocalAgentOptions(cwd='.'))"
CLIENT = (
    "from {0} import AsyncClient, AgentOptions, LocalAgentOptions; "
    "AgentOptions(model='m', local=LocalAgentOptions(cwd='.'))"
)
#: Compiled modules are kept, as they are wherever a package is installed.
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
OURS, THEIRS = "cursor_sdk_async", "cursor_sdk"


def seconds(program: str) -> float:
    """How long a fresh interpreter needs for a program."""
    start = perf_counter()
    subprocess.run([sys.executable, "-c", program], env=ENVIRONMENT, check=True)
    return perf_counter() - start


def pair(program: str, rounds: int) -> dict[str, object]:
    """Both packages in turn, round by round, without the time of the interpreter."""
    ours: list[float] = []
    theirs: list[float] = []
    for at in range(rounds + 1):
        empty = seconds("pass")
        names = (OURS, THEIRS) if at % 2 else (THEIRS, OURS)
        taken = {name: seconds(program.format(name)) - empty for name in names}
        if at:  # the first round fills the caches
            ours.append(taken[OURS])
            theirs.append(taken[THEIRS])
    return {
        "ours_ms": round(median(ours) * 1000, 1),
        "theirs_ms": round(median(theirs) * 1000, 1),
        "ratio": ratio(ours, theirs),
    }


def main(rounds: int, *, keep: bool = True) -> None:
    """Measure and write ``imports.json``."""
    write(
        "imports",
        {
            "rounds": rounds,
            "import_and_options": pair(OPTIONS, rounds),
            "import_and_client": pair(CLIENT, rounds),
        },
        keep=keep,
    )
