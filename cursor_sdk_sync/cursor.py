"""Cursor: the account behind a key, its models and repositories, for callers who wait."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from cursor_sdk_async import AsyncCursor
from cursor_sdk_sync._default import default_client
from cursor_sdk_sync._twin import twin_of

if TYPE_CHECKING:
    from cursor_sdk_async import SDKModel, SDKRepository, SDKUser
    from cursor_sdk_sync.client import CursorClient

__all__ = ["Cursor"]


@twin_of(type(AsyncCursor.models))
class _Models:
    @staticmethod
    def list(*, client: CursorClient | None = None, api_key: str | None = None) -> list[SDKModel]:
        return (client or default_client()).models.list(api_key=api_key)


@twin_of(type(AsyncCursor.repositories))
class _Repositories:
    @staticmethod
    def list(*, client: CursorClient | None = None, api_key: str | None = None) -> list[SDKRepository]:
        return (client or default_client()).repositories.list(api_key=api_key)


@twin_of(AsyncCursor)
class Cursor:
    models: ClassVar[_Models] = _Models()
    repositories: ClassVar[_Repositories] = _Repositories()

    @staticmethod
    def me(*, client: CursorClient | None = None, api_key: str | None = None) -> SDKUser:
        return (client or default_client()).me(api_key=api_key)
