"""What the service or the bridge answers, and what is wrong on the way to it."""

from __future__ import annotations

from typing import Any

from cursor_sdk_async.errors._base import CursorSDKError

__all__ = [
    "APITimeoutError",
    "AgentNotFoundError",
    "AuthenticationError",
    "BadRequestError",
    "ClosedError",
    "ConfigurationError",
    "IntegrationNotConnectedError",
    "InternalServerError",
    "NetworkError",
    "NotFoundError",
    "PermissionDeniedError",
    "ProtocolError",
    "RateLimitError",
    "SyncUsageError",
]


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


class ProtocolError(CursorSDKError):
    """The peer broke the wire contract: a bad envelope, a bad header, an answer that cannot be decoded."""

    http_status = 502


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


class ClosedError(ConfigurationError):
    """The client, agent or bridge is closed, or belongs to another event loop."""

    http_status = 503


class SyncUsageError(ConfigurationError):
    """The blocking shim was called where blocking cannot work."""

    http_status = 500
