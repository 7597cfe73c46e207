"""What goes wrong with the bridge process."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cursor_sdk_async.errors._api import ConfigurationError, NetworkError
from cursor_sdk_async.errors._base import CursorSDKError

__all__ = [
    "BridgeError",
    "BridgeExitedError",
    "BridgeNotFoundError",
    "BridgeNotRespondingError",
    "BridgeStartError",
]


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


class BridgeNotRespondingError(BridgeError, NetworkError):
    """The bridge was silent for long and answered no ping; its process may be stopped or overloaded."""

    http_status = 504
