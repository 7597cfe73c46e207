"""A bridge that repeats an API key in what it says."""

from __future__ import annotations

import pytest

from cursor_sdk_async import AsyncClient, CursorSDKError
from cursor_sdk_async._connect._seam import HIDDEN_COUNT, Secrets
from cursor_sdk_async.testing import CallFault, Faults, Script, ScriptedControl, StreamFault, Text, Turn
from tests.client.conftest import KEY, local_agent

pytestmark = [pytest.mark.anyio, pytest.mark.promise("CLT-13")]

OWN = "key-of-one-customer"
SAID = f"the keys {KEY} and {OWN} are unknown"


async def test_a_key_that_the_bridge_repeats_does_not_show(
    client: AsyncClient, control: ScriptedControl
) -> None:
    details = {"helpUrl": f"https://example.com/{KEY}/{OWN}", "provider": OWN}
    control.set_faults(
        Faults(calls=[CallFault("*", code="unauthenticated", message=SAID, details=details)]),
    )
    await client._core.keys.need("A call", OWN)
    for call in (client.me(), client.me(api_key=OWN), client.agents.list(runtime="cloud", api_key=OWN)):
        with pytest.raises(CursorSDKError, match="are unknown") as caught:
            await call
        shown = f"{caught.value!r} {caught.value} {caught.value.details} {vars(caught.value)}"
        assert KEY not in shown
        assert OWN not in shown


async def test_nor_does_one_that_ends_a_stream(client: AsyncClient, control: ScriptedControl) -> None:
    control.set_script(Script([Turn([Text("ok")])]))
    agent = await local_agent(client)
    control.set_faults(Faults(streams=[StreamFault("error_end", code="unauthenticated", message=SAID)]))
    with pytest.raises(CursorSDKError, match="are unknown") as caught:
        await agent.send("go")
    assert KEY not in str(caught.value)


def test_a_bounded_number_of_keys_is_remembered() -> None:
    secrets = Secrets("the-token")
    for number in range(HIDDEN_COUNT + 10):
        secrets.hide(f"long-key-{number}")
    secrets.hide("short")
    assert len(secrets.texts) == HIDDEN_COUNT + 1
    assert secrets.texts[0] == "the-token"
    assert secrets.texts[-1] == f"long-key-{HIDDEN_COUNT + 9}"
