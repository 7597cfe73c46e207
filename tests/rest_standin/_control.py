"""The control API: how tests tell the stand-in what to do, and read what it was asked."""

from __future__ import annotations

from typing import Any

import anyio
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from tests.rest_standin._agents import world_of
from tests.rest_standin._gate import matches
from tests.rest_standin._runs import body_of
from tests.rest_standin._state import Failure, Planned
from tests.rest_standin.script import Script

__all__ = ["LONGEST_WAIT_SECONDS", "routes"]

LONGEST_WAIT_SECONDS = 25.0
DONE = {"ok": True}


async def script(request: Request) -> Response:
    body = await body_of(request)
    world_of(request).planned.append(
        Planned(Script.from_json(body["script"]), body.get("when") or "", body.get("times"))
    )
    return JSONResponse(DONE)


async def fail(request: Request) -> Response:
    world_of(request).failures.append(Failure(**await body_of(request)))
    return JSONResponse(DONE)


async def release(request: Request) -> Response:
    world_of(request).release((await body_of(request)).get("name"))
    return JSONResponse(DONE)


async def reset(request: Request) -> Response:
    world_of(request).reset(agents=bool((await body_of(request)).get("agents")))
    return JSONResponse(DONE)


async def requests(request: Request) -> Response:
    """Recorded requests that match; waits until there are at least ``count`` of them, or ``wait`` seconds."""
    world, query = world_of(request), request.query_params
    method, path = query.get("method", "*"), query.get("path", "*")

    def found() -> list[dict[str, Any]]:
        return [item for item in world.requests if matches(method, path, item["method"], item["path"])]

    wait = min(float(query.get("wait", "0")), LONGEST_WAIT_SECONDS)
    with anyio.move_on_after(wait):
        while len(found()) < int(query.get("count", "0")):
            await world.recorded.wait()
    return JSONResponse(found())


async def state(request: Request) -> Response:
    world = world_of(request)
    return JSONResponse(
        {
            "agents": [agent.id for agent in world.agents.values()],
            "live_runs": [agent.live.id for agent in world.agents.values() if agent.live],
            "open_streams": world.streams,
        }
    )


routes = [
    Route("/_control/script", script, methods=["POST"]),
    Route("/_control/fail", fail, methods=["POST"]),
    Route("/_control/release", release, methods=["POST"]),
    Route("/_control/reset", reset, methods=["POST"]),
    Route("/_control/requests", requests, methods=["GET"]),
    Route("/_control/state", state, methods=["GET"]),
]
