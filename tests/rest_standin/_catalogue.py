"""Who the key belongs to, the models, the repositories, and the key exchange that is not imitated."""

from __future__ import annotations

import base64
import binascii
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from tests.rest_standin._errors import ApiError

__all__ = ["ACCEPTED_KEY", "MODELS", "REJECTED_KEY", "SERVICE_KEY", "check_key", "key_of", "routes"]

ACCEPTED_KEY = "crsr_test_key"
SERVICE_KEY = "crsr_service_key"
REJECTED_KEY = "crsr_rejected_key"

CREATED = "2026-01-15T09:30:00.000Z"
USER = {
    "apiKeyName": "test key",
    "createdAt": CREATED,
    "userId": 42,
    "userEmail": "ada@example.com",
    "userFirstName": "Ada",
    "userLastName": "Lovelace",
}
MODELS: list[dict[str, Any]] = [
    {
        "id": "composer-2.5",
        "displayName": "Composer 2.5",
        "description": "Fast and good at edits",
        "aliases": ["composer"],
        "parameters": [
            {
                "id": "effort",
                "displayName": "Effort",
                "values": [
                    {"value": "low", "displayName": "Low"},
                    {"value": "high", "displayName": "High"},
                ],
            }
        ],
        "variants": [
            {
                "params": [{"id": "effort", "value": "low"}],
                "displayName": "Composer 2.5 (low)",
                "description": "Quick",
                "isDefault": True,
            },
            {"params": [{"id": "effort", "value": "high"}], "displayName": "Composer 2.5 (high)"},
        ],
    },
    {"id": "plain-1", "displayName": "Plain 1"},
]
REPOSITORIES = [{"url": "https://github.com/acme/rocket"}, {"url": "https://github.com/acme/anvil"}]


def key_of(request: Request) -> str | None:
    """The key of a request, from Bearer or Basic authorization."""
    scheme, _, value = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer":
        return value.strip()
    if scheme.lower() == "basic":
        try:
            return base64.b64decode(value, validate=True).decode().partition(":")[0]
        except (binascii.Error, UnicodeDecodeError):
            return None
    return None


def check_key(request: Request) -> str:
    """The key, if it is one of ours."""
    key = key_of(request)
    if key not in (ACCEPTED_KEY, SERVICE_KEY):
        raise ApiError(401, "unauthorized", "Invalid API key.")
    return key


async def exchange(request: Request) -> Response:
    return JSONResponse({"error": "Not Found", "message": "This server exchanges no keys."}, 404)


async def me(request: Request) -> Response:
    user = {"apiKeyName": "service", "createdAt": CREATED} if check_key(request) == SERVICE_KEY else USER
    return JSONResponse(user)


async def models(request: Request) -> Response:
    check_key(request)
    return JSONResponse({"items": MODELS})


async def repositories(request: Request) -> Response:
    check_key(request)
    return JSONResponse({"items": REPOSITORIES})


routes = [
    Route("/auth/exchange_user_api_key", exchange, methods=["POST"]),
    Route("/v1/me", me),
    Route("/v1/models", models),
    Route("/v1/repositories", repositories),
]
