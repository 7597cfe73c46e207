"""Which lane leads to a bridge: the loopback lane, unless the user brings a client or the bridge is away."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cursor_sdk_async._connect._lane import LoopbackLane
from cursor_sdk_async._connect._seam import Lane, OwnerSource
from cursor_sdk_async._connect._url import check_url

if TYPE_CHECKING:
    import httpx

__all__ = ["open_lane"]


def open_lane(
    url: str,
    *,
    owner: OwnerSource,
    http_client: httpx.AsyncClient | httpx.Client | None = None,
    allow_remote: bool = False,
) -> Lane:
    """The lane to a bridge. Nothing is connected yet, and no event loop is needed.

    Args:
        url: The base URL of the bridge.
        owner: Gives the owner task, in which streams and idle connections are looked after.
        http_client: A client of the user, which is used for everything and never closed.
        allow_remote: Whether the bridge may be on another machine.

    Raises:
        ConfigurationError: The URL is not allowed, or the client is not one of httpx.
    """
    target = check_url(url, allow_remote=allow_remote)
    if http_client is None and target.addresses and target.scheme == "http":
        return LoopbackLane(target, owner)
    # httpx is a hundred milliseconds to import, and only needed here.
    from cursor_sdk_async._connect._httpx_lane import HttpxLane

    return HttpxLane(target, owner, http_client)
