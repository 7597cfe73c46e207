"""Custom tools of whole clients: registered with their agents, called by runs, gone with them."""

from __future__ import annotations

import contextvars
import gc
import logging
import os
import signal
import threading
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from typing import Any

import anyio
import pytest

from cursor_sdk_async import (
    AgentNotFoundError,
    AsyncAgent,
    AsyncBridge,
    AsyncClient,
    AsyncRun,
    BridgeExitedError,
    ConfigurationError,
    CursorSDKError,
    CustomTool,
    CustomToolContext,
    SDKToolUseMessage,
    StreamInterruptedError,
    tool,
)
from cursor_sdk_async._callbacks import _shared
from cursor_sdk_async._lifecycle import Opening
from cursor_sdk_async.options import CustomToolExecute
from cursor_sdk_async.testing import (
    CallFault,
    CallTool,
    Faults,
    Hold,
    Script,
    ScriptedBridge,
    ScriptedControl,
    Text,
    Turn,
    scripted_bridge_command,
)
from tests.callbacks.caller import AnyTool, until
from tests.client.conftest import KEY, control_of

pytestmark = pytest.mark.anyio

Launch = Callable[..., Opening[AsyncClient]]


@pytest.fixture(autouse=True)
def nothing_stays_open() -> Iterator[None]:
    """No test leaves an endpoint behind."""
    yield
    gc.collect()
    assert [shared for shared in _shared._OPEN if not shared.endpoint.owner.ended] == []


@pytest.fixture
async def second(shared_bridge: ScriptedBridge) -> AsyncIterator[AsyncClient]:
    """Another client of the same bridge."""
    async with AsyncClient.connect(shared_bridge.url, shared_bridge.token, api_key=KEY) as client:
        yield client


def calling(*calls: CallTool) -> Script:
    return Script([Turn([*calls, Text("done")])])


def giving(**result: object) -> CustomToolExecute:
    """A tool that gives always the same."""

    def give(args: Mapping[str, Any], context: CustomToolContext) -> dict[str, object]:
        return result

    return give


def told(control: ScriptedControl) -> list[bool]:
    """For each time that the bridge was told where to call: whether there was an address."""
    return [bool(request["body"].get("url")) for request in control.requests("SetToolCallback")]


async def agent_with(client: AsyncClient, agent_id: str | None = None, **tools: AnyTool) -> AsyncAgent:
    made = {name: each if isinstance(each, CustomTool) else CustomTool(each) for name, each in tools.items()}
    return await client.agents.create(model="scripted", agent_id=agent_id, local={"custom_tools": made})


async def results(run: AsyncRun) -> list[Any]:
    """What the tool calls of a run came to: the result, or the words of the error."""
    found: list[Any] = []
    async for message in run.messages():
        if isinstance(message, SDKToolUseMessage) and message.status != "running":
            result: Any = message.result
            found.append(result if message.status == "completed" else result.get("error", result))
    return found


async def ask(agent: AsyncAgent, prompt: str = "go") -> list[Any]:
    async with await agent.send(prompt) as run:
        return await results(run)


@pytest.mark.promise("CBK-21")
@pytest.mark.parametrize("how", ["launched", "attached"])
async def test_a_run_calls_the_tools_of_its_agent_with_the_context_of_its_send(
    client: AsyncClient, control: ScriptedControl, launch: Launch, how: str
) -> None:
    script = calling(CallTool("who", {"a": 1}, "call-7"), CallTool("block", {"a": None}))
    variable: contextvars.ContextVar[str] = contextvars.ContextVar("variable", default="unset")
    control.set_script(script)

    async def who(args: Any, context: CustomToolContext) -> Any:
        seen.append(context)
        return {"args": args, "sees": variable.get()}

    def block(args: Any, context: CustomToolContext) -> Any:
        on_loop = threading.current_thread() is threading.main_thread()
        return {"args": args, "sees": variable.get(), "on_loop": on_loop}

    async def use(client: AsyncClient) -> None:
        variable.set("of create")
        agent = await agent_with(client, who=who, block=block)
        for sent in ("of the first", "of the second"):
            variable.set(sent)
            run = await agent.send("go")
            variable.set("of nobody")
            assert await results(run) == [
                {"args": {"a": 1}, "sees": sent},
                {"args": {"a": None}, "sees": sent, "on_loop": False},
            ]
        assert seen[0] == CustomToolContext("call-7", agent.agent_id, "who")
        await agent.close()

    seen: list[CustomToolContext] = []
    with anyio.fail_after(30):
        if how == "attached":
            await use(client)
        else:
            async with launch(script) as own:
                await use(own)


