"""Calls that fail in every way, seen by a user of the whole client."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import anyio
import pytest

from cursor_sdk_async import (
    AgentBusyError,
    APITimeoutError,
    AsyncClient,
    AuthenticationError,
    BridgeExitedError,
    CursorSDKError,
    InternalServerError,
    NetworkError,
    ProtocolError,
    RateLimitError,
)
from cursor_sdk_async._lifecycle import Opening
from cursor_sdk_async.testing import CallFault, Faults, Script, ScriptedBridge, ScriptedControl, Text, Turn
from tests.client.conftest import KEY, local_agent

pytestmark = [pytest.mark.anyio, pytest.mark.promise("CLT-21")]

AGENT = "agent-00000000-0000-4000-8000-000000000000"
Call = Callable[[AsyncClient], Awaitable[object]]


async def send(client: AsyncClient) -> None:
    control = CONTROL[-1]
    control.set_faults(Faults())
    agent = await local_agent(client)
    control.set_faults(FAULTS[-1])
    await agent.send("go")


#: What the calls of one test go to: a Send needs an agent that was made without the fault.
CONTROL: list[ScriptedControl] = []
FAULTS: list[Faults] = []

READS: dict[str, Call] = {
    "Ping": lambda client: client.ping(),
    "GetVersion": lambda client: client.get_version(),
    "ListModels": lambda client: client.models.list(),
    "GetAgent": lambda client: client.agents.get(AGENT),
    "ListAgents": lambda client: client.agents.list(),
}
WRITES: dict[str, Call] = {
    "CreateAgent": local_agent,
    "ResumeAgent": lambda client: client.agents.resume(AGENT, model="scripted", local={}),
    "ArchiveAgent": lambda client: client.agents.archive(AGENT),
    "DeleteAgent": lambda client: client.agents.delete(AGENT),
    "CancelRun": lambda client: client.agents.cancel_run("run-1", agent_id="bc-1"),
    "Send": send,
}


@pytest.fixture
async def quick_client(client: AsyncClient, control: ScriptedControl) -> AsyncClient:
    CONTROL[:] = [control]
    control.set_script(Script([Turn([Text("ok")])]))
    await client.ping()  # there is a kept connection
    control.forget()
    return client.with_options(max_retries=0)


@pytest.fixture(params=["proto", "json"])
async def codec_client(
    shared_bridge: ScriptedBridge, control: ScriptedControl, request: pytest.FixtureRequest
) -> AsyncIterator[AsyncClient]:
    CONTROL[:] = [control]
    control.set_script(Script([Turn([Text("ok")])]))
    async with AsyncClient.connect(
        shared_bridge.url, shared_bridge.token, api_key=KEY, codec=request.param
    ) as client:
        await client.ping()  # there is a kept connection
        control.forget()
        yield client


def faulty(control: ScriptedControl, kind: Any, rpc: str, **facts: Any) -> None:
    FAULTS[:] = [Faults(calls=[CallFault(rpc, kind, **facts)])]
    control.set_faults(FAULTS[-1])


async def failure(client: AsyncClient, rpc: str) -> CursorSDKError:
    call = {**READS, **WRITES}[rpc]
    with anyio.fail_after(30), pytest.raises(CursorSDKError) as caught:
        if rpc == "CancelRun":
            scope = await client._core.scope_of("run-1", "bc-1", None, None)
            scope.registered = True
            await client._core.cancel_run(scope, "run-1")
        else:
            await call(client)
    assert caught.value.rpc is not None
    assert caught.value.rpc.endswith(f"/{rpc}")
    return caught.value


async def still_works(client: AsyncClient, control: ScriptedControl) -> None:
    control.set_faults(Faults())
    with anyio.fail_after(30):
        assert (await (await (await local_agent(client)).send("again")).wait()).status == "finished"


@pytest.mark.parametrize("rpc", WRITES)
@pytest.mark.parametrize("kind", ["drop", "drop_after", "half", "silence"])
async def test_what_changes_something_is_sent_once_and_its_outcome_is_unknown(
    quick_client: AsyncClient, control: ScriptedControl, rpc: str, kind: str
) -> None:
    if (kind, rpc) == ("half", "Send"):
        kind = "drop"  # half of a stream is for the faults of streams
    faulty(control, kind, rpc)
    limited = quick_client.with_options(timeout=0.3) if kind == "silence" else quick_client
    error = await failure(limited, rpc)
    assert isinstance(error, NetworkError)
    assert isinstance(error, APITimeoutError) == (kind == "silence")
    assert not error.is_safe_to_retry
    assert ("may have taken effect" if kind == "silence" else "outcome is unknown") in error.message
    assert len(control.requests(rpc)) == 1
    await still_works(quick_client, control)


@pytest.mark.parametrize("rpc", READS)
@pytest.mark.parametrize("kind", ["drop", "drop_after", "half", "silence"])
async def test_what_only_reads_may_be_repeated(
    quick_client: AsyncClient, control: ScriptedControl, rpc: str, kind: str
) -> None:
    faulty(control, kind, rpc)
    limited = quick_client.with_options(timeout=0.3) if kind == "silence" else quick_client
    error = await failure(limited, rpc)
    assert isinstance(error, NetworkError)
    assert error.is_safe_to_retry
    assert "may be repeated" in error.message
    await still_works(quick_client, control)


@pytest.mark.parametrize("rpc", ["Ping", "GetVersion", "ListModels", "ListAgents", "CreateAgent"])
async def test_an_answer_that_cannot_be_read_is_a_breach_of_the_contract(
    codec_client: AsyncClient, control: ScriptedControl, rpc: str
) -> None:
    faulty(control, "garbage", rpc)
    error = await failure(codec_client, rpc)
    assert isinstance(error, ProtocolError)
    assert len(control.requests(rpc)) == 1
    await still_works(codec_client, control)


@pytest.mark.parametrize("rpc", ["ListModels", "CreateAgent", "Send"])
@pytest.mark.parametrize(
    ("status", "kind"),
    [(502, NetworkError), (503, NetworkError), (429, RateLimitError), (404, CursorSDKError)],
)
async def test_a_page_of_a_proxy_is_an_error_by_its_status(
    quick_client: AsyncClient,
    control: ScriptedControl,
    rpc: str,
    status: int,
    kind: type[CursorSDKError],
) -> None:
    faulty(control, "status", rpc, status=status, headers={"retry-after": "7"})
    error = await failure(quick_client, rpc)
    assert (error.status, error.retry_after_seconds) == (status, 7.0)
    assert isinstance(error, kind)
    assert len(control.requests(rpc)) == 1
    await still_works(quick_client, control)


@pytest.mark.parametrize("rpc", ["ListModels", "CreateAgent", "Send"])
@pytest.mark.parametrize(
    ("code", "sdk_code", "kind"),
    [
        ("unauthenticated", None, AuthenticationError),
        ("resource_exhausted", None, RateLimitError),
        ("failed_precondition", "AGENT_BUSY", AgentBusyError),
        ("internal", None, InternalServerError),
    ],
)
async def test_what_the_bridge_reports_is_raised_by_class_with_its_facts(
    codec_client: AsyncClient,
    control: ScriptedControl,
    rpc: str,
    code: str,
    sdk_code: str | None,
    kind: type[CursorSDKError],
) -> None:
    details = {"requestId": "req-1", "retryAfter": "12s"}
    faulty(control, "error", rpc, code=code, sdk_code=sdk_code, details=details, message="told so")
    error = await failure(codec_client, rpc)
    assert isinstance(error, kind)
    assert (error.request_id, error.retry_after_seconds) == ("req-1", 12.0)
    assert "told so" in error.message
    await still_works(codec_client, control)


@pytest.mark.parametrize("kind", ["crash", "crash_after"])
@pytest.mark.parametrize("rpc", ["Ping", "CreateAgent", "Send", "ListModels"])
async def test_a_bridge_that_crashes_at_a_call_is_named_as_the_reason(
    launch: Callable[..., Opening[AsyncClient]], kind: Any, rpc: str
) -> None:
    async with launch() as client:
        assert client.bridge is not None
        CONTROL[:] = [ScriptedControl(client.bridge.endpoint.url, client.bridge.endpoint.auth_token)]
        faulty(CONTROL[0], kind, rpc)
        error = await failure(client, rpc)
        assert isinstance(error, BridgeExitedError)
        assert error.signal == 9
        assert error.is_safe_to_retry == (rpc in READS)


async def test_a_slow_answer_ends_at_the_limit_of_the_client(
    launch: Callable[..., Opening[AsyncClient]],
) -> None:
    faults = Faults(
        calls=[CallFault("ListModels", "slow", seconds=30), CallFault("Send", "slow", seconds=30)]
    )
    async with launch(faults=faults, client_timeout=0.3) as client:
        with anyio.fail_after(20):
            for rpc in ("ListModels", "Send"):
                with pytest.raises(APITimeoutError, match=r"0\.3 s"):
                    if rpc == "Send":
                        await (await local_agent(client)).send("go")
                    else:
                        await client.models.list()
        assert await client.ping() == "pong"


async def test_a_limit_of_the_client_does_not_end_a_call_that_waits_for_a_run(
    quick_client: AsyncClient, control: ScriptedControl
) -> None:
    run = await (await local_agent(quick_client)).send("go")
    control.set_faults(Faults(calls=[CallFault("WaitLiveRun", "slow", seconds=0.6)]))
    limited = quick_client.with_options(unary_timeout=0.2)
    assert (await limited.wait_live_run(run.id)).status == "finished"


async def test_close_of_an_agent_and_of_the_client_stay_bounded_when_the_bridge_is_mute(
    launch: Callable[..., Opening[AsyncClient]],
) -> None:
    faults = Faults(
        calls=[
            CallFault("CloseAgent", "silence"),
            CallFault("Shutdown", "silence"),
            CallFault("CancelRun", "silence"),
        ]
    )
    with anyio.fail_after(30):
        async with launch(faults=faults) as client, await local_agent(client) as agent:
            await agent.send("go")
        assert client.bridge is not None
        assert not client.bridge.is_alive()
