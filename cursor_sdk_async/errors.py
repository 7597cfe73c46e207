"""Every error that this package raises.

::

    CursorAgentError                      the root: ``except CursorAgentError`` catches everything below
    └── CursorSDKError
        ├── AuthenticationError           the key is missing at the server, unknown or refused
        ├── PermissionDeniedError         the key is valid, the operation is not allowed
        ├── RateLimitError                too many requests, or a usage limit is reached
        ├── BadRequestError               the server or the bridge calls the request malformed
        ├── AgentBusyError                the agent still has an active run
        │   └── LocalAgentBusyError       … and it is a local one, which ``force`` may free
        ├── NotFoundError                 no such run, agent, file
        │   └── AgentNotFoundError
        ├── InternalServerError           a fault of the server or of the bridge
        ├── NetworkError                  the bridge or the service could not be reached, or went away
        │   ├── APITimeoutError
        │   │   └── RunTimeoutError       (also a TimeoutError) a deadline of a run passed
        │   ├── StreamInterruptedError    a run stream broke off before its end
        │   └── BridgeExitedError         (also a BridgeError) the bridge process ended
        ├── ConfigurationError            wrong or missing configuration, refused before or by the server
        │   ├── IntegrationNotConnectedError
        │   ├── UnsupportedRunOperationError
        │   ├── ClosedError               the handle is closed, or belongs to another event loop
        │   ├── SyncUsageError            the blocking shim was used where it cannot work
        │   └── BridgeNotFoundError       (also a BridgeError) no bridge to launch
        ├── BridgeError                   anything about the bridge process
        │   └── BridgeStartError          it did not become ready
        ├── ProtocolError                 the peer broke the wire contract
        ├── ToolError                     a custom tool failed
        └── StoreError                    a custom store failed

Attributes carry the facts, the message is for people. All of them can be pickled and copied; a
pickle leaves out ``cause``, which may hold anything.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from time import time
from typing import Any, ClassVar

__all__ = [
    "APITimeoutError",
    "AgentBusyError",
    "AgentNotFoundError",
    "AuthenticationError",
    "BadRequestError",
    "BridgeError",
    "BridgeExitedError",
    "BridgeNotFoundError",
    "BridgeStartError",
    "ClosedError",
    "ConfigurationError",
    "CursorAgentError",
    "CursorSDKError",
    "IntegrationNotConnectedError",
    "InternalServerError",
    "LocalAgentBusyError",
    "NetworkError",
    "NotFoundError",
    "PermissionDeniedError",
    "ProtocolError",
    "RateLimitError",
    "RunTimeoutError",
    "StoreError",
    "StreamInterruptedError",
    "SyncUsageError",
    "ToolError",
    "UnsupportedRunOperationError",
]


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


class CursorSDKError(CursorAgentError):
    """The base of everything below; raised itself where no narrower class fits."""


class AuthenticationError(CursorSDKError):
    """The API key is missing at the server, unknown, or refused."""

    http_status = 401


class PermissionDeniedError(CursorSDKError):
    """The API key is valid, but the operation is not allowed for it."""

    http_status = 403


class RateLimitError(CursorSDKError):
    """Too many requests, or a usage limit is reached."""

    http_status = 429


class BadRequestError(CursorSDKError):
    """The request is malformed, in the words of the server, the bridge, or our own check."""

    http_status = 400


class AgentBusyError(CursorSDKError):
    """The agent still has an active run."""

    http_status = 409


class LocalAgentBusyError(AgentBusyError):
    """A local agent still has an active run; sending with ``force`` ends that run first."""


class NotFoundError(CursorSDKError):
    """The run, agent or file does not exist, or is not visible from here."""

    http_status = 404


class AgentNotFoundError(NotFoundError):
    """The agent does not exist, or is not visible under this ``cwd`` or key."""


class InternalServerError(CursorSDKError):
    """A fault of the server or of the bridge."""

    http_status = 502


class NetworkError(CursorSDKError):
    """The bridge or the service could not be reached, or the connection was lost."""

    http_status = 503


class APITimeoutError(NetworkError):
    """No answer within the time limit of the call; whether it took effect may be unknown."""

    http_status = 504


class RunTimeoutError(APITimeoutError, TimeoutError):
    """A deadline of a run passed.

    Attributes:
        run_id: The run.
        text: The assistant text received until then.
    """

    def __init__(self, message: str = "", *, run_id: str = "", text: str = "", **facts: Any) -> None:
        super().__init__(message, **facts)
        self.run_id = run_id
        self.text = text


class StreamInterruptedError(NetworkError):
    """A run stream broke off before its end; the run itself may still be going on.

    Attributes:
        run_id: The run, empty when the stream broke before naming it.
        offset: The offset of the last frame received, ``None`` if there was none.
    """

    http_status = 502

    def __init__(
        self, message: str = "", *, run_id: str = "", offset: str | None = None, **facts: Any
    ) -> None:
        super().__init__(message, **facts)
        self.run_id = run_id
        self.offset = offset


class ConfigurationError(CursorSDKError):
    """Something is configured wrongly, or a needed setting is missing."""

    http_status = 400


class IntegrationNotConnectedError(ConfigurationError):
    """A source-control provider is not connected to the account.

    Attributes:
        provider: The provider, such as ``"github"``.
        help_url: Where to connect it.
    """

    def __init__(self, message: str = "", *, provider: str, help_url: str, **facts: Any) -> None:
        super().__init__(message, **facts)
        self.provider = provider
        self.help_url = help_url


class UnsupportedRunOperationError(ConfigurationError):
    """The operation is not possible in the run's present state.

    Attributes:
        operation: ``"stream"``, ``"wait"``, ``"cancel"`` or ``"conversation"``.
    """

    http_status = 409

    def __init__(self, operation: str, message: str | None = None, **facts: Any) -> None:
        facts.setdefault("code", "unsupported_run_operation")
        super().__init__(message or f"The run does not support {operation!r} in its present state.", **facts)
        self.operation = operation


class ClosedError(ConfigurationError):
    """The client, agent or bridge is closed, or belongs to another event loop."""

    http_status = 503


class SyncUsageError(ConfigurationError):
    """The blocking shim was called where blocking cannot work."""

    http_status = 500


class BridgeError(CursorSDKError):
    """Anything about the bridge process.

    Attributes:
        stderr_tail: The last lines that the bridge wrote to stderr.
    """

    http_status = 503

    def __init__(self, message: str = "", *, stderr_tail: Sequence[str] = (), **facts: Any) -> None:
        super().__init__(message, **facts)
        self.stderr_tail: tuple[str, ...] = tuple(stderr_tail)


class BridgeNotFoundError(BridgeError, ConfigurationError):
    """There is no bridge to launch, or the chosen file cannot be one.

    Attributes:
        path: The file that was looked at, ``None`` when nothing was found at all.
    """

    http_status = 503

    def __init__(self, message: str = "", *, path: str | None = None, **facts: Any) -> None:
        super().__init__(message, **facts)
        self.path = path


class BridgeStartError(BridgeError):
    """The bridge was started but did not become ready.

    Attributes:
        exit_code: Its exit code, ``None`` while it lived or when a signal ended it.
        signal: The number of the signal that ended it, if one did.
    """

    def __init__(
        self, message: str = "", *, exit_code: int | None = None, signal: int | None = None, **facts: Any
    ) -> None:
        super().__init__(message, **facts)
        self.exit_code = exit_code
        self.signal = signal


class BridgeExitedError(BridgeError, NetworkError):
    """The bridge process ended while it was needed.

    Attributes:
        exit_code: Its exit code, ``None`` when a signal ended it.
        signal: The number of the signal that ended it, if one did.
        run_ids: The runs that were in flight.
    """

    def __init__(
        self,
        message: str = "",
        *,
        exit_code: int | None = None,
        signal: int | None = None,
        run_ids: Sequence[str] = (),
        **facts: Any,
    ) -> None:
        super().__init__(message, **facts)
        self.exit_code = exit_code
        self.signal = signal
        self.run_ids: tuple[str, ...] = tuple(run_ids)


class ProtocolError(CursorSDKError):
    """The peer broke the wire contract: a bad envelope, a bad header, an answer that cannot be decoded."""

    http_status = 502


class ToolError(CursorSDKError):
    """A custom tool failed."""


class StoreError(CursorSDKError):
    """A custom store failed."""