@pytest.mark.promise("CBK-21")
async def test_a_decorated_function_is_a_tool_of_an_agent(
    client: AsyncClient, control: ScriptedControl
) -> None:
    @tool
    async def add(a: int, b: int = 1) -> dict[str, int]:
        """Add two numbers."""
        return {"sum": a + b}

    control.set_script(calling(CallTool("add", {"a": 2}), CallTool("add", {"a": "two"})))
    with anyio.fail_after(30):
        agent = await agent_with(client, add=add)
        good, bad = await ask(agent)
        assert good == {"sum": 3}
        assert bad["isError"]


@pytest.mark.promise("CBK-22")
async def test_fifty_agents_at_once_make_one_endpoint_that_the_bridge_is_told_of_once(
    client: AsyncClient, control: ScriptedControl
) -> None:
    control.set_script(calling(CallTool("name")))
    agents: dict[int, AsyncAgent] = {}

    async def create(n: int) -> None:
        agents[n] = await agent_with(client.with_options(unary_timeout=30), name=giving(n=n))

    with anyio.fail_after(60):
        async with anyio.create_task_group() as group:
            for n in range(50):
                group.start_soon(create, n)
        assert told(control) == [True]
        assert len(_shared._OPEN) == 1
        created = control.requests("CreateAgent")
        assert len({request["body"]["options"]["agentId"] for request in created}) == 50
        for n in (0, 49):
            assert await ask(agents[n]) == [{"n": n}]


@pytest.mark.promise("CBK-22")
async def test_clients_of_one_bridge_share_an_endpoint_and_the_last_one_takes_it_back(
    shared_bridge: ScriptedBridge, control: ScriptedControl, second: AsyncClient
) -> None:
    control.set_script(calling(CallTool("name")))
    with anyio.fail_after(30):
        url = shared_bridge.url.replace("127.0.0.1", "localhost")
        async with AsyncClient.connect(url, shared_bridge.token, api_key=KEY) as first:
            one = await agent_with(first, name=giving(of="first"))
            two = await agent_with(second, name=giving(of="second"))
            assert (len(_shared._OPEN), told(control)) == (1, [True])
            assert await ask(one) == [{"of": "first"}]
        assert told(control) == [True]
        assert await ask(two) == [{"of": "second"}]
        await second.aclose()
        assert told(control) == [True, False]
        assert _shared._OPEN == []
        assert control.state()["tool_callback"] == ""


@pytest.mark.promise("CBK-22")
async def test_a_client_without_tools_tells_the_bridge_nothing(
    client: AsyncClient, control: ScriptedControl
) -> None:
    await client.agents.create(model="scripted", local={"custom_tools": {}})
    await client.aclose()
    assert told(control) == []


@pytest.mark.promise("CBK-22")
async def test_an_endpoint_of_somebody_else_is_not_taken_back(
    client: AsyncClient, control: ScriptedControl, shared_bridge: ScriptedBridge
) -> None:
    await agent_with(client, t=giving())
    key = _shared.bridge_key(shared_bridge.url)
    _shared._LAST[key] = object()  # type: ignore[assignment]  # as another event loop of this process
    try:
        await client.aclose()
    finally:
        _shared._LAST.pop(key, None)
    assert told(control) == [True]


@pytest.mark.promise("CBK-23")
async def test_tools_are_registered_before_the_agent_is_asked_for_and_gone_when_it_is_not_made(
    client: AsyncClient, control: ScriptedControl
) -> None:
    agents = client._core.tools._agents
    with anyio.fail_after(30):
        control.set_faults(Faults(calls=[CallFault("CreateAgent", "error", code="internal")]))
        with pytest.raises(CursorSDKError):
            await agent_with(client, "agent-mine", t=giving())
        assert dict(agents) == {}
        control.set_faults(Faults())
        with pytest.raises(AgentNotFoundError):
            await client.agents.resume("agent-unknown", local={"custom_tools": {"t": {"execute": print}}})
        assert dict(agents) == {}
        kept = await agent_with(client, t=giving(of="before"))
        control.set_faults(Faults(calls=[CallFault("ResumeAgent", "error", code="internal")]))
        with pytest.raises(CursorSDKError):
            await client.agents.resume(kept.agent_id, local={"custom_tools": {"t": {"execute": print}}})
        control.set_script(calling(CallTool("t")))
        assert await ask(kept) == [{"of": "before"}]


