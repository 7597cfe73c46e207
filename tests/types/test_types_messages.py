"""Messages, updates, steps and turns."""

from __future__ import annotations

import copy
import dataclasses
import json
import pickle
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cursor_sdk_async import conversation, events, messages
from cursor_sdk_async.conversation import ConversationTurn, UnknownConversationStep, parse_conversation_step
from cursor_sdk_async.errors import CursorSDKError
from cursor_sdk_async.events import (
    RunStreamEvent,
    UnknownInteractionUpdate,
    parse_interaction_update,
    run_stream_event,
)
from cursor_sdk_async.messages import (
    SDKAssistantMessage,
    SDKToolUseMessage,
    SDKUsageMessage,
    TextBlock,
    ToolUseBlock,
    UnknownSDKMessage,
    sdk_message_from_json,
)
from cursor_sdk_async.results import TokenUsage
from tests.types.samples import MESSAGES, PROPERTY, RESULT, STEPS, TURNS, UPDATES

JUNK: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
KINDS = ("sdk_message", "interaction_update", "step", "result", "done", "unknown", "brand_new")


def parsed() -> list[Any]:
    return [
        *(sdk_message_from_json(sample) for sample in MESSAGES),
        *(parse_interaction_update(sample) for sample in UPDATES),
        *(parse_conversation_step(sample) for sample in STEPS),
        *(ConversationTurn.from_json(sample) for sample in TURNS),
    ]


@pytest.mark.promise("TYP-12")
def test_every_kind_of_message_update_and_step_has_a_class_of_its_own() -> None:
    classes: set[type[Any]] = {type(value) for value in parsed()}
    unknown = {UnknownSDKMessage, UnknownInteractionUpdate, UnknownConversationStep}
    for alias in (messages.SDKMessage, events.InteractionUpdate, conversation.ConversationStep):
        assert set(alias.__args__) - classes <= unknown
    assert not classes & unknown


@pytest.mark.promise("TYP-12")
@pytest.mark.parametrize("sample", MESSAGES, ids=lambda sample: sample["type"])
def test_a_message_reads_the_same_bare_and_from_its_stream_form(sample: dict[str, Any]) -> None:
    bare = sdk_message_from_json(sample)
    assert bare == sdk_message_from_json({"type": sample["type"], "message": sample})
    assert bare == run_stream_event("sdk_message", {"type": sample["type"], "message": sample}).sdk_message
    assert (bare.type, bare.agent_id, bare.run_id) == (sample["type"], "agent-1", "run-1")


@pytest.mark.promise("TYP-12")
@pytest.mark.parametrize("sample", UPDATES, ids=lambda sample: sample["type"])
def test_an_update_reads_the_same_bare_and_from_its_stream_form(sample: dict[str, Any]) -> None:
    bare = parse_interaction_update(sample)
    assert bare == parse_interaction_update({"type": sample["type"], "update": sample})
    assert bare.type == sample["type"]


@pytest.mark.promise("TYP-12")
@pytest.mark.parametrize("sample", STEPS, ids=lambda sample: sample["type"])
def test_a_step_reads_the_same_bare_and_from_its_stream_form(sample: dict[str, Any]) -> None:
    assert parse_conversation_step(sample) == parse_conversation_step(
        {"type": sample["type"], "step": sample}
    )


@pytest.mark.promise("TYP-12")
def test_camel_case_ids_in_messages_are_read_too() -> None:
    camel = {
        "type": "tool_call",
        "agentId": "agent-1",
        "runId": "run-1",
        "callId": "c",
        "name": "n",
        "status": "s",
    }
    message = sdk_message_from_json(camel)
    assert message == SDKToolUseMessage("tool_call", "agent-1", "run-1", "c", "n", "s")


@pytest.mark.promise("TYP-12")
def test_content_blocks_are_typed_and_foreign_ones_stay_mappings() -> None:
    message = sdk_message_from_json(MESSAGES[2])
    assert isinstance(message, SDKAssistantMessage)
    assert message.message.content == (
        TextBlock("text", "hello"),
        ToolUseBlock("tool_use", "t1", "shell", {"command": "ls"}),
        {"type": "hologram", "shape": "cube"},
    )


