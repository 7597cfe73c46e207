"""The scripted bridge beside the real one: same questions, same answers, but for ids, times and prose."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, cast

import pytest

from cursor_sdk_async.testing import (
    Artifact,
    Echo,
    Script,
    ScriptedBridge,
    Text,
    Thinking,
    ToolCall,
    Turn,
    Usage,
)
from tests.real.raw_bridge import RawBridge
from tests.rest_standin import ACCEPTED_KEY, ARTIFACTS, MODELS
from tests.scripted.by_hand import AGENT, CONTROL, CURSOR, Hand, HandError, Json, kinds

pytestmark = [pytest.mark.real_bridge, pytest.mark.promise("DBL-12")]

KEY = {"apiKey": ACCEPTED_KEY}
CLOUD = {"runtime": "RUNTIME_CLOUD", **KEY}
README = {"content": "# Demo\n", "totalLines": 1, "fileSize": 7}
SCRIPT = Script(
    [
        Turn(
            [
                Thinking("The prompt is short. "),
                Thinking("One look at the readme will do."),
                ToolCall("read", {"path": "README.md"}, {"status": "success", "value": README}),
                Text("You asked: "),
                Echo(),
                Text(". Done."),
                Usage(),
            ]
        )
    ],
    models=[{name: value for name, value in model.items() if name != "aliases"} for model in MODELS],
    artifacts=[Artifact(path, size=len(content)) for path, content in ARTIFACTS.items()],
    accepted_keys=[ACCEPTED_KEY],
)
MASKS = (
    (re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+Z"), "<time>"),
    (re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"), "<id>"),
    (re.compile(r"/tmp/\S+"), "<path>"),
)
UNLIKE = ("durationMs", "requestId", "nextCursor", "call_id", "git", "createdAt", "updatedAt", "cwd")
CALL_ID = re.compile(r'("(modelCallId|callId)": )"[^"]*"')
STRANGE = "run-11111111-1111-4111-8111-111111111111"


def masked(value: object) -> Any:
    """Without what differs from one life to the next."""
    if isinstance(value, dict):
        items = cast("Json", value).items()
        return {
            name: "<any>" if name in UNLIKE else f"<{len(item)}>" if name == "data" else masked(item)
            for name, item in items
        }
    if isinstance(value, list):
        return [masked(item) for item in cast("list[object]", value)]
    if isinstance(value, str):
        for pattern, word in MASKS:
            value = pattern.sub(word, value)
    return value


def asked(hand: Hand, rpc: str, body: Mapping[str, Any]) -> Any:
    """The answer, or what matters of the error: its prose is each bridge's own."""
    stream = rpc in (f"{AGENT}Send", f"{AGENT}ObserveRun", f"{AGENT}DownloadArtifact")
    try:
        return masked(list(hand.stream(rpc, body)) if stream else hand.call(rpc, body))
    except HandError as error:
        word = re.match(r"\[\w+\]", error.message)
        facts: Json = {"status": error.status, "code": error.code, "word": word and word.group()}
        if error.debug is not None:
            facts["debug"] = error.debug.get("sdkErrorCode", "")
            facts["keys"] = sorted(error.debug)
        return facts


@pytest.fixture(scope="module")
def both(raw_bridge: RawBridge, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Hand, Hand]]:
    """The real bridge, and the scripted one with a script that says what stands behind the real one."""
    real = Hand(raw_bridge.ready["url"], raw_bridge.token)
    with ScriptedBridge(SCRIPT, workspace=tmp_path_factory.mktemp("scripted")) as bridge:
        yield real, Hand(bridge.url, bridge.token)


def compare(both: tuple[Hand, Hand], rpc: str, *bodies: Mapping[str, Any]) -> None:
    """Ask both; two bodies are for one bridge each."""
    real, scripted = (
        asked(hand, rpc, body) for hand, body in zip(both, (bodies[0], bodies[-1]), strict=True)
    )
    assert scripted == real, rpc


def create(both: tuple[Hand, Hand], options: Json, **more: Any) -> list[str]:
    """An agent on each."""
    return [hand.call(f"{AGENT}CreateAgent", {"options": options, **more})["agentId"] for hand in both]


