"""The example notebook, and Ctrl-C, in a real Jupyter kernel."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import jupyter_client
import nbclient
import nbformat
import pytest

from cursor_sdk_async.testing import Hold, Script, Text, Turn, scripted_bridge_command
from tests.display.samples import Page

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(180),
    # What Jupyter's own machinery does is not ours.
    pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::RuntimeWarning", "ignore::pytest.PytestUnraisableExceptionWarning"),
]

NOTEBOOK = Path(__file__).parent.parent.parent / "docs" / "examples" / "notebook.ipynb"
SECONDS = 60
#: nbformat and the clients of Jupyter have no complete types.
_FORMAT: Any = nbformat
_CLIENT: Any = nbclient
_JUPYTER: Any = jupyter_client


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory in which the bridge that a kernel finds is the scripted one."""
    launcher = tmp_path / "cursor-sdk-bridge"
    launcher.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m cursor_sdk_async.testing.bridge "$@"\n')
    launcher.chmod(0o755)
    monkeypatch.setenv("CURSOR_SDK_BRIDGE_BIN", str(launcher))
    monkeypatch.setenv("CURSOR_API_KEY", "key-for-notebooks")
    for name in ("IPYTHONDIR", "JUPYTER_CONFIG_DIR", "JUPYTER_RUNTIME_DIR"):
        monkeypatch.setenv(name, str(tmp_path / name.lower()))
    return tmp_path


@pytest.mark.promise("EXA-03", "DSP-07")
def test_the_notebook_runs_in_a_kernel(place: Path) -> None:
    notebook = _FORMAT.read(NOTEBOOK, 4)
    assert not any(cell.get("outputs") for cell in notebook.cells), "outputs are not committed"
    resources = {"metadata": {"path": str(place)}}
    _CLIENT.NotebookClient(notebook, timeout=SECONDS, kernel_name="python3", resources=resources).execute()
    outputs = [cell.outputs for cell in notebook.cells if cell.cell_type == "code"]
    drawn = ["\n".join(Page(output["data"]["text/html"]).text for output in cell) for cell in outputs]
    models, run, usage, agents, again, closed = drawn
    assert "composer-2.5" in models
    assert len(outputs[1]) == 3  # and nothing is drawn twice
    for words in ("finished", "1,540 tokens", "README.md", "You said: Say hello"):
        assert words in run
    assert "total 1,540" in usage
    assert "1 agent" in agents
    assert "You said: Say hello again" in again
    assert not closed


class Kernel:
    """A kernel, and what its cells gave."""

    def __init__(self, place: Path) -> None:
        self.manager = _JUPYTER.KernelManager(kernel_name="python3")
        self.manager.start_kernel(cwd=str(place), env=dict(os.environ))
        self.client = self.manager.blocking_client()
        self.client.start_channels()
        self.client.wait_for_ready(timeout=SECONDS)
        self.said: list[str] = []

    def run(self, code: str) -> str:
        """Run a cell to its end; the last line that it printed, or the name of its exception."""
        self.start(code)
        return self.end()

    def start(self, code: str) -> None:
        self.said.clear()
        self.request = self.client.execute(code)

    def end(self) -> str:
        return self._until(lambda kind, content: kind == "status" and content["execution_state"] == "idle")

    def until(self, words: str) -> None:
        """Wait until a cell shows something."""
        self._until(lambda kind, content: any(words in text for text in self.said))

    def _until(self, done: Callable[[str, dict[str, Any]], bool]) -> str:
        while True:
            message = self.client.get_iopub_msg(timeout=SECONDS)
            if message["parent_header"].get("msg_id") != self.request:
                continue
            kind, content = message["msg_type"], message["content"]
            if kind == "error":
                self.said.append(content["ename"])
            elif kind == "stream":
                self.said.append(content["text"].strip())
            elif "data" in content:
                self.said.append(content["data"].get("text/plain", ""))
            if done(kind, content):
                return self.said[-1] if self.said else ""

    def close(self) -> None:
        self.client.stop_channels()
        self.manager.shutdown_kernel(now=True)


@pytest.fixture
def kernel(place: Path) -> Iterator[Kernel]:
    kernel = Kernel(place)
    try:
        yield kernel
    finally:
        kernel.close()


def alive(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.promise("DSP-14")
def test_an_interrupt_gives_the_prompt_back_and_cancels_and_a_restart_leaves_no_bridge(
    kernel: Kernel,
) -> None:
    command = scripted_bridge_command(Script([Turn([Text("started"), Hold()])]))
    group = int(
        kernel.run(
            f"""
            from cursor_sdk_sync import CursorClient
            client = CursorClient.launch_bridge({command!r}, workspace=".", api_key="key")
            agent = client.agents.create(model="scripted", local={{"cwd": "."}})
            run = agent.send("take your time")
            print(client.bridge.process.pid)
            """
        )
    )
    assert alive(group)
    kernel.start("result = run.display()")
    kernel.until("started")
    kernel.manager.interrupt_kernel()
    assert kernel.end() == "KeyboardInterrupt"
    assert kernel.run("print(6 * 7)") == "42"
    assert kernel.run("print(run.wait().status)") == "cancelled"
    assert kernel.run("print(agent.send('again').status)") == "running"
    kernel.manager.restart_kernel(now=True)
    deadline = time.monotonic() + SECONDS
    while alive(group):
        assert time.monotonic() < deadline, "the bridge is still there"
        time.sleep(0.05)
    kernel.client.wait_for_ready(timeout=SECONDS)
    assert kernel.run("print(6 * 7)") == "42"
