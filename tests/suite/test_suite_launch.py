"""The main job from the first line to the last: launch, create, send, stream, result, close."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import anyio
import pytest

from cursor_sdk_async import AsyncAgent, AsyncClient
from cursor_sdk_async.errors import ClosedError, ConfigurationError, InternalServerError
from cursor_sdk_async.testing import scripted_bridge_command
from tests.rest_standin import ACCEPTED_KEY, RestStandin
from tests.suite.scripted_world import SCRIPT
from tests.suite.steps import cloud_agent, read_until_text
from tests.suite.world import HELLO, HELLO_TEXT, HOLD

pytestmark = [pytest.mark.anyio, pytest.mark.promise("CTR-22")]


@dataclass
class Launch:
    """What ``launch_bridge`` needs to be told."""

    command: str | Sequence[str]
    workspace: Path
    env: Mapping[str, str | None]
    standin: RestStandin | None = None


@pytest.fixture(params=["scripted", pytest.param("real", marks=pytest.mark.real_bridge)])
def launch(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Launch:
    """Both bridges, each with a key in this process's environment."""
    monkeypatch.setenv("CURSOR_API_KEY", ACCEPTED_KEY)
    (tmp_path / "tmp").mkdir()
    if request.param == "scripted":
        return Launch(scripted_bridge_command(SCRIPT), tmp_path, {"TMPDIR": str(tmp_path / "tmp")})
    environment: Mapping[str, str] = request.getfixturevalue("real_bridge_environment")
    launcher: Path = request.getfixturevalue("bridge_launcher")
    request.getfixturevalue("real_world").fresh()
    standin: RestStandin = request.getfixturevalue("rest_standin")
    return Launch(str(launcher), tmp_path, {**environment, "TMPDIR": str(tmp_path / "tmp")}, standin)


def alive(pid: int | None) -> bool:
    """Whether there is such a process."""
    assert pid is not None
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


async def test_the_main_job_leaves_nothing_behind(launch: Launch) -> None:
    async with AsyncClient.launch_bridge(
        launch.command, workspace=launch.workspace, env=launch.env
    ) as client:
        bridge = client.bridge
        assert bridge is not None
        assert await client.ping() == "pong"
        async with await client.agents.create(cloud={}) as agent:
            run = await agent.send(HELLO)
            assert "".join([piece async for piece in run.iter_text()]) == HELLO_TEXT
            assert (await run.wait()).status == "finished"
        assert alive(bridge.pid)
    assert not alive(bridge.pid)
    assert list((launch.workspace / "tmp").iterdir()) == []
    with pytest.raises(ClosedError):
        await client.ping()


async def test_a_client_can_be_awaited_and_closed_by_hand(launch: Launch) -> None:
    client = await AsyncClient.launch_bridge(
        launch.command, workspace=launch.workspace, env=launch.env, api_key=ACCEPTED_KEY, codec="json"
    )
    result = await AsyncAgent.prompt(HELLO, {"cloud": {}}, client=client)
    assert result.result == HELLO_TEXT
    assert client.bridge is not None
    pid = client.bridge.pid
    await client.close()
    await client.close()
    assert client.closed
    assert not alive(pid)


async def test_closing_with_a_live_run_ends_the_bridge_and_not_the_cloud_run(launch: Launch) -> None:
    with anyio.fail_after(30):
        async with AsyncClient.launch_bridge(
            launch.command, workspace=launch.workspace, env=launch.env
        ) as client:
            assert client.bridge is not None
            pid = client.bridge.pid
            run = await (await cloud_agent(client)).send(HOLD)
            await read_until_text(run)
        assert not alive(pid)
        if launch.standin is not None:  # behind the scripted bridge there is nobody who goes on
            assert run.id in launch.standin.state()["live_runs"]


async def test_the_key_of_the_environment_is_used_unless_forbidden(launch: Launch) -> None:
    async with AsyncClient.launch_bridge(
        launch.command, workspace=launch.workspace, env=launch.env, allow_api_key_env_fallback=False
    ) as client:
        with pytest.raises(ConfigurationError) as caught:
            await client.me()
        assert caught.value.code == "missing_api_key"
        assert (await client.me(api_key=ACCEPTED_KEY)).user_id == 42
        assert ACCEPTED_KEY not in repr(client) + repr(client.bridge)


@pytest.mark.promise("BRG-23")
@pytest.mark.real_bridge
async def test_a_home_that_cannot_be_written_is_one_error_and_another_one_helps(
    bridge_launcher: Path, real_bridge_environment: Mapping[str, str], tmp_path: Path
) -> None:
    no_directory = tmp_path / "file"
    no_directory.touch()
    state, home = tmp_path / "state", tmp_path / "home"
    for directory in (no_directory, home):
        env = {**real_bridge_environment, "HOME": str(directory)}
        with anyio.fail_after(30):
            async with AsyncClient.launch_bridge(
                str(bridge_launcher), workspace=tmp_path, state_root=state, env=env, api_key=ACCEPTED_KEY
            ) as client:
                if directory is home:
                    agent = await client.agents.create(model="plain-1", local={})
                    assert (await client.agents.get(agent.agent_id)).agent_id == agent.agent_id
                    continue
                with pytest.raises(InternalServerError, match="ENOTDIR") as caught:
                    await client.agents.create(model="plain-1", local={})
                assert str(no_directory) in caught.value.message
                assert "env={'HOME'" in caught.value.message
                assert await client.ping() == "pong"
