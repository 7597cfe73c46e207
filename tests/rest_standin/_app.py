"""The application: routes, the gate before them, and the task group in which runs play."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager

import anyio
from starlette.applications import Starlette
from starlette.types import ASGIApp

from tests.rest_standin import _agents, _artifacts, _catalogue, _control, _runs
from tests.rest_standin._errors import ApiError, answer
from tests.rest_standin._gate import Gate
from tests.rest_standin._state import World

__all__ = ["make_app"]


async def _end_with_stdin() -> None:
    """Nobody writes to our stdin: it becomes readable when its other end is closed."""
    await anyio.wait_readable(sys.stdin.fileno())
    os.kill(os.getpid(), signal.SIGTERM)


def make_app(on_start: Callable[[], None], *, until_stdin_closes: bool = False) -> ASGIApp:
    """A stand-in that knows no agents yet; ``on_start`` is called when it is ready."""
    world = World()

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncGenerator[None, None]:
        async with anyio.create_task_group() as group:
            world.tasks = group
            if until_stdin_closes:
                group.start_soon(_end_with_stdin)
            on_start()
            yield
            group.cancel_scope.cancel()

    app = Starlette(
        routes=[
            *_catalogue.routes,
            *_runs.routes,
            *_agents.routes,
            *_artifacts.routes,
            *_control.routes,
        ],
        exception_handlers={ApiError: answer},
        lifespan=lifespan,
    )
    app.state.world = world
    return Gate(app, world)
