"""The asynchronous handles: the very same objects as in ``cursor_sdk_async.asyncio``."""

from __future__ import annotations

from cursor_sdk_async import asyncio as _asyncio
from cursor_sdk_async.asyncio import *  # noqa: F403

__all__: list[str] = []
__all__ += _asyncio.__all__
