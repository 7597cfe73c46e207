"""Where the generated classes differ from the official protobuf package: what a codec must not leave to them.

Each test shows one difference, so an upgrade that changes it is noticed. Nothing here is a wish; it is how
betterproto2 0.10 behaves. The rules that follow are in docs/protocol.md, "Trust in the generated classes".
"""

from __future__ import annotations

import copy
import json
import pickle
from typing import Any

import pytest
from google.protobuf import json_format
from google.protobuf.message import DecodeError
from hypothesis import given, settings
from hypothesis import strategies as st

from cursor_sdk_async._gen.descriptor import google_class
from cursor_sdk_async._gen.sdk.v1 import (
    CreateAgentResponse,
    GetRunOptions,
    RunSnapshot,
    RunStreamMessage,
    Runtime,
    SdkAgentInfo,
    SdkErrorDetails,
    SdkMessage,
    SendRequest,
    TokenUsage,
    UsageCost,
)
from tests.contract.catalogue import NAMES, official, ours, reparse
from tests.contract.values import messages

pytestmark = pytest.mark.promise("CON-04")


def from_official_json(name: str, text: str) -> Any:
    return json_format.Parse(text, google_class(name)())


@pytest.mark.parametrize(
    ("name", "data", "kept"),
    [
        ("SendRequest", b"\n\x05ab", {"agentId": "ab"}),
        ("SendRequest", b"\x12\x09", {"message": {}}),
        ("SendRequest", b"\x80", {}),
        ("SendRequest", b"\xf9\x01abc", {}),
    ],
)
def test_truncated_bytes_are_accepted(name: str, data: bytes, kept: object) -> None:
    assert ours(name).parse(data).to_dict() == kept
    with pytest.raises(DecodeError):
        reparse(name, data)


@pytest.mark.parametrize("data", [b"\x0f", b"\x02\x01a"])
def test_wire_types_and_field_numbers_that_cannot_be_are_accepted(data: bytes) -> None:
    SendRequest.parse(data)
    with pytest.raises(DecodeError):
        reparse("SendRequest", data)


@pytest.mark.parametrize(
    ("name", "data", "error"),
    [
        ("SendRequest", b"\n", "EOFError"),
        ("SendRequest", b"\n\x01\xff", "UnicodeDecodeError"),
        ("UsageCost", b"\t\x00", "error"),
        ("ShutdownRequest", b"\x08" + b"\xff" * 10 + b"\x01", "ValueError"),
    ],
)
def test_broken_bytes_raise_errors_of_many_kinds(name: str, data: bytes, error: str) -> None:
    with pytest.raises(Exception) as caught:
        ours(name).parse(data)
    assert type(caught.value).__name__ == error
    with pytest.raises(DecodeError):
        reparse(name, data)


def test_a_field_with_another_wire_type_becomes_a_value_of_another_type() -> None:
    number_for_text = b"\x08\x01"
    assert SendRequest.parse(number_for_text).agent_id == 1  # type: ignore[comparison-overlap]
    assert not reparse("SendRequest", number_for_text).ListFields()


def test_two_members_of_a_oneof_are_both_kept() -> None:
    both = b"B\x00J\x00"
    parsed = SdkAgentInfo.parse(both)
    assert parsed.local is not None
    assert parsed.cloud is not None
    assert [field.name for field, _ in reparse("SdkAgentInfo", both).ListFields()] == ["cloud"]


def test_a_message_in_two_pieces_is_not_merged() -> None:
    pieces = b"\x12\x03\n\x01a\x12\x05\x12\x03\n\x01p"
    assert CreateAgentResponse.parse(pieces).to_dict() == {"model": {"params": [{"id": "p"}]}}
    merged = json_format.MessageToDict(reparse("CreateAgentResponse", pieces))
    assert merged == {"model": {"id": "a", "params": [{"id": "p"}]}}


def test_a_map_entry_without_its_message_holds_none() -> None:
    parsed = ours("AgentOptions").parse(b"2\x03\n\x01a")
    assert getattr(parsed, "mcp_servers") == {"a": None}  # noqa: B009
    assert json_format.MessageToDict(reparse("AgentOptions", b"2\x03\n\x01a")) == {"mcpServers": {"a": {}}}


