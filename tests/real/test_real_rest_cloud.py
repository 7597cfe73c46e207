"""Whole cloud runs on the real bridge and the stand-in, spoken to by hand."""

from __future__ import annotations

import pytest

from tests.real.agents_by_hand import (
    AGENT,
    CURSOR,
    KEY,
    Json,
    brief,
    cloud_agent,
    kinds,
    result_of,
    send,
    texts,
)
from tests.real.raw_bridge import RawBridge, RawError
from tests.rest_standin import MODELS, REJECTED_KEY, RestStandin, Script, failing, held
from tests.rest_standin import script as beats

pytestmark = [pytest.mark.real_bridge, pytest.mark.promise("RST-05")]

STATUSES = ("status CREATING", "status RUNNING", "status FINISHED")


def run_id(frame: Json) -> str:
    found: str = frame["sdkMessage"]["message"]["run_id"]
    return found


def test_the_catalogue_comes_through(raw_bridge: RawBridge) -> None:
    options = {"options": KEY}
    assert raw_bridge.call(f"{CURSOR}Me", options)["user"]["userEmail"] == "ada@example.com"
    models = raw_bridge.call(f"{CURSOR}ListModels", options)["items"]
    assert [model["id"] for model in models] == [model["id"] for model in MODELS]
    assert len(raw_bridge.call(f"{CURSOR}ListRepositories", options)["items"]) == 2


def test_a_rejected_key_is_noticed(raw_bridge: RawBridge) -> None:
    with pytest.raises(RawError) as caught:
        raw_bridge.call(f"{CURSOR}Me", {"options": {"apiKey": REJECTED_KEY}})
    assert (caught.value.status, caught.value.code) == (401, "unauthenticated")


def test_a_run_is_streamed_to_its_result(raw_bridge: RawBridge, rest_standin: RestStandin) -> None:
    repository = {"url": "https://github.com/acme/rocket"}
    agent = cloud_agent(raw_bridge, model={"id": "plain-1"}, cloud={"repos": [repository]})
    frames = send(raw_bridge, agent, "hello")
    words = kinds(frames)
    assert [word for word in words if word.startswith("status")] == list(STATUSES)
    assert [word for word in words if not word.startswith("status")] == [
        *["thinking", "thinking", "tool_call", "tool_call", "assistant", "assistant", "assistant"],
        *["usage", "result", "done"],
    ]
    result = result_of(frames)
    assert texts(frames) == result["result"] == "You asked: hello. Done."
    assert result["git"]["branches"][0]["repoUrl"] == "github.com/acme/rocket"
    assert result["usage"]["inputTokens"] == "1200"
    created = rest_standin.requests("POST", "/v1/agents")[0]["body"]
    assert (created["agentId"], created["model"]) == (agent, {"id": "plain-1"})


def test_a_follow_up_streams_deltas_and_steps(raw_bridge: RawBridge, rest_standin: RestStandin) -> None:
    agent = cloud_agent(raw_bridge)
    send(raw_bridge, agent, "first")
    frames = send(raw_bridge, agent, "second", options={"enableDeltas": True, "enableSteps": True})
    assert len(rest_standin.requests("POST", f"/v1/agents/{agent}/runs")) == 1
    words = set(kinds(frames))
    assert words >= {"text-delta", "thinking-delta", "tool-call-started", "tool-call-completed", "turn-ended"}
    steps = [frame["step"]["type"] for frame in frames if "step" in frame]
    assert steps == ["thinkingMessage", "toolCall", "assistantMessage"]
    assert texts(frames) == "You asked: second. Done."


def test_a_live_run_is_busy_and_can_be_cancelled(raw_bridge: RawBridge, rest_standin: RestStandin) -> None:
    rest_standin.script(held())
    agent = cloud_agent(raw_bridge)
    stream = raw_bridge.stream(f"{AGENT}Send", {"agentId": agent, "message": {"text": "wait"}})
    first = next(stream)
    with pytest.raises(RawError) as caught:
        send(raw_bridge, agent, "more")
    assert (caught.value.status, caught.value.sdk_code) == (200, "SDK_ERROR_CODE_AGENT_BUSY")
    raw_bridge.call(f"{AGENT}CancelRun", {"runId": run_id(first), "agentId": agent})
    assert result_of(stream)["status"] == "RUN_LIFECYCLE_STATUS_CANCELLED"
    assert len(rest_standin.requests("POST", "*/cancel")) == 1


def test_a_held_run_goes_on_when_released(raw_bridge: RawBridge, rest_standin: RestStandin) -> None:
    rest_standin.script(held("go"))
    stream = raw_bridge.stream(
        f"{AGENT}Send", {"agentId": cloud_agent(raw_bridge), "message": {"text": "wait"}}
    )
    got = [next(stream)]
    while brief(got[-1]) != "assistant":
        got.append(next(stream))
    rest_standin.release("go")
    got += list(stream)
    assert texts(got) == result_of(got)["result"] == "Waiting no more."