@pytest.mark.parametrize(
    ("rpc", "body"),
    [
        (f"{CONTROL}Ping", {}),
        (f"{CONTROL}GetVersion", {}),
        (f"{CONTROL}SetToolCallback", {"url": "http://127.0.0.1:1"}),
        (f"{CURSOR}Me", {}),
        (f"{CURSOR}Me", {"options": {"apiKey": "bad"}}),
        (f"{CURSOR}ListModels", {"options": KEY}),
        (f"{CURSOR}ListRepositories", {"options": KEY}),
        (f"{AGENT}CreateAgent", {}),
        (f"{AGENT}CreateAgent", {"options": {"model": {"id": "nope"}, **KEY}}),
        (f"{AGENT}CreateAgent", {"options": {"model": {"id": "plain-1"}, **KEY}}),
        (f"{AGENT}CreateAgent", {"options": KEY, "idempotencyKey": "x"}),
        (f"{AGENT}CreateAgent", {"options": {"cloud": {}}}),
        (f"{AGENT}CreateAgent", {"options": {"cloud": {}, "model": {"id": "nope"}, **KEY}}),
        (f"{AGENT}CreateAgent", {"options": {"cloud": {"envVars": {"CURSOR_A": "1"}}, **KEY}}),
        (f"{AGENT}CreateAgent", {"options": {"cloud": {"envVars": {"A": "1"}}, "agentId": "bc-1", **KEY}}),
        (f"{AGENT}CreateAgent", {"options": {"cloud": {}, "tools": {}, **KEY}}),
        (f"{AGENT}CreateAgent", {"options": {"cloud": {}, "local": {"customTools": {"t": {}}}, **KEY}}),
        (f"{AGENT}CreateAgent", {"options": {"local": {"customTools": {"t": {}}}, **KEY}}),
        (f"{AGENT}GetAgent", {"agentId": "agent-zz"}),
        (f"{AGENT}GetAgent", {"agentId": "bc-zz"}),
        (f"{AGENT}GetAgent", {"agentId": "bc-zz", "options": KEY}),
        (f"{AGENT}ListAgents", {"options": {"limit": 1, "cursor": "garbage"}}),
        (f"{AGENT}ListAgents", {"options": {"runtime": "RUNTIME_CLOUD"}}),
        (f"{AGENT}ListAgents", {"options": {"limit": 101, **CLOUD}}),
        (f"{AGENT}ListRuns", {"agentId": "agent-zz"}),
        (f"{AGENT}ResumeAgent", {"agentId": "agent-zz"}),
        (f"{AGENT}ResumeAgent", {"agentId": "bc-1"}),
        (f"{AGENT}ResumeAgent", {"agentId": "bc-1", "options": KEY}),
        (f"{AGENT}CloseAgent", {"agentId": "zz"}),
        (f"{AGENT}ReloadAgent", {"agentId": "zz"}),
        (f"{AGENT}ArchiveAgent", {"agentId": "agent-zz"}),
        (f"{AGENT}DeleteAgent", {"agentId": "agent-zz"}),
        (f"{AGENT}ArchiveAgent", {"agentId": "bc-zz", "options": KEY}),
        (f"{AGENT}ListAgentMessages", {"agentId": "bc-zz"}),
        (f"{AGENT}GetUsage", {"agentId": "zz"}),
        (f"{AGENT}ListArtifacts", {"agentId": "zz"}),
        (f"{AGENT}DownloadArtifact", {"agentId": "zz", "path": "x"}),
        (f"{AGENT}WaitLiveRun", {"runId": "zz"}),
        (f"{AGENT}GetRunConversation", {"runId": "zz"}),
        (f"{AGENT}GetRun", {"runId": "zz"}),
        (f"{AGENT}GetRun", {"runId": "zz", "options": {"runtime": "RUNTIME_CLOUD"}}),
        (f"{AGENT}GetRun", {"runId": "zz", "options": {"agentId": "bc-1", **CLOUD}}),
        (f"{AGENT}GetRun", {"runId": STRANGE, "options": {"agentId": "bc-1", **CLOUD}}),
        (f"{AGENT}GetRun", {"runId": STRANGE, "options": {"agentId": STRANGE.replace("run", "bc"), **CLOUD}}),
        (f"{AGENT}ObserveRun", {"runId": "zz"}),
        (f"{AGENT}CancelRun", {"runId": "zz"}),
        (f"{AGENT}CancelRun", {"runId": "zz", "agentId": "bc-1"}),
        (f"{AGENT}CancelRun", {"runId": STRANGE, "agentId": STRANGE.replace("run", "bc")}),
        (f"{AGENT}Send", {"agentId": "zz", "message": {"text": "x"}}),
    ],
)
def test_single_questions_have_the_same_answer(both: tuple[Hand, Hand], rpc: str, body: Json) -> None:
    compare(both, rpc, body)


