"""Whether a reported failure may be repeated: certain only where the other side refused before it began."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import pytest

from cursor_sdk_async import AsyncClient, CursorSDKError
from cursor_sdk_async.testing import CallFault, Faults, ScriptedControl, StreamFault

pytestmark = [pytest.mark.anyio, pytest.mark.promise("SUR-06")]

Call = Callable[[AsyncClient], Awaitable[object]]


async def create(client: AsyncClient) -> None:
    await client.agents.create(model="scripted", local={})


async def read(client: AsyncClient) -> None:
    await client.models.list()


@pytest.mark.parametrize(
    ("rpc", "call", "code", "safe"),
    [
        ("CreateAgent", create, "resource_exhausted", True),
        ("CreateAgent", create, "invalid_argument", True),
        ("CreateAgent", create, "internal", False),
        ("CreateAgent", create, "unavailable", False),
        ("ListModels", read, "unavailable", True),
    ],
)
async def test_a_refused_call_is_safe_to_repeat_and_a_failed_one_only_when_it_reads(
    client: AsyncClient, control: ScriptedControl, rpc: str, call: Call, code: str, safe: bool
) -> None:
    control.set_faults(Faults(calls=[CallFault(rpc, code=code)]))
    with pytest.raises(CursorSDKError) as caught:
        await call(client)
    assert caught.value.is_safe_to_retry is safe


@pytest.mark.parametrize(
    ("code", "frame", "safe"),
    [("resource_exhausted", 1, True), ("internal", 1, False), ("internal", 3, False)],
)
async def test_a_prompt_is_safe_to_repeat_only_when_it_was_refused_before_its_first_frame(
    client: AsyncClient, control: ScriptedControl, code: str, frame: int, safe: bool
) -> None:
    fault = StreamFault("error_end", frame=frame, rpc="Send", code=code)
    control.set_faults(Faults(streams=[fault]))
    async with await client.agents.create(model="scripted", local={}) as agent:
        with pytest.raises(CursorSDKError) as caught:
            run = await agent.send("hello")
            async for _ in run.events():
                pass
    assert caught.value.is_safe_to_retry is safe
