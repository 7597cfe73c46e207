"""The client of calls that name none: started at the first of them, closed at the end of the process."""

from __future__ import annotations

import os
import threading

from cursor_sdk_sync.client import CursorClient

__all__ = ["close_default_client", "default_client", "warm_up"]

_lock = threading.Lock()
_client: CursorClient | None = None


def default_client() -> CursorClient:
    """The default client; a fresh one when it was closed, or its bridge has ended."""
    global _client
    with _lock:
        if _client is not None and not _client.is_alive():
            _client.close()
            _client = None
        if _client is None:
            _client = CursorClient.from_environment()
        return _client


def warm_up() -> CursorClient:
    """Start the default client now, so that the first call need not wait for it.

    ``Agent`` and ``Cursor`` use it for calls without ``client=``. With ``CURSOR_SDK_BRIDGE_URL`` and
    ``CURSOR_SDK_BRIDGE_TOKEN`` set it is attached to that bridge, otherwise it launches one in the current
    directory. One whose bridge has ended is replaced at the next call.

    Returns:
        The client.

    Raises:
        BridgeNotFoundError: There is no bridge to launch.
        BridgeStartError: It did not become ready.
    """
    return default_client()


def close_default_client() -> None:
    """Close the default client, and its bridge if it launched one; the next call starts another one.

    Harmless when there is none. It is closed at the end of the process anyway.
    """
    global _client
    with _lock:
        client, _client = _client, None
    if client is not None:
        client.close()


def _forget_after_fork() -> None:
    # The client is the parent's; the child gets one of its own, and its lock may be held for ever.
    global _lock, _client
    _lock, _client = threading.Lock(), None


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_after_fork)
