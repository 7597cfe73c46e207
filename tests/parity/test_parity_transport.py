"""``transport=``: what carries the calls of a client, and the transport that we ship."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from typing import Any

import anyio
import pytest

from cursor_sdk_async import (
    AsyncClient,
    AsyncConnectTransport,
    ConfigurationError,
    DefaultAsyncHttpxClient,
    NotFoundError,
    RateLimitError,
)
from cursor_sdk_async.testing import ScriptedBridge, ScriptedControl
from tests.client.conftest import KEY

pytestmark = [pytest.mark.anyio, pytest.mark.promise("SUR-03")]

Json = Mapping[str, Any]


class Listening(AsyncConnectTransport):
    """Notes each call."""

    def __init__(self, bridge: ScriptedBridge) -> None:
        super().__init__(bridge.url, bridge.token)
        self.calls: list[str] = []

    async def unary(self, service: str, method: str, message: Json) -> Json:
        self.calls.append(f"{service}/{method}")
        return await super().unary(service, method, message)

    async def stream(self, service: str, method: str, message: Json) -> AsyncIterator[Json]:
        self.calls.append(f"{service}/{method}")
        return await super().stream(service, method, message)


class Made:
    """A bridge that is made up: answers and items as given."""

    def __init__(self, *items: Json | Exception, stop: anyio.Event | None = None) -> None:
        self.items = items
        self.stop = stop
        self.closed = 0

    async def unary(self, service: str, method: str, message: Json) -> Json:
        if method == "GetRun":
            return {"run": {"runId": message["runId"], "status": "RUN_LIFECYCLE_STATUS_RUNNING"}}
        raise RateLimitError("Too many.", code="resource_exhausted")

    async def stream(self, service: str, method: str, message: Json) -> AsyncIterator[Json]:
        for item in self.items:
            if isinstance(item, Exception):
                raise item
            yield item
            if self.stop is not None:
                await self.stop.wait()

    async def aclose(self) -> None:
        self.closed += 1


def text(offset: str) -> Json:
    body = {
        "type": "assistant",
        "message": {"role": "assistant", "content": [{"type": "text", "text": offset}]},
    }
    return {"offset": offset, "sdkMessage": {"type": "assistant", "message": body}}


async def test_a_whole_prompt_goes_through_a_transport(
    shared_bridge: ScriptedBridge, control: ScriptedControl
) -> None:
    transport = Listening(shared_bridge)
    async with AsyncClient(transport=transport, api_key=KEY) as client:
        agent = await client.agents.create(model="scripted", local={})
        run = await agent.send("hello")
        assert "".join([piece async for piece in run.iter_text()]) == await run.text()
        with pytest.raises(NotFoundError):
            await client.agents.get("agent-00000000-0000-4000-8000-000000000000")
        await agent.close()
    assert transport.calls[:2] == ["sdk.v1.SdkAgentService/CreateAgent", "sdk.v1.SdkAgentService/Send"]


async def test_errors_and_items_of_a_transport_reach_the_user() -> None:
    made = Made(text("1"), RateLimitError("Enough.", code="resource_exhausted"))
    client = AsyncClient(transport=made, api_key=KEY)
    with pytest.raises(RateLimitError, match="Too many"):
        await client.ping()
    observed = client.observe_run("run-1")
    assert (await anext(observed)).offset == "1"
    with pytest.raises(RateLimitError, match="Enough"):
        await anext(observed)
    await client.aclose()
    assert made.closed == 1


async def test_a_generator_that_ends_after_a_cancelled_step_is_a_broken_stream_which_goes_on() -> None:
    stop = anyio.Event()
    client = AsyncClient(transport=Made(text("1"), text("2"), stop=stop), api_key=KEY)
    observed = client.observe_run("run-1")
    assert (await anext(observed)).offset == "1"
    with anyio.move_on_after(0.01):
        await anext(observed)
    stop.set()
    with anyio.fail_after(30):
        assert (await anext(observed)).offset == "2"
    await client.aclose()


async def test_the_transport_calls_rpcs_by_name(shared_bridge: ScriptedBridge) -> None:
    async with AsyncConnectTransport(shared_bridge.url, shared_bridge.token) as transport:
        assert await transport.unary("SdkBridgeControlService", "Ping", {}) == {"message": "pong"}
        twin = transport.with_options(timeout=5, max_retries=2)
        await twin.aclose()
        assert await twin.unary("SdkBridgeControlService", "Ping", {}) == {"message": "pong"}
        with pytest.raises(ConfigurationError, match="no RPC"):
            await transport.unary("SdkBridgeControlService", "Pong", {})
        with pytest.raises(ConfigurationError, match=r"stream\(\)"):
            await transport.unary("sdk.v1.SdkAgentService", "Send", {})


@pytest.mark.parametrize("anyio_backend", ["asyncio"])
async def test_the_default_httpx_client_can_carry_a_client(shared_bridge: ScriptedBridge) -> None:
    async with DefaultAsyncHttpxClient(timeout=30) as http:
        assert (http.follow_redirects, http.trust_env, http.timeout.read) == (True, False, 30)
        async with AsyncClient.connect(shared_bridge.url, shared_bridge.token, http_client=http) as client:
            assert await client.ping() == "pong"
        assert not http.is_closed


@pytest.mark.parametrize("value", [-1, True, "2"])
async def test_max_retries_is_a_count(value: Any, shared_bridge: ScriptedBridge) -> None:
    with pytest.raises(ConfigurationError, match="max_retries"):
        AsyncClient.connect(shared_bridge.url, shared_bridge.token, max_retries=value)
