"""Requests and answers: public type to wire and back, through both forms of the wire."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, cast
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cursor_sdk_async import _convert, _validate
from cursor_sdk_async._connect._draft import Draft
from cursor_sdk_async._gen.sdk import v1
from cursor_sdk_async.conversation import AgentConversationTurn
from cursor_sdk_async.errors import BadRequestError, ConfigurationError, ProtocolError
from cursor_sdk_async.options import (
    AgentOptions,
    CustomTool,
    LocalAgentOptions,
    ModelSelection,
    SDKImage,
    SendOptions,
    UserMessage,
)
from cursor_sdk_async.results import (
    AgentMessage,
    RunResult,
    RunSnapshot,
    SDKAgentInfo,
    SDKArtifact,
    SDKModel,
    SDKUser,
)
from tests.types.samples import PROPERTY, RESULT, TURNS
from tests.types.test_types_messages import JUNK
from tests.types.test_types_options import (
    CLOUD_JSON,
    FULL_CLOUD,
    FULL_LOCAL,
    FULL_SEND,
    LOCAL_JSON,
    SEND_JSON,
    run_tool,
)
from tests.types.test_types_results import CLOUD, MODEL, USAGE


def over_the_wire(request: Any) -> dict[str, Any]:
    """The JSON form of a request, or of a message, after a trip in binary."""
    message = request.message() if isinstance(request, Draft) else request
    cls = cast("Any", type(message))
    form: dict[str, Any] = cls.parse(bytes(message)).to_dict()
    assert message.to_dict() == form
    return form


@pytest.mark.promise("TYP-01")
def test_every_option_survives_the_binary_wire() -> None:
    local = {**LOCAL_JSON, "apiKey": "other"}
    assert over_the_wire(_convert.create_agent_request(FULL_LOCAL, api_key="other")) == {"options": local}
    request = over_the_wire(_convert.create_agent_request(FULL_CLOUD, api_key=None))
    assert request["options"] == CLOUD_JSON
    assert str(UUID(request["idempotencyKey"])) == request["idempotencyKey"]
    assert over_the_wire(_convert.resume_agent_request("agent-1", FULL_LOCAL, api_key=None)) == {
        "agentId": "agent-1",
        "options": LOCAL_JSON,
    }
    message = UserMessage("hi", [SDKImage.from_data(b"x", "image/png")])
    assert over_the_wire(_convert.send_request("agent-1", message, FULL_SEND)) == {
        "agentId": "agent-1",
        "message": {"text": "hi", "images": [{"data": {"data": "eA==", "mimeType": "image/png"}}]},
        "options": SEND_JSON,
    }


@pytest.mark.promise("TYP-06")
def test_presence_survives_the_binary_wire() -> None:
    request = over_the_wire(_convert.create_agent_request(AgentOptions(cloud={}), api_key=None))
    assert request["options"] == {"cloud": {}}
    local = AgentOptions(model="m", tools=[], local={"custom_tools": {"t": CustomTool(run_tool)}})
    request = over_the_wire(_convert.create_agent_request(local, api_key=None))
    assert request == {"options": {"model": {"id": "m"}, "tools": {}, "local": {"customTools": {"t": {}}}}}
    absent = over_the_wire(_convert.create_agent_request(AgentOptions(model="m"), api_key=None))
    assert absent == {"options": {"model": {"id": "m"}}}


def key_of(request: Draft) -> str | None:
    return over_the_wire(request).get("idempotencyKey")


@pytest.mark.promise("TYP-08")
def test_idempotency_keys_are_for_cloud_agents() -> None:
    keys = {key_of(_convert.create_agent_request(FULL_CLOUD, api_key=None)) for _ in range(3)}
    assert len(keys) == 3
    explicit = _validate.agent_options(cloud={}, idempotency_key="mine")
    assert key_of(_convert.create_agent_request(explicit, api_key=None)) == "mine"
    with pytest.raises(ConfigurationError) as caught:
        _convert.create_agent_request(AgentOptions(model="m", idempotency_key="mine"), api_key=None)
    assert caught.value.code == "local_idempotency_key_unsupported"
    assert key_of(_convert.create_agent_request(AgentOptions(model="m"), api_key=None)) is None
    send = _convert.send_request("bc-1", UserMessage("hi"), SendOptions(idempotency_key="mine"))
    assert key_of(send) == "mine"
    assert key_of(_convert.send_request("bc-1", UserMessage("hi"), SendOptions())) is None


@pytest.mark.promise("TYP-04")
def test_a_local_agent_needs_a_model_and_a_cloud_agent_does_not() -> None:
    with pytest.raises(ConfigurationError) as caught:
        _convert.create_agent_request(AgentOptions(), api_key="k")
    assert caught.value.code == "missing_model"
    _convert.create_agent_request(AgentOptions(cloud={}), api_key="k", agent_id="bc-9")


@pytest.mark.promise("TYP-17")
def test_local_agents_refuse_pictures_by_address() -> None:
    message = UserMessage("look", [SDKImage.from_url("http://x")])
    with pytest.raises(BadRequestError, match="from_file"):
        _convert.send_request("agent-1", message, SendOptions())
    request = over_the_wire(_convert.send_request("bc-1", message, SendOptions()))
    assert request["message"]["images"] == [{"url": {"url": "http://x"}}]


@pytest.mark.promise("TYP-04")
def test_a_schema_that_is_no_json_is_refused() -> None:
    tools = {"t": CustomTool(run_tool, input_schema={"type": object()})}
    local = AgentOptions(model="m", local=LocalAgentOptions(custom_tools=tools))
    request = _convert.create_agent_request(local, api_key="k-secret")
    with pytest.raises(ConfigurationError, match="plain data"):
        request.message()
    assert "k-secret" not in repr(request)


@pytest.mark.promise("TYP-09")
def test_fields_of_a_newer_contract_are_passed_beside_the_request() -> None:
    options = _validate.agent_options({"model": "m", "extra": {"newField": 1, "cloud": {"x": 2}}})
    assert _convert.extra_fields(options) == {"options": {"newField": 1, "cloud": {"x": 2}}}
    assert over_the_wire(_convert.create_agent_request(options, api_key=None)) == {
        "options": {"model": {"id": "m"}}
    }
    assert _convert.extra_fields(_validate.send_options({"extra": {"a": 1}})) == {"options": {"a": 1}}
    assert _convert.extra_fields(AgentOptions()) == {}


@pytest.mark.promise("TYP-01")
@pytest.mark.parametrize(
    ("request_", "expected"),
    [
        (_convert.reload_agent_request("a"), {"agentId": "a"}),
        (_convert.close_agent_request("a"), {"agentId": "a"}),
        (
            _convert.get_agent_request("a", cwd="/w", api_key="k"),
            {"agentId": "a", "options": {"cwd": "/w", "apiKey": "k"}},
        ),
        (_convert.get_agent_request("a"), {"agentId": "a"}),
        (
            _convert.agent_operation_request("DeleteAgent", "a", cwd="/w"),
            {"agentId": "a", "options": {"cwd": "/w"}},
        ),
        (
            _convert.list_agents_request(_validate.agent_list_options(runtime="cloud", limit=5), cursor="c"),
            {"options": {"limit": 5, "cursor": "c", "runtime": "RUNTIME_CLOUD", "includeArchived": False}},
        ),
        (
            _convert.list_agents_request(
                _validate.agent_list_options(runtime="cloud", include_archived=True)
            ),
            {"options": {"runtime": "RUNTIME_CLOUD", "includeArchived": True}},
        ),
        (_convert.list_agents_request(_validate.agent_list_options()), {}),
        (
            _convert.list_runs_request("bc-1", _validate.run_list_options(agent_id="bc-1"), api_key="k"),
            {"agentId": "bc-1", "options": {"runtime": "RUNTIME_CLOUD", "apiKey": "k"}},
        ),
        (_convert.list_runs_request("a", _validate.run_list_options(agent_id="a")), {"agentId": "a"}),
        (
            _convert.get_run_request("r", agent_id="bc-1", cloud=True, api_key="k"),
            {"runId": "r", "options": {"runtime": "RUNTIME_CLOUD", "agentId": "bc-1", "apiKey": "k"}},
        ),
        (
            _convert.get_run_request("r", cwd="/w"),
            {"runId": "r", "options": {"runtime": "RUNTIME_LOCAL", "cwd": "/w"}},
        ),
        (_convert.wait_live_run_request("r"), {"runId": "r"}),
        (_convert.run_conversation_request("r"), {"runId": "r"}),
        (_convert.observe_run_request("r"), {"runId": "r"}),
        (_convert.cancel_run_request("r", agent_id="bc-1"), {"runId": "r", "agentId": "bc-1"}),
        (_convert.cancel_run_request("r", agent_id=""), {"runId": "r"}),
        (
            _convert.list_agent_messages_request(
                "a", _validate.message_list_options(limit=2, offset=1, cwd="/x"), api_key="k", cwd="/w"
            ),
            {"agentId": "a", "options": {"limit": 2, "offset": 1, "cwd": "/x", "apiKey": "k"}},
        ),
        (_convert.list_artifacts_request("a"), {"agentId": "a"}),
        (_convert.download_artifact_request("a", "p"), {"agentId": "a", "path": "p"}),
        (_convert.get_usage_request("a", run_id=""), {"agentId": "a"}),
        (_convert.get_usage_request("a", run_id="r"), {"agentId": "a", "runId": "r"}),
        (_convert.me_request("k"), {"options": {"apiKey": "k"}}),
        (_convert.list_models_request("k"), {"options": {"apiKey": "k"}}),
        (_convert.list_repositories_request("k"), {"options": {"apiKey": "k"}}),
        (_convert.ping_request(), {}),
        (_convert.get_version_request(), {}),
        (_convert.shutdown_request(2), {"graceSeconds": 2}),
        (_convert.set_tool_callback_request("u", "t"), {"url": "u", "authToken": "t"}),
        (_convert.set_tool_callback_request(), {}),
    ],
    ids=lambda value: type(value).__name__,
)
def test_requests_say_what_they_were_asked_to(request_: Any, expected: dict[str, Any]) -> None:
    assert over_the_wire(request_) == expected


def answer(cls: type[Any], form: dict[str, Any]) -> Any:
    """An answer as a codec would give it: decoded from its binary form."""
    return cls.parse(bytes(cls.from_dict(form)))


@pytest.mark.promise("TYP-16")
def test_answers_become_public_types() -> None:
    handle = _convert.agent_handle_of(answer(v1.CreateAgentResponse, {"agentId": "a", "model": {"id": "m"}}))
    assert handle == ("a", ModelSelection("m"))
    assert _convert.agent_handle_of(answer(v1.ResumeAgentResponse, {"agentId": "a"})).model is None
    assert _convert.agent_info_of(answer(v1.GetAgentResponse, {"agent": CLOUD})) == SDKAgentInfo.from_json(
        CLOUD
    )
    page = answer(v1.ListAgentsResponse, {"items": [CLOUD, {"agentId": "a", "local": {}}], "nextCursor": "c"})
    agents, cursor = _convert.agent_page_of(page)
    assert ([agent.runtime for agent in agents], cursor) == (["cloud", "local"], "c")
    run = answer(v1.GetRunResponse, {"run": RESULT})
    assert _convert.run_snapshot_of(run) == RunSnapshot.from_json(RESULT)
    assert _convert.run_snapshot_of(run).created_at == "2026-04-13T18:30:00Z"
    runs, cursor = _convert.run_page_of(answer(v1.ListRunsResponse, {"items": [RESULT]}))
    assert (runs, cursor) == ([RunSnapshot.from_json(RESULT)], "")
    assert _convert.run_result_of(answer(v1.WaitLiveRunResponse, {"result": RESULT})) == RunResult.from_json(
        RESULT
    )
    user = {"apiKeyName": "k", "userId": "42", "createdAt": "c"}
    assert _convert.user_of(answer(v1.MeResponse, {"user": user})) == SDKUser("k", "c", 42)
    assert _convert.models_of(answer(v1.ListModelsResponse, {"items": [MODEL]})) == [
        SDKModel.from_json(MODEL)
    ]
    repos = _convert.repositories_of(answer(v1.ListRepositoriesResponse, {"items": [{"url": "u"}]}))
    assert [repo.url for repo in repos] == ["u"]
    usage = _convert.agent_usage_of(answer(v1.GetUsageResponse, {"usage": USAGE}))
    assert [run.run_id for run in usage.runs] == ["run-1", "run-2"]
    assert usage.runs[1].cost is None
    files = {"artifacts": [{"path": "p", "sizeBytes": "12"}, {"path": "empty"}]}
    artifacts = _convert.artifacts_of(answer(v1.ListArtifactsResponse, files))
    assert artifacts == [SDKArtifact("p", 12), SDKArtifact("empty")]
    assert _convert.pong_of(answer(v1.PingResponse, {"message": "pong"})) == "pong"
    version = _convert.version_of(
        answer(v1.GetVersionResponse, {"bridgeVersion": "1", "capabilities": ["x"]})
    )
    assert (version["bridge_version"], version["bridgeVersion"], version["capabilities"]) == ("1", "1", ["x"])


@pytest.mark.promise("TYP-16")
def test_an_answer_without_its_heart_is_a_protocol_error() -> None:
    cases: list[tuple[Callable[[Any], Any], Any]] = [
        (_convert.agent_handle_of, v1.CreateAgentResponse()),
        (_convert.agent_info_of, v1.GetAgentResponse()),
        (_convert.run_snapshot_of, v1.GetRunResponse()),
        (_convert.run_result_of, v1.WaitLiveRunResponse()),
        (_convert.user_of, v1.MeResponse()),
    ]
    for read, empty in cases:
        with pytest.raises(ProtocolError, match=type(empty).__name__):
            read(empty)


@pytest.mark.promise("TYP-16")
def test_status_numbers_of_a_newer_contract_do_not_break_an_answer() -> None:
    unknown = v1.GetAgentResponse.parse(bytes([10, 5, 10, 1, 97, 40, 99]))
    assert _convert.agent_info_of(unknown).status is None
    assert (
        _convert.run_snapshot_of(v1.GetRunResponse.parse(bytes([10, 5, 10, 1, 97, 24, 99]))).status == "error"
    )


@pytest.mark.promise("TYP-13")
def test_whole_numbers_in_stored_messages_are_integers() -> None:
    form = {"messages": [{"type": "user", "uuid": "u", "message": {"n": 3, "deep": [{"m": 2.5}]}}]}
    messages = _convert.agent_messages_of(answer(v1.ListAgentMessagesResponse, form))
    assert messages == [AgentMessage("user", "u", "", {"n": 3, "deep": [{"m": 2.5}]})]
    assert repr(messages[0].message["n"]) == "3"


@pytest.mark.promise("TYP-16")
def test_a_result_frame_is_filled_from_its_envelope() -> None:
    inner = {name: value for name, value in RESULT.items() if name not in ("runId", "agentId")}
    result = _convert.run_result_from_json(
        {"runId": "run-1", "agentId": "agent-1", "errorCode": "late", "result": inner}
    )
    assert (result.id, result.agent_id, result.error_code, result.result) == (
        "run-1",
        "agent-1",
        "late",
        "done",
    )
    bare = {"runId": "run-1", "agentId": "agent-1", "status": "RUN_LIFECYCLE_STATUS_CANCELLED"}
    assert _convert.run_result_from_json(bare) == RunResult("run-1", "agent-1", "cancelled")


@pytest.mark.promise("TYP-16")
def test_conversations_are_read_from_their_text() -> None:
    turns = _convert.conversation_turns(json.dumps(TURNS))
    assert isinstance(turns[0].turn, AgentConversationTurn)
    assert len(turns) == len(TURNS)
    for empty in ("", "[]", "{}", "null", " "):
        assert _convert.conversation_turns(empty) == []
    with pytest.raises(ProtocolError, match="conversation_json"):
        _convert.conversation_turns("[{")
    text = _convert.conversation_json_of(answer(v1.GetRunConversationResponse, {"conversationJson": "[]"}))
    assert text == "[]"


@pytest.mark.promise("TYP-12")
@PROPERTY
@given(st.dictionaries(st.sampled_from([*RESULT, "result"]), JUNK))
def test_no_result_frame_whatever_is_in_it_ends_a_stream(payload: dict[str, Any]) -> None:
    read: Callable[[Any], RunResult] = _convert.run_result_from_json
    read(payload).to_dict()
