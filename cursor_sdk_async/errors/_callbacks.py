"""What goes wrong in functions of this process that the bridge calls."""

from __future__ import annotations

from cursor_sdk_async.errors._base import CursorSDKError

__all__ = ["StoreError", "ToolError"]


class ToolError(CursorSDKError):
    """A custom tool failed.

    Raise it in a tool to tell the model what went wrong, in words that it can act on: the message is the
    answer that the model reads.
    """


class StoreError(CursorSDKError):
    """A custom store failed."""
