"""From what the wire says about a failure to an error of ours: ``wire_error`` is the one place. Pure.

Facts: ``docs/protocol.md``, "Errors". The code of the details decides first, then a ``[code]`` of the cloud
API at the start of the message, then the Connect code. The texts of the peer are kept, but for secrets.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from cursor_sdk_async._connect._codec import as_list, as_object, bytes_of, details_as_json, load_json
from cursor_sdk_async._connect._error_table import CLASSES, STATUS_CODES
from cursor_sdk_async.errors import (
    AgentBusyError,
    AgentNotFoundError,
    AuthenticationError,
    BadRequestError,
    ConfigurationError,
    CursorSDKError,
    IntegrationNotConnectedError,
    InternalServerError,
    LocalAgentBusyError,
    NotFoundError,
    PermissionDeniedError,
    RateLimitError,
)

__all__ = ["REFUSALS", "end_record_error", "status_error", "wire_error"]

#: When one of these is the answer, nothing was accepted; others may come after the work was begun.
REFUSALS = (
    AgentBusyError,
    AuthenticationError,
    BadRequestError,
    ConfigurationError,
    NotFoundError,
    PermissionDeniedError,
    RateLimitError,
)

_RETRYABLE_CODES = frozenset({"resource_exhausted", "unavailable", "deadline_exceeded"})
_RETRYABLE_STATUSES = frozenset({408, 429, 502, 503, 504})
#: These say no more than the Connect code, so that a code in brackets may still say better.
_VAGUE = frozenset({"", "internal_error", "upstream_error"})
_SECRET_HEADERS = re.compile(r"authori[sz]ation|cookie|token|secret|api-?key|credential", re.IGNORECASE)
_BRACKETED = re.compile(r"\[([a-z][a-z0-9_]*)\]\s")
_PREFIX = "SDK_ERROR_CODE_"
#: The words for a local agent that has a run (observed); their code is only "internal".
_LOCAL_BUSY = re.compile(r"\bagent \S+ (already )?has (an )?active run\b", re.IGNORECASE)
_NO_AGENT = re.compile(r"(unknown agent\b|agent \S+ (was )?not found\b|agent not found\b)", re.IGNORECASE)
_NO_RUN = re.compile(r"(unknown run\b|run \S+ (was )?not found\b|run not found\b)", re.IGNORECASE)
_BODY_SHOWN = 200
_BODY_READ = 64 * 1024


def wire_error(
    *,
    rpc: str,
    code: str,
    message: str,
    details: Sequence[Any] = (),
    status: int | None = None,
    headers: Mapping[str, str] | None = None,
    secrets: Sequence[str] = (),
    bare: bool = False,
) -> CursorSDKError:
    """The error for a failure that the peer reported.

    Args:
        rpc: The RPC that failed.
        code: The Connect code, or what stands for it.
        message: The peer's own words.
        details: The ``details`` of the Connect error, as they came.
        status: The HTTP status.
        headers: Headers of the answer, or metadata of the end record.
        secrets: Texts that must not show.
        bare: Whether there was no Connect error in the answer, only a status.
    """
    headers = headers or {}
    known = _details(details)
    sdk_code = str(known.get("sdkErrorCode") or "")
    message = _clean(str(known.get("message") or "") or message, secrets)
    api_code = match.group(1) if (match := _BRACKETED.match(message)) else None
    word = _word(sdk_code.removeprefix(_PREFIX).lower(), api_code, code)
    facts: dict[str, Any] = {
        "code": code,
        "status": status,
        "details": [_scrubbed(item, secrets) for item in details if isinstance(item, dict)],
        "proto_error_code": sdk_code or None,
        "request_id": _text(known.get("requestId")) or headers.get("x-request-id"),
        "headers": _safe_headers(headers, secrets),
        "retry_after": _retry_after(known, headers),
        "api_code": api_code,
        "rpc": rpc,
    }
    kind = _class(word, code, message, known, rpc)
    if bare and kind is CursorSDKError and status is not None and status >= 500:
        kind = InternalServerError
    if bare and status == 429:
        kind = RateLimitError
    facts["is_retryable"] = not issubclass(kind, AgentBusyError) and (
        code in _RETRYABLE_CODES or status in _RETRYABLE_STATUSES or facts["retry_after"] is not None
    )
    if issubclass(kind, IntegrationNotConnectedError):
        facts.update(provider=str(known["provider"]), help_url=str(known["helpUrl"]))
    if kind is LocalAgentBusyError and rpc.endswith("/Send"):
        message += _FREE_A_BUSY_AGENT
    if code == "internal" and _NO_HOME.match(message):
        message += _ANOTHER_HOME
    return kind(message, **facts)


#: The bridge says only that there is an active run.
_FREE_A_BUSY_AGENT = (
    ". Wait for that run, cancel it, or send with local={'force': True}, which ends it first, also "
    "where a crash left it behind."
)

#: How the bridge passes on that it cannot write where local agents are kept (observed).
_NO_HOME = re.compile(r"(EACCES|EDQUOT|ENOSPC|ENOTDIR|EPERM|EROFS): .*, (mkdir|open|write)\b")
_ANOTHER_HOME = (
    ". The bridge keeps local agents under its home directory, wherever state_root is, and cannot write "
    "there. Launch it with a directory of your own: launch_bridge(env={'HOME': '...'})."
)


def status_error(
    rpc: str, status: int, headers: Mapping[str, str], body: bytes, secrets: Sequence[str] = ()
) -> CursorSDKError:
    """The error for an answer whose HTTP status is not 200."""
    try:
        data = load_json(body)
    except ValueError:
        data = {}
    if isinstance(data.get("code"), str):
        return _from_json(rpc, data, status, headers, secrets)
    # Cleaned before it is cut: half a secret would not be recognised.
    text = _clean(" ".join(body[:_BODY_READ].decode("utf-8", "replace").split()), secrets)[:_BODY_SHOWN]
    meaning = _MEANINGS.get(status, "Something in front of the bridge answered, or this is not a bridge.")
    what = f"with the text {text!r}" if text else "with an empty body"
    return wire_error(
        rpc=rpc,
        code=STATUS_CODES.get(status, "unknown"),
        message=f"{rpc} was answered by HTTP status {status} {what}. {meaning}",
        status=status,
        headers=headers,
        secrets=secrets,
        bare=True,
    )


_MEANINGS = {
    404: "The bridge does not know this call: it is older than this package, or the URL leads elsewhere.",
    405: "The URL does not lead to a bridge.",
    415: "The bridge does not take this content type; try the other codec.",
}


def end_record_error(
    rpc: str, record: Mapping[str, Any], headers: Mapping[str, str], secrets: Sequence[str] = ()
) -> CursorSDKError | None:
    """The error that the end record of a stream carries, if it carries one."""
    error = record.get("error")
    if error is None:
        return None
    metadata = as_object(record.get("metadata")) or {}
    more = {name.lower(): ", ".join(map(str, as_list(values))) for name, values in metadata.items()}
    return _from_json(rpc, as_object(error) or {"message": str(error)}, 200, {**headers, **more}, secrets)


def _from_json(
    rpc: str, data: Mapping[str, Any], status: int, headers: Mapping[str, str], secrets: Sequence[str]
) -> CursorSDKError:
    code, message = data.get("code"), data.get("message")
    code = code if isinstance(code, str) and code else "unknown"
    return wire_error(
        rpc=rpc,
        code=code,
        message=message
        if isinstance(message, str) and message
        else f"{rpc} failed, and no reason was given.",
        details=as_list(data.get("details")),
        status=status,
        headers=headers,
        secrets=secrets,
    )


def _word(sdk_word: str, api_code: str | None, code: str) -> str:
    """The code that decides the class."""
    if sdk_word == "unspecified":
        sdk_word = ""
    if sdk_word in CLASSES and sdk_word not in _VAGUE:
        return sdk_word
    if api_code in CLASSES:
        return api_code or ""
    return sdk_word if sdk_word in CLASSES else code


def _class(word: str, code: str, message: str, known: Mapping[str, Any], rpc: str) -> type[CursorSDKError]:
    kind = CLASSES.get(word, CursorSDKError)
    if kind is IntegrationNotConnectedError and not (known.get("helpUrl") and known.get("provider")):
        return ConfigurationError
    if kind is AgentBusyError or word != code:
        return kind
    # Only a Connect code is left, and the bridge uses the same one for many things: its words say which.
    if rpc.endswith(("/Send", "/DeleteAgent")) and _LOCAL_BUSY.search(message):
        return LocalAgentBusyError
    if code == "not_found" and _NO_AGENT.match(message):
        return AgentNotFoundError
    if code == "invalid_argument" and _NO_RUN.match(message):
        return NotFoundError
    return kind


def _details(details: Sequence[Any]) -> Mapping[str, Any]:
    """The JSON form of the ``SdkErrorDetails`` among the details; empty when there is none."""
    for detail in details:
        item = as_object(detail) or {}
        if not str(item.get("type", "")).endswith("sdk.v1.SdkErrorDetails"):
            continue
        try:
            form = details_as_json(bytes_of(item.get("value")))
        except ValueError:
            form = None
        if form is None:
            form = as_object(item.get("debug"))
        if form is not None:
            return form
    return {}


def _retry_after(known: Mapping[str, Any], headers: Mapping[str, str]) -> str | None:
    """Seconds as text, or the HTTP date of the header."""
    text = _text(known.get("retryAfter"))
    if text is None:
        return headers.get("retry-after")
    try:
        return f"{float(text.removesuffix('s')):g}"
    except ValueError:
        return headers.get("retry-after")


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


def _safe_headers(headers: Mapping[str, str], secrets: Sequence[str]) -> dict[str, str]:
    return {
        name: _clean(value, secrets) for name, value in headers.items() if not _SECRET_HEADERS.search(name)
    }


def _clean(text: str, secrets: Sequence[str]) -> str:
    for secret in secrets:
        if secret:
            text = text.replace(secret, "[secret]")
    return text


def _scrubbed(value: Any, secrets: Sequence[str]) -> Any:
    """The same data with the secrets struck out of its texts."""
    if isinstance(value, str):
        return _clean(value, secrets)
    form = as_object(value)
    if form is not None:
        return {key: _scrubbed(item, secrets) for key, item in form.items()}
    items = as_list(value)
    return [_scrubbed(item, secrets) for item in items] if items else value
