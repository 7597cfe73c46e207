"""The worlds, one bridge each for a worker, started outside of any loop; and a client that is attached."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping
from pathlib import Path

import pytest

from cursor_sdk_async import AsyncClient
from tests.real.conftest import bridge_launcher, real_bridge_environment
from tests.rest_standin import ACCEPTED_KEY, RestStandin
from tests.rest_standin.fixtures import rest_standin
from tests.suite.real_world import RealWorld
from tests.suite.scripted_world import ScriptedWorld
from tests.suite.world import World

__all__ = ["bridge_launcher", "real_bridge_environment", "rest_standin"]


@pytest.fixture(scope="session")
def real_world(
    bridge_launcher: Path,
    real_bridge_environment: Mapping[str, str],
    rest_standin: RestStandin,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[World]:
    """The wheel's bridge."""
    workspace = tmp_path_factory.mktemp("workspace")
    world = RealWorld(bridge_launcher, workspace, real_bridge_environment, rest_standin)
    yield world
    world.stop()


@pytest.fixture(scope="session")
def scripted_world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """The scripted bridge."""
    world = ScriptedWorld(tmp_path_factory.mktemp("workspace"))
    yield world
    world.stop()


@pytest.fixture(params=["scripted", pytest.param("real", marks=pytest.mark.real_bridge)])
def world(request: pytest.FixtureRequest) -> World:
    """A running bridge; every test runs on each kind."""
    found: World = request.getfixturevalue(f"{request.param}_world")
    found.fresh()
    return found


@pytest.fixture
async def client(world: World) -> AsyncIterator[AsyncClient]:
    """A client attached to the bridge, with a key that the service accepts."""
    async with AsyncClient.connect(world.url, world.token, api_key=ACCEPTED_KEY) as client:
        yield client


@pytest.fixture
async def scripted_client(scripted_world: World) -> AsyncIterator[AsyncClient]:
    """A client attached to the scripted bridge, for what the real one cannot do offline."""
    scripted_world.fresh()
    async with AsyncClient.connect(scripted_world.url, scripted_world.token, api_key=ACCEPTED_KEY) as client:
        yield client
