"""Each cloud option through the real bridge, read back from what it asks of the service."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from cursor_sdk_async import AsyncClient, CloudAgentOptions, CloudEnvironment, CloudRepository
from tests.real.conftest import bridge_launcher, real_bridge_environment
from tests.rest_standin import ACCEPTED_KEY, RestStandin
from tests.rest_standin.fixtures import rest_standin
from tests.suite.real_world import RealWorld

__all__ = ["bridge_launcher", "real_bridge_environment", "rest_standin"]

pytestmark = [pytest.mark.anyio, pytest.mark.real_bridge, pytest.mark.promise("SUR-07")]

REPO = CloudRepository("https://github.com/o/n", "main")
#: What is given, and what the service must be asked for.
CLOUD: list[tuple[CloudAgentOptions, dict[str, Any]]] = [
    (CloudAgentOptions(), {}),
    (CloudAgentOptions(env=CloudEnvironment("pool", "big")), {"env": {"type": "pool", "name": "big"}}),
    (
        CloudAgentOptions(repos=[REPO, "o/m"]),
        {"repos": [{"url": REPO.url, "startingRef": "main"}, {"url": "https://github.com/o/m"}]},
    ),
    (CloudAgentOptions(repos=[REPO], work_on_current_branch=True), {"workOnCurrentBranch": True}),
    (CloudAgentOptions(repos=[REPO], auto_create_pr=True), {"autoCreatePR": True}),
    (
        CloudAgentOptions(repos=[REPO], auto_create_pr=True, skip_reviewer_request=True),
        {"skipReviewerRequest": True},
    ),
    (CloudAgentOptions(repos=[REPO], open_as_cursor_github_app=False), {"openAsCursorGithubApp": False}),
    (CloudAgentOptions(env_vars={"A": "b"}), {"envVars": {"A": "b"}}),
    (CloudAgentOptions(metadata={"k": "v", "empty": ""}), {"metadata": {"k": "v", "empty": ""}}),
]


@pytest.fixture(scope="module")
def bridge(
    bridge_launcher: Path,
    real_bridge_environment: Mapping[str, str],
    rest_standin: RestStandin,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[RealWorld]:
    """The wheel's bridge."""
    workspace = tmp_path_factory.mktemp("workspace")
    world = RealWorld(bridge_launcher, workspace, real_bridge_environment, rest_standin)
    yield world
    world.stop()


@pytest.fixture(params=["proto", "json"])
async def coded(bridge: RealWorld, request: pytest.FixtureRequest) -> AsyncIterator[AsyncClient]:
    """A client that writes everything in one codec."""
    bridge.fresh()
    async with AsyncClient.connect(
        bridge.url, bridge.token, api_key=ACCEPTED_KEY, codec=request.param
    ) as client:
        yield client


@pytest.mark.parametrize(("cloud", "expected"), CLOUD, ids=["-".join(row[1]) or "none" for row in CLOUD])
async def test_each_cloud_option_reaches_the_service(
    coded: AsyncClient, bridge: RealWorld, cloud: CloudAgentOptions, expected: dict[str, Any]
) -> None:
    async with await coded.agents.create(cloud=cloud, name="n", mode="plan") as agent:
        await agent.prompt("hello", {"cloud": {"env_vars": {"RUN": "1"}}})
    body = bridge.standin.requests("POST", "/v1/agents")[0]["body"]
    assert {name: body.get(name) for name in expected} == expected
    assert (body["name"], body["mode"], body["prompt"]["text"]) == ("n", "plan", "hello")
    assert body["runEnvVars"] == {"RUN": "1"}


async def test_mcp_servers_and_sub_agents_reach_the_service(coded: AsyncClient, bridge: RealWorld) -> None:
    async with await coded.agents.create(
        cloud={},
        mcp_servers={"web": {"url": "https://a.example", "headers": {"X": "1"}}, "own": {"command": "npx"}},
        agents={"helper": {"description": "helps", "prompt": "Help.", "model": "inherit"}},
    ) as agent:
        await agent.prompt("hello")
    body = bridge.standin.requests("POST", "/v1/agents")[0]["body"]
    servers = {server["name"]: server for server in body["mcpServers"]}
    assert (servers["web"]["url"], servers["web"]["headers"]) == ("https://a.example", {"X": "1"})
    assert servers["own"]["command"] == "npx"
    (helper,) = body["customSubagents"]
    assert (helper["name"], helper["description"], helper["prompt"]) == ("helper", "helps", "Help.")
