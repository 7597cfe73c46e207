"""``CURSOR_SDK_LOG``: one handler of our own logger, and nothing else."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

pytestmark = pytest.mark.promise("SUR-05")

PROGRAM = """
import logging
{before}
import cursor_sdk_async
cursor_sdk_async.AsyncClient, cursor_sdk_async.AsyncBridge
from cursor_sdk_async._logging import set_up_logging
set_up_logging()
logger = logging.getLogger("cursor_sdk_async.bridge")
logger.debug("a detail"); logger.info("a note"); logger.warning("a warning")
own = logging.getLogger("cursor_sdk_async")
print([type(h).__name__ for h in own.handlers], own.propagate, logging.getLogger().handlers)
"""


def run(level: str | None, before: str = "") -> tuple[str, str]:
    env = {name: value for name, value in os.environ.items() if name != "CURSOR_SDK_LOG"}
    if level is not None:
        env["CURSOR_SDK_LOG"] = level
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM.format(before=before)],
        env=env,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    return done.stdout.strip(), done.stderr


@pytest.mark.parametrize("level", [None, "loud"])
def test_without_it_nothing_is_written(level: str | None) -> None:
    assert run(level) == ("['NullHandler'] True []", "")


@pytest.mark.parametrize(
    ("level", "lines"),
    [("info", ["a note", "a warning"]), ("DEBUG", ["a detail", "a note", "a warning"])],
)
def test_with_it_one_handler_writes_to_stderr(level: str, lines: list[str]) -> None:
    out, err = run(level)
    assert out == "['StreamHandler'] True []"
    assert [line.rpartition(": ")[2] for line in err.splitlines()] == lines


def test_a_handler_of_the_application_is_left_alone() -> None:
    before = "logging.getLogger('cursor_sdk_async').addHandler(logging.FileHandler('/dev/null'))"
    assert run("debug", before)[0] == "['FileHandler'] True []"
