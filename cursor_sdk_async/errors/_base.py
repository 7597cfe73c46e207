"""The root of all errors, and how it travels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from time import time
from typing import Any, ClassVar

__all__ = ["CursorAgentError", "CursorSDKError"]


class CursorAgentError(Exception):
    """The root of all errors of this package.

    Args:
        message: What happened, what it means and what to do, for people.
        code: The short word of the failure: a Connect code such as ``"not_found"``, an API code, or one of
            our own such as ``"missing_api_key"``.
        status: The HTTP status that came with it, if one did.
        details: The error details of the answer, as plain mappings.
        is_retryable: Whether the same call may succeed later. It says nothing about side effects.
        is_safe_to_retry: Whether it is certain that nothing was accepted by the other side.
        cause: The exception behind this one.
        proto_error_code: The ``SdkErrorCode`` word of the details, such as ``"SDK_ERROR_CODE_AGENT_BUSY"``.
        request_id: The request id of the cloud API, for support.
        headers: Response headers, without credentials.
        retry_after: How long to wait, as the text of a number of seconds or an HTTP date.
        api_code: The cloud API's own code word, read from a ``[code]`` prefix of the message.
        rpc: The RPC that failed, such as ``"SdkAgentService/Send"``.

    Attributes:
        run_id: The run whose stream failed; empty for other failures.
        offset: The offset of the last frame of it that was read, ``None`` if there was none.
        http_status: The HTTP status that fits when a web service passes the failure on to its own caller;
            ``status`` is the one that came from the bridge.
    """

    run_id: str = ""
    offset: str | None = None
    http_status: ClassVar[int] = 500

    def __init__(
        self,
        message: str = "",
        *,
        code: str | None = None,
        status: int | None = None,
        details: Sequence[Mapping[str, Any]] | None = None,
        is_retryable: bool = False,
        is_safe_to_retry: bool = False,
        cause: BaseException | None = None,
        proto_error_code: str | None = None,
        request_id: str | None = None,
        headers: Mapping[str, str] | None = None,
        retry_after: str | None = None,
        api_code: str | None = None,
        rpc: str | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.code = code
        self.status = status
        self.details: list[Mapping[str, Any]] = list(details or ())
        self.is_retryable = is_retryable
        self.is_safe_to_retry = is_safe_to_retry
        self.cause = cause
        self.proto_error_code = proto_error_code
        self.request_id = request_id
        self.headers: Mapping[str, str] = dict(headers or {})
        self.retry_after = retry_after
        self.api_code = api_code
        self.rpc = rpc
        if cause is not None:
            self.__cause__: BaseException | None = cause

    @property
    def status_code(self) -> int | None:
        """The HTTP status, by its other name."""
        return self.status

    @property
    def retry_after_seconds(self) -> float | None:
        """``retry_after`` in seconds, never negative; ``None`` when it is absent or unreadable."""
        if self.retry_after is None:
            return None
        text = self.retry_after.strip()
        try:
            return max(0.0, float(text.removesuffix("s")))
        except ValueError:
            pass
        from email.utils import parsedate_to_datetime  # costs more to import than the rest of this module

        try:
            return max(0.0, parsedate_to_datetime(text).timestamp() - time())
        except (TypeError, ValueError):
            return None

    def __str__(self) -> str:
        return f"{self.code}: {self.message}" if self.code else self.message

    def __reduce__(self) -> tuple[Any, ...]:
        state = {name: value for name, value in self.__dict__.items() if name != "cause"}
        return _rebuild, (type(self), self.args, state)


def _rebuild(cls: type[CursorAgentError], args: tuple[Any, ...], state: dict[str, Any]) -> CursorAgentError:
    """Make an error from its pickle without asking for the arguments of its constructor."""
    error = cls.__new__(cls, *args)
    Exception.__init__(error, *args)
    error.__dict__.update(state, cause=None)
    return error


def fresh(error: CursorSDKError) -> CursorSDKError:
    """A copy to raise: the same exception raised twice would pile up tracebacks."""
    copied = copy(error)
    copied.cause = copied.__cause__ = error.cause
    return copied


class CursorSDKError(CursorAgentError):
    """The base of everything below; raised itself where no narrower class fits."""
