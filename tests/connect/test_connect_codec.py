"""Messages to bytes and back, and frames in one shape for both codecs."""

from __future__ import annotations

import json
import math
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Callable
from typing import Any, cast

import pytest
from google.protobuf import json_format
from google.protobuf.message import DecodeError
from hypothesis import given
from hypothesis import strategies as st

from cursor_sdk_async._connect._codec import Codec, decode_answer, encode_request
from cursor_sdk_async._connect._deep import read_deep_frame
from cursor_sdk_async._connect._frames import RunFrame, frame_decoder
from cursor_sdk_async._connect._methods import METHODS
from cursor_sdk_async._gen.descriptor import google_class
from cursor_sdk_async._gen.sdk import v1
from cursor_sdk_async.errors import ConfigurationError, ProtocolError
from tests.connect.server import DOWNLOAD, SEND, payload

CREATE = METHODS["SdkAgentService/CreateAgent"]
READ: dict[str, Callable[[bytes], Any]] = {
    "proto": frame_decoder(METHODS[SEND], "proto"),
    "json": frame_decoder(METHODS[SEND], "json"),
}

# What a Struct can hold, numbers as JSON writes them.
NUMBERS = st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False).filter(
    lambda number: not number.is_integer()
)
VALUES = st.recursive(
    st.none() | st.booleans() | NUMBERS | st.text(max_size=10),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=15,
)
OBJECTS = st.dictionaries(st.text(max_size=5), VALUES, max_size=4)


def both(frame: dict[str, Any]) -> RunFrame:
    """The frame out of both codecs, which must be the same."""
    found = [READ[name](payload(name, "RunStreamMessage", frame)) for name in ("proto", "json")]
    assert found[0] == found[1]
    assert repr(sorted(map(repr, walk(found[0])))) == repr(sorted(map(repr, walk(found[1]))))  # 1 is not 1.0
    return cast("RunFrame", found[0])


def walk(value: Any) -> list[Any]:
    if isinstance(value, dict):
        items = cast("dict[str, Any]", value)
        return [leaf for item in items.values() for leaf in walk(item)]
    if isinstance(value, list | tuple):
        sequence = cast("list[Any]", value)
        return [leaf for item in sequence for leaf in walk(item)]
    return [value]


@pytest.mark.promise("CHN-16")
@given(st.sampled_from(["sdkMessage", "interactionUpdate", "step"]), OBJECTS, st.none() | st.text(max_size=4))
def test_a_frame_is_the_same_in_both_codecs(arm: str, value: dict[str, Any], offset: str | None) -> None:
    inner = {"sdkMessage": "message", "interactionUpdate": "update", "step": "step"}[arm]
    frame: dict[str, Any] = {arm: {"type": "t", inner: value}}
    if offset is not None:
        frame["offset"] = offset
    found = both(frame)
    assert found.payload == {"type": "t", inner: value}
    assert found.offset == offset


@pytest.mark.promise("CHN-16")
@given(OBJECTS, st.none() | st.text(max_size=4))
def test_deeply_nested_objects_are_the_same_in_both_codecs(value: dict[str, Any], offset: str | None) -> None:
    inner: dict[str, Any] = value
    for _ in range(60):
        inner = {"list": [inner, 1, 2.5, None, True, "x"]}
    arm: dict[str, Any] = {"type": "t", "message": inner}
    frame: dict[str, Any] = {"sdkMessage": arm, **({} if offset is None else {"offset": offset})}
    # The official package cannot build such a message either; betterproto2 can.
    message = v1.RunStreamMessage.from_dict(frame)
    with pytest.raises(DecodeError):
        google_class("RunStreamMessage").FromString(bytes(message))
    found = [READ["proto"](bytes(message)), READ["json"](json.dumps(frame).encode())]
    assert found[0] == found[1] == RunFrame("sdk_message", arm, offset)


@pytest.mark.promise("CHN-15")
@given(st.binary(max_size=60))
def test_the_reader_of_deep_frames_raises_nothing_but_value_errors(data: bytes) -> None:
    for start in (b"", b"\x0a\x20\x12\x1e", b"\x0a\x0c\x0a\x01t\x12\x07\x0a\x05"):
        try:
            read_deep_frame(start + data)
        except ValueError:
            pass


