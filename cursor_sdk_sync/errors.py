"""The error classes: the very same objects as in ``cursor_sdk_async.errors``."""

from __future__ import annotations

from cursor_sdk_async import errors as _errors
from cursor_sdk_async.errors import *  # noqa: F403

__all__: list[str] = []
__all__ += _errors.__all__
