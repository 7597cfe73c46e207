"""httpx clients with the documented defaults, for ``http_client=``. Importing this module imports httpx."""

from __future__ import annotations

from typing import Any

import httpx

__all__ = ["DefaultAsyncHttpxClient", "DefaultHttpxClient"]

SECONDS = 60.0


def _with_defaults(options: dict[str, Any]) -> dict[str, Any]:
    # Proxies of the environment are for the world outside; the bridge is on this machine.
    return {"timeout": SECONDS, "follow_redirects": True, "trust_env": False, **options}


class DefaultAsyncHttpxClient(httpx.AsyncClient):
    """An ``httpx.AsyncClient`` with a limit of 60 s, redirects on, and no proxies from the environment.

    Args:
        kwargs: As for ``httpx.AsyncClient``; they win over these defaults.
    """

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**_with_defaults(kwargs))


class DefaultHttpxClient(httpx.Client):
    """The same for ``httpx.Client``."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**_with_defaults(kwargs))
