"""All data types in one place: the very same objects as in ``cursor_sdk_async.types``."""

from __future__ import annotations

from cursor_sdk_async import types as _types
from cursor_sdk_async.types import *  # noqa: F403

__all__: list[str] = []
__all__ += _types.__all__
