"""The agents: create, list, get, delete, archive, unarchive."""

from __future__ import annotations

import re
import uuid
from typing import Any, cast

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from tests.rest_standin._catalogue import MODELS, check_key
from tests.rest_standin._errors import ApiError, refuse
from tests.rest_standin._pages import page
from tests.rest_standin._play import git, pr_url
from tests.rest_standin._state import Agent, World

__all__ = ["check_model", "check_prompt", "find_agent", "full", "routes", "world_of"]

Json = dict[str, Any]
AGENT_ID = re.compile(r"bc-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
IMAGE_TYPES = ("image/png", "image/jpeg", "image/gif", "image/webp")
SETTINGS = (
    "repos",
    "workOnCurrentBranch",
    "autoCreatePR",
    "openAsCursorGithubApp",
    "skipReviewerRequest",
    "customSubagents",
    "metadata",
)


def world_of(request: Request) -> World:
    """What this application knows."""
    world = request.app.state.world
    assert isinstance(world, World)
    return world


def find_agent(request: Request) -> Agent:
    """The agent of the path, for a good key."""
    check_key(request)
    agent = world_of(request).agents.get(request.path_params["agent"])
    if agent is None:
        raise ApiError(404, "agent_not_found", "Agent not found.")
    return agent


def short(agent: Agent) -> Json:
    """An agent as lists show it."""
    return {
        "id": agent.id,
        "name": agent.name,
        "status": agent.status,
        "env": agent.settings.get("env") or {"type": "cloud"},
        "url": f"https://cursor.com/agents/{agent.id}",
        "createdAt": agent.created,
        "updatedAt": agent.updated,
        **({"latestRunId": agent.runs[-1].id} if agent.runs else {}),
    }


def full(agent: Agent) -> Json:
    """An agent with its settings."""
    known = {name: agent.settings[name] for name in SETTINGS if agent.settings.get(name) is not None}
    return {**short(agent), **known}


def check_prompt(body: Json) -> str:
    """The text of the prompt."""
    prompt = an_object(body.get("prompt"))
    if not isinstance(prompt.get("text"), str) or not prompt["text"]:
        raise refuse("prompt.text is required.")
    images: list[Json] = prompt.get("images") or []
    if len(images) > 5:
        raise refuse("prompt.images: at most 5.")
    for image in images:
        if ("url" in image) == ("data" in image):
            raise refuse("prompt.images: either data or url.")
        if "data" in image and image.get("mimeType") not in IMAGE_TYPES:
            raise refuse("prompt.images: mimeType is not supported.")
    return str(prompt["text"])


def an_object(value: object) -> Json:
    """The value, if it is an object; else one without fields."""
    return cast("Json", value) if isinstance(value, dict) else {}


def check_model(body: Json) -> None:
    """A model, if named, is in the catalogue."""
    if body.get("model") is None:
        return
    names = [name for known in MODELS for name in (known["id"], *known.get("aliases", ()))]
    if an_object(body["model"]).get("id") not in (*names, "auto", "default"):
        raise ApiError(400, "invalid_model", "This model does not exist or is not available to you.")


def check_settings(world: World, body: Json) -> None:
    """The other fields of a create request."""
    chosen = body.get("agentId")
    if chosen is not None:
        if not AGENT_ID.fullmatch(str(chosen)):
            raise refuse("agentId must be bc-<uuid>.")
        if body.get("envVars"):
            raise refuse("agentId cannot be used together with envVars.")
        if chosen in world.agents:
            raise ApiError(409, "agent_id_conflict", "An agent with this id exists.")
    if len(body.get("name") or "") > 100:
        raise refuse("name: at most 100 characters.")
    if len(body.get("repos") or ()) > 20 or not all(repo.get("url") for repo in body.get("repos") or ()):
        raise refuse("repos: at most 20, each with a url.")
    env = an_object(body.get("env"))
    if env.get("type") == "pool" and not env.get("name"):
        raise refuse("env.name is required for a pool.")
    if any(name.startswith("CURSOR_") for name in body.get("envVars") or ()):
        raise refuse("envVars: names must not start with CURSOR_.")
    servers: list[Json] = body.get("mcpServers") or []
    if len(servers) > 50 or len({server.get("name") for server in servers}) != len(servers):
        raise refuse("mcpServers: at most 50, with unique names.")


def new_agent(world: World, body: Json) -> Agent:
    """Check a create request and add its agent."""
    prompt = check_prompt(body)
    check_model(body)
    check_settings(world, body)
    agent = Agent(
        id=body.get("agentId") or f"bc-{uuid.uuid4()}",
        name=body.get("name") or prompt[:60],
        settings=body,
        number=next(world.serial),
    )
    world.agents[agent.id] = agent
    return agent


async def listing(request: Request) -> Response:
    check_key(request)
    query = request.query_params
    chosen = sorted(world_of(request).agents.values(), key=lambda agent: -agent.number)
    if query.get("includeArchived", "true") == "false":
        chosen = [agent for agent in chosen if not agent.archived]
    if "prUrl" in query:
        chosen = [agent for agent in chosen if query["prUrl"] in _pull_requests(agent)]
    return JSONResponse(page(request, [short(agent) for agent in chosen]))


def _pull_requests(agent: Agent) -> list[str]:
    return [pr_url(agent, repo) for repo in agent.settings.get("repos") or ()] if git(agent) else []


async def get(request: Request) -> Response:
    return JSONResponse(full(find_agent(request)))


async def delete(request: Request) -> Response:
    agent = find_agent(request)
    del world_of(request).agents[agent.id]
    for run in agent.runs:
        run.scope.cancel()
    return JSONResponse({"id": agent.id})


async def archive(request: Request) -> Response:
    agent = find_agent(request)
    agent.archived = True
    return JSONResponse({"id": agent.id})


async def unarchive(request: Request) -> Response:
    agent = find_agent(request)
    agent.archived = False
    return JSONResponse({"id": agent.id})


routes = [
    Route("/v1/agents", listing, methods=["GET"]),
    Route("/v1/agents/{agent}", get, methods=["GET"]),
    Route("/v1/agents/{agent}", delete, methods=["DELETE"]),
    Route("/v1/agents/{agent}/archive", archive, methods=["POST"]),
    Route("/v1/agents/{agent}/unarchive", unarchive, methods=["POST"]),
]
