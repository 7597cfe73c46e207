"""What lasts on the real bridge and the stand-in: lists, artifacts, usage, archive; and local agents."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from tests.real.agents_by_hand import AGENT, KEY, cloud_agent, kinds, result_of, send
from tests.real.raw_bridge import RawBridge, RawError
from tests.rest_standin import ACCEPTED_KEY, ARTIFACTS, LARGE_ARTIFACT, RestStandin

pytestmark = pytest.mark.real_bridge

CLOUD = {"runtime": "RUNTIME_CLOUD", **KEY}
LOCAL = {"apiKey": ACCEPTED_KEY, "model": {"id": "plain-1"}, "local": {}}
MIB = 1024 * 1024


def ids(bridge: RawBridge, **options: Any) -> list[str]:
    page = bridge.call(f"{AGENT}ListAgents", {"options": options})
    return [item["agentId"] for item in page.get("items", [])]


@pytest.mark.promise("RST-05")
def test_agents_are_listed_in_pages_and_filtered(raw_bridge: RawBridge, rest_standin: RestStandin) -> None:
    rest_standin.reset(agents=True)
    made: list[str] = []
    for number in range(3):
        made.append(cloud_agent(raw_bridge))
        send(raw_bridge, made[-1], f"prompt {number}")
    with_pr = {"repos": [{"url": "https://github.com/acme/rocket"}], "autoCreatePr": True}
    made.append(cloud_agent(raw_bridge, cloud=with_pr))
    branch = result_of(send(raw_bridge, made[-1], "open one"))["git"]["branches"][0]
    raw_bridge.call(f"{AGENT}ArchiveAgent", {"agentId": made[0], "options": KEY})

    first = raw_bridge.call(f"{AGENT}ListAgents", {"options": {**CLOUD, "limit": 3}})
    rest = ids(raw_bridge, **CLOUD, limit=3, cursor=first["nextCursor"])
    assert [item["agentId"] for item in first["items"]] + rest == made[::-1]
    assert ids(raw_bridge, **CLOUD, includeArchived=False) == made[:0:-1]
    assert ids(raw_bridge, **CLOUD, prUrl=branch["prUrl"]) == made[-1:]


@pytest.mark.promise("RST-05")
def test_runs_are_listed_newest_first(raw_bridge: RawBridge) -> None:
    agent = cloud_agent(raw_bridge)
    made = [result_of(send(raw_bridge, agent, text))["runId"] for text in ("one", "two", "three")]
    page = raw_bridge.call(f"{AGENT}ListRuns", {"agentId": agent, "options": {**CLOUD, "limit": 2}})
    assert [item["runId"] for item in page["items"]] == made[:0:-1]
    options = {**CLOUD, "limit": 2, "cursor": page["nextCursor"]}
    last = raw_bridge.call(f"{AGENT}ListRuns", {"agentId": agent, "options": options})
    assert [item["runId"] for item in last["items"]] == made[:1]


@pytest.mark.promise("RST-05")
def test_artifacts_come_in_chunks_of_one_mebibyte(raw_bridge: RawBridge) -> None:
    agent = cloud_agent(raw_bridge)
    send(raw_bridge, agent, "hello")
    listed = raw_bridge.call(f"{AGENT}ListArtifacts", {"agentId": agent})["artifacts"]
    sizes = {item["path"]: int(item.get("sizeBytes", "0")) for item in listed}
    assert sizes == {path: len(content) for path, content in ARTIFACTS.items()}
    for path, content in ARTIFACTS.items():
        frames = raw_bridge.stream(f"{AGENT}DownloadArtifact", {"agentId": agent, "path": path})
        chunks = [base64.b64decode(frame["data"]) for frame in frames]
        assert b"".join(chunks) == content
        if path == LARGE_ARTIFACT:
            assert [len(chunk) for chunk in chunks] == [MIB, MIB, len(content) - 2 * MIB]


@pytest.mark.promise("RST-05")
def test_usage_is_told_for_the_agent_and_for_one_run(raw_bridge: RawBridge) -> None:
    agent = cloud_agent(raw_bridge)
    runs = [result_of(send(raw_bridge, agent, text))["runId"] for text in ("one", "two")]
    usage = raw_bridge.call(f"{AGENT}GetUsage", {"agentId": agent})["usage"]
    assert [row["runId"] for row in usage["runs"]] == runs[::-1]
    assert usage["usage"]["totalTokens"] == "4780"
    one = raw_bridge.call(f"{AGENT}GetUsage", {"agentId": agent, "runId": runs[0]})["usage"]
    assert one["usage"]["totalTokens"] == "2390"


@pytest.mark.promise("RST-05")
def test_a_deleted_cloud_agent_is_not_found(raw_bridge: RawBridge) -> None:
    agent = cloud_agent(raw_bridge)
    send(raw_bridge, agent, "hello")
    body = {"agentId": agent, "options": KEY}
    raw_bridge.call(f"{AGENT}ArchiveAgent", body)
    assert raw_bridge.call(f"{AGENT}GetAgent", body)["agent"]["archived"] is True
    with pytest.raises(RawError, match="agent_archived"):
        send(raw_bridge, agent, "more")
    raw_bridge.call(f"{AGENT}UnarchiveAgent", body)
    send(raw_bridge, agent, "more")
    raw_bridge.call(f"{AGENT}DeleteAgent", body)
    with pytest.raises(RawError) as caught:
        raw_bridge.call(f"{AGENT}GetAgent", body)
    assert (caught.value.status, caught.value.sdk_code) == (404, "SDK_ERROR_CODE_AGENT_NOT_FOUND")


@pytest.mark.promise("RST-06")
def test_a_local_agent_lives_in_the_store(raw_bridge: RawBridge) -> None:
    agent = raw_bridge.call(f"{AGENT}CreateAgent", {"options": {**LOCAL, "name": "Named"}})["agentId"]
    body = {"agentId": agent}
    assert raw_bridge.call(f"{AGENT}ResumeAgent", {**body, "options": LOCAL})["agentId"] == agent
    assert raw_bridge.call(f"{AGENT}GetAgent", body)["agent"]["name"] == "Named"
    assert agent in ids(raw_bridge, runtime="RUNTIME_LOCAL")
    raw_bridge.call(f"{AGENT}ArchiveAgent", body)
    assert raw_bridge.call(f"{AGENT}GetAgent", body)["agent"]["archived"] is True
    raw_bridge.call(f"{AGENT}UnarchiveAgent", body)

    with pytest.raises(RawError, match="is not terminal"):  # the run that was made with the agent
        raw_bridge.call(f"{AGENT}DeleteAgent", body)
    run = raw_bridge.call(f"{AGENT}ListRuns", body)["items"][0]["runId"]
    raw_bridge.call(f"{AGENT}CancelRun", {"runId": run})
    raw_bridge.call(f"{AGENT}DeleteAgent", body)
    with pytest.raises(RawError) as caught:
        raw_bridge.call(f"{AGENT}GetAgent", body)
    assert caught.value.sdk_code == "SDK_ERROR_CODE_AGENT_NOT_FOUND"


@pytest.mark.slow
@pytest.mark.promise("RST-06")
def test_a_local_send_ends_in_the_documented_error(raw_bridge: RawBridge) -> None:
    agent = raw_bridge.call(f"{AGENT}CreateAgent", {"options": LOCAL})["agentId"]
    frames = send(raw_bridge, agent, "hello")
    assert kinds(frames) == ["status RUNNING", "status ERROR", "result", "done"]
    result = result_of(frames)
    assert result["status"] == "RUN_LIFECYCLE_STATUS_ERROR"
    assert "API key exchange endpoint" in result["errorMessage"]
    raw_bridge.call(f"{AGENT}DeleteAgent", {"agentId": agent})