@pytest.mark.promise("TYP-14")
def test_a_usage_message_without_counts_is_not_zero_usage() -> None:
    message = sdk_message_from_json({"type": "usage", "usage": {}})
    assert isinstance(message, UnknownSDKMessage)
    message = sdk_message_from_json({"type": "usage", "usage": {"inputTokens": 0}})
    assert isinstance(message, SDKUsageMessage)
    assert message.usage == TokenUsage(0, 0, 0, 0, 0)


@pytest.mark.promise("TYP-13")
def test_whole_doubles_in_messages_and_updates_are_integers() -> None:
    thought = sdk_message_from_json({"type": "thinking", "text": "", "thinking_duration_ms": 5.0})
    tokens = parse_interaction_update({"type": "token-delta", "tokens": "7"})
    assert repr(thought.to_dict()["thinking_duration_ms"]) == "5"
    assert repr(tokens.to_dict()["tokens"]) == "7"


@pytest.mark.promise("TYP-10")
@pytest.mark.parametrize(
    ("value", "kind"),
    [
        (
            sdk_message_from_json({"type": "hologram", "agent_id": "a", "run_id": "r", "n": 1}),
            UnknownSDKMessage,
        ),
        (parse_interaction_update({"type": "tool-call-delta", "n": 1}), UnknownInteractionUpdate),
        (parse_conversation_step({"type": "dream", "n": 1}), UnknownConversationStep),
    ],
)
def test_an_unknown_kind_is_an_object_and_a_mapping(value: Any, kind: type[Any]) -> None:
    assert isinstance(value, kind)
    assert value["n"] == value.get("n") == 1
    assert value.type == value["type"]
    assert dict(value) == value.to_dict()
    assert pickle.loads(pickle.dumps(value)) == value == copy.deepcopy(value)
    assert value.type in repr(value)
    with pytest.raises(dataclasses.FrozenInstanceError):
        value.type = "x"


@pytest.mark.promise("TYP-10")
def test_ids_of_an_unknown_message_are_known() -> None:
    message = sdk_message_from_json({"type": "hologram", "agent_id": "a", "run_id": "r"})
    assert (message.agent_id, message.run_id) == ("a", "r")


@pytest.mark.promise("TYP-11")
@pytest.mark.parametrize("value", parsed(), ids=lambda value: type(value).__name__)
def test_messages_are_frozen_and_survive_pickle_and_copy(value: Any) -> None:
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        assert pickle.loads(pickle.dumps(value, protocol)) == value
    assert copy.copy(value) == copy.deepcopy(value) == value
    assert not hasattr(value, "__dict__")
    with pytest.raises(dataclasses.FrozenInstanceError):
        value.type = "x"


@pytest.mark.promise("TYP-11")
@pytest.mark.parametrize("sample", MESSAGES, ids=lambda sample: sample["type"])
def test_messages_can_be_read_again_from_their_dictionary(sample: dict[str, Any]) -> None:
    message = sdk_message_from_json(sample)
    assert sdk_message_from_json(json.loads(json.dumps(message.to_dict()))) == message


@pytest.mark.promise("TYP-11")
@pytest.mark.parametrize("sample", UPDATES, ids=lambda sample: sample["type"])
def test_updates_can_be_read_again_from_their_dictionary(sample: dict[str, Any]) -> None:
    update = parse_interaction_update(sample)
    assert parse_interaction_update(json.loads(json.dumps(update.to_dict()))) == update


@pytest.mark.promise("TYP-11")
@pytest.mark.parametrize("sample", [*TURNS, {"type": "dreamTurn", "turn": {"n": 1}}])
def test_turns_can_be_read_again_from_their_dictionary(sample: dict[str, Any]) -> None:
    turn = ConversationTurn.from_json(sample)
    assert ConversationTurn.from_json(json.loads(json.dumps(turn.to_dict()))) == turn


@pytest.mark.promise("TYP-11")
def test_messages_with_plain_content_can_be_hashed() -> None:
    text = {"type": "assistant", "message": {"content": [{"type": "text", "text": "a"}]}}
    assert (
        len({sdk_message_from_json(text), sdk_message_from_json(text), sdk_message_from_json(MESSAGES[4])})
        == 2
    )


