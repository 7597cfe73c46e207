"""Pages of a list: ``limit`` and an opaque ``cursor`` in, ``items`` and perhaps ``nextCursor`` out."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Sequence
from typing import Any

from starlette.requests import Request

from tests.rest_standin._errors import refuse

__all__ = ["page"]

Json = dict[str, Any]


def page(request: Request, items: Sequence[Json], key: str = "id") -> Json:
    """The page that a request asks for; the cursor names the last item of the page before."""
    query = request.query_params
    limit = query.get("limit", "20")
    if not limit.isdecimal() or not 1 <= int(limit) <= 100:
        raise refuse("limit must be from 1 to 100.")
    start = 0
    if "cursor" in query:
        last = _decode(query["cursor"])
        places = [place for place, item in enumerate(items) if item[key] == last]
        if not places:
            raise refuse("This cursor is not valid.")
        start = places[0] + 1
    chosen = list(items[start : start + int(limit)])
    if start + len(chosen) < len(items):
        return {"items": chosen, "nextCursor": _encode(chosen[-1][key])}
    return {"items": chosen}


def _encode(last: str) -> str:
    return base64.urlsafe_b64encode(f"after:{last}".encode()).decode()


def _decode(cursor: str) -> str:
    try:
        return base64.urlsafe_b64decode(cursor).decode().removeprefix("after:")
    except (binascii.Error, UnicodeDecodeError):
        raise refuse("This cursor is not valid.") from None