def test_local_agents_behave_the_same(both: tuple[Hand, Hand]) -> None:
    one, two = create(both, {"name": "Nice", "model": {"id": "plain-1"}, **KEY})
    here, there = {"agentId": one}, {"agentId": two}
    compare(both, f"{AGENT}DeleteAgent", here, there)
    for rpc in ("GetAgent", "ListRuns", "ListAgentMessages", "ListArtifacts", "ReloadAgent"):
        compare(both, f"{AGENT}{rpc}", here, there)
    compare(both, f"{AGENT}CreateAgent", {"options": {**here, **KEY}}, {"options": {**there, **KEY}})
    compare(both, f"{AGENT}DownloadArtifact", {**here, "path": "x"}, {**there, "path": "x"})
    bare = create(both, KEY)
    for extra in (
        {},
        {"idempotencyKey": "k"},
        {"message": {"images": [{"url": {"url": "http://x/y.png"}}]}},
        {"options": {"cloud": {"envVars": {"A": "1"}}}},
    ):
        compare(both, f"{AGENT}Send", *({"agentId": agent, **extra} for agent in bare))
    for rpc in ("ArchiveAgent", "GetAgent", "UnarchiveAgent", "GetAgent", "CloseAgent", "CloseAgent"):
        compare(both, f"{AGENT}{rpc}", here, there)
    model = {"options": {"model": {"id": "plain-1"}, **KEY}}
    compare(both, f"{AGENT}ResumeAgent", {**here, **model}, {**there, **model})
    compare(both, f"{AGENT}Send", {**here, "message": {"text": "x"}}, {**there, "message": {"text": "x"}})
    for rpc in ("DeleteAgent", "GetAgent", "DeleteAgent"):
        compare(both, f"{AGENT}{rpc}", here, there)


def test_cloud_runs_look_the_same(both: tuple[Hand, Hand]) -> None:
    options = {"cloud": {"metadata": {"a": "b"}}, "name": "Sky", "model": {"id": "plain-1"}, **KEY}
    agents = create(both, options)
    bodies: list[Json] = [{"agentId": agent, "options": KEY} for agent in agents]
    for rpc in ("GetAgent", "ListArtifacts", "GetUsage"):
        compare(both, f"{AGENT}{rpc}", *bodies)
    sent = [{"agentId": agent, "message": {"text": "x"}} for agent in agents]
    streams = [list(hand.stream(f"{AGENT}Send", body)) for hand, body in zip(both, sent, strict=True)]
    assert masked(streams[1]) == masked(streams[0])
    runs: list[Json] = [{"runId": frames[-1]["done"]["runId"]} for frames in streams]
    for rpc in ("ObserveRun", "WaitLiveRun"):
        compare(both, f"{AGENT}{rpc}", *runs)
    compare(both, f"{AGENT}ObserveRun", *({**run, "afterOffset": "3"} for run in runs))
    of_agents: list[Json] = [{"agentId": agent, "options": CLOUD} for agent in agents]
    compare(both, f"{AGENT}ListRuns", *of_agents)
    compare(both, f"{AGENT}ObserveRun", *({**run, "afterOffset": "2"} for run in runs))
    compare(both, f"{AGENT}GetRun", *({**run, **body} for run, body in zip(runs, fetch(agents), strict=True)))
    compare(both, f"{AGENT}CancelRun", *runs)
    for rpc in ("GetAgent", "GetUsage", "ListArtifacts"):
        compare(both, f"{AGENT}{rpc}", *bodies)
    compare(both, f"{AGENT}GetUsage", *({**body, "runId": "zz"} for body in bodies))
    for path in (*ARTIFACTS, "nope"):
        compare(both, f"{AGENT}DownloadArtifact", *({**body, "path": path} for body in bodies))
    compare(both, f"{AGENT}ArchiveAgent", *bodies)
    compare(both, f"{AGENT}Send", *sent)
    compare(both, f"{AGENT}GetAgent", *bodies)
    compare(both, f"{AGENT}DeleteAgent", *bodies)
    for rpc in ("GetAgent", "DeleteAgent", "CloseAgent"):
        compare(both, f"{AGENT}{rpc}", *bodies)


