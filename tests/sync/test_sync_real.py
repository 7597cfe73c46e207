"""The blocking client on the bridge of the ``cursor-sdk`` wheel, against a stand-in of the service."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from cursor_sdk_sync import Agent, CursorClient
from tests.real.conftest import bridge_launcher, real_bridge_environment
from tests.rest_standin import ACCEPTED_KEY, RestStandin
from tests.rest_standin.fixtures import rest_standin

__all__ = ["bridge_launcher", "real_bridge_environment", "rest_standin"]

pytestmark = [pytest.mark.real_bridge, pytest.mark.promise("SYN-01")]


def test_a_whole_cloud_run(
    bridge_launcher: Path,
    real_bridge_environment: Mapping[str, str],
    rest_standin: RestStandin,
    tmp_path: Path,
) -> None:
    with CursorClient.launch_bridge(
        bridge_launcher, workspace=tmp_path, env=dict(real_bridge_environment), api_key=ACCEPTED_KEY
    ) as client:
        assert client.models.list()
        with Agent.create(client=client, cloud={}) as agent:
            run = agent.send("hello")
            text = "".join(run.iter_text())
            result = run.wait()
            assert (result.status, result.result) == ("finished", text)
            assert run.id in [found.id for found in client.agents.list_runs(agent.agent_id)]
    assert client.bridge is not None
    assert not client.bridge.is_alive()
