"""HTTP: routes, content types, the token, keep-alive, compression, errors."""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Callable

import pytest

from cursor_sdk_async._connect._methods import METHODS
from cursor_sdk_async._gen.descriptor import google_class
from cursor_sdk_async.testing import Fill, Script, ScriptedBridge, Turn
from tests.scripted.by_hand import AGENT, CONTROL, CURSOR, Hand, HandError, envelopes

pytestmark = pytest.mark.promise("DBL-02")

Start = Callable[..., tuple[ScriptedBridge, Hand]]
PING = METHODS[f"{CONTROL}Ping"]


@pytest.mark.parametrize(
    ("method", "path", "content_type", "status"),
    [
        ("POST", "/nope", "application/json", 404),
        ("GET", "/nope", "", 404),
        ("POST", "/sdk.v1.SdkCustomToolCallbackService/CallCustomTool", "application/json", 404),
        ("GET", PING.path, "", 405),
        ("PUT", PING.path, "application/json", 405),
        ("POST", PING.path, "text/plain", 415),
        ("POST", PING.path, "application/connect+json", 415),
        ("POST", "/sdk.v1.SdkAgentService/Send", "application/json", 415),
    ],
)
def test_what_is_no_rpc_is_refused_without_a_body(
    scripted_bridge: ScriptedBridge, method: str, path: str, content_type: str, status: int
) -> None:
    connection = Hand(scripted_bridge.url, scripted_bridge.token).connect()
    connection.request(method, path, b"{}", {"content-type": content_type} if content_type else {})
    response = connection.getresponse()
    assert (response.status, response.read()) == (status, b"")
    connection.close()


def test_a_wrong_token_is_refused_in_calls_and_in_streams(start: Start) -> None:
    bridge, hand = start()
    stranger = Hand(bridge.url, "wrong", hand.codec)
    with pytest.raises(HandError) as caught:
        stranger.call(f"{CONTROL}Ping")
    assert (caught.value.status, caught.value.error) == (
        401,
        {"code": "unauthenticated", "message": "Unauthorized"},
    )
    with pytest.raises(HandError) as caught:
        list(stranger.send("zz", "x"))
    assert (caught.value.status, caught.value.code) == (200, "unauthenticated")


@pytest.mark.parametrize(
    ("body", "words"),
    [(b"", "Unexpected end"), (b"{bad", "cannot decode"), (b"[]", "array"), (b'"x"', "str")],
)
def test_a_broken_body_is_an_invalid_argument(
    scripted_bridge: ScriptedBridge, body: bytes, words: str
) -> None:
    hand = Hand(scripted_bridge.url, scripted_bridge.token)
    connection = hand.connect()
    response = hand.post(connection, PING, body)
    error = json.loads(response.read())
    assert (response.status, error["code"]) == (400, "invalid_argument")
    assert words in error["message"]
    connection.close()


def test_requests_are_read_leniently_and_types_strictly(scripted_bridge: ScriptedBridge) -> None:
    hand = Hand(scripted_bridge.url, scripted_bridge.token)
    body = {"options": {"unknown": 1, "runtime": "cloud", "api_key": None, "limit": "1"}}
    assert hand.call(f"{AGENT}ListAgents", body) == {}
    assert scripted_bridge.control.requests("ListAgents")[0]["body"] == {"options": {"limit": 1}}
    with pytest.raises(HandError) as caught:
        hand.call(f"{AGENT}ListAgents", {"options": {"limit": -1}})
    assert caught.value.message.startswith("cannot decode")


def test_a_stream_without_a_message_is_refused(scripted_bridge: ScriptedBridge) -> None:
    hand = Hand(scripted_bridge.url, scripted_bridge.token)
    connection = hand.connect()
    response = hand.post(connection, METHODS[f"{AGENT}Send"], b"")
    ((flags, data),) = envelopes(response)
    assert (response.status, flags, json.loads(data)["error"]["code"]) == (200, 2, "unimplemented")
    connection.close()


def test_connections_are_kept_and_idle_ones_closed(
    start_scripted_bridge: Callable[..., ScriptedBridge],
) -> None:
    bridge = start_scripted_bridge(Script(idle_seconds=1))
    hand = Hand(bridge.url, bridge.token)
    connection = hand.connect()
    for _ in range(2):
        response = hand.post(connection, PING, b"{}")
        assert response.read() == b'{"message":"pong"}'
        assert response.headers["keep-alive"] == "timeout=1"
    assert connection.sock.recv(1) == b""  # the bridge closed it
    connection.close()


def test_two_requests_in_one_go_are_answered_in_order(scripted_bridge: ScriptedBridge) -> None:
    connection = Hand(scripted_bridge.url, scripted_bridge.token).connect()
    connection.connect()
    head = f"POST {PING.path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {scripted_bridge.token}\r\n"
    request = f"{head}content-type: application/json\r\ncontent-length: 2\r\n\r\n{{}}"
    connection.sock.sendall(request.encode() * 2)
    data = b""
    while data.count(b"pong") < 2:
        data += connection.sock.recv(65536)
    connection.close()


def test_large_answers_are_compressed_only_if_asked(
    start_scripted_bridge: Callable[..., ScriptedBridge],
) -> None:
    bridge = start_scripted_bridge(Script([Turn([Fill(3000)])]))
    hand = Hand(bridge.url, bridge.token)
    method, body = METHODS[f"{CURSOR}ListModels"], b'{"options":{"apiKey":"k"}}'
    connection = hand.connect()
    plain = hand.post(connection, method, body)
    assert plain.headers["content-encoding"] is None
    packed = hand.post(connection, method, body, accept_encoding="gzip") if plain.read() else plain
    assert packed.headers["content-encoding"] in ("gzip", None)
    packed.read()
    send = METHODS[f"{AGENT}Send"]
    payload = hand.encode(send, {"agentId": hand.local(), "message": {"text": "x"}})
    request = b"\0" + len(payload).to_bytes(4, "big") + payload
    response = hand.post(connection, send, request, connect_accept_encoding="gzip")
    assert response.headers["connect-content-encoding"] == "gzip"
    found = list(envelopes(response))
    assert {flags for flags, _ in found} == {0, 1, 2}
    assert all(json.loads(gzip.decompress(data)) for flags, data in found if flags == 1)
    connection.close()


def test_details_of_an_error_carry_the_binary_and_the_readable_form(start: Start) -> None:
    _, hand = start()
    with pytest.raises(HandError) as caught:
        hand.call(f"{AGENT}GetAgent", {"agentId": "bc-none", "options": {"apiKey": "k"}})
    (detail,) = caught.value.error["details"]
    assert (caught.value.status, caught.value.code) == (404, "not_found")
    assert detail["type"] == "sdk.v1.SdkErrorDetails"
    assert not detail["value"].endswith("=")
    value = base64.b64decode(detail["value"] + "=" * (-len(detail["value"]) % 4))
    message = google_class("SdkErrorDetails").FromString(value)
    assert message.request_id == detail["debug"]["requestId"]  # type: ignore[attr-defined]
    assert message.sdk_error_code == 6  # type: ignore[attr-defined]
    assert detail["debug"]["sdkErrorCode"] == "SDK_ERROR_CODE_AGENT_NOT_FOUND"
