"""Blocking clients of scripted bridges, in this process and in programs of their own."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from cursor_sdk_async.testing import (
    Faults,
    Script,
    ScriptedBridge,
    ScriptedControl,
    scripted_bridge_command,
)
from cursor_sdk_sync import CursorClient
from tests.client.conftest import KEY, control, shared_bridge
from tests.sync.program import Program

__all__ = ["control", "shared_bridge"]


@pytest.fixture
def client(shared_bridge: ScriptedBridge, control: ScriptedControl) -> Iterator[CursorClient]:
    """A client of the scripted bridge of this worker."""
    with CursorClient.connect(shared_bridge.url, shared_bridge.token, api_key=KEY) as client:
        yield client


@pytest.fixture
def launch(tmp_path: Path) -> Iterator[Callable[..., CursorClient]]:
    """Launches clients with scripted bridges of their own."""
    with ExitStack() as stack:

        def launch(script: Script | None = None, faults: Faults | None = None) -> CursorClient:
            command = scripted_bridge_command(script, faults)
            client = CursorClient.launch_bridge(command, workspace=tmp_path, api_key=KEY)
            return stack.enter_context(client)

        yield launch


@pytest.fixture
def program(shared_bridge: ScriptedBridge, control: ScriptedControl) -> Iterator[Callable[..., Program]]:
    """Starts programs: ``attach()`` in them attaches to the shared bridge, ``launch()`` launches one."""
    with ExitStack() as stack:

        def start(
            source: str,
            script: Script | None = None,
            faults: Faults | None = None,
            *,
            options: tuple[str, ...] = (),
            terminal: bool = False,
            **env: str,
        ) -> Program:
            command = json.dumps(scripted_bridge_command(script, faults))
            known = {"URL": shared_bridge.url, "TOKEN": shared_bridge.token, "COMMAND": command}
            return stack.enter_context(Program(source, {**known, **env}, options=options, terminal=terminal))

        yield start
