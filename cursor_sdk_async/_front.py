"""What a client offers to those who keep one for others: a default client, a front without ``await``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import anyio

from cursor_sdk_async._core import Core
from cursor_sdk_async._runs._live import CANCEL_SECONDS

if TYPE_CHECKING:
    from cursor_sdk_async.bridge import AsyncBridge

__all__ = ["FrontMethods"]


class FrontMethods:
    """Part of ``AsyncClient``."""

    _core: Core

    if TYPE_CHECKING:

        @property
        def bridge(self) -> AsyncBridge | None:
            """The launched bridge."""
            ...

    def is_alive(self) -> bool:
        """Whether the client can still be used: it is not closed, and a bridge of its own has not ended."""
        return not self._core.closed and (self.bridge is None or self.bridge.is_alive())

    async def settle(self) -> None:
        """Wait until what cancelled callers left behind is done, such as cancelling their runs; 2 s at most.

        It is done anyway while the client is open, and by closing; this is for programs that end at once.
        """
        if self.is_alive():
            with anyio.move_on_after(CANCEL_SECONDS):
                await self._core.runs.errands.settled(self._core.owner())
