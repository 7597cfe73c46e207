"""What every request passes: it is recorded, may be made to fail, and gets a request id."""

from __future__ import annotations

import json
from fnmatch import fnmatchcase
from typing import Any

from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tests.rest_standin._catalogue import ACCEPTED_KEY, SERVICE_KEY, key_of
from tests.rest_standin._state import Failure, World

__all__ = ["Gate", "matches"]

SECRET_HEADERS = ("authorization", "cookie")
KEY_NAMES = {ACCEPTED_KEY: "accepted", SERVICE_KEY: "service", None: None}


def matches(method: str, path: str, asked: str, target: str) -> bool:
    """Whether a request fits: ``*`` is any method, and stands for any characters of a path."""
    return method in ("*", asked) and fnmatchcase(target, path)


class Gate:
    """The outermost layer of the application, outside Starlette's own."""

    def __init__(self, app: ASGIApp, world: World) -> None:
        self._app = app
        self._world = world

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"].startswith("/_"):
            await self._app(scope, receive, send)
            return
        request = Request(scope, receive)
        body = await request.body()
        number = next(self._world.serial)
        self._world.record(_record(request, body))

        async def answer(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message)["x-request-id"] = f"req-{number}"
            await send(message)

        failure = self._failure(scope["method"], scope["path"])
        if failure is not None:
            if failure.hold is not None:
                await self._world.gate(failure.hold).wait()
            if failure.drop:
                await _drop(receive, send)
                return
            if failure.status:
                await _response(failure)(scope, receive, answer)
                return
        await self._app(scope, _again(body, receive), answer)

    def _failure(self, method: str, path: str) -> Failure | None:
        for failure in self._world.failures:
            if failure.times != 0 and matches(failure.method, failure.path, method, path):
                if failure.times is not None:
                    failure.times -= 1
                return failure
        return None


async def _drop(receive: Receive, send: Send) -> None:
    """Close the connection without a byte. ASGI has no word for that, but ``send`` is uvicorn's own."""
    cycle: Any = getattr(send, "__self__", None)
    cycle.transport.abort()
    while (await receive())["type"] != "http.disconnect":
        pass


def _again(body: bytes, receive: Receive) -> Receive:
    """A ``receive`` that gives the body once more, then what comes."""
    waiting = [body]

    async def first_body() -> Message:
        if waiting:
            return {"type": "http.request", "body": waiting.pop(), "more_body": False}
        return await receive()

    return first_body


def _record(request: Request, body: bytes) -> dict[str, Any]:
    try:
        parsed = json.loads(body) if body else None
    except ValueError:
        parsed = body.decode(errors="replace")
    headers = {name: value for name, value in request.headers.items() if name not in SECRET_HEADERS}
    return {
        "method": request.method,
        "path": request.url.path,
        "query": dict(request.query_params),
        "headers": headers,
        "key": KEY_NAMES.get(key_of(request), "rejected"),
        "body": parsed,
    }


def _response(failure: Failure) -> Response:
    if failure.body is not None:
        return Response(failure.body, failure.status, failure.headers, "text/html")
    error = failure.error or {"code": "internal_error", "message": "Scripted failure."}
    return JSONResponse({"error": error}, failure.status, failure.headers)
