"""Runs: what the script says, and the rules of handles, replay, numbering, waiting and cancelling."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator

import pytest

from cursor_sdk_async.testing import (
    Burst,
    Echo,
    Fail,
    Fill,
    Hold,
    KeepAlive,
    Message,
    Script,
    ScriptedBridge,
    Status,
    StepFrame,
    Text,
    Thinking,
    ToolCall,
    Turn,
    UnknownArm,
    Update,
    Usage,
    Wait,
)
from tests.scripted.by_hand import AGENT, Hand, HandError, Json, kinds, result_of, texts

pytestmark = pytest.mark.promise("DBL-05")

Start = Callable[..., tuple[ScriptedBridge, Hand]]
KEY = {"apiKey": "key"}
STORY = Turn(
    [Thinking("hm"), ToolCall("read", {"path": "a"}, {"n": 1}), Text("Hel"), Text("lo "), Echo(), Usage()],
)
HELD = Turn([Text("one "), Hold(), Text("two"), Usage()])
ALL = {"enableDeltas": True, "enableSteps": True}


def run_id(frame: Json) -> str:
    found: str = frame["sdkMessage"]["message"]["run_id"]
    return found


def until_text(stream: Iterator[Json]) -> list[Json]:
    """Frames to the first piece of the answer."""
    got = [next(stream)]
    while not texts(got):
        got.append(next(stream))
    return got


def observe(hand: Hand, run: str, after: str | None = None) -> list[Json]:
    body = {"runId": run} if after is None else {"runId": run, "afterOffset": after}
    return list(hand.stream(f"{AGENT}ObserveRun", body))


def get_run(hand: Hand, run: str, agent: str) -> Json:
    options = {"runtime": "RUNTIME_CLOUD", "agentId": agent, **KEY}
    found: Json = hand.call(f"{AGENT}GetRun", {"runId": run, "options": options})["run"]
    return found


@pytest.mark.promise("DBL-04")
def test_a_run_is_streamed_as_the_script_says(start: Start) -> None:
    _, hand = start(Script([STORY]))
    frames = list(hand.send(hand.local(), "world"))
    told = ["thinking", "tool_call", "tool_call", "assistant", "assistant", "assistant", "usage"]
    assert kinds(frames) == ["status RUNNING", *told, "status FINISHED", "result", "done"]
    assert [frame["offset"] for frame in frames] == [str(number) for number in range(1, 12)]
    result = result_of(frames)
    assert texts(frames) == result["result"] == "Hello world"
    assert result["usage"]["inputTokens"] == "1200"
    assert int(result["durationMs"]) >= 1
    calls = [frame["sdkMessage"]["message"] for frame in frames if "sdkMessage" in frame][2:4]
    assert [call["status"] for call in calls] == ["running", "completed"]
    assert calls[1]["result"] == {"n": 1}
    usage = frames[7]["sdkMessage"]["message"]["usage"]
    assert (usage["totalTokens"], isinstance(usage["inputTokens"], str)) == (1540, False)


@pytest.mark.promise("DBL-04")
def test_deltas_and_steps_are_shown_only_if_asked_for(start: Start) -> None:
    _, hand = start(Script([STORY]))
    frames = list(hand.send(hand.cloud(), "world", options=ALL))
    assert kinds(frames)[:2] == ["status CREATING", "status RUNNING"]
    assert [frame["step"]["type"] for frame in frames if "step" in frame] == [
        "thinkingMessage",
        "toolCall",
        "assistantMessage",
    ]
    deltas = [frame["interactionUpdate"]["type"] for frame in frames if "interactionUpdate" in frame]
    assert deltas == [
        *["thinking-delta", "thinking-completed", "tool-call-started", "tool-call-completed"],
        *["text-delta", "text-delta", "text-delta", "turn-ended"],
    ]
    assert [frame["offset"] for frame in frames] == [str(number + 1) for number in range(len(frames))]


@pytest.mark.promise("DBL-04")
def test_a_prompt_chooses_its_turn_and_the_others_come_in_order(start: Start) -> None:
    turns = [Turn([Text("first")]), Turn([Text("then")])]
    _, hand = start(Script(turns, by_prompt={"weather": Turn([Text("rain")])}))
    agent = hand.local()
    prompts = ("a", "the weather?", "b", "c")
    assert [texts(list(hand.send(agent, prompt))) for prompt in prompts] == ["first", "rain", "then", "then"]


@pytest.mark.promise("DBL-04")
def test_a_run_can_fail_or_end_otherwise(start: Start) -> None:
    expired = Turn(status="EXPIRED", branches=[{"repoUrl": "x/y", "branch": "b"}], result="left")
    _, hand = start(Script([Turn([Text("a"), Fail("No luck.", "bad_luck"), Text("b")]), expired]))
    agent = hand.cloud()
    failed = list(hand.send(agent, "x"))
    result = result_of(failed)
    assert (result["status"], result["result"]) == ("RUN_LIFECYCLE_STATUS_ERROR", "a")
    assert (result["errorCode"], result["errorMessage"]) == ("bad_luck", "No luck.")
    assert failed[-2]["result"]["errorCode"] == "bad_luck"
    frames = list(hand.send(agent, "x"))
    assert "status EXPIRED" in kinds(frames)
    assert result_of(frames)["status"] == "RUN_LIFECYCLE_STATUS_ERROR"
    assert result_of(frames)["git"] == {"branches": [{"repoUrl": "x/y", "branch": "b"}]}


@pytest.mark.promise("DBL-04")
def test_a_mistake_in_a_script_ends_the_run_and_is_told(start: Start) -> None:
    bridge, hand = start(Script([Turn([Text("a"), Fill("many")])]))  # type: ignore[arg-type]
    result = result_of(list(hand.send(hand.local(), "x")))
    assert result["status"] == "RUN_LIFECYCLE_STATUS_ERROR"
    assert "TypeError" in result["errorMessage"]
    bridge.process.kill()
    assert b"scripted bridge: Traceback" in bridge.process.communicate(timeout=30)[1]


@pytest.mark.promise("DBL-04", "DBL-08")
def test_oddities_are_sent_as_they_are(start: Start) -> None:
    steps = [
        Message("brand_new", {"deep": {"x": [1, None]}}),
        UnknownArm("somethingNew", {"y": 2}),
        KeepAlive(),
        Update("new-delta", {"z": 3}),
        StepFrame("newStep", {"message": {}}),
        Status("PAUSED", "for tea"),
        Wait(0),
    ]
    _, hand = start(Script([Turn(steps)]))
    frames = list(hand.send(hand.local(), "x", options=ALL))
    assert frames[1]["sdkMessage"]["message"]["deep"] == {"x": [1, None]}
    arm = {"somethingNew": {"y": 2}} if hand.codec == "json" else {}
    assert frames[2] == {**arm, "offset": "3"}
    assert frames[3] == {}
    assert frames[4]["interactionUpdate"] == {"type": "new-delta", "update": {"type": "new-delta", "z": 3}}
    assert frames[5]["step"] == {"type": "newStep", "step": {"type": "newStep", "message": {}}}
    assert frames[6]["sdkMessage"]["message"]["message"] == "for tea"
    assert frames[-1]["offset"] == "9"


def test_silence_is_filled_with_empty_frames(start: Start) -> None:
    bridge, hand = start(Script([HELD], keep_alive_seconds=0.05))
    stream = hand.send(hand.local(), "x")
    until_text(stream)
    assert [next(stream), next(stream)] == [{}, {}]
    bridge.control.release()
    assert [frame["offset"] for frame in stream if frame] == ["3", "4", "5", "6", "7"]


def test_what_a_stream_took_another_does_not_get(start: Start) -> None:
    _, hand = start(Script([STORY]))
    frames = list(hand.send(hand.local(), "x"))
    run = run_id(frames[0])
    again = observe(hand, run)
    assert [(kind, frame["offset"]) for kind, frame in zip(kinds(again), again, strict=True)] == [
        ("result", "1"),
        ("done", "2"),
    ]
    assert observe(hand, run, "5") == []
    assert len(observe(hand, run, "x")) == 2


def test_get_run_lets_a_local_run_be_read_again_with_its_request_first(start: Start) -> None:
    _, hand = start(Script([STORY]))
    frames = list(hand.send(hand.local(), "x"))
    run = run_id(frames[0])
    shown = hand.call(f"{AGENT}GetRun", {"runId": run})["run"]
    assert (shown["status"], shown["model"]) == ("RUN_LIFECYCLE_STATUS_FINISHED", {"id": "scripted"})
    again = observe(hand, run)
    assert kinds(again) == ["request", *kinds(frames)]
    hand.call(f"{AGENT}GetRun", {"runId": run})
    assert observe(hand, run, "3") == again[3:]


def test_get_run_lets_a_cloud_run_be_read_again_with_its_status_first(start: Start) -> None:
    bridge, hand = start(Script([HELD]))
    agent = hand.cloud()
    stream = hand.send(agent, "x")
    first = until_text(stream)
    run = run_id(first[0])
    assert get_run(hand, run, agent)["status"] == "RUN_LIFECYCLE_STATUS_RUNNING"
    second = hand.stream(f"{AGENT}ObserveRun", {"runId": run})
    assert kinds(until_text(second)) == ["status RUNNING", "assistant"]
    bridge.control.release()
    rest = ["assistant", "usage", "status FINISHED", "result", "done"]
    assert kinds(list(stream)) == kinds(list(second)) == rest
    get_run(hand, run, agent)
    late = observe(hand, run)
    assert kinds(late) == ["status FINISHED", "assistant", "assistant", "usage", "result", "done"]
    assert "model" not in result_of(late)


def test_two_readers_of_one_handle_split_its_messages(start: Start) -> None:
    bridge, hand = start(Script([Turn([Text("one"), Hold(), Burst(200, 4)])]))
    stream = hand.send(hand.local(), "x")
    first = until_text(stream)
    other = hand.stream(f"{AGENT}ObserveRun", {"runId": run_id(first[0])})
    bridge.control.release()
    mine, theirs = list(stream), list(other)
    assert kinds(mine)[-2:] == kinds(theirs)[-2:] == ["result", "done"]
    pieces = [frame for frame in mine + theirs if frame.get("sdkMessage", {}).get("type") == "assistant"]
    assert len(pieces) == 200


def test_waiting_takes_nothing_from_the_stream(start: Start) -> None:
    bridge, hand = start(Script([HELD]))
    stream = hand.send(hand.local(), "x")
    run = run_id(next(stream))
    bridge.control.release()
    waited = hand.call(f"{AGENT}WaitLiveRun", {"runId": run})["result"]
    assert waited["result"] == "one two"
    turns = json.loads(hand.call(f"{AGENT}GetRunConversation", {"runId": run})["conversationJson"])
    assert turns[0]["turn"]["userMessage"] == {"text": "x"}
    assert turns[0]["turn"]["steps"] == [{"type": "assistantMessage", "message": {"text": "one two"}}]
    frames = list(stream)
    assert (texts(frames), result_of(frames)) == ("one two", waited)


def test_a_client_that_goes_away_leaves_the_run_alone(start: Start) -> None:
    bridge, hand = start(Script([HELD]))
    stream = hand.send(hand.local(), "x")
    run = run_id(until_text(stream)[0])
    stream.close()  # type: ignore[attr-defined]
    while bridge.control.state()["open_streams"]:
        pass
    bridge.control.release()
    frames = observe(hand, run)
    assert kinds(frames) == ["assistant", "usage", "status FINISHED", "result", "done"]
    assert frames[0]["offset"] == "1"


def test_unknown_runs_are_refused(start: Start) -> None:
    _, hand = start()
    cloud = {"runtime": "RUNTIME_CLOUD"}
    strange = "run-11111111-1111-4111-8111-111111111111"
    for rpc, body, expected in (
        ("WaitLiveRun", {"runId": "zz"}, (404, "not_found", "Unknown run: zz")),
        ("GetRunConversation", {"runId": "zz"}, (404, "not_found", "Unknown run: zz")),
        ("GetRun", {"runId": "zz"}, (400, "invalid_argument", "Run zz not found")),
        (
            "GetRun",
            {"runId": strange, "options": {**cloud, "agentId": "bc-1"}},
            (400, "invalid_argument", "bc-"),
        ),
        ("GetRun", {"runId": "zz", "options": cloud}, (400, "invalid_argument", "require agentId")),
        (
            "GetRun",
            {"runId": "zz", "options": {**cloud, "agentId": "bc-1"}},
            (400, "invalid_argument", "run-"),
        ),
        (
            "GetRun",
            {"runId": strange, "options": {**cloud, "agentId": strange.replace("run", "bc"), **KEY}},
            (404, "not_found", "agent_not_found"),
        ),
        ("CancelRun", {"runId": "zz"}, (400, "invalid_argument", "Run zz not found")),
        ("CancelRun", {"runId": strange, "agentId": "bc-1"}, (401, "unauthenticated", "API key")),
        ("ObserveRun", {"runId": "zz"}, (200, "invalid_argument", "Run zz not found")),
    ):
        with pytest.raises(HandError) as caught:
            list(hand.stream(f"{AGENT}{rpc}", body)) if rpc == "ObserveRun" else hand.call(
                f"{AGENT}{rpc}", body
            )
        assert (caught.value.status, caught.value.code) == expected[:2]
        assert expected[2] in caught.value.message


def test_a_busy_agent_refuses_a_second_prompt(start: Start) -> None:
    _, hand = start(Script([HELD]))
    for agent, code, word in (
        (hand.local(), "internal", None),
        (hand.cloud(), "failed_precondition", "SDK_ERROR_CODE_AGENT_BUSY"),
    ):
        next(hand.send(agent, "x"))
        stream = hand.send(agent, "y")
        with pytest.raises(HandError) as caught:
            next(stream)
        assert caught.value.debug is not None
        assert (caught.value.status, caught.value.code) == (200, code)
        assert caught.value.debug.get("sdkErrorCode") == word


def test_cancel_ends_the_stream_and_may_be_repeated(start: Start) -> None:
    _, hand = start(Script([HELD]))
    for agent in (hand.local(), hand.cloud()):
        stream = hand.send(agent, "x")
        run = run_id(until_text(stream)[0])
        body = {"runId": run, "agentId": agent}
        assert hand.call(f"{AGENT}CancelRun", body) == {}
        result = result_of(list(stream))
        assert result["status"] == "RUN_LIFECYCLE_STATUS_CANCELLED"
        assert hand.call(f"{AGENT}CancelRun", body) == {}
        assert ("result" in result) is agent.startswith("agent-")
    get_run(hand, run, agent)
    with pytest.raises(HandError, match=r"\[run_not_cancellable\]"):
        hand.call(f"{AGENT}CancelRun", body)


def test_a_cancel_through_a_newer_handle_ends_the_old_stream_with_its_text(start: Start) -> None:
    _, hand = start(Script([HELD]))
    agent = hand.cloud()
    stream = hand.send(agent, "x")
    run = run_id(until_text(stream)[0])
    get_run(hand, run, agent)
    hand.call(f"{AGENT}CancelRun", {"runId": run, "agentId": agent})
    frames = list(stream)
    assert kinds(frames) == ["status CANCELLED", "result", "done"]
    assert result_of(frames)["result"] == "one "


def test_closing_an_agent_ends_the_stream_of_its_cloud_run_as_an_error(start: Start) -> None:
    bridge, hand = start(Script([HELD]))
    agent = hand.cloud()
    stream = hand.send(agent, "x")
    run = run_id(until_text(stream)[0])
    hand.call(f"{AGENT}CloseAgent", {"agentId": agent})
    result = result_of(list(stream))
    assert (result["status"], "errorCode" in result) == ("RUN_LIFECYCLE_STATUS_ERROR", False)
    bridge.control.release()
    while get_run(hand, run, agent)["status"] != "RUN_LIFECYCLE_STATUS_FINISHED":
        pass


def test_closing_an_agent_leaves_the_stream_of_its_local_run_alone(start: Start) -> None:
    bridge, hand = start(Script([HELD]))
    agent = hand.local()
    stream = hand.send(agent, "x")
    until_text(stream)
    hand.call(f"{AGENT}CloseAgent", {"agentId": agent})
    bridge.control.release()
    assert result_of(list(stream))["result"] == "one two"


def test_runs_are_listed_in_pages(start: Start) -> None:
    _, hand = start(Script([Turn([Text("x")])]))
    for agent, options, order in (
        (hand.local(), {}, 1),
        (hand.cloud(), {"runtime": "RUNTIME_CLOUD", **KEY}, -1),
    ):
        made = [result_of(list(hand.send(agent, "x")))["runId"] for _ in range(3)]
        found: list[str] = []
        cursor = ""
        while True:
            page = hand.call(
                f"{AGENT}ListRuns", {"agentId": agent, "options": {**options, "limit": 2, "cursor": cursor}}
            )
            found += [row["runId"] for row in page["items"]]
            cursor = page.get("nextCursor", "")
            if not cursor:
                break
        assert found == made[::order]
        assert len(observe(hand, made[0])) > 2
