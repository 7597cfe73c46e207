"""Drive Cursor agents from scripts, notebooks and threads: ``cursor_sdk_async`` for callers who wait.

Start with :class:`Agent`, or with :class:`CursorClient`. Everything but the handles is the very same object
as in ``cursor_sdk_async``; its own handles are here too, for programs that mix both. Names are imported when
first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

import cursor_sdk_async

if TYPE_CHECKING:
    from cursor_sdk_async import *  # noqa: F403
    from cursor_sdk_sync._default import close_default_client, warm_up
    from cursor_sdk_sync._portal import Portal
    from cursor_sdk_sync.agent import Agent
    from cursor_sdk_sync.bridge import Bridge
    from cursor_sdk_sync.client import CursorClient
    from cursor_sdk_sync.client import CursorClient as Client
    from cursor_sdk_sync.cursor import Cursor
    from cursor_sdk_sync.run import Run

__all__ = [
    "Agent",
    "Bridge",
    "Client",
    "Cursor",
    "CursorClient",
    "Portal",
    "Run",
    "close_default_client",
    "warm_up",
]
__all__ += cursor_sdk_async.__all__

_HOMES = {
    "Agent": "agent",
    "Bridge": "bridge",
    "Client": "client",
    "Cursor": "cursor",
    "CursorClient": "client",
    "Portal": "_portal",
    "Run": "run",
    "close_default_client": "_default",
    "warm_up": "_default",
}


def __getattr__(name: str) -> object:
    if name in _HOMES:
        home = import_module(f"cursor_sdk_sync.{_HOMES[name]}")
        value: object = getattr(home, "CursorClient" if name == "Client" else name)
    elif name in __all__:
        value = getattr(cursor_sdk_async, name)
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
