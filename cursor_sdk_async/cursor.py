"""AsyncCursor: the account behind a key, its models and repositories."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from cursor_sdk_async.results import SDKModel, SDKRepository, SDKUser

if TYPE_CHECKING:
    from cursor_sdk_async.client import AsyncClient

__all__ = ["AsyncCursor"]


class _Models:
    """``AsyncCursor.models``."""

    @staticmethod
    async def list(*, client: AsyncClient, api_key: str | None = None) -> list[SDKModel]:
        """The models that the key may use. The same as ``client.models.list``."""
        return await client.models.list(api_key=api_key)


class _Repositories:
    """``AsyncCursor.repositories``."""

    @staticmethod
    async def list(*, client: AsyncClient, api_key: str | None = None) -> list[SDKRepository]:
        """The repositories that cloud agents may use. The same as ``client.repositories.list``."""
        return await client.repositories.list(api_key=api_key)


class AsyncCursor:
    """Account and catalogue calls, without an agent."""

    models: ClassVar[_Models] = _Models()
    repositories: ClassVar[_Repositories] = _Repositories()

    @staticmethod
    async def me(*, client: AsyncClient, api_key: str | None = None) -> SDKUser:
        """Who the key belongs to. The same as ``client.me``."""
        return await client.me(api_key=api_key)
