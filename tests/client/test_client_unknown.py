"""A bridge of a newer contract: what this version does not know arrives in its place."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping

import anyio
import pytest

from cursor_sdk_async import AsyncClient
from cursor_sdk_async.conversation import UnknownConversationStep
from cursor_sdk_async.events import RunStreamEvent, UnknownInteractionUpdate
from cursor_sdk_async.messages import (
    SDKAssistantMessage,
    SDKMessage,
    SDKStatusMessage,
    TextBlock,
    UnknownSDKMessage,
)
from cursor_sdk_async.testing import (
    Message,
    Script,
    ScriptedBridge,
    ScriptedControl,
    Status,
    StepFrame,
    Text,
    Turn,
    UnknownArm,
    Update,
)
from tests.client.conftest import KEY, local_agent

pytestmark = [pytest.mark.anyio, pytest.mark.promise("CLT-28")]

HOLOGRAM = {"beam": {"color": "red", "angles": [1, 2]}, "n": 3}
NEWER = Script(
    [
        Turn(
            [
                Text("one "),
                Message("hologram", HOLOGRAM),
                UnknownArm("somethingNew", {"a": [1]}),
                Update("warp-delta", {"factor": 9}),
                StepFrame("dreamMessage", {"message": {"text": "zzz"}}),
                Status("HIBERNATING"),
                Message("assistant", {"message": {"role": "assistant", "content": [{"type": "smell"}]}}),
                Text("two"),
            ]
        )
    ]
)
MARKS = [
    "one ",
    "hologram",
    "unknown",
    "warp-delta",
    "dreamMessage",
    "HIBERNATING",
    "smell",
    "two",
]


@pytest.fixture(params=["proto", "json"])
async def newer(
    shared_bridge: ScriptedBridge, control: ScriptedControl, request: pytest.FixtureRequest
) -> AsyncIterator[AsyncClient]:
    """A client of the newer bridge, in either codec."""
    control.set_script(NEWER)
    client = AsyncClient.connect(shared_bridge.url, shared_bridge.token, api_key=KEY, codec=request.param)
    with anyio.fail_after(30):
        async with client:
            yield client


def mark(message: SDKMessage) -> str | None:
    """What a message is known by here; ``None`` for the usual ones around it."""
    if isinstance(message, SDKAssistantMessage):
        block = message.message.content[0]
        if isinstance(block, Mapping):
            return str(block["type"])  # a block that is not known stays a mapping
        return block.text if isinstance(block, TextBlock) else None
    if isinstance(message, UnknownSDKMessage):
        return message.type
    if isinstance(message, SDKStatusMessage) and message.status not in ("RUNNING", "FINISHED"):
        return message.status
    return None


def mark_event(event: RunStreamEvent) -> str | None:
    """The same for a frame."""
    if event.sdk_message is not None:
        return mark(event.sdk_message)
    if isinstance(event.interaction_update, UnknownInteractionUpdate):
        return event.interaction_update.type
    if isinstance(event.step, UnknownConversationStep):
        return event.step.type
    return event.kind if event.kind == "unknown" else None


async def test_frames_arrive_in_order_and_callbacks_get_theirs(newer: AsyncClient) -> None:
    updates: list[object] = []
    steps: list[object] = []
    agent = await local_agent(newer)
    run = await agent.send("go", {"on_delta": updates.append, "on_step": steps.append})
    events = [event async for event in run.events()]
    assert [found for event in events if (found := mark_event(event))] == MARKS
    assert [event.offset for event in events] == [str(number + 1) for number in range(len(events))]
    update = next(item for item in updates if isinstance(item, UnknownInteractionUpdate))
    assert (update.type, update["factor"]) == ("warp-delta", 9)
    step = next(item for item in steps if isinstance(item, UnknownConversationStep))
    assert (step.type, step["message"]) == ("dreamMessage", {"text": "zzz"})
    frame = next(event for event in events if event.kind == "unknown")
    assert frame.raw


async def test_messages_arrive_in_order_and_can_be_read_as_mappings(newer: AsyncClient) -> None:
    run = await (await local_agent(newer)).send("go")
    messages = [message async for message in run.messages()]
    expected = [word for word in MARKS if word not in ("unknown", "warp-delta", "dreamMessage")]
    assert [found for message in messages if (found := mark(message))] == expected
    unknown = next(message for message in messages if isinstance(message, UnknownSDKMessage))
    assert {name: unknown[name] for name in HOLOGRAM} == HOLOGRAM
    assert unknown.to_dict()["beam"] == HOLOGRAM["beam"]
    assert (unknown.run_id, unknown.agent_id) == (run.id, run.agent_id)


async def test_text_result_and_a_second_look_are_as_ever(newer: AsyncClient) -> None:
    run = await (await local_agent(newer)).send("go")
    assert "".join([piece async for piece in run.iter_text()]) == "one two"
    result = await run.wait()
    assert (result.status, result.result) == ("finished", "one two")
    seen = [found async for event in run.observe() if (found := mark_event(event))]
    assert seen == [word for word in MARKS if word not in ("warp-delta", "dreamMessage")]