@pytest.mark.promise("CBK-23")
async def test_resuming_with_tools_uses_the_new_ones_and_closing_takes_them_away(
    client: AsyncClient, control: ScriptedControl, caplog: pytest.LogCaptureFixture
) -> None:
    control.set_script(calling(CallTool("t")))
    with anyio.fail_after(30):
        agent = await agent_with(client, t=giving(of="old"))
        assert await ask(agent) == [{"of": "old"}]
        again = await client.agents.resume(
            agent.agent_id,
            model="scripted",
            local={"custom_tools": {"t": CustomTool(giving(of="new"), description="new")}},
        )
        (request,) = control.requests("ResumeAgent")
        assert request["body"]["options"]["local"]["customTools"] == {"t": {"description": "new"}}
        assert await ask(again) == [{"of": "new"}]
        await again.close()
        other = await agent_with(client, u=giving())
        control.set_script(calling(CallTool("t", agent_id=agent.agent_id)))
        (words,) = await ask(other)
        assert words.startswith("[invalid_argument] No tools are registered here")
    (record,) = [record for record in caplog.records if record.name == "cursor_sdk_async.tools"]
    assert record.levelno == logging.WARNING


@pytest.mark.promise("CBK-24")
async def test_a_bridge_that_has_forgotten_the_endpoint_is_told_again_once(
    client: AsyncClient, control: ScriptedControl
) -> None:
    control.set_script(calling(CallTool("t")))
    with anyio.fail_after(30):
        await agent_with(client, t=giving())
        await client._core.tools._tell("", "")  # as another process would
        agent = await agent_with(client, t=giving(again=True))
        assert told(control) == [True, False, True]
        assert await ask(agent) == [{"again": True}]


@pytest.mark.promise("CBK-25")
async def test_cancelling_a_run_cancels_its_tools_and_waits_for_none(
    client: AsyncClient, control: ScriptedControl
) -> None:
    control.set_script(Script([Turn([CallTool("wait", times=100), Hold()])]))
    gate = anyio.Event()
    started, cancelled = 0, 0

    async def wait(args: Any, context: CustomToolContext) -> None:
        nonlocal started, cancelled
        started += 1
        try:
            await gate.wait()
        finally:
            cancelled += context.cancelled

    with anyio.fail_after(30):
        agent = await agent_with(client, wait=wait)
        run = await agent.send("go")
        await until(lambda: started == 100)
        await run.cancel()
        await until(lambda: cancelled == 100)
        assert not gate.is_set()
        assert (await run.wait()).status == "cancelled"


@pytest.mark.promise("CBK-25")
@pytest.mark.parametrize("how", ["agent", "client", "leave", "unregister"])
async def test_closing_cancels_the_calls_of_the_agent(
    client: AsyncClient, control: ScriptedControl, how: str
) -> None:
    control.set_script(Script([Turn([CallTool("wait"), Hold()])]))
    contexts: list[CustomToolContext] = []
    noticed, released = threading.Event(), threading.Event()

    def wait(args: Any, context: CustomToolContext) -> None:
        contexts.append(context)
        while not context.cancelled:
            if released.wait(0.01):
                return
        noticed.set()

    try:
        with anyio.fail_after(30):
            agent = await agent_with(client, wait=wait)
            run = await agent.send("go")
            await until(lambda: contexts)
            if how == "agent":
                await agent.close()
                with pytest.raises(StreamInterruptedError):
                    await results(run)
            elif how == "client":
                await client.aclose()
            elif how == "leave":
                async with run:
                    pass
            else:
                client.unregister_custom_tools(agent.agent_id)
            await until(noticed.is_set)
            assert contexts[0].cancelled
    finally:
        released.set()  # or its thread would hold up the end


@pytest.mark.promise("CBK-25")
async def test_a_bridge_that_dies_cancels_the_calls(launch: Launch) -> None:
    ended: list[bool] = []

    async def wait(args: Any, context: CustomToolContext) -> None:
        try:
            await anyio.sleep_forever()
        finally:
            ended.append(context.cancelled)

    with anyio.fail_after(30):
        async with launch(Script([Turn([CallTool("wait"), Hold()])])) as client:
            agent = await agent_with(client, wait=wait)
            run = await agent.send("go")
            registration = client._core.tools._agents[agent.agent_id]
            await until(lambda: registration.running)
            assert client.bridge is not None
            assert client.bridge.pid is not None
            os.kill(client.bridge.pid, signal.SIGKILL)
            with pytest.raises(BridgeExitedError):
                await results(run)
            await until(lambda: ended == [True])


@pytest.mark.promise("CBK-26")
async def test_a_tool_may_call_back_into_the_client_and_close_it(launch: Launch) -> None:
    seen: list[Any] = []

    async def reenter(args: Any, context: CustomToolContext) -> Any:
        seen.append(await client.ping())
        inner = await client.agents.create(model="scripted", local={})
        await inner.close()
        await client.aclose()
        seen.append("never: the call is cancelled by the closing")
        return {}

    with anyio.fail_after(30):
        client = await launch(Script([Turn([CallTool("reenter"), Hold()])]))
        agent = await agent_with(client, reenter=reenter)
        run = await agent.send("go")
        with pytest.raises(CursorSDKError):
            await results(run)
            raise CursorSDKError("the stream ended as a cancelled run")
        await client.aclose()
        assert seen == ["pong"]
        assert client.bridge is not None
        assert not client.bridge.is_alive()


