"""Agents and the catalogue: create, resume, find, list, archive, close, delete."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from cursor_sdk_async.testing import Artifact, Script, ScriptedBridge, Text, Turn, Usage
from tests.scripted.by_hand import AGENT, CONTROL, CURSOR, Hand, HandError, Json, result_of

pytestmark = pytest.mark.promise("DBL-03")

Start = Callable[..., tuple[ScriptedBridge, Hand]]
KEY = {"apiKey": "key"}
CLOUD = {"runtime": "RUNTIME_CLOUD", **KEY}
SHORT = Script([Turn([Text("done"), Usage()])])


def refused(hand: Hand, rpc: str, body: Json) -> tuple[int, str]:
    """Status and code of an error."""
    with pytest.raises(HandError) as caught:
        hand.call(f"{AGENT}{rpc}", body)
    return caught.value.status, caught.value.code


def info(hand: Hand, agent_id: str) -> Json:
    """What GetAgent tells."""
    found: Json = hand.call(f"{AGENT}GetAgent", {"agentId": agent_id, "options": KEY})["agent"]
    return found


def test_the_catalogue_needs_a_key(start: Start) -> None:
    _, hand = start(Script(accepted_keys=["good"], repositories=["https://x/y"]))
    good = {"options": {"apiKey": "good"}}
    assert hand.call(f"{CURSOR}Me", good)["user"]["userId"] == "42"
    assert hand.call(f"{CURSOR}ListModels", good)["items"][1] == {"id": "plain-1", "displayName": "Plain 1"}
    assert hand.call(f"{CURSOR}ListRepositories", good) == {"items": [{"url": "https://x/y"}]}
    for body in ({}, {"options": {"apiKey": "bad"}}):
        with pytest.raises(HandError) as caught:
            hand.call(f"{CURSOR}Me", body)
        assert (caught.value.status, caught.value.code) == (401, "unauthenticated")
        assert (caught.value.debug is None) is not bool(body)


def test_version_and_ping(start: Start) -> None:
    _, hand = start()
    assert hand.call(f"{CONTROL}Ping") == {"message": "pong"}
    version = hand.call(f"{CONTROL}GetVersion")
    assert (version["protocolVersion"], len(version["capabilities"])) == ("sdk.v1", 10)


def test_a_local_agent_has_a_queued_run_from_the_start(start: Start) -> None:
    bridge, hand = start(SHORT)
    agent = hand.local(name="Nice")
    assert agent.startswith("agent-")
    (queued,) = hand.call(f"{AGENT}ListRuns", {"agentId": agent})["items"]
    assert queued["status"] == "RUN_LIFECYCLE_STATUS_RUNNING"
    shown = info(hand, agent)
    assert (shown["name"], shown["status"]) == ("Nice", "AGENT_INFO_STATUS_FINISHED")
    assert shown["local"] == {"cwd": bridge.ready["workspaceRef"]}
    assert result_of(list(hand.send(agent, "x")))["runId"] == queued["runId"]


def test_a_resumed_agent_with_a_queued_run_is_busy_until_forced(start: Start) -> None:
    _, hand = start(SHORT)
    agent = hand.local()
    hand.call(f"{AGENT}ResumeAgent", {"agentId": agent, "options": {"model": {"id": "scripted"}}})
    with pytest.raises(HandError) as caught:
        list(hand.send(agent, "x"))
    assert (caught.value.code, caught.value.message) == ("internal", f"Agent {agent} already has active run")
    list(hand.send(agent, "x", options={"local": {"force": True}}))
    first, second = hand.call(f"{AGENT}ListRuns", {"agentId": agent})["items"]
    assert (first["status"], first["errorMessage"]) == ("RUN_LIFECYCLE_STATUS_ERROR", "force_send")
    assert second["status"] == "RUN_LIFECYCLE_STATUS_FINISHED"


def test_a_model_must_be_in_the_catalogue_and_is_needed_locally(start: Start) -> None:
    _, hand = start(SHORT)
    with pytest.raises(HandError, match=r"Available models: composer-2\.5, plain-1, scripted"):
        hand.local(model={"id": "nope"})
    with pytest.raises(HandError) as caught:
        hand.cloud(model={"id": "nope"})
    assert caught.value.debug is not None
    assert caught.value.debug["sdkErrorCode"] == "SDK_ERROR_CODE_INVALID_MODEL"
    agent = hand.call(f"{AGENT}CreateAgent", {})["agentId"]
    with pytest.raises(HandError) as caught:
        list(hand.send(agent, "x"))
    assert (caught.value.status, caught.value.code) == (200, "invalid_argument")
    options = {"model": {"id": "plain-1"}}
    assert result_of(list(hand.send(agent, "x", options=options)))["model"] == {"id": "plain-1"}


@pytest.mark.parametrize(
    ("options", "more", "expected"),
    [
        ({}, {"idempotencyKey": "k"}, (501, "unimplemented")),
        ({"cloud": {}}, {}, (401, "unauthenticated")),
        ({"cloud": {"envVars": {"CURSOR_A": "1"}}, **KEY}, {}, (400, "invalid_argument")),
        ({"cloud": {"envVars": {"A": "1"}}, "agentId": "bc-1", **KEY}, {}, (400, "invalid_argument")),
        ({"cloud": {}, "tools": {}, **KEY}, {}, (400, "invalid_argument")),
        ({"cloud": {}, "local": {"customTools": {"t": {}}}, **KEY}, {}, (400, "invalid_argument")),
        ({"local": {"customTools": {"t": {}}}}, {}, (400, "failed_precondition")),
    ],
)
def test_create_refuses_what_does_not_fit(
    start: Start, options: Json, more: Json, expected: tuple[int, str]
) -> None:
    _, hand = start()
    assert refused(hand, "CreateAgent", {"options": options, **more}) == expected


def test_an_agent_id_is_used_once(start: Start) -> None:
    _, hand = start()
    assert hand.local(agentId="mine") == "mine"
    assert refused(hand, "CreateAgent", {"options": {"agentId": "mine"}}) == (500, "internal")


def test_local_agents_live_and_die_by_the_real_rules(start: Start) -> None:
    _, hand = start(SHORT)
    agent = hand.local()
    other = hand.local()
    pages = [hand.call(f"{AGENT}ListAgents", {"options": {"limit": 1}})]
    pages.append(hand.call(f"{AGENT}ListAgents", {"options": {"limit": 1, "cursor": pages[0]["nextCursor"]}}))
    assert {page["items"][0]["agentId"] for page in pages} == {agent, other}
    assert "nextCursor" not in pages[1]
    assert refused(hand, "ListAgents", {"options": {"cursor": "garbage"}}) == (500, "internal")
    hand.call(f"{AGENT}ArchiveAgent", {"agentId": agent})
    assert info(hand, agent)["archived"] is True
    assert "status" not in info(hand, agent)
    list(hand.send(agent, "x"))  # its first run is there already
    with pytest.raises(HandError, match="archived"):
        list(hand.send(agent, "x"))
    assert len(hand.call(f"{AGENT}ListAgents", {"options": {"includeArchived": False}})["items"]) == 2
    hand.call(f"{AGENT}UnarchiveAgent", {"agentId": agent})
    assert "archived" not in info(hand, agent)
    assert refused(hand, "GetAgent", {"agentId": agent, "options": {"cwd": "/else"}}) == (404, "not_found")
    assert refused(hand, "DeleteAgent", {"agentId": other}) == (500, "internal")  # its queued run
    assert hand.call(f"{AGENT}DeleteAgent", {"agentId": agent}) == {}
    assert refused(hand, "GetAgent", {"agentId": agent}) == (404, "not_found")
    assert refused(hand, "DeleteAgent", {"agentId": agent}) == (500, "internal")
    assert refused(hand, "ResumeAgent", {"agentId": agent}) == (404, "not_found")


def test_close_forgets_the_agent_and_its_runs(start: Start) -> None:
    _, hand = start(SHORT)
    agent = hand.local()
    run = result_of(list(hand.send(agent, "x")))["runId"]
    assert hand.call(f"{AGENT}ReloadAgent", {"agentId": agent}) == {}
    assert hand.call(f"{AGENT}CloseAgent", {"agentId": agent}) == {}
    assert refused(hand, "CloseAgent", {"agentId": agent}) == (404, "not_found")
    assert refused(hand, "WaitLiveRun", {"runId": run}) == (404, "not_found")
    assert info(hand, agent)["agentId"] == agent


def test_messages_of_a_local_agent_can_be_listed(start: Start) -> None:
    _, hand = start(SHORT)
    agent = hand.local()
    list(hand.send(agent, "one"))
    list(hand.send(agent, "two"))
    found = hand.call(f"{AGENT}ListAgentMessages", {"agentId": agent})["messages"]
    assert [message["type"] for message in found] == ["user", "assistant"] * 2
    some = hand.call(f"{AGENT}ListAgentMessages", {"agentId": agent, "options": {"offset": 2, "limit": 1}})
    assert some["messages"] == [found[2]]
    assert found[2]["message"]["content"] == [{"type": "text", "text": "two"}]
    assert refused(hand, "ListAgentMessages", {"agentId": "bc-1"}) == (501, "unimplemented")


def test_a_cloud_agent_exists_from_its_first_send(start: Start) -> None:
    _, hand = start(SHORT)
    agent = hand.cloud(cloud={"repos": [{"url": "https://x/y"}], "metadata": {"a": "b"}}, name="Sky")
    assert refused(hand, "GetAgent", {"agentId": agent, "options": KEY}) == (404, "not_found")
    assert hand.call(f"{AGENT}ListArtifacts", {"agentId": agent}) == {}
    assert refused(hand, "GetUsage", {"agentId": agent}) == (404, "not_found")
    list(hand.send(agent, "x"))
    shown = info(hand, agent)
    assert (shown["name"], shown["summary"], "status" in shown) == ("Sky", "Sky", False)
    assert shown["cloud"] == {
        "env": {"type": "CLOUD_ENVIRONMENT_TYPE_CLOUD"},
        "repos": ["https://x/y"],
        "metadata": {"a": "b"},
    }
    (listed,) = hand.call(f"{AGENT}ListAgents", {"options": CLOUD})["items"]
    assert listed["cloud"] == {"env": {"type": "CLOUD_ENVIRONMENT_TYPE_CLOUD"}}
    assert refused(hand, "ListAgents", {"options": {"runtime": "RUNTIME_CLOUD"}}) == (401, "unauthenticated")
    assert refused(hand, "ListAgents", {"options": {**CLOUD, "limit": 101}}) == (400, "invalid_argument")


def test_archived_cloud_agents_can_be_left_out_and_take_no_prompt(start: Start) -> None:
    _, hand = start(SHORT)
    agent = hand.cloud()
    list(hand.send(agent, "x"))
    hand.call(f"{AGENT}ArchiveAgent", {"agentId": agent, "options": KEY})
    assert hand.call(f"{AGENT}ListAgents", {"options": {**CLOUD, "includeArchived": False}}) == {}
    with pytest.raises(HandError, match=r"\[agent_archived\]"):
        list(hand.send(agent, "x"))
    hand.call(f"{AGENT}DeleteAgent", {"agentId": agent, "options": KEY})
    with pytest.raises(HandError, match=r"\[agent_not_found\]"):
        list(hand.send(agent, "x"))


def test_with_variables_the_service_chooses_the_id(start: Start) -> None:
    _, hand = start(SHORT)
    agent = hand.cloud(cloud={"envVars": {"A": "1"}})
    true_id = result_of(list(hand.send(agent, "x")))["agentId"]
    assert true_id != agent
    assert result_of(list(hand.send(agent, "y")))["agentId"] == true_id
    assert refused(hand, "GetAgent", {"agentId": agent, "options": KEY}) == (404, "not_found")
    assert info(hand, true_id)["agentId"] == true_id


def test_an_idempotency_key_makes_one_run_of_two_sends(start: Start) -> None:
    _, hand = start(SHORT)
    agent = hand.cloud()
    runs = {result_of(list(hand.send(agent, "x", idempotencyKey="k")))["runId"] for _ in range(2)}
    assert len(runs) == 1
    assert len(hand.call(f"{AGENT}ListRuns", {"agentId": agent, "options": CLOUD})["items"]) == 1


def test_artifacts_come_in_chunks_of_one_mebibyte(start: Start) -> None:
    large = Artifact("large", size=2 * 1024 * 1024 + 3)
    _, hand = start(Script([Turn()], artifacts=[large, Artifact("small", b"hi"), Artifact("empty")]))
    agent = hand.cloud()
    list(hand.send(agent, "x"))
    rows = hand.call(f"{AGENT}ListArtifacts", {"agentId": agent})["artifacts"]
    assert [row.get("sizeBytes") for row in rows] == ["2097155", "2", None]
    sizes = {
        path: [
            len(frame["data"])
            for frame in hand.stream(f"{AGENT}DownloadArtifact", {"agentId": agent, "path": path})
        ]
        for path in ("large", "small", "empty")
    }
    assert sizes == {"large": [1398104, 1398104, 4], "small": [4], "empty": []}
    with pytest.raises(HandError, match="artifact_not_found"):
        list(hand.stream(f"{AGENT}DownloadArtifact", {"agentId": agent, "path": "nope"}))


def test_usage_is_the_sum_over_runs_with_caches_in_its_total(start: Start) -> None:
    _, hand = start(SHORT)
    agent = hand.cloud()
    first, second = (result_of(list(hand.send(agent, "x"))) for _ in range(2))
    assert first["usage"]["totalTokens"] == "1540"
    usage = hand.call(f"{AGENT}GetUsage", {"agentId": agent})["usage"]
    assert [row["runId"] for row in usage["runs"]] == [second["runId"], first["runId"]]
    assert usage["usage"]["totalTokens"] == "4780"
    one = hand.call(f"{AGENT}GetUsage", {"agentId": agent, "runId": first["runId"]})["usage"]
    assert (one["usage"]["totalTokens"], one["cost"]) == ("2390", {"rawCostCents": 1.5, "chargedCents": 1.25})
    assert refused(hand, "GetUsage", {"agentId": agent, "runId": "zz"}) == (404, "not_found")