@settings(max_examples=3, deadline=None, derandomize=True, database=None)
@given(st.data())
def test_bytes_rewritten_by_the_official_package_are_read_alike(data: st.DataObject) -> None:
    """The cure for all of the above: parse and serialise in C first, then parse what that gives."""
    for name in NAMES:
        message = data.draw(messages(name))
        canonical = reparse(name, message.SerializeToString()).SerializeToString()
        assert ours(name).parse(canonical).to_dict() == json_format.MessageToDict(message)
    for name, odd in [("SdkAgentInfo", b"B\x00J\x00"), ("AgentOptions", b"2\x03\n\x01a")]:
        canonical = reparse(name, odd).SerializeToString()
        assert ours(name).parse(canonical).to_dict() == json_format.MessageToDict(reparse(name, odd))


def test_an_empty_message_is_false_and_yet_present() -> None:
    parsed = ours("AgentOptions").from_dict({"cloud": {}})
    cloud = getattr(parsed, "cloud")  # noqa: B009
    assert cloud is not None
    assert not cloud
    assert parsed.to_dict() == {"cloud": {}}
    assert bytes(parsed) == b"*\x00"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("GetUsageRequest", {"runId": ""}),
        ("ListAgentsOptions", {"includeArchived": False}),
        ("TokenUsage", {"reasoningTokens": "0"}),
        ("AgentDefinitionMcpServer", {"name": ""}),
        ("SdkErrorDetails", {"retryAfter": "0s"}),
    ],
)
def test_an_optional_field_set_to_its_default_stays_set(name: str, value: dict[str, Any]) -> None:
    parsed = ours(name).from_dict(value)
    assert parsed.to_dict() == value
    assert json_format.MessageToDict(reparse(name, bytes(parsed))) == value


def test_whole_numbers_of_a_struct_come_back_as_floats() -> None:
    parsed = SdkMessage.from_dict({"message": {"n": 1}})
    assert json.dumps(parsed.to_dict()) == '{"message": {"n": 1}}'
    assert json.dumps(SdkMessage.parse(bytes(parsed)).to_dict()) == '{"message": {"n": 1.0}}'
    assert json.dumps(json_format.MessageToDict(reparse("SdkMessage", bytes(parsed)))) == (
        '{"message": {"n": 1.0}}'
    )


def test_numbers_that_json_cannot_hold_are_written_into_a_struct() -> None:
    parsed = SdkMessage.from_dict({"message": {"n": float("nan")}})
    assert json.dumps(parsed.to_dict()) == '{"message": {"n": NaN}}'
    with pytest.raises(json_format.SerializeToJsonError):
        json_format.MessageToDict(reparse("SdkMessage", bytes(parsed)))


def test_negative_zero_is_lost() -> None:
    assert bytes(UsageCost(raw_cost_cents=-0.0)) == b""
    assert official("UsageCost", raw_cost_cents=-0.0).SerializeToString() != b""


def test_times_keep_microseconds_and_lose_the_rest() -> None:
    text = '{"createdAt":"2026-04-13T18:30:00.123456789Z"}'
    assert SdkAgentInfo.from_json(text).to_dict() == {"createdAt": "2026-04-13T18:30:00.123456Z"}
    assert json_format.MessageToDict(from_official_json("SdkAgentInfo", text)) == json.loads(text)


def test_a_time_without_its_zone_is_read_as_local_time() -> None:
    text = '{"createdAt":"2026-04-13T18:30:00"}'
    assert SdkAgentInfo.from_json(text).created_at is not None
    with pytest.raises(json_format.ParseError):
        from_official_json("SdkAgentInfo", text)


def test_negative_durations_are_refused_in_json() -> None:
    with pytest.raises(ValueError, match="Invalid duration"):
        SdkErrorDetails.from_json('{"retryAfter":"-1.5s"}')
    theirs = from_official_json("SdkErrorDetails", '{"retryAfter":"-1.5s"}')
    assert json_format.MessageToDict(theirs) == {"retryAfter": "-1.500s"}


@pytest.mark.promise("CON-08")
def test_an_unknown_enum_number_is_kept_in_both_forms() -> None:
    parsed = GetRunOptions.from_dict({"runtime": 99})
    assert (parsed.runtime, parsed.runtime.name, bytes(parsed)) == (99, "", b"\x08c")
    assert GetRunOptions.parse(b"\x08c").to_dict() == {"runtime": 99}
    assert json_format.MessageToDict(reparse("GetRunOptions", b"\x08c")) == {"runtime": 99}


def test_enum_numbers_beyond_32_bits_are_not_cut() -> None:
    assert GetRunOptions.parse(b"\x08\xff\xff\xff\xff\x0f").runtime == 2**32 - 1
    assert reparse("GetRunOptions", b"\x08\xff\xff\xff\xff\x0f").runtime == -1  # type: ignore[attr-defined]


