"""Repeating failed calls, seen through the whole client and counted at the bridge."""

from __future__ import annotations

import sys
from pathlib import Path
from uuid import uuid4

import anyio
import pytest

from cursor_sdk_async import (
    AsyncClient,
    BridgeStartError,
    ConfigurationError,
    CursorSDKError,
    NetworkError,
    RetryPolicy,
)
from cursor_sdk_async.testing import (
    CallFault,
    Faults,
    Script,
    ScriptedBridge,
    ScriptedControl,
    StreamFault,
    Text,
    Turn,
)
from tests.client.conftest import KEY, local_agent

pytestmark = [pytest.mark.anyio, pytest.mark.promise("CHN-22")]

QUICK = RetryPolicy(first_pause=0.001)
KEYED = RetryPolicy(first_pause=0.001, keyed_calls=True)
CLOUD = {"repos": ["owner/name"]}


def calls(control: ScriptedControl, rpc: str) -> int:
    return len(control.requests(rpc))


async def test_reads_are_repeated_by_default(client: AsyncClient, control: ScriptedControl) -> None:
    control.set_faults(Faults(calls=[CallFault("ListModels", "drop_after", times=1)]))
    assert await client.models.list()
    assert calls(control, "ListModels") == 2


@pytest.mark.parametrize("retries", [0, 1, 4])
async def test_max_retries_says_how_often(
    client: AsyncClient, control: ScriptedControl, retries: int
) -> None:
    control.set_faults(Faults(calls=[CallFault("*", code="unavailable")]))
    quick = client.with_options(retry=QUICK, max_retries=retries)
    with pytest.raises(CursorSDKError, match="scripted failure"):
        await quick.ping()
    assert calls(control, "Ping") == retries + 1
    with pytest.raises(CursorSDKError):
        await local_agent(quick)
    assert calls(control, "CreateAgent") == 1


async def test_a_wrong_policy_is_refused(client: AsyncClient) -> None:
    with pytest.raises(ConfigurationError, match="retry must be a RetryPolicy"):
        client.with_options(retry=3)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    with pytest.raises(ConfigurationError, match="max_retries must be a whole number"):
        client.with_options(max_retries=-1)


@pytest.mark.promise("CHN-24")
@pytest.mark.parametrize("fault", ["drop_after", "first frame"])
@pytest.mark.parametrize(
    ("policy", "keyed", "sends"), [(KEYED, True, 2), (KEYED, False, 1), (QUICK, True, 1)]
)
async def test_a_prompt_is_sent_again_under_a_key_only(
    client: AsyncClient,
    control: ScriptedControl,
    fault: str,
    policy: RetryPolicy,
    keyed: bool,
    sends: int,
) -> None:
    key = str(uuid4()) if keyed else None
    control.set_script(Script([Turn([Text("ok")])]))
    agent = await client.with_options(retry=policy).agents.create(model="scripted", cloud=CLOUD)
    if fault == "drop_after":
        control.set_faults(Faults(calls=[CallFault("Send", "drop_after", times=1)]))
    else:
        control.set_faults(Faults(streams=[StreamFault("error_end", rpc="Send", times=1)]))
    if sends == 2:
        run = await agent.send("go", idempotency_key=key)
        assert await run.text() == "ok"
    else:
        with pytest.raises(CursorSDKError):
            await agent.send("go", idempotency_key=key)
    assert calls(control, "Send") == sends
    if sends == 2:
        assert len((await client.agents.list_runs(agent.agent_id)).items) == 1
    await agent.close()


@pytest.mark.promise("CHN-24")
async def test_a_cloud_agent_is_created_again_under_its_id_and_key_only(
    client: AsyncClient, control: ScriptedControl
) -> None:
    keyed = client.with_options(retry=KEYED)
    named = {"agent_id": "bc-11111111-2222-4333-8444-555555555555", "idempotency_key": "create-1"}
    control.set_faults(Faults(calls=[CallFault("CreateAgent", "drop_after", times=1)]))
    agent = await keyed.agents.create(model="scripted", cloud=CLOUD, **named)  # type: ignore[arg-type]
    assert agent.agent_id == named["agent_id"]
    assert calls(control, "CreateAgent") == 2
    control.forget()
    control.set_faults(Faults(calls=[CallFault("CreateAgent", "drop_after", times=1)]))
    with pytest.raises(NetworkError, match="outcome is unknown"):
        await keyed.agents.create(model="scripted", cloud=CLOUD, idempotency_key="create-2")
    assert calls(control, "CreateAgent") == 1


@pytest.mark.parametrize("attempts", [1, 3])
async def test_a_bridge_that_ends_before_it_is_ready_is_started_again(tmp_path: Path, attempts: int) -> None:
    starts = tmp_path / "starts"
    program = f"open({str(starts)!r}, 'a').write('x'); raise SystemExit(3)"
    policy = RetryPolicy(attempts=attempts, first_pause=0.01)
    with anyio.fail_after(30), pytest.raises(BridgeStartError) as caught:
        await AsyncClient.launch_bridge([sys.executable, "-c", program], workspace=tmp_path, retry=policy)
    assert caught.value.exit_code == 3
    assert starts.read_text() == "x" * attempts


async def test_attached_clients_take_a_policy(
    shared_bridge: ScriptedBridge, control: ScriptedControl
) -> None:
    control.set_faults(Faults(calls=[CallFault("Ping", code="unavailable", times=1)]))
    async with AsyncClient.connect(
        shared_bridge.url, shared_bridge.token, api_key=KEY, retry=QUICK, max_retries=0
    ) as client:
        with pytest.raises(CursorSDKError):
            await client.ping()
        assert await client.ping() == "pong"
