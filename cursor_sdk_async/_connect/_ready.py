"""What messages are written and read with is imported in a worker thread, before the first of them.

Nothing leaks: a caller who is cancelled leaves the thread to end by itself. Nothing hangs: the thread has a
limiter of its own, since those that the program may have could all be taken.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import anyio
import anyio.to_thread

from cursor_sdk_async._connect import _codec
from cursor_sdk_async._connect._draft import Draft

if TYPE_CHECKING:
    from betterproto2 import Message

__all__ = ["aside", "message_of"]

_is_ready = False


async def aside(work: Callable[[], object]) -> None:
    """Do something that takes long in a thread."""
    await anyio.to_thread.run_sync(work, limiter=anyio.CapacityLimiter(1), abandon_on_cancel=True)


async def message_of(request: Message | Draft) -> Message:
    """The message of a request.

    Raises:
        ConfigurationError: It cannot be one.
    """
    global _is_ready
    if not isinstance(request, Draft):
        return request
    if not _is_ready:
        await aside(_codec.warm_up)
        _is_ready = True
    return request.message()
