"""Failures of an RPC, with the body that the real bridge gives them.

Facts: docs/protocol.md, "Errors". Details carry ``value`` (base64 without padding) and ``debug``.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import Any

from cursor_sdk_async.testing._codec import message_bytes

__all__ = ["STATUS", "RpcError", "api_error", "plain", "sdk_error"]

STATUS = {
    "canceled": 499,
    "unknown": 500,
    "invalid_argument": 400,
    "deadline_exceeded": 504,
    "not_found": 404,
    "already_exists": 409,
    "permission_denied": 403,
    "resource_exhausted": 429,
    "failed_precondition": 400,
    "aborted": 409,
    "out_of_range": 400,
    "unimplemented": 501,
    "internal": 500,
    "unavailable": 503,
    "data_loss": 500,
    "unauthenticated": 401,
}
TYPE = "sdk.v1.SdkErrorDetails"
requests_of_the_service = 0


class RpcError(Exception):
    """An error answer."""

    def __init__(
        self, code: str, message: str, details: Mapping[str, Any] | None = None, *, debug: bool = True
    ) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code
        self.message = message
        self.details = details
        self.debug = debug

    @property
    def status(self) -> int:
        """The HTTP status of a unary answer."""
        return STATUS.get(self.code, 500)

    def body(self) -> dict[str, Any]:
        """The error object."""
        body: dict[str, Any] = {"code": self.code, "message": self.message}
        if self.details is not None:
            value = message_bytes("SdkErrorDetails", self.details)
            detail: dict[str, Any] = {"type": TYPE, "value": base64.b64encode(value).decode().rstrip("=")}
            if self.debug:
                detail["debug"] = dict(self.details)
            body["details"] = [detail]
        return body


def plain(code: str, message: str) -> RpcError:
    """An error of the bridge itself: no details."""
    return RpcError(code, message)


def sdk_error(code: str, message: str, sdk_code: str = "", **extra: Any) -> RpcError:
    """An error of the runtime inside the bridge; ``sdk_code`` without its prefix."""
    details = {**extra, "message": message}
    if sdk_code:
        details["sdkErrorCode"] = f"SDK_ERROR_CODE_{sdk_code}"
    return RpcError(code, message, details)


def api_error(code: str, message: str, sdk_code: str = "", **extra: Any) -> RpcError:
    """An error of the service: its details have a request id."""
    global requests_of_the_service
    requests_of_the_service += 1
    return sdk_error(code, message, sdk_code, requestId=f"req-{requests_of_the_service}", **extra)
