"""From what the wire says about a failure to the class and the facts of an error."""

from __future__ import annotations

import json
import pickle
from base64 import b64encode
from typing import Any

import pytest
from google.protobuf import json_format
from hypothesis import given
from hypothesis import strategies as st

from cursor_sdk_async._connect._error_table import CLASSES
from cursor_sdk_async._connect._wire_error import end_record_error, status_error, wire_error
from cursor_sdk_async._gen.descriptor import google_class
from cursor_sdk_async._gen.sdk.v1 import SdkErrorCode
from cursor_sdk_async.errors import (
    AgentBusyError,
    AgentNotFoundError,
    APITimeoutError,
    AuthenticationError,
    BadRequestError,
    ConfigurationError,
    CursorSDKError,
    IntegrationNotConnectedError,
    InternalServerError,
    LocalAgentBusyError,
    NetworkError,
    NotFoundError,
    PermissionDeniedError,
    RateLimitError,
)

pytestmark = pytest.mark.promise("CHN-11")

RPC = "SdkAgentService/GetAgent"


def detail(*, value: bool = True, debug: bool = True, **fields: Any) -> dict[str, Any]:
    """A detail as the bridge writes it: base64 without padding."""
    data = json_format.ParseDict(fields, google_class("SdkErrorDetails")()).SerializeToString()
    found: dict[str, Any] = {"type": "sdk.v1.SdkErrorDetails"}
    if value:
        found["value"] = b64encode(data).decode().rstrip("=")
    if debug:
        found["debug"] = fields
    return found


def made(
    code: str = "internal", message: str = "m", *details: dict[str, Any], rpc: str = RPC
) -> CursorSDKError:
    body = {"code": code, "message": message, "details": list(details)}
    return status_error(rpc, 500, {}, json.dumps(body).encode())


@pytest.mark.parametrize(
    ("code", "kind", "retryable"),
    [
        ("canceled", CursorSDKError, False),
        ("unknown", CursorSDKError, False),
        ("invalid_argument", BadRequestError, False),
        ("deadline_exceeded", NetworkError, True),
        ("not_found", NotFoundError, False),
        ("already_exists", CursorSDKError, False),
        ("permission_denied", PermissionDeniedError, False),
        ("resource_exhausted", RateLimitError, True),
        ("failed_precondition", CursorSDKError, False),
        ("aborted", CursorSDKError, False),
        ("out_of_range", CursorSDKError, False),
        ("unimplemented", CursorSDKError, False),
        ("internal", InternalServerError, False),
        ("unavailable", NetworkError, True),
        ("data_loss", NetworkError, False),
        ("unauthenticated", AuthenticationError, False),
        ("timeout", APITimeoutError, False),
        ("brand_new", CursorSDKError, False),
    ],
)
def test_each_connect_code_has_its_class(code: str, kind: type[CursorSDKError], retryable: bool) -> None:
    error = made(code, "words of the bridge")
    assert type(error) is kind
    assert (error.code, error.message, error.rpc, error.status) == (code, "words of the bridge", RPC, 500)
    assert (error.is_retryable, error.details, error.proto_error_code) == (retryable, [], None)
    with_details = made(code, "outer", detail(message="inner", requestId="q"))
    assert type(with_details) is kind
    assert (with_details.message, with_details.request_id) == ("inner", "q")


@pytest.mark.parametrize(
    ("word", "kind"),
    [
        ("UNAUTHORIZED", AuthenticationError),
        ("API_KEY_NOT_FOUND", AuthenticationError),
        ("PLAN_REQUIRED", PermissionDeniedError),
        ("ROLE_FORBIDDEN", PermissionDeniedError),
        ("FEATURE_UNAVAILABLE", PermissionDeniedError),
        ("AGENT_NOT_FOUND", AgentNotFoundError),
        ("RUN_NOT_FOUND", NotFoundError),
        ("VALIDATION_ERROR", BadRequestError),
        ("INVALID_MODEL", ConfigurationError),
        ("INVALID_BRANCH_NAME", ConfigurationError),
        ("REPOSITORY_REQUIRED", ConfigurationError),
        ("REPOSITORY_ACCESS", ConfigurationError),
        ("PR_RESOLUTION_FAILED", ConfigurationError),
        ("USAGE_LIMIT_EXCEEDED", RateLimitError),
        ("AGENT_BUSY", AgentBusyError),
        ("AGENT_ARCHIVED", ConfigurationError),
        ("RUN_NOT_CANCELLABLE", ConfigurationError),
        ("RATE_LIMIT_EXCEEDED", RateLimitError),
        ("UPSTREAM_ERROR", InternalServerError),
        ("INTERNAL_ERROR", InternalServerError),
        ("CLIENT_CANCELLED", CursorSDKError),
    ],
)
@pytest.mark.parametrize("form", ["value", "debug", "both", "broken value"])
def test_the_code_of_the_details_decides_first(word: str, kind: type[CursorSDKError], form: str) -> None:
    code = f"SDK_ERROR_CODE_{word}"
    item = detail(value=form in ("value", "both"), debug=form != "value", sdkErrorCode=code, message="inner")
    if form == "broken value":
        item["value"] = "!!"
    error = made("aborted", "outer", item)
    assert type(error) is kind
    assert (error.code, error.proto_error_code, error.message) == ("aborted", code, "inner")
    assert error.details == [item]
    assert not error.is_retryable


