"""What can be asked of the bridge itself, and of the account."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cursor_sdk_async import _convert
from cursor_sdk_async._core import Core
from cursor_sdk_async.results import SDKUser

__all__ = ["ControlMethods"]


class ControlMethods:
    """Part of ``AsyncClient``."""

    _core: Core

    async def ping(self) -> str:
        """Ask the bridge whether it is there.

        Returns:
            ``"pong"``.
        """
        return await self._core.call(
            "SdkBridgeControlService/Ping", _convert.ping_request(), _convert.pong_of
        )

    async def get_version(self) -> Mapping[str, Any]:
        """The bridge's version: ``bridge_version``, ``protocol_version`` and ``capabilities``."""
        request = _convert.get_version_request()
        return await self._core.call("SdkBridgeControlService/GetVersion", request, _convert.version_of)

    async def me(self, *, api_key: str | None = None) -> SDKUser:
        """Who the key belongs to.

        Raises:
            ConfigurationError: There is no API key (code ``missing_api_key``).
            AuthenticationError: The service refused it.
        """
        key = await self._core.keys.need("Reading the account", api_key)
        return await self._core.call("SdkCursorService/Me", _convert.me_request(key), _convert.user_of)

    async def shutdown(self, *, grace_seconds: int = 0) -> None:
        """Ask the bridge to stop, whoever launched it. Streams that are open keep it alive until they end.

        Args:
            grace_seconds: How long it goes on taking requests.
        """
        await self._core.channel.unary(
            "SdkBridgeControlService/Shutdown", _convert.shutdown_request(grace_seconds)
        )
