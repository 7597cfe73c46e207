"""The scripted bridge: the very same objects as in ``cursor_sdk_async.testing``."""

from __future__ import annotations

from cursor_sdk_async import testing as _testing
from cursor_sdk_async.testing import *  # noqa: F403

__all__: list[str] = []
__all__ += _testing.__all__
