"""Clients on scripted bridges: one process for each test worker, and more where a test kills or closes it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from cursor_sdk_async import AsyncAgent, AsyncClient
from cursor_sdk_async._lifecycle import Opening
from cursor_sdk_async.testing import Faults, Script, ScriptedBridge, ScriptedControl, scripted_bridge_command

KEY = "key-for-tests"


@pytest.fixture(scope="session")
def shared_bridge(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ScriptedBridge]:
    """The scripted bridge of this worker."""
    with ScriptedBridge(workspace=tmp_path_factory.mktemp("workspace")) as bridge:
        yield bridge


@pytest.fixture
def control(shared_bridge: ScriptedBridge) -> Iterator[ScriptedControl]:
    """Its control calls, fresh for each test."""
    control = shared_bridge.control
    control.forget()
    control.hold()
    yield control
    control.release()
    control.set_script(Script())
    control.set_faults(Faults())


@pytest.fixture
async def client(shared_bridge: ScriptedBridge, control: ScriptedControl) -> AsyncIterator[AsyncClient]:
    """A client of it."""
    async with AsyncClient.connect(shared_bridge.url, shared_bridge.token, api_key=KEY) as client:
        yield client


@pytest.fixture
def launch(tmp_path: Path) -> Callable[..., Opening[AsyncClient]]:
    """Launches a client with a scripted bridge of its own."""

    def launch(
        script: Script | None = None, faults: Faults | None = None, **options: Any
    ) -> Opening[AsyncClient]:
        command = scripted_bridge_command(script, faults)
        return AsyncClient.launch_bridge(command, workspace=tmp_path, api_key=KEY, **options)

    return launch


async def local_agent(client: AsyncClient) -> AsyncAgent:
    """A local agent."""
    return await client.agents.create(model="scripted", local={})


async def cloud_agent(client: AsyncClient) -> AsyncAgent:
    """A cloud agent."""
    return await client.agents.create(cloud={})


def control_of(client: AsyncClient) -> ScriptedControl:
    """The control calls of a launched scripted bridge."""
    assert client.bridge is not None
    return ScriptedControl(client.bridge.endpoint.url, client.bridge.endpoint.auth_token)
