"""The handles in one place, a documented import path; re-exports only. They work on trio as well."""

from __future__ import annotations

from cursor_sdk_async.agent import AsyncAgent
from cursor_sdk_async.bridge import AsyncBridge
from cursor_sdk_async.client import AsyncClient
from cursor_sdk_async.cursor import AsyncCursor
from cursor_sdk_async.run import AsyncRun

__all__ = ["AsyncAgent", "AsyncBridge", "AsyncClient", "AsyncCursor", "AsyncCursorClient", "AsyncRun"]

AsyncCursorClient = AsyncClient