def test_an_unknown_enum_word_is_an_error_even_when_unknown_fields_are_ignored() -> None:
    """A newer bridge may send one: the official package then leaves the field unset."""
    newer = '{"runId":"r","status":"RUN_LIFECYCLE_STATUS_PAUSED"}'
    with pytest.raises(ValueError, match="RUN_LIFECYCLE_STATUS_PAUSED"):
        RunSnapshot.from_json(newer, ignore_unknown_fields=True)
    theirs = json_format.Parse(newer, google_class("RunSnapshot")(), ignore_unknown_fields=True)
    assert json_format.MessageToDict(theirs) == {"runId": "r"}


def test_enum_words_are_also_taken_without_their_prefix() -> None:
    assert GetRunOptions.from_dict({"runtime": "CLOUD"}).runtime is Runtime.CLOUD
    with pytest.raises(json_format.ParseError):
        from_official_json("GetRunOptions", '{"runtime":"CLOUD"}')


def test_field_names_are_taken_in_any_spelling() -> None:
    for key in ("agentId", "agent_id", "AgentId", "agent-id"):
        assert SendRequest.from_dict({key: "a"}).agent_id == "a"


@pytest.mark.promise("CON-08")
def test_unknown_fields_survive_bytes_and_pickle_but_not_copies() -> None:
    data = b"\xfa\x01\x03abc"
    parsed = SendRequest.parse(data)
    assert bytes(parsed) == data
    assert bytes(pickle.loads(pickle.dumps(parsed))) == data
    assert bytes(copy.copy(parsed)) == bytes(copy.deepcopy(parsed)) == b""
    assert parsed == SendRequest()


@pytest.mark.promise("CON-08")
def test_unknown_json_fields_are_dropped_only_on_demand() -> None:
    newer = {"done": {"runId": "r", "reason": 1}, "checkpoint": {}}
    with pytest.raises(KeyError):
        RunStreamMessage.from_dict(newer)
    parsed = RunStreamMessage.from_dict(newer, ignore_unknown_fields=True)
    assert parsed.to_dict() == {"done": {"runId": "r"}}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("TokenUsage", '{"inputTokens":5.5}'),
        ("TokenUsage", '{"inputTokens":true}'),
        ("ShutdownRequest", '{"graceSeconds":-5}'),
        ("ShutdownRequest", '{"graceSeconds":4294967296}'),
        ("ToolList", '{"names":"abc"}'),
        ("SendRequest", '{"agentId":5}'),
        ("LocalAgentOptions", '{"autoReview":"yes"}'),
        ("SdkAgentInfo", '{"local":{},"cloud":{}}'),
    ],
)
def test_json_values_of_the_wrong_kind_are_accepted(name: str, text: str) -> None:
    ours(name).from_json(text)
    with pytest.raises(json_format.ParseError):
        from_official_json(name, text)


@pytest.mark.parametrize(
    ("name", "text", "error"),
    [
        ("CallStoreRequest", '{"input":[1]}', AssertionError),
        ("CallStoreRequest", '{"input":"x"}', AssertionError),
        ("GetRunRequest", '{"options":[]}', AttributeError),
    ],
)
def test_json_of_the_wrong_shape_raises_errors_of_many_kinds(
    name: str, text: str, error: type[Exception]
) -> None:
    with pytest.raises(error):
        ours(name).from_json(text)


@pytest.mark.parametrize("text", ["aGk", "-_8="])
def test_base64_without_padding_or_in_the_url_alphabet_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"base64|padding"):
        ours("DownloadArtifactChunk").from_dict({"data": text})
    json_format.ParseDict({"data": text}, google_class("DownloadArtifactChunk")())


def test_64_bit_integers_are_text_in_json_and_exact() -> None:
    parsed = TokenUsage.from_dict({"inputTokens": "9007199254740993", "outputTokens": 2})
    assert (parsed.input_tokens, parsed.output_tokens) == (9007199254740993, 2)
    assert parsed.to_dict() == {"inputTokens": "9007199254740993", "outputTokens": "2"}


def nested(depth: int) -> dict[str, Any]:
    value: dict[str, Any] = {}
    for _ in range(depth):
        value = {"a": value}
    return {"message": value}


def test_the_official_package_reads_objects_some_thirty_deep_and_no_deeper() -> None:
    """Every object takes three of its hundred levels; JSON text read with ``json`` has no such limit."""
    shallow, deep = (bytes(SdkMessage.from_dict(nested(depth))) for depth in (30, 40))
    assert json_format.MessageToDict(reparse("SdkMessage", shallow)) == nested(30)
    with pytest.raises(DecodeError):
        reparse("SdkMessage", deep)
    assert SdkMessage.parse(deep).to_dict() == nested(40)
