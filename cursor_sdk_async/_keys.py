"""Which API key a call uses: the call's, else the agent's, else the client's, else ``CURSOR_API_KEY``.

The variable counts only for bridges that we launched, or where the client allows it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from inspect import isawaitable

from cursor_sdk_async._settings import read_api_key
from cursor_sdk_async.errors import ConfigurationError

__all__ = ["ApiKey", "KeyRing", "checked_key"]

#: A key, or something that is asked for one each time a call needs it.
ApiKey = str | Callable[[], "str | Awaitable[str]"]


def checked_key(key: str, source: str) -> str:
    """The key without white space around it.

    Raises:
        ConfigurationError: It is blank; code ``missing_api_key``.
    """
    stripped = key.strip()
    if not stripped:
        raise ConfigurationError(
            f"The API key given as {source} is blank. Give a key, or leave the argument out to use the next "
            "source: the agent's key, the client's key, then CURSOR_API_KEY.",
            code="missing_api_key",
        )
    return stripped


class KeyRing:
    """The key of a client and its environment.

    Args:
        client_key: The key given to the client, ``None`` if none was.
        env_fallback: Whether ``CURSOR_API_KEY`` of this process may be used.

    Attributes:
        on_use: Told each key that is about to be used, so that no error repeats it.
    """

    __slots__ = ("_client_key", "env_fallback", "on_use")

    def __init__(self, client_key: ApiKey | None, env_fallback: bool) -> None:
        self._client_key = (
            checked_key(client_key, "api_key of the client") if isinstance(client_key, str) else client_key
        )
        self.env_fallback: bool = env_fallback
        self.on_use: Callable[[str], None] | None = None

    async def find(self, *explicit: str | None) -> str | None:
        """The first key of: those given, the client's, the environment's; ``None`` when there is none."""
        key = await self._first(explicit)
        if key is not None and self.on_use is not None:
            self.on_use(key)
        return key

    async def _first(self, explicit: Sequence[str | None]) -> str | None:
        for key in explicit:
            if key is not None:
                return checked_key(key, "api_key")
        if self._client_key is not None:
            return await self._ask()
        return read_api_key() if self.env_fallback else None

    async def need(self, what: str, *explicit: str | None) -> str:
        """Like ``find``, for a call that cannot do without.

        Raises:
            ConfigurationError: There is no key; code ``missing_api_key``.
        """
        key = await self.find(*explicit)
        if key is None:
            hint = (
                "or set CURSOR_API_KEY"
                if self.env_fallback
                else (
                    "(CURSOR_API_KEY is not read for a bridge that this client did not launch, "
                    "unless allow_api_key_env_fallback=True)"
                )
            )
            raise ConfigurationError(
                f"{what} needs an API key. Pass api_key= to the call or to the client, {hint}.",
                code="missing_api_key",
                is_safe_to_retry=True,
            )
        return key

    async def _ask(self) -> str:
        if isinstance(self._client_key, str):
            return self._client_key
        assert self._client_key is not None
        answer = self._client_key()
        key = await answer if isawaitable(answer) else answer
        return checked_key(key, "the answer of the client's api_key function")

    def __repr__(self) -> str:
        return f"KeyRing(client_key={'given' if self._client_key is not None else 'none'})"
