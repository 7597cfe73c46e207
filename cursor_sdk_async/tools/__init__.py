"""Custom tools: typed functions of this process that a local agent may call.

:func:`tool` makes one of a function, :func:`load_tools` reads a folder. ``docs/tools.md`` is the guide.
pydantic is imported when the first tool is made.
"""

from __future__ import annotations

from cursor_sdk_async.options import CustomTool, CustomToolContext
from cursor_sdk_async.tools._decorator import tool
from cursor_sdk_async.tools._folder import load_tools, toolset
from cursor_sdk_async.tools._tool import Tool

__all__ = ["CustomTool", "CustomToolContext", "Tool", "load_tools", "tool", "toolset"]
