"""Custom tools that the scripted agent calls, and the state that outlives a process."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from cursor_sdk_async.testing import CallTool, Hold, Script, ScriptedBridge, Text, Turn
from tests.scripted.by_hand import AGENT, CONTROL, Hand, HandError, Json, kinds, result_of, texts

Start = Callable[..., tuple[ScriptedBridge, Hand]]
KEY = {"apiKey": "key"}


@contextmanager
def tool_server(answer: Callable[[Json], tuple[int, Any]]) -> Generator[tuple[str, list[Json], list[str]]]:
    """A server of custom tools; gives its URL, the calls and the connections they came on."""
    calls: list[Json] = []
    seen: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            assert self.headers["transfer-encoding"] == "chunked"
            body = b""
            while size := int(self.rfile.readline(), 16):
                body += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
            call = {**json.loads(body), "path": self.path, "bearer": self.headers["authorization"]}
            calls.append(call)
            seen.append(f"{self.client_address}")
            status, value = answer(call)
            data = json.dumps(value).encode() if value is not None else b"<no>"
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}", calls, seen
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def tool_results(frames: list[Json]) -> list[tuple[str, Any]]:
    """Status and result of the completed tool calls."""
    shown = [frame["sdkMessage"]["message"] for frame in frames if "sdkMessage" in frame]
    return [
        (call["status"], call["result"])
        for call in shown
        if call["type"] == "tool_call" and call["status"] != "running"
    ]


@pytest.mark.promise("DBL-10")
def test_a_custom_tool_is_called_as_the_real_bridge_does(start: Start) -> None:
    _, hand = start(
        Script(
            [
                Turn(
                    [
                        CallTool("add", {"a": 1, "b": None, "c": [-0.0, float("inf")]}),
                        CallTool("add", {}, "again"),
                    ]
                )
            ]
        )
    )
    with tool_server(lambda call: (200, {"result": {"sum": 3}})) as (url, calls, seen):
        hand.call(f"{CONTROL}SetToolCallback", {"url": url, "authToken": "secret"})
        agent = hand.local(local={"customTools": {"add": {"description": "adds"}}})
        assert tool_results(list(hand.send(agent, "x"))) == [("completed", {"sum": 3})] * 2
        hand.call(f"{CONTROL}SetToolCallback")
    assert len(agent) == 36
    assert calls[0]["path"] == "/sdk.v1.SdkCustomToolCallbackService/CallCustomTool"
    assert (calls[0]["toolName"], calls[0]["args"]) == ("add", {"a": 1, "b": None, "c": [-0.0, float("inf")]})
    assert (calls[0]["agentId"], calls[0]["bearer"]) == (agent, "Bearer secret")
    assert (calls[1]["toolCallId"], len(set(seen))) == ("again", 1)


@pytest.mark.promise("DBL-10")
def test_calls_can_come_all_at_once(start: Start) -> None:
    barrier = threading.Barrier(8)

    def answer(_: Json) -> tuple[int, Any]:
        barrier.wait(30)
        return 200, {"result": {}}

    _, hand = start(Script([Turn([CallTool("t", times=8)])]))
    with tool_server(answer) as (url, calls, _):
        hand.call(f"{CONTROL}SetToolCallback", {"url": url, "authToken": "secret"})
        assert tool_results(list(hand.send(hand.local(), "x"))) == [("completed", {})] * 8
    assert len({call["toolCallId"] for call in calls}) == 8


@pytest.mark.promise("DBL-10")
@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ('500 {"code": "internal", "message": "broke"}', "[internal] broke"),
        ("503 null", "[unavailable]"),
        ("200 {}", "no result"),
        ('200 {"result": [1]}', "no result"),
    ],
)
def test_what_a_tool_does_wrong_shows_as_an_error(start: Start, answer: str, words: str) -> None:
    _, hand = start(Script([Turn([CallTool("t")])]))
    status, _, body = answer.partition(" ")
    with tool_server(lambda _: (int(status), json.loads(body))) as (url, _, _):
        hand.call(f"{CONTROL}SetToolCallback", {"url": url, "authToken": "secret"})
        ((shown, result),) = tool_results(list(hand.send(hand.local(), "x")))
    assert shown == "error"
    assert words in result["error"]


@pytest.mark.promise("DBL-10")
def test_an_endpoint_needs_a_token_and_can_be_given_at_launch(
    start: Start, start_scripted_bridge: Callable[..., ScriptedBridge]
) -> None:
    _, hand = start(Script([Turn([CallTool("t")])]))
    with pytest.raises(HandError, match="auth_token"):
        hand.call(f"{CONTROL}SetToolCallback", {"url": "http://127.0.0.1:9"})
    assert tool_results(list(hand.send(hand.local(), "x")))[0][0] == "error"
    flags = ["--tool-callback-url", "http://127.0.0.1:9", "--tool-callback-auth-token", "-secret"]
    bridge = start_scripted_bridge(Script([Turn([CallTool("t")])]), flags=flags)
    assert bridge.control.state()["tool_callback"] == "http://127.0.0.1:9"
    frames = list(Hand(bridge.url, bridge.token).send(Hand(bridge.url, bridge.token).local(), "x"))
    assert "[unavailable]" in tool_results(frames)[0][1]["error"]


@pytest.mark.promise("DBL-11")
def test_a_later_bridge_knows_the_agents_and_goes_on_with_cloud_runs(start: Start, tmp_path: Path) -> None:
    state = tmp_path / "state.jsonl"
    script = Script([Turn([Text("one "), Hold(), Text("two")])])
    bridge, hand = start(script, state_file=state)
    cloud, local = hand.cloud(name="Sky"), hand.local()
    stream, other = hand.send(cloud, "x"), hand.send(local, "x")
    while not texts([frame := next(stream)]):
        pass
    run = frame["sdkMessage"]["message"]["run_id"]
    local_run = next(other)["sdkMessage"]["message"]["run_id"]
    while bridge.control.state()["waiting"] != {"gate": 2}:
        pass
    bridge.process.kill()
    bridge.process.wait()
    for each in (stream, other):
        each.close()  # type: ignore[attr-defined]
    bridge, hand = start(script, state_file=state)
    options = {"runtime": "RUNTIME_CLOUD", "agentId": cloud, **KEY}
    hand.call(f"{AGENT}GetRun", {"runId": run, "options": options})
    observed = hand.stream(f"{AGENT}ObserveRun", {"runId": run})
    frames = [next(observed), next(observed)]
    bridge.control.release()
    frames += observed
    rest = ["assistant", "assistant", "status FINISHED", "result", "done"]
    assert kinds(frames) == ["status RUNNING", *rest]
    assert texts(frames) == result_of(frames)["result"] == "one two"
    assert hand.call(f"{AGENT}GetAgent", {"agentId": cloud, "options": KEY})["agent"]["name"] == "Sky"
    model = {"options": {"model": {"id": "scripted"}}}
    hand.call(f"{AGENT}ResumeAgent", {"agentId": local, **model})
    with pytest.raises(HandError, match="already has active run"):
        list(hand.send(local, "y"))
    assert result_of(list(hand.send(local, "y", options={"local": {"force": True}})))["result"] == "one two"
    shown = hand.call(f"{AGENT}GetRun", {"runId": local_run})["run"]
    assert shown["errorMessage"] == "force_send"
    assert '"key"' not in state.read_text()
