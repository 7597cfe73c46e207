"""What goes wrong with a run, or with an agent that has one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cursor_sdk_async.errors._api import APITimeoutError, ConfigurationError, NetworkError
from cursor_sdk_async.errors._base import CursorSDKError

if TYPE_CHECKING:
    from cursor_sdk_async.results import TokenUsage

__all__ = [
    "AgentBusyError",
    "LocalAgentBusyError",
    "RunTimeoutError",
    "StreamInterruptedError",
    "UnsupportedRunOperationError",
]


class AgentBusyError(CursorSDKError):
    """The agent still has an active run."""

    http_status = 409


class LocalAgentBusyError(AgentBusyError):
    """A local agent still has an active run; sending with ``force`` ends that run first."""


class RunTimeoutError(APITimeoutError, TimeoutError):
    """A deadline of a run passed.

    Attributes:
        run_id: The run.
        text: The assistant text received until then.
        usage: The tokens used until then, ``None`` when nothing was reported.
    """

    def __init__(
        self,
        message: str = "",
        *,
        run_id: str = "",
        text: str = "",
        usage: TokenUsage | None = None,
        **facts: Any,
    ) -> None:
        super().__init__(message, **facts)
        self.run_id = run_id
        self.text = text
        self.usage = usage


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