@pytest.mark.promise("CHN-16")
def test_whole_numbers_are_int_and_others_float() -> None:
    message = {"i": 1, "big": 2**53, "minus": -3, "f": 2.5, "list": [1, 0.5], "zero": 0}
    found = both({"sdkMessage": {"type": "t", "message": message}}).payload["message"]
    assert {name: type(value) for name, value in found.items()} == {
        "i": int,
        "big": int,
        "minus": int,
        "f": float,
        "list": list,
        "zero": int,
    }
    text = b'{"sdkMessage":{"message":{"a":1.0,"b":-0.0,"c":1e3,"d":1e400}}}'
    other = READ["json"](text).payload["message"]
    assert (other["a"], other["b"], other["c"]) == (1, 0, 1000)
    assert all(type(other[name]) is int for name in "abc")
    assert math.isinf(other["d"])


@pytest.mark.promise("CHN-16")
def test_64_bit_numbers_of_typed_messages_stay_text() -> None:
    result = {"runId": "r", "result": {"durationMs": "9007199254740993", "usage": {"inputTokens": "5"}}}
    assert both({"result": result, "offset": "9"}) == RunFrame("result", result, "9")


@pytest.mark.promise("CHN-17")
def test_a_frame_without_content_is_a_keepalive() -> None:
    assert both({}) == RunFrame("keepalive", {}, None)
    assert READ["json"](b' { "sdkMessage": null }') == RunFrame("keepalive", {}, None)
    assert both({"offset": "3"}) == RunFrame("keepalive", {}, "3")


@pytest.mark.promise("CHN-17")
def test_a_frame_of_a_newer_kind_is_let_through() -> None:
    found = READ["json"](b'{"offset":"4","checkpoint":{"id":1.0}}')
    assert found == RunFrame("unknown", {"checkpoint": {"id": 1}}, "4")
    newer = payload("proto", "RunStreamMessage", {"offset": "4"}) + b"\xfa\x01\x03abc"
    assert READ["proto"](newer) == RunFrame("unknown", {"31": b64encode(b"abc").decode()}, "4")


@pytest.mark.promise("CHN-17")
def test_original_names_unknown_words_and_extra_fields_are_taken() -> None:
    found = READ["json"](b'{"sdk_message":{"type":"t","message":{},"more":1},"later":2}')
    assert (found.kind, found.payload["more"]) == ("sdk_message", 1)
    assert READ["json"](b'{"result":{"status":"PAUSED"}}').payload == {"status": "PAUSED"}
    assert both({"result": {"status": 99}}).payload == {"status": 99}


@pytest.mark.promise("CHN-15")
@given(st.binary(max_size=60), st.sampled_from(["proto", "json"]))
def test_damaged_frames_give_a_frame_or_an_error_of_ours(data: bytes, codec: str) -> None:
    try:
        assert isinstance(READ[codec](data), RunFrame)
    except ProtocolError:
        pass


@pytest.mark.promise("CHN-15")
@pytest.mark.parametrize(
    "text",
    [
        b'{"sdkMessage":[]}',
        b'{"sdkMessage":{"type":5}}',
        b'{"sdkMessage":{"message":"x"}}',
        b'{"step":{"step":[1]}}',
        b'{"offset":5}',
        b"NaN",
        b'{"sdkMessage":{"message":{"x":NaN}}}',
        b"[" * 100_000,
        b'{"a":"\xff"}',
        b"",
    ],
)
def test_frames_that_no_codec_could_have_written_are_refused(text: bytes) -> None:
    with pytest.raises(ProtocolError, match="cannot be read"):
        READ["json"](text)


@pytest.mark.promise("CHN-03")
def test_a_cut_message_is_refused() -> None:
    whole = payload("proto", "RunStreamMessage", {"sdkMessage": {"type": "t", "message": {"a": "b" * 20}}})
    refused = 0
    for kept in range(1, len(whole)):
        try:
            READ["proto"](whole[:kept])
        except ProtocolError:
            refused += 1
    assert refused == len(whole) - 1
    answer = payload("proto", "PingResponse", {"message": "pong"})
    for kept in range(1, len(answer)):
        with pytest.raises(ProtocolError, match="cannot be read"):
            decode_answer(METHODS["SdkBridgeControlService/Ping"], answer[:kept], "proto")


@pytest.mark.promise("CHN-01")
@pytest.mark.parametrize("encode", [b64encode, urlsafe_b64encode])
def test_downloads_come_in_every_spelling_of_base64(encode: Callable[[bytes], bytes]) -> None:
    read = frame_decoder(METHODS[DOWNLOAD], "json")
    for data in (b"", b"\xff", b"\xff\xfe", b"\xfb\xff\xbf" * 9):
        text = encode(data).decode()
        assert read(json.dumps({"data": text}).encode()) == data
        assert read(json.dumps({"data": text.rstrip("=")}).encode()) == data
    for broken in (b'{"data":5}', b'{"data":"?"}', b'{"data":"abcde"}'):
        with pytest.raises(ProtocolError):
            read(broken)


