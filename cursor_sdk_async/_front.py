"""What a client offers to those who keep one for others: a default client, a front without ``await``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import anyio
from typing_extensions import Self

from cursor_sdk_async._core import Core
from cursor_sdk_async._lifecycle import Opening
from cursor_sdk_async._runs._live import CANCEL_SECONDS
from cursor_sdk_async._settings import read_endpoint

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

        @classmethod
        def connect(cls, base_url: str, auth_token: str) -> Self:
            """Attach."""
            ...

        @classmethod
        def launch_bridge(cls) -> Opening[Self]:
            """Launch."""
            ...

        async def aclose(self) -> None:
            """Close."""

    @classmethod
    def from_environment(cls) -> Opening[Self]:
        """The client that the environment asks for.

        With ``CURSOR_SDK_BRIDGE_URL`` and ``CURSOR_SDK_BRIDGE_TOKEN`` set it is attached to that bridge, and
        reads no ``CURSOR_API_KEY``; otherwise it launches a bridge in the current directory.

        Returns:
            An opening: await it or enter it, once.

        Raises:
            ConfigurationError: When opened: one of the two variables is set without the other.
            BridgeNotFoundError: As for :meth:`launch_bridge`.
            BridgeStartError: As for :meth:`launch_bridge`.
        """

        async def start() -> Self:
            endpoint = read_endpoint()
            if endpoint is not None:
                return cls.connect(endpoint.url, endpoint.token)
            return await cls.launch_bridge()

        return Opening(start, cls.aclose)

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
