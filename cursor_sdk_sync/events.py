"""Updates, steps and stream events: the very same objects as in ``cursor_sdk_async.events``."""

from __future__ import annotations

from cursor_sdk_async import events as _events
from cursor_sdk_async.events import *  # noqa: F403

__all__: list[str] = []
__all__ += _events.__all__
