"""A key that was accepted and is refused later."""

from __future__ import annotations

import anyio
import pytest

from cursor_sdk_async import AsyncAgent, AsyncClient
from cursor_sdk_async.errors import AuthenticationError
from cursor_sdk_async.testing import CallFault, Faults, Script, ScriptedControl, Text, Turn
from tests.client.conftest import KEY, cloud_agent, local_agent

pytestmark = [pytest.mark.anyio, pytest.mark.promise("CLT-40")]

WORDS = "You are not logged in."
HINT = "accepted for an earlier prompt"
SCRIPT = Script([Turn([Text("first")]), Turn([Text("second")])])


@pytest.fixture(params=["local", "cloud"])
async def agent(client: AsyncClient, control: ScriptedControl, request: pytest.FixtureRequest) -> AsyncAgent:
    control.set_script(SCRIPT)
    return await (local_agent if request.param == "local" else cloud_agent)(client)


def refuse(control: ScriptedControl, *, skip: int = 0, times: int | None = None) -> None:
    fault = CallFault("Send", code="unauthenticated", message=WORDS, skip=skip, times=times)
    control.set_faults(Faults(calls=[fault]))


async def test_a_refusal_after_a_success_says_so_and_resuming_helps(
    agent: AsyncAgent, client: AsyncClient, control: ScriptedControl
) -> None:
    refuse(control, skip=1, times=1)
    with anyio.fail_after(30):
        assert (await agent.prompt("go")).result == "first"
        with pytest.raises(AuthenticationError, match=HINT) as caught:
            await agent.send("go on")
        assert WORDS in str(caught.value)
        assert KEY not in str(caught.value)
        assert not caught.value.is_retryable
        assert caught.value.is_safe_to_retry
        assert len(control.requests("Send")) == 2
        again = await client.agents.resume(agent.agent_id, model="scripted")
        assert (await again.prompt("go on")).result == "second"


async def test_a_key_that_stays_refused_is_refused_again_after_the_resume(
    agent: AsyncAgent, client: AsyncClient, control: ScriptedControl
) -> None:
    refuse(control, skip=1)
    with anyio.fail_after(30):
        await agent.prompt("go")
        for _ in range(2):
            with pytest.raises(AuthenticationError, match=HINT):
                await agent.send("go on")
        again = await client.agents.resume(agent.agent_id, model="scripted")
        with pytest.raises(AuthenticationError) as caught:
            await again.send("go on")
        assert HINT not in str(caught.value)
        assert len(control.requests("Send")) == 4


async def test_a_key_that_never_was_accepted_is_not_said_to_have_been(
    agent: AsyncAgent, control: ScriptedControl
) -> None:
    refuse(control)
    with pytest.raises(AuthenticationError) as caught:
        await agent.send("go")
    assert str(caught.value).endswith(WORDS)