@pytest.mark.promise("TYP-11")
def test_the_repr_of_a_huge_message_is_short() -> None:
    huge = {
        "type": "tool_call",
        "args": {"text": "x" * 10**6, "list": list(range(10**5))},
        "result": "y" * 10**6,
    }
    assert len(repr(sdk_message_from_json(huge))) < 1500
    assert len(repr(sdk_message_from_json({"type": "new", **{str(n): "z" * 999 for n in range(999)}}))) < 2000


@pytest.mark.promise("TYP-19")
def test_match_works_on_known_and_unknown_messages() -> None:
    def word(message: messages.SDKMessage) -> str:
        match message:
            case SDKAssistantMessage(
                message=messages.SDKAssistantMessageContent(content=(TextBlock(text=text), *_))
            ):
                return text
            case SDKToolUseMessage(name=name, status="running"):
                return name
            case {"type": str(kind), "n": int(n)}:
                return f"{kind} {n}"
            case _:
                return "other"

    samples = [MESSAGES[2], MESSAGES[4], {"type": "hologram", "n": 3}, MESSAGES[6]]
    assert [word(sdk_message_from_json(sample)) for sample in samples] == [
        "hello",
        "shell",
        "hologram 3",
        "other",
    ]


@pytest.mark.promise("TYP-12")
def test_frames_become_events() -> None:
    sample = {"sdkMessage": {"type": "status", "message": MESSAGES[6]}, "offset": "3"}
    event = RunStreamEvent.from_json(sample)
    assert (event.kind, event.offset, event.sdk_message) == (
        "sdk_message",
        "3",
        sdk_message_from_json(MESSAGES[6]),
    )
    event = RunStreamEvent.from_json({"result": {"runId": "run-1", "errorCode": "x", "result": RESULT}})
    assert event.result == {**RESULT, "errorCode": "x"}
    assert event.result_is_full
    event = RunStreamEvent.from_json({"result": {"runId": "run-1"}})
    assert (event.result, event.result_is_full) == ({"runId": "run-1"}, False)
    assert RunStreamEvent.from_json({"done": {"runId": "run-1"}}).done == {"runId": "run-1"}
    assert RunStreamEvent.from_json({}).kind == "unknown"
    newer = RunStreamEvent.from_json({"brandNew": {"n": 1}})
    assert (newer.kind, newer.raw) == ("unknown", {"brandNew": {"n": 1}})
    json.dumps([event.to_dict(), newer.to_dict()])


@pytest.mark.promise("TYP-12")
@PROPERTY
@given(
    st.sampled_from(KINDS),
    st.dictionaries(st.sampled_from(["type", "message", "update", "step", "result", "runId"]), JUNK),
)
def test_no_frame_whatever_is_in_it_ends_a_stream(kind: str, payload: dict[str, Any]) -> None:
    event = run_stream_event(kind, payload, "1")
    repr(event)
    event.to_dict()


@pytest.mark.promise("TYP-12")
@PROPERTY
@given(st.sampled_from([*MESSAGES, *UPDATES, *STEPS, *TURNS]), st.data())
def test_one_odd_value_in_a_known_kind_still_gives_that_kind(
    sample: dict[str, Any], data: st.DataObject
) -> None:
    key = data.draw(st.sampled_from(sorted(set(sample) - {"type"}) or ["x"]))
    damaged = {**sample, key: data.draw(JUNK)}
    for read in (
        sdk_message_from_json,
        parse_interaction_update,
        parse_conversation_step,
        ConversationTurn.from_json,
    ):
        read(damaged).to_dict()


@pytest.mark.promise("TYP-12")
@PROPERTY
@given(JUNK)
def test_junk_is_a_typed_error_or_a_value(junk: Any) -> None:
    for read in (
        sdk_message_from_json,
        parse_interaction_update,
        parse_conversation_step,
        ConversationTurn.from_json,
        RunStreamEvent.from_json,
    ):
        with suppress(CursorSDKError):
            repr(read(junk))