def test_a_failed_run_ends_its_stream_well(raw_bridge: RawBridge, rest_standin: RestStandin) -> None:
    rest_standin.script(failing("No luck.", "bad_luck"))
    result = result_of(send(raw_bridge, cloud_agent(raw_bridge), "try"))
    assert result["status"] == "RUN_LIFECYCLE_STATUS_ERROR"
    assert (result["errorCode"], result["errorMessage"]) == ("bad_luck", "No luck.")


def test_the_bridge_goes_on_after_a_cut_stream(raw_bridge: RawBridge, rest_standin: RestStandin) -> None:
    parts = (beats.text("one "), beats.cut(), beats.text("two "), beats.hold("go"), beats.text("three"))
    rest_standin.script(Script(beats=parts))
    stream = raw_bridge.stream(
        f"{AGENT}Send", {"agentId": cloud_agent(raw_bridge), "message": {"text": "go on"}}
    )
    got = [next(stream)]
    while texts(got) != "one two ":
        got.append(next(stream))
    rest_standin.release("go")
    got += list(stream)
    assert texts(got) == "one two three"
    first, second = rest_standin.requests("GET", "*/stream")
    assert "last-event-id" not in first["headers"]
    assert second["headers"]["last-event-id"]


def test_twenty_thousand_pieces_arrive_in_order(raw_bridge: RawBridge, rest_standin: RestStandin) -> None:
    rest_standin.script(Script(beats=(beats.burst(20_000, 8),)))
    frames = send(raw_bridge, cloud_agent(raw_bridge), "much")
    numbers = [int(piece) for piece in texts(frames).replace(".", " ").split()]
    assert numbers == list(range(20_000))


def test_an_idempotency_key_makes_one_run_of_two_sends(
    raw_bridge: RawBridge, rest_standin: RestStandin
) -> None:
    agent = cloud_agent(raw_bridge, idempotency_key="create-1")
    send(raw_bridge, agent, "first")
    one, two = (send(raw_bridge, agent, "again", idempotencyKey="again-1") for _ in range(2))
    assert result_of(one)["runId"] == result_of(two)["runId"]
    keys = [request["headers"].get("idempotency-key") for request in rest_standin.requests("POST", "/v1/*")]
    assert keys == ["create-1", "again-1", "again-1"]


def test_environment_variables_let_the_server_choose_the_id(
    raw_bridge: RawBridge, rest_standin: RestStandin
) -> None:
    agent = cloud_agent(raw_bridge, cloud={"envVars": {"A": "1"}})
    run_variables = {"cloud": {"envVars": {"B": "2"}}}
    true_id = result_of(send(raw_bridge, agent, "first", options=run_variables))["agentId"]
    assert true_id != agent
    assert result_of(send(raw_bridge, agent, "second"))["agentId"] == true_id
    body = rest_standin.requests("POST", "/v1/agents")[0]["body"]
    assert (body["envVars"], body["runEnvVars"]) == ({"A": "1"}, {"B": "2"})


@pytest.mark.parametrize(
    ("status", "code", "expected", "sdk_code"),
    [
        (400, "invalid_model", "invalid_argument", "SDK_ERROR_CODE_INVALID_MODEL"),
        (403, "plan_required", "internal", None),
        (403, "integration_not_connected", "failed_precondition", "SDK_ERROR_CODE_REPOSITORY_ACCESS"),
        (409, "agent_id_conflict", "invalid_argument", None),
        (429, "rate_limited", "resource_exhausted", "SDK_ERROR_CODE_RATE_LIMIT_EXCEEDED"),
        (429, "rate_limit_exceeded", "resource_exhausted", None),
        (500, "internal_error", "internal", None),
    ],
)
def test_refusals_of_the_api_arrive_as_documented(
    raw_bridge: RawBridge,
    rest_standin: RestStandin,
    status: int,
    code: str,
    expected: str,
    sdk_code: str | None,
) -> None:
    rest_standin.fail(
        "POST",
        "/v1/agents",
        status=status,
        code=code,
        help_url="https://example.com/help",
        provider="github",
        headers={"Retry-After": "7"},
    )
    with pytest.raises(RawError) as caught:
        send(raw_bridge, cloud_agent(raw_bridge), "hello")
    assert (caught.value.code, caught.value.sdk_code) == (expected, sdk_code)
    assert caught.value.message.startswith(f"[{code}]") is (status != 429)
    if code == "integration_not_connected":
        assert caught.value.debug["helpUrl"] == "https://example.com/help"
        assert caught.value.debug["provider"] == "github"
