"""The runs: start (with or without a new agent), list, get, stream, cancel, and the usage of an agent."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable
from typing import Any, cast

import anyio
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from tests.rest_standin._agents import check_model, check_prompt, find_agent, full, new_agent, world_of
from tests.rest_standin._catalogue import check_key
from tests.rest_standin._errors import ApiError, refuse
from tests.rest_standin._pages import page
from tests.rest_standin._play import git, play, total
from tests.rest_standin._sse import RunStream
from tests.rest_standin._state import Agent, Run, World

__all__ = ["routes"]

Json = dict[str, Any]


def show(agent: Agent, run: Run) -> Json:
    """A run as the API shows it."""
    view: Json = {
        "id": run.id,
        "agentId": agent.id,
        "status": run.status,
        "createdAt": run.created,
        "updatedAt": run.updated,
    }
    if run.over:
        view["durationMs"] = run.duration_ms
        if run.text:
            view["result"] = run.text
        if run.status == "ERROR" and run.script.error is not None:
            view["error"] = dict(run.script.error)
    branches = git(agent)
    return view if branches is None else {**view, "git": branches}


def find_run(agent: Agent, run_id: str) -> Run:
    """One run of an agent."""
    for run in agent.runs:
        if run.id == run_id:
            return run
    raise ApiError(404, "run_not_found", "Run not found.")


async def body_of(request: Request) -> Json:
    """The JSON object of a request."""
    try:
        body = json.loads(await request.body())
    except ValueError:
        raise ApiError(400, "missing_body", "The request has no JSON body.") from None
    if not isinstance(body, dict):
        raise refuse("The body must be an object.")
    return cast("Json", body)


def start(world: World, agent: Agent, prompt: str) -> Run:
    """A new run, playing."""
    assert world.tasks is not None
    run = Run(f"run-{uuid.uuid4()}", agent.id, prompt, world.script_for(prompt))
    agent.runs.append(run)
    agent.updated = run.created
    world.tasks.start_soon(play, world, agent, run)
    return run


def once(request: Request, make: Callable[[], Json]) -> Response:
    """Make something, or give the answer that this idempotency key got before."""
    world, key = world_of(request), request.headers.get("idempotency-key")
    if key is None:
        return JSONResponse(make(), 201)
    place = (request.url.path, key)
    if place not in world.replays:
        world.replays[place] = make()
    return JSONResponse(world.replays[place], 201)


async def create_agent(request: Request) -> Response:
    check_key(request)
    world, body = world_of(request), await body_of(request)

    def make() -> Json:
        agent = new_agent(world, body)
        run = start(world, agent, body["prompt"]["text"])
        return {"agent": full(agent), "run": show(agent, run)}

    return once(request, make)


async def create_run(request: Request) -> Response:
    agent, body = find_agent(request), await body_of(request)

    def make() -> Json:
        prompt = check_prompt(body)
        check_model(body)
        if agent.archived:
            raise ApiError(409, "agent_archived", "This agent is archived.")
        if agent.live is not None:
            raise ApiError(409, "agent_busy", "This agent has a run that is not over.")
        return {"run": show(agent, start(world_of(request), agent, prompt))}

    return once(request, make)


async def listing(request: Request) -> Response:
    agent = find_agent(request)
    return JSONResponse(page(request, [show(agent, run) for run in reversed(agent.runs)]))


async def get(request: Request) -> Response:
    agent = find_agent(request)
    return JSONResponse(show(agent, find_run(agent, request.path_params["run"])))


async def cancel(request: Request) -> Response:
    agent = find_agent(request)
    run = find_run(agent, request.path_params["run"])
    if run.over:
        raise ApiError(409, "run_not_cancellable", "This run is over.")
    run.scope.cancel()
    with anyio.move_on_after(5):
        while not run.over:
            await run.changed.wait()
    return JSONResponse({"id": run.id})


async def stream(request: Request) -> Any:
    agent = find_agent(request)
    run = find_run(agent, request.path_params["run"])
    return RunStream(world_of(request), run, request.headers.get("last-event-id"))


async def usage(request: Request) -> Response:
    agent = find_agent(request)
    runs = list(reversed(agent.runs))
    if "runId" in request.query_params:
        runs = [find_run(agent, request.query_params["runId"])]
    rows: list[Json] = [
        {
            "id": run.id,
            "usage": total(run.usage or {}),
            "cost": {"rawCostCents": 1.5, "chargedCents": 1.25}
            if run.usage
            else {"rawCostCents": 0, "chargedCents": 0},
        }
        for run in runs
    ]
    sums: Json = {}
    for run in runs:
        for name, tokens in (run.usage or {}).items():
            sums[name] = sums.get(name, 0) + tokens
    cost = {name: sum(row["cost"][name] for row in rows) for name in ("rawCostCents", "chargedCents")}
    return JSONResponse({"totalUsage": total(sums), "runs": rows, "cost": cost})


RUN = "/v1/agents/{agent}/runs/{run}"
routes = [
    Route("/v1/agents", create_agent, methods=["POST"]),
    Route("/v1/agents/{agent}/runs", create_run, methods=["POST"]),
    Route("/v1/agents/{agent}/runs", listing, methods=["GET"]),
    Route(RUN, get, methods=["GET"]),
    Route(f"{RUN}/cancel", cancel, methods=["POST"]),
    Route(f"{RUN}/stream", stream, methods=["GET"]),
    Route("/v1/agents/{agent}/usage", usage, methods=["GET"]),
]