@pytest.mark.promise("CBK-27")
async def test_tools_are_refused_where_nobody_could_call_them(
    client: AsyncClient, control: ScriptedControl
) -> None:
    tools: Any = {"custom_tools": {"t": {"execute": print}}}
    with pytest.raises(ConfigurationError, match="cloud"):
        await client.agents.create(cloud={}, local=tools)
    with pytest.raises(ConfigurationError, match="cloud agent"):
        await client.agents.resume("bc-1", local=tools)
    remote = AsyncClient.connect("https://bridge.example", "token", api_key=KEY, allow_remote=True)
    with pytest.raises(ConfigurationError, match="another machine"):
        await remote.agents.create(model="scripted", local=tools)
    await remote.aclose()
    with pytest.raises(ConfigurationError, match="has no execute"):
        client.register_custom_tools("agent-1", {"t": {"description": "nothing"}})
    assert control.requests() == []


@pytest.mark.promise("CBK-28")
@pytest.mark.parametrize("by", ["client", "bridge"])
async def test_tools_can_be_registered_by_hand(launch: Launch, by: str) -> None:
    with anyio.fail_after(30):
        async with launch(calling(CallTool("t"))) as client:
            agent = await client.agents.create(model="scripted", local={})
            (words,) = await ask(agent)
            assert "failed_precondition" in words
            assert client.bridge is not None
            assert client.bridge.tool_callback_enabled
            one: Any = client if by == "client" else client.bridge
            one.register_custom_tools(agent.agent_id, {"t": CustomTool(giving(by="hand"))})
            control = control_of(client)
            await until(lambda: told(control) == [True])
            assert await ask(agent) == [{"by": "hand"}]
            one.unregister_custom_tools(agent.agent_id)
            one.unregister_custom_tools(agent.agent_id)
            (words,) = await ask(agent)
            assert "invalid_argument" in words


@pytest.mark.promise("CBK-28")
async def test_a_bridge_without_a_client_takes_no_tools(tmp_path: Any) -> None:
    with anyio.fail_after(30):
        async with AsyncBridge.launch(scripted_bridge_command(), workspace=tmp_path) as bridge:
            assert not bridge.tool_callback_enabled
            bridge.unregister_custom_tools("agent-1")
            with pytest.raises(ConfigurationError, match="without a client"):
                bridge.register_custom_tools("agent-1", {})


@pytest.mark.promise("CBK-29")
async def test_a_forgotten_client_leaves_no_listener(
    shared_bridge: ScriptedBridge, control: ScriptedControl
) -> None:
    with anyio.fail_after(30):
        client = AsyncClient.connect(shared_bridge.url, shared_bridge.token, api_key=KEY)
        agent = await agent_with(client, t=giving())
        (shared,) = _shared._OPEN
        del client, agent
        while _shared._OPEN:
            gc.collect()
            await anyio.sleep(0.005)
        await shared.endpoint.owner.wait_ended()


@pytest.mark.promise("CBK-09")
async def test_the_key_of_an_agent_shows_to_no_model(client: AsyncClient, control: ScriptedControl) -> None:
    def leak(args: Any, context: CustomToolContext) -> None:
        raise ValueError(f"could not log in with {KEY}")

    control.set_script(calling(CallTool("leak")))
    agent = await agent_with(client, leak=leak)
    (result,) = await ask(agent)
    assert result["content"] == [{"type": "text", "text": "could not log in with <hidden>"}]


@pytest.mark.promise("CBK-29")
def test_a_client_that_moves_to_another_loop_takes_its_tools_along(
    anyio_backend: str, shared_bridge: ScriptedBridge, control: ScriptedControl
) -> None:
    control.set_script(calling(CallTool("t")))
    client = AsyncClient.connect(shared_bridge.url, shared_bridge.token, api_key=KEY)
    agents: list[AsyncAgent] = []

    async def first() -> None:
        agents.append(await agent_with(client, t=giving(n=1)))
        assert await ask(agents[0]) == [{"n": 1}]

    async def again() -> None:
        assert await ask(agents[0]) == [{"n": 1}]

    async def last() -> None:
        assert await ask(agents[0]) == [{"n": 1}]
        await client.aclose()

    for step in (first, again, last):
        anyio.run(step, backend=anyio_backend)
    assert told(control) == [True, True, True, False]
