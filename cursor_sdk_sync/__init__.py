"""The blocking shim over cursor_sdk_async."""

from __future__ import annotations

__all__: list[str] = []
