"""RetryPolicy: how calls that fail for a passing reason are repeated."""

from __future__ import annotations

from cursor_sdk_async._connect._retry import RetryPolicy

__all__ = ["RetryPolicy"]
