"""From the options of a client to its channel."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from cursor_sdk_async._connect._channel import UNSET, Channel, Unset
from cursor_sdk_async._connect._lanes import open_lane
from cursor_sdk_async._connect._retry import DEFAULT_RETRY, RetryPolicy
from cursor_sdk_async._connect._seam import Lane
from cursor_sdk_async._connect._transport_lane import Transport, TransportLane
from cursor_sdk_async._lifecycle import Owner
from cursor_sdk_async.errors import ConfigurationError, CursorSDKError

if TYPE_CHECKING:
    import httpx

__all__ = ["ChannelOptions", "Codec", "open_channel", "retry_policy", "seconds", "transport_channel"]

Codec = Literal["proto", "json"]


@dataclass(frozen=True)
class ChannelOptions:
    """What a user may say about the channel; time limits in seconds, ``None`` for no limit."""

    timeout: float | Unset | None = UNSET
    unary_timeout: float | Unset | None = UNSET
    stream_timeout: float | Unset | None = UNSET
    codec: Codec | None = None
    http_client: httpx.AsyncClient | httpx.Client | None = None
    allow_remote: bool = False
    retry: RetryPolicy = DEFAULT_RETRY


def seconds(value: float | httpx.Timeout | Unset | None) -> float | Unset | None:
    """A time limit as a number; of an ``httpx.Timeout`` the read limit counts.

    Raises:
        ConfigurationError: It is neither a positive number, nor ``None``, nor an ``httpx.Timeout``.
    """
    if value is None or isinstance(value, Unset):
        return value
    limit: Any = getattr(value, "read", value)
    if limit is None:
        return None
    if isinstance(limit, bool) or not isinstance(limit, int | float) or not limit > 0:
        raise ConfigurationError(
            f"A time limit must be a positive number of seconds, None, or an httpx.Timeout, not {value!r}.",
            is_safe_to_retry=True,
        )
    return float(limit)


def retry_policy(
    retry: RetryPolicy | None, max_retries: int | None, base: RetryPolicy = DEFAULT_RETRY
) -> RetryPolicy:
    """The policy that a user asked for.

    Args:
        retry: A whole policy; ``None`` for ``base``.
        max_retries: How many attempts follow the first; ``None`` for as many as the policy says.
        base: What holds when nothing is given.

    Raises:
        ConfigurationError: ``retry`` is no policy, or ``max_retries`` no whole number from 0 on.
    """
    given: Any = retry
    if given is not None and not isinstance(given, RetryPolicy):
        raise ConfigurationError(
            f"retry must be a RetryPolicy or None, not {type(given).__name__}.", is_safe_to_retry=True
        )
    policy = retry or base
    if max_retries is None:
        return policy
    count: Any = max_retries
    if isinstance(count, bool) or not isinstance(count, int) or count < 0:
        raise ConfigurationError(
            f"max_retries must be a whole number from 0 on, or None, not {max_retries!r}.",
            is_safe_to_retry=True,
        )
    return policy.with_retries(count)


def open_channel(
    url: str,
    token: str,
    owner: Callable[[], Owner],
    options: ChannelOptions,
    explain_loss: Callable[[], Awaitable[CursorSDKError | None]] | None = None,
) -> Channel:
    """The channel to a bridge; nothing is connected yet.

    Args:
        url: The base URL of the bridge.
        token: Its bearer token.
        owner: Gives the owner task of the client.
        options: What the user said.
        explain_loss: Asked why a connection was lost.

    Raises:
        ConfigurationError: The URL or the token cannot be used.
    """
    lane = open_lane(url, owner=owner, http_client=options.http_client, allow_remote=options.allow_remote)
    return _channel(lane, token, options, explain_loss)


def transport_channel(transport: Transport, options: ChannelOptions) -> Channel:
    """The channel over a transport of the user's, which takes and gives JSON."""
    return _channel(TransportLane(transport), "transport", replace(options, codec="json"), None)


def _channel(
    lane: Lane,
    token: str,
    options: ChannelOptions,
    explain_loss: Callable[[], Awaitable[CursorSDKError | None]] | None,
) -> Channel:
    chosen: dict[str, Any] = {}
    if options.codec is not None:
        if options.codec not in ("proto", "json"):
            raise ConfigurationError(
                f"codec must be 'proto' or 'json', not {options.codec!r}.", is_safe_to_retry=True
            )
        chosen.update(unary_codec=options.codec, stream_codec=options.codec)
    for name, own in (("unary_timeout", options.unary_timeout), ("stream_timeout", options.stream_timeout)):
        limit = options.timeout if isinstance(own, Unset) else own
        if not isinstance(limit, Unset):
            chosen[name] = limit
    return Channel(lane, token=token, explain_loss=explain_loss, retry=options.retry, **chosen)