@pytest.mark.promise("CHN-18")
def test_what_was_given_is_sent_even_when_it_is_empty() -> None:
    options = v1.AgentOptions(cloud=v1.CloudAgentOptions(), tools=v1.ToolList())
    body = json.loads(encode_request(CREATE, v1.CreateAgentRequest(options=options), "json"))
    assert body == {"options": {"cloud": {}, "tools": {}}}
    assert json.loads(encode_request(CREATE, v1.CreateAgentRequest(), "json")) == {}
    send = v1.SendRequest(agent_id="a", options=v1.SendOptions(local=v1.LocalSendOptions(force=False)))
    assert json.loads(encode_request(METHODS[SEND], send, "json")) == {
        "agentId": "a",
        "options": {"local": {"force": False}},
    }


@pytest.mark.promise("CHN-18")
def test_both_codecs_send_the_same_request() -> None:
    request = v1.SendRequest(
        agent_id="ä",
        message=v1.UserMessage(text="line\n\u2028\U0001f600"),
        options=v1.SendOptions(model=v1.ModelSelection(id="m"), enable_deltas=True),
    )
    kind = google_class("SendRequest")
    from_json = json_format.Parse(encode_request(METHODS[SEND], request, "json"), kind())
    assert from_json == kind.FromString(encode_request(METHODS[SEND], request, "proto"))


@pytest.mark.promise("CHN-18")
def test_extra_fields_are_merged_at_every_depth() -> None:
    request = v1.CreateAgentRequest(options=v1.AgentOptions(name="n", cloud=v1.CloudAgentOptions()))
    extra: dict[str, Any] = {"options": {"cloud": {"gpu": True}, "name": "other", "list": [{}]}, "new": None}
    assert json.loads(encode_request(CREATE, request, "json", extra)) == {
        "options": {"name": "other", "cloud": {"gpu": True}, "list": [{}]},
        "new": None,
    }


@pytest.mark.promise("CHN-15")
@pytest.mark.parametrize("codec", ["proto", "json"])
def test_a_value_that_cannot_be_sent_is_refused_without_quoting_it(codec: str) -> None:
    wrong = v1.CreateAgentRequest(options=v1.AgentOptions(name=cast("str", ["canary"])))
    with pytest.raises(ConfigurationError, match="Nothing was sent") as caught:
        encode_request(CREATE, wrong, cast("Codec", codec))
    assert "canary" not in str(caught.value)
    assert caught.value.is_safe_to_retry
    for extra in ({"x": object()}, {"x": math.nan}, {"x": "\ud800"}):
        with pytest.raises(ConfigurationError, match="Nothing was sent"):
            encode_request(CREATE, v1.CreateAgentRequest(), "json", extra)


@pytest.mark.promise("CHN-17")
def test_answers_with_unknown_fields_and_words_are_read() -> None:
    method = METHODS["SdkAgentService/GetRun"]
    text = b'{"run":{"id":"r","runId":"r","status":"RUN_LIFECYCLE_STATUS_PAUSED","x":{}},"y":[1]}'
    assert decode_answer(method, text, "json") is not None
    binary = payload("proto", method.answer_name, {}) + b"\xfa\x01\x03abc"
    assert decode_answer(method, binary, "proto") is not None


@pytest.mark.promise("CHN-16")
@pytest.mark.parametrize("codec", ["proto", "json"])
def test_an_answer_is_the_same_in_both_codecs(codec: str) -> None:
    method = METHODS["SdkAgentService/GetUsage"]
    value = {"usage": {"usage": {"inputTokens": "9007199254740993"}, "runs": [{"runId": "r"}]}}
    answer = decode_answer(method, payload(codec, method.answer_name, value), cast("Codec", codec))
    assert answer.to_dict() == value


@pytest.mark.promise("CHN-15")
@given(st.binary(max_size=60), st.sampled_from(["proto", "json"]))
def test_damaged_answers_give_an_answer_or_an_error_of_ours(data: bytes, codec: str) -> None:
    for name in ("SdkAgentService/ListAgentMessages", "SdkAgentService/ListAgents"):
        try:
            decode_answer(METHODS[name], data, cast("Codec", codec))
        except ProtocolError:
            pass