def fetch(agents: list[str]) -> list[Json]:
    """The options of GetRun."""
    return [{"options": {"agentId": agent, **CLOUD}} for agent in agents]


def test_deltas_and_steps_are_the_same_but_for_their_order(both: tuple[Hand, Hand]) -> None:
    agents = create(both, {"cloud": {}, **KEY})
    options = {"enableDeltas": True, "enableSteps": True}
    found: list[list[Any]] = []
    for hand, agent in zip(both, agents, strict=True):
        frames = list(hand.send(agent, "x", options=options))
        assert [frame["offset"] for frame in frames] == [str(number + 1) for number in range(len(frames))]
        arms = [{name: value for name, value in frame.items() if name != "offset"} for frame in frames]
        # The stand-in of the service says when steps begin; the scripted bridge counts no time of thinking.
        left_out = ("step-started", "step-completed", "thinking-completed")
        kept = [masked(arm) for arm, kind in zip(arms, kinds(frames), strict=True) if kind not in left_out]
        found.append(sorted(CALL_ID.sub(r"\1", json.dumps(arm, sort_keys=True)) for arm in kept))
    assert found[1] == found[0]


@pytest.mark.parametrize(
    ("method", "path", "content_type", "body"),
    [
        ("POST", "/nope", "application/json", b"{}"),
        ("GET", "/nope", "", b""),
        ("GET", f"/sdk.v1.{CONTROL}Ping", "", b""),
        ("PUT", f"/sdk.v1.{CONTROL}Ping", "application/json", b"{}"),
        ("POST", f"/sdk.v1.{CONTROL}Ping?x=1", "application/json", b"{}"),
        ("POST", f"/sdk.v1.{CONTROL}Ping", "application/json; charset=utf-8", b"{}"),
        ("POST", f"/sdk.v1.{CONTROL}Ping", "application/json", b""),
        ("POST", f"/sdk.v1.{CONTROL}Ping", "application/proto", b""),
        ("POST", f"/sdk.v1.{CONTROL}Ping", "application/json", b"[]"),
        ("POST", f"/sdk.v1.{CONTROL}Ping", "text/plain", b"{}"),
        ("POST", f"/sdk.v1.{CONTROL}Ping", "application/connect+json", b"{}"),
        ("POST", f"/sdk.v1.{AGENT}Send", "application/json", b"{}"),
        ("POST", f"/sdk.v1.{AGENT}Send", "application/connect+json", b""),
        ("POST", f"/sdk.v1.{AGENT}Send", "application/connect+json", b"\0\0\0\0\2{}"),
        ("POST", f"/sdk.v1.{AGENT}Send", "application/connect+proto", b"\0\0\0\0\0"),
    ],
)
def test_http_looks_the_same(
    both: tuple[Hand, Hand], method: str, path: str, content_type: str, body: bytes
) -> None:
    found: list[Any] = []
    for hand in both:
        connection = hand.connect()
        headers = {"authorization": f"Bearer {hand.token}"}
        connection.request(
            method, path, body, {**headers, "content-type": content_type} if content_type else headers
        )
        response = connection.getresponse()
        named = {name.lower(): value for name, value in response.getheaders() if name != "Date"}
        data = response.read()
        connection.close()
        found.append((response.status, named, data))
    assert found[1] == found[0]