def test_every_word_of_the_contract_is_in_the_table() -> None:
    for name in SdkErrorCode.__members__:
        word = f"SDK_ERROR_CODE_{name}"
        if word != "SDK_ERROR_CODE_UNSPECIFIED":
            known = made("unimplemented", "m", detail(sdkErrorCode=word))
            assert type(known) is not CursorSDKError or word.endswith("CLIENT_CANCELLED")


def test_a_newer_code_of_the_details_falls_back_on_the_connect_code() -> None:
    newer = {"type": "sdk.v1.SdkErrorDetails", "debug": {"sdkErrorCode": "SDK_ERROR_CODE_NEW"}}
    error = made("permission_denied", "m", newer)
    assert (type(error), error.proto_error_code) == (PermissionDeniedError, "SDK_ERROR_CODE_NEW")
    number = b64encode(b"\x10\x63").decode().rstrip("=")  # number 99
    assert type(made("not_found", "m", {"type": "sdk.v1.SdkErrorDetails", "value": number})) is NotFoundError


@pytest.mark.parametrize(
    ("message", "kind"),
    [
        ("[agent_archived] It is archived.", ConfigurationError),
        ("[run_not_cancellable] It has ended.", ConfigurationError),
        ("[role_forbidden] No.", PermissionDeniedError),
        ("[plan_required] Pay.", PermissionDeniedError),
        ("[artifact_not_found] No such file.", NotFoundError),
        ("[validation_error] Bad.", BadRequestError),
        ("[something_new] Eh.", InternalServerError),
    ],
)
def test_a_code_in_brackets_chooses_the_class_and_stays_in_the_message(
    message: str, kind: type[CursorSDKError]
) -> None:
    error = made("internal", message, detail(message=message))
    assert type(error) is kind
    assert error.message == message
    assert error.api_code == message[1:].split("]")[0]
    assert error.code == "internal"


def test_a_vague_code_of_the_details_gives_way_to_a_code_in_brackets() -> None:
    error = made(
        "internal", "x", detail(sdkErrorCode="SDK_ERROR_CODE_INTERNAL_ERROR", message="[role_forbidden] n")
    )
    assert type(error) is PermissionDeniedError


def test_a_missing_integration_says_where_to_connect_it() -> None:
    item = detail(
        sdkErrorCode="SDK_ERROR_CODE_REPOSITORY_ACCESS",
        message="Connect GitHub.",
        helpUrl="https://example.com/connect",
        provider="github",
    )
    error = made("failed_precondition", "m", item)
    assert isinstance(error, IntegrationNotConnectedError)
    assert (error.provider, error.help_url) == ("github", "https://example.com/connect")
    assert type(made("failed_precondition", "[integration_not_connected] Connect it.")) is ConfigurationError


@pytest.mark.promise("CHN-12")
def test_a_busy_local_agent_is_recognised_by_the_words_of_the_bridge() -> None:
    words = "Agent agent-1 already has active run"
    busy = made("internal", "outer", detail(message=words), rpc="SdkAgentService/Send")
    assert type(busy) is LocalAgentBusyError
    assert not busy.is_retryable
    assert (
        type(made("internal", words)) is InternalServerError
    )  # these words mean it only where agents can be busy
    cloud = made("failed_precondition", "m", detail(sdkErrorCode="SDK_ERROR_CODE_AGENT_BUSY"))
    assert type(cloud) is AgentBusyError


@pytest.mark.promise("BRG-23")
@pytest.mark.parametrize(
    "words",
    [
        "EACCES: permission denied, mkdir '/root/.cursor/projects'",
        "EROFS: read-only file system, open '/h/.cursor/x'",
        "ENOSPC: no space left on device, write",
    ],
)
def test_a_home_that_cannot_be_written_is_named_with_the_remedy(words: str) -> None:
    error = made("internal", words, rpc="SdkAgentService/CreateAgent")
    assert type(error) is InternalServerError
    assert error.message.startswith(words)
    assert "env={'HOME'" in error.message
    assert "HOME" not in made("internal", f"No: {words}").message


@pytest.mark.parametrize(
    ("code", "message", "kind"),
    [
        ("not_found", "Unknown agent: a", AgentNotFoundError),
        ("not_found", "Agent a not found", AgentNotFoundError),
        ("not_found", "Unknown run: r", NotFoundError),
        ("invalid_argument", "Run r not found", NotFoundError),
        ("invalid_argument", "Unknown tool name", BadRequestError),
    ],
)
def test_what_is_missing_is_not_found_whatever_the_code(
    code: str, message: str, kind: type[CursorSDKError]
) -> None:
    assert type(made(code, message)) is kind


