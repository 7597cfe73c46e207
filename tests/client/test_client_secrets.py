"""Secrets of every kind through a whole client: they show nowhere, not even in the frames of a traceback."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from traceback import format_exception
from types import TracebackType
from typing import Any

import pytest

import cursor_sdk_async
from cursor_sdk_async import AsyncAgent, AsyncClient
from cursor_sdk_async.testing import CallFault, Faults, Script, Text, Turn
from tests.client.conftest import control_of
from tests.client.test_client_life import Launch

pytestmark = [pytest.mark.anyio, pytest.mark.promise("CLT-13"), pytest.mark.slow, pytest.mark.timeout(180)]

CANARY = "canary-4f1d"
CLIENT_KEY = f"{CANARY}-client-key"
AGENT_KEY = f"{CANARY}-agent-key"
HEADER = f"{CANARY}-mcp-header"
MCP_ENV = f"{CANARY}-mcp-env"
QUERY = f"{CANARY}-mcp-query"
CLOUD_ENV = f"{CANARY}-cloud-env"
BRIDGE_ENV = f"{CANARY}-bridge-env"
KINDS: tuple[Any, ...] = ("error", "status", "drop", "garbage")
PACKAGE = Path(cursor_sdk_async.__file__).parent

SERVERS: dict[str, Any] = {
    "web": {
        "type": "http",
        "url": f"http://127.0.0.1:1/?token={QUERY}",
        "headers": {"Authorization": HEADER},
    },
    "tool": {"type": "stdio", "command": "false", "env": {"TOKEN": MCP_ENV}},
}
LOCAL: dict[str, Any] = {"model": "scripted", "local": {}, "api_key": AGENT_KEY, "mcp_servers": SERVERS}
WRONG_SERVERS: dict[str, Any] = {"web": {"type": "http", "url": 3, "headers": {"X-Key": HEADER}}}
CLOUD: dict[str, Any] = {"cloud": {"env_vars": {"SECRET": CLOUD_ENV}}, "api_key": AGENT_KEY}


def local(**changes: Any) -> dict[str, Any]:
    """The options of a local agent, with something else in them."""
    return {**LOCAL, **changes}


def chain(error: BaseException | None) -> Iterator[BaseException]:
    """An error with everything that it came from."""
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def our_variables(trace: TracebackType | None) -> Iterator[tuple[str, object]]:
    """What tools that show variables would show of our frames."""
    while trace is not None:
        code = trace.tb_frame.f_code
        if PACKAGE in Path(code.co_filename).parents:
            for name, value in trace.tb_frame.f_locals.items():
                yield f"{code.co_name}: {name}", value
        trace = trace.tb_next


class Watcher:
    """Collects whatever shows a canary, or the token of the bridge."""

    def __init__(self, token: str) -> None:
        self._secrets = (CANARY, token)
        self.found: list[str] = []

    def look(self, where: str, *texts: str) -> None:
        """Look at texts."""
        if any(secret in text for text in texts for secret in self._secrets):
            self.found.append(where)

    def look_at(self, where: str, error: BaseException) -> None:
        """Look at an error: its texts, its facts, its traceback, and our objects in its frames."""
        for one in chain(error):
            self.look(f"{where}: {type(one).__name__}", str(one), repr(one), repr(vars(one)))
            self.look(f"{where}: traceback", *format_exception(one))
            for name, value in our_variables(one.__traceback__):
                # Texts and mappings that the caller passed in are the caller's own.
                if type(value).__module__.startswith("cursor_sdk_async"):
                    self.look(f"{where}: {name}", repr(value))


async def every_call(client: AsyncClient, cloud: AsyncAgent, tell: Callable[[str, Exception], None]) -> None:
    """Each call that carries a secret; what it raises is told."""
    calls: dict[str, Callable[[], Awaitable[object]]] = {
        "create": lambda: client.agents.create(**LOCAL),
        "create in the cloud": lambda: client.agents.create(**CLOUD),
        "resume": lambda: client.agents.resume("agent-00000000-0000-4000-8000-000000000001", **LOCAL),
        "prompt": lambda: AsyncAgent.prompt("go", LOCAL, client=client),
        "send": lambda: cloud.send("go", {"mcp_servers": SERVERS}),
        "get": lambda: client.agents.get("bc-none", api_key=AGENT_KEY),
        "list": lambda: client.agents.list(runtime="cloud", api_key=AGENT_KEY),
        "get_run": lambda: client.agents.get_run("run-none", agent_id="bc-none", runtime="cloud"),
        "archive": lambda: client.agents.archive("bc-none", api_key=AGENT_KEY),
        "me": lambda: client.me(api_key=AGENT_KEY),
        "models": lambda: client.models.list(api_key=AGENT_KEY),
        "a wrong type": lambda: client.agents.create(**local(name=3)),
        "a wrong header": lambda: client.agents.create(**local(mcp_servers=WRONG_SERVERS)),
        "an unknown option": lambda: client.agents.create(**local(nme=CANARY)),
        "what cannot be sent": lambda: client.agents.create(**local(name="\ud800")),
    }
    for name, call in calls.items():
        try:
            await call()
        except Exception as error:  # noqa: BLE001 - whatever it is, it is looked at
            tell(name, error)


@pytest.mark.parametrize("codec", ["proto", "json"])
async def test_secrets_show_nowhere(
    launch: Launch, caplog: pytest.LogCaptureFixture, codec: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    caplog.set_level(logging.DEBUG)
    lines: list[str] = []
    env = {"MY_TOKEN": BRIDGE_ENV, "CURSOR_API_KEY": CLIENT_KEY}
    monkeypatch.setenv("CURSOR_API_KEY", CLIENT_KEY)
    failures = 0
    opening = launch(Script([Turn([Text("a")])]), env=env, verbose=True, on_stderr=lines.append, codec=codec)
    async with opening as client:
        assert client.bridge is not None
        watcher = Watcher(client.bridge.endpoint.auth_token)
        control = control_of(client)
        agent = await client.agents.create(**LOCAL)
        run = await agent.send("go", {"mcp_servers": SERVERS})
        await run.wait()
        things = (client, client._core, client._core.keys, client._core.channel, client.bridge, agent, run)
        watcher.look("repr", *map(repr, (*things, client.bridge.endpoint, client.bridge.process, opening)))

        def tell(name: str, error: Exception) -> None:
            nonlocal failures
            failures += 1
            watcher.look_at(f"{name}, {kind}", error)

        cloud = await client.agents.create(**CLOUD)
        for kind in KINDS:
            quoting = f"refused: Bearer {client.bridge.endpoint.auth_token}" if kind == "status" else ""
            control.set_faults(Faults(calls=[CallFault("*", kind, body=quoting)]))
            await every_call(client, cloud, tell)
        control.set_faults(Faults())
        pids = (client.bridge.pid, client.bridge.process.pid)
        watcher.look("command line", *(Path(f"/proc/{pid}/cmdline").read_text() for pid in pids))
    watcher.look("log", caplog.text, *(repr(vars(record)) for record in caplog.records))
    watcher.look("stderr", *lines)
    assert failures > len(KINDS) * 10
    assert not watcher.found
