"""The handles in one place, a documented import path; re-exports only. They work on trio as well."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cursor_sdk_async.agent import AsyncAgent
from cursor_sdk_async.bridge import AsyncBridge
from cursor_sdk_async.client import AsyncClient
from cursor_sdk_async.cursor import AsyncCursor
from cursor_sdk_async.run import AsyncRun
from cursor_sdk_async.transport import AsyncConnectTransport

if TYPE_CHECKING:
    from cursor_sdk_async.http import DefaultAsyncHttpxClient

__all__ = [
    "AsyncAgent",
    "AsyncBridge",
    "AsyncClient",
    "AsyncConnectTransport",
    "AsyncCursor",
    "AsyncCursorClient",
    "AsyncRun",
    "DefaultAsyncHttpxClient",
]

AsyncCursorClient = AsyncClient


def __getattr__(name: str) -> Any:
    if name == "DefaultAsyncHttpxClient":  # httpx is imported only by those who ask for it
        from cursor_sdk_async.http import DefaultAsyncHttpxClient

        return DefaultAsyncHttpxClient
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
