"""ToolCallbackServer, for those who tell the bridge themselves."""

from __future__ import annotations

import gc
from pathlib import Path
from typing import Any

import anyio
import pytest

from cursor_sdk_async import (
    AsyncClient,
    ConfigurationError,
    CustomTool,
    CustomToolContext,
    ToolCallbackEndpoint,
    ToolCallbackServer,
)
from cursor_sdk_async.testing import CallTool, Script, Turn, scripted_bridge_command
from tests.callbacks.caller import Caller, until
from tests.client.conftest import KEY

pytestmark = [pytest.mark.anyio, pytest.mark.promise("CBK-30")]


async def hello(args: Any, context: CustomToolContext) -> str:
    return "hello"


async def reach(endpoint: ToolCallbackEndpoint) -> str:
    host, _, port = endpoint.url.removeprefix("http://").rstrip("/").partition(":")
    async with await anyio.connect_tcp(host, int(port)) as stream:
        caller = Caller(stream, endpoint.url, endpoint.auth_token)
        reply = await caller.ask(caller.call("hello"))
        return reply.text if reply.status == 200 else reply.code


async def test_it_serves_from_its_making_on_and_stops_when_it_is_closed() -> None:
    with anyio.fail_after(30):
        server = ToolCallbackServer(auth_token="my-token")
        server.register_agent("agent-1", {"hello": CustomTool(hello)})
        assert server.endpoint.url.endswith("/")
        assert server.endpoint.auth_token == "my-token"
        assert "my-token" not in repr(server) + repr(server.endpoint)
        assert await reach(server.endpoint) == "hello"
        server.unregister_agent("agent-1")
        server.unregister_agent("agent-1")
        assert await reach(server.endpoint) == "invalid_argument"
        server.close()
        await server.aclose()
        with pytest.raises(OSError, match="connect"):
            await reach(server.endpoint)


async def test_it_is_a_context_manager_of_both_kinds() -> None:
    with anyio.fail_after(30):
        async with ToolCallbackServer() as server:
            server.register_agent("agent-1", {"hello": {"execute": hello}})
            assert await reach(server.endpoint) == "hello"
        with ToolCallbackServer() as other:
            other.register_agent("agent-1", {"hello": {"execute": hello}})
            assert await reach(other.endpoint) == "hello"
        for each in (server, other):
            await each.aclose()


@pytest.mark.parametrize("used", [True, False])
def test_one_that_is_made_outside_a_loop_answers_once_it_is_started(anyio_backend: str, used: bool) -> None:
    server = ToolCallbackServer()
    assert server.endpoint.url.startswith("http://127.0.0.1:")
    server.register_agent("agent-1", {"hello": {"execute": hello}})

    async def use() -> None:
        with anyio.fail_after(30):
            await server.start()
            await server.start()
            assert await reach(server.endpoint) == "hello"

    if used:
        anyio.run(use, backend=anyio_backend)
    server.close()


async def test_what_cannot_be_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="loopback"):
        ToolCallbackServer(host="0.0.0.0")
    for token in ("", "with blank", "line\nbreak", "ümlaut"):
        with pytest.raises(ConfigurationError, match="auth_token") as caught:
            ToolCallbackServer(auth_token=token)
        assert token == "" or token not in str(caught.value)
    with ToolCallbackServer() as server, pytest.raises(ConfigurationError, match="has no execute"):
        server.register_agent("agent-1", {"t": {"description": "none"}})
    await server.aclose()


async def test_one_that_is_forgotten_closes_and_warns() -> None:
    with anyio.fail_after(30):
        server = ToolCallbackServer()
        endpoint, inner = server.endpoint, server._endpoint
        with pytest.warns(ResourceWarning, match="ToolCallbackServer was not closed"):
            del server
            gc.collect()
            await inner.owner.wait_ended()
            gc.collect()
        await until(lambda: inner.connections == 0)
        with pytest.raises(OSError, match="connect"):
            await reach(endpoint)


async def test_a_bridge_launched_by_hand_calls_it(tmp_path: Path) -> None:
    script = Script([Turn([CallTool("hello")])])
    with anyio.fail_after(30):
        async with ToolCallbackServer() as server:
            server.register_agent("agent-1", {"hello": {"execute": hello}})
            flags = {
                "CURSOR_SDK_TOOL_CALLBACK_URL": server.endpoint.url,
                "CURSOR_SDK_TOOL_CALLBACK_AUTH_TOKEN": server.endpoint.auth_token,
            }
            command = scripted_bridge_command(script)
            async with AsyncClient.launch_bridge(
                command, workspace=tmp_path, api_key=KEY, env=flags
            ) as client:
                agent = await client.agents.create(model="scripted", agent_id="agent-1", local={})
                run = await agent.send("go")
                shown = [message async for message in run.messages() if message.type == "tool_call"]
    assert "hello" in str(shown[-1])
