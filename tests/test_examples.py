"""What README and docs show runs as it stands."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
EXAMPLES = sorted((ROOT / "docs" / "examples").glob("*.py"))


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """An environment in which the bridge that is found is the scripted one."""
    launcher = tmp_path / "cursor-sdk-bridge"
    launcher.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m cursor_sdk_async.testing.bridge "$@"\n')
    launcher.chmod(0o755)
    return {**os.environ, "CURSOR_SDK_BRIDGE_BIN": str(launcher), "CURSOR_API_KEY": "key-for-examples"}


@pytest.mark.promise("EXA-01")
@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_the_example_runs(example: Path, environment: dict[str, str], tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", str(example)],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=50,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.strip()


@pytest.mark.promise("EXA-02")
def test_the_code_of_the_readme_is_the_quickstart() -> None:
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    assert blocks[0] == (ROOT / "docs" / "examples" / "quickstart.py").read_text()
    assert (ROOT / "docs" / "examples" / "blocking.py").read_text() in blocks


def run_command(*arguments: str, env: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "cursor_sdk_async", *arguments],
        env=env,
        capture_output=True,
        text=True,
        timeout=50,
    )


@pytest.mark.promise("CLI-01")
def test_without_a_key_the_command_answers_from_the_scripted_bridge_and_says_so() -> None:
    env = {name: value for name, value in os.environ.items() if name != "CURSOR_API_KEY"}
    done = run_command("run", "Say hello", env=env)
    assert done.returncode == 0
    assert "Say hello" in done.stdout
    assert "Scripted bridge" in done.stderr
    assert "CURSOR_API_KEY is not set" in done.stderr
    assert "finished" in done.stderr


@pytest.mark.promise("CLI-01")
def test_with_a_key_and_a_bridge_the_command_uses_them(environment: dict[str, str]) -> None:
    done = run_command("run", "Say hello", env=environment)
    assert done.returncode == 0
    assert "Say hello" in done.stdout
    assert "Scripted bridge" not in done.stderr


@pytest.mark.promise("CLI-01")
def test_a_bridge_that_was_chosen_and_is_missing_is_an_error(environment: dict[str, str]) -> None:
    done = run_command("run", "Say hello", env={**environment, "CURSOR_SDK_BRIDGE_BIN": "/nowhere/bridge"})
    assert done.returncode == 1
    assert "/nowhere/bridge" in done.stderr.replace("\n", "")


@pytest.mark.promise("CLI-01")
def test_the_command_tells_its_version() -> None:
    assert run_command("version", env=dict(os.environ)).stdout.strip() == "0.1.0"
