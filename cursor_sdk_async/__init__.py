"""Drive Cursor agents from asyncio or trio."""

from __future__ import annotations

__all__: list[str] = []