@pytest.mark.parametrize(
    ("item", "headers", "text", "seconds"),
    [
        (detail(retryAfter="7s"), {}, "7", 7.0),
        (detail(retryAfter="1.5s"), {"retry-after": "9"}, "1.5", 1.5),
        (detail(), {"retry-after": "9"}, "9", 9.0),
        (detail(), {"retry-after": "Thu, 01 Jan 1970 00:00:00 GMT"}, "Thu, 01 Jan 1970 00:00:00 GMT", 0.0),
        (detail(), {}, None, None),
    ],
)
def test_the_delay_comes_as_seconds(
    item: dict[str, Any], headers: dict[str, str], text: str | None, seconds: float | None
) -> None:
    error = wire_error(rpc=RPC, code="resource_exhausted", message="m", details=[item], headers=headers)
    assert (error.retry_after, error.retry_after_seconds) == (text, seconds)
    assert error.is_retryable


@pytest.mark.parametrize(
    ("status", "code", "kind", "retryable"),
    [
        (400, "internal", InternalServerError, False),
        (401, "unauthenticated", AuthenticationError, False),
        (403, "permission_denied", PermissionDeniedError, False),
        (404, "unimplemented", CursorSDKError, False),
        (405, "unknown", CursorSDKError, False),
        (408, "unknown", CursorSDKError, True),
        (415, "unknown", CursorSDKError, False),
        (429, "unavailable", RateLimitError, True),
        (500, "unknown", InternalServerError, False),
        (502, "unavailable", NetworkError, True),
        (503, "unavailable", NetworkError, True),
        (504, "unavailable", NetworkError, True),
        (302, "unknown", CursorSDKError, False),
    ],
)
@pytest.mark.parametrize(
    "body", [b"", b"<html><p>Bad\n gateway</p>" + b"x" * 5000, b"\xff\x00", b"[]", b'{"error":1}']
)
def test_a_status_without_a_connect_error_stands_for_a_code(
    status: int, code: str, kind: type[CursorSDKError], retryable: bool, body: bytes
) -> None:
    error = status_error(RPC, status, {}, body)
    assert type(error) is kind
    assert (error.code, error.status, error.is_retryable, error.rpc) == (code, status, retryable, RPC)
    assert f"HTTP status {status}" in error.message
    assert ("empty body" in error.message) is (body == b"")
    assert len(error.message) < 600


def test_end_records_without_an_error_are_clean_ends() -> None:
    assert end_record_error(RPC, {}, {}) is None
    assert end_record_error(RPC, {"error": None, "metadata": {}}, {}) is None
    errors: tuple[Any, ...] = ("text", 5, [], {"code": 7, "message": None, "details": "x"})
    for broken in errors:
        error = end_record_error(RPC, {"error": broken}, {})
        assert error is not None
        assert (error.code, error.status) == ("unknown", 200)


@pytest.mark.promise("CHN-14")
def test_secrets_are_struck_out_of_the_words_of_the_peer() -> None:
    secret = "canary"
    headers = {"x": secret, "authorization": secret, "set-cookie": secret, "x-api-key": secret}
    body = json.dumps(
        {"code": "internal", "message": f"no {secret}", "details": [{"type": secret, "a": [secret]}]}
    )
    for error in (
        status_error(RPC, 500, headers, body.encode(), (secret,)),
        status_error(RPC, 502, headers, f"<p>{secret}".encode(), (secret,)),
    ):
        assert secret not in f"{error!r}{error}{vars(error)}"
        assert secret.encode() not in pickle.dumps(error)
        assert error.headers == {"x": "[secret]"}


@given(
    st.binary(max_size=100)
    | st.recursive(
        st.none() | st.text(max_size=5), lambda inner: st.dictionaries(st.text(max_size=5), inner)
    ).map(
        lambda value: json.dumps(
            {"code": "internal", "message": value, "details": [value], "x": value}
        ).encode()
    ),
    st.integers(100, 599),
)
def test_whatever_the_body_is_there_is_an_error_that_can_be_pickled(body: bytes, status: int) -> None:
    error = status_error(RPC, status, {}, body)
    assert type(pickle.loads(pickle.dumps(error))) is type(error)


@pytest.mark.parametrize(("word", "kind"), CLASSES.items())
def test_every_row_of_the_table_decides_by_code_and_in_brackets(
    word: str, kind: type[CursorSDKError]
) -> None:
    if kind is IntegrationNotConnectedError:  # which needs to say where to connect
        kind = ConfigurationError
    assert type(made(word)) is kind
    assert type(made("failed_precondition", f"[{word}] What the service said.")) is kind
    with_details = made(word, "outer", detail(message="inner", requestId="q"))
    assert (type(with_details), with_details.message) == (kind, "inner")
