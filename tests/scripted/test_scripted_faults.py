"""Faults: of the process, of calls, of streams; each can be switched on, and ends when it should."""

from __future__ import annotations

import http.client
import json
import os
import signal
import struct
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from cursor_sdk_async._connect._methods import METHODS
from cursor_sdk_async.testing import (
    CallFault,
    Exit,
    Faults,
    Hold,
    ProcessFaults,
    RawFrame,
    Script,
    ScriptedBridge,
    Stderr,
    StreamFault,
    Text,
    Turn,
    scripted_bridge_command,
    write_launcher,
)
from tests.scripted.by_hand import AGENT, CONTROL, Hand, HandError, Json, envelopes, kinds, result_of

Start = Callable[..., tuple[ScriptedBridge, Hand]]
StartOne = Callable[..., ScriptedBridge]
SHORT = Script([Turn([Text("one"), Text("two")])])
READY = b"cursor-sdk-bridge ready "
SECONDS = 30.0


def ran(faults: ProcessFaults, workspace: Path) -> tuple[int, bytes, bytes]:
    """Exit code, stdout and stderr of a bridge that ends by itself."""
    command = scripted_bridge_command(faults=Faults(faults))
    env = {**os.environ, "TMPDIR": str(workspace)}
    done = subprocess.run(command, capture_output=True, cwd=workspace, env=env, timeout=SECONDS, check=False)
    return done.returncode, done.stdout, done.stderr


def streamed(*faults: StreamFault) -> Faults:
    return Faults(streams=faults)


@pytest.mark.promise("DBL-06")
def test_noise_surrounds_the_ready_line(tmp_path: Path) -> None:
    faults = ProcessFaults(
        stderr_before=200_000,
        stderr_same_line=1000,
        stderr_after=100_000,
        stdout=50_000,
        crlf=True,
        fragments=7,
        exit_after_ready=3,
    )
    code, out, errors = ran(faults, tmp_path)
    assert (code, len(out), errors.count(READY)) == (3, 50_000, 1)
    (line,) = (one for one in errors.split(b"\n") if READY in one)
    assert line.startswith(b"." * 1000)
    assert line.endswith(b"\r")
    assert json.loads(line.partition(READY)[2])["schemaVersion"] == 1
    before, _, after = errors.partition(line)
    assert (len(before), len(after) - 1) == (200_000, 100_000)


@pytest.mark.promise("DBL-06")
def test_it_can_end_before_it_is_ready_or_say_something_else(tmp_path: Path) -> None:
    code, _, errors = ran(ProcessFaults(exit_before_ready=5, stderr_before=300), tmp_path)
    assert code == 5
    assert b"failed: Error" in errors
    assert READY not in errors
    faults = ProcessFaults(ready_line="cursor-sdk-bridge ready {bad", exit_after_ready=0)
    assert ran(faults, tmp_path) == (0, b"", b"cursor-sdk-bridge ready {bad\n")


@pytest.mark.promise("DBL-06")
def test_it_can_be_silent_and_then_die(tmp_path: Path) -> None:
    code, _, errors = ran(ProcessFaults(never_ready=True, crash_after_seconds=0.01), tmp_path)
    assert (code, errors) == (-signal.SIGKILL, b"")


@pytest.mark.promise("DBL-06")
def test_it_can_ignore_every_request_to_end(start_scripted_bridge: StartOne) -> None:
    faults = ProcessFaults(ignore_sigterm=True, ignore_shutdown=True)
    bridge = start_scripted_bridge(faults=Faults(faults))
    hand = Hand(bridge.url, bridge.token)
    bridge.process.send_signal(signal.SIGTERM)
    bridge.process.send_signal(signal.SIGINT)
    assert hand.call(f"{CONTROL}Shutdown") == {}
    assert hand.call(f"{CONTROL}Ping") == {"message": "pong"}


@pytest.mark.promise("DBL-06")
def test_it_can_take_its_time_to_clean_up(start_scripted_bridge: StartOne, tmp_path: Path) -> None:
    marker = tmp_path / "marker"
    faults = ProcessFaults(cleanup_seconds=0.1, cleanup_marker=str(marker))
    bridge = start_scripted_bridge(faults=Faults(faults))
    assert bridge.terminate() == 0
    assert marker.read_text() == "clean\n"


@pytest.mark.promise("DBL-06")
def test_it_can_stop_itself_and_leave_a_grandchild(start_scripted_bridge: StartOne) -> None:
    bridge = start_scripted_bridge(faults=Faults(ProcessFaults(stop=True, grandchild=True)))
    pid = bridge.process.pid
    while "T" not in Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]:
        pass
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    assert len(children) == 1
    bridge.process.kill()
    subprocess.run(["kill", *children], check=True)


@pytest.mark.promise("DBL-06")
@pytest.mark.parametrize(("replace", "children"), [(False, 1), (True, 0)])
def test_a_launcher_starts_it_as_a_child_or_gives_way_to_it(
    tmp_path: Path, replace: bool, children: int
) -> None:
    launcher = write_launcher(tmp_path / "launcher", scripted_bridge_command(), replace=replace)
    env = {**os.environ, "TMPDIR": str(tmp_path)}
    command = [str(launcher), "--workspace", str(tmp_path)]
    with subprocess.Popen(command, env=env, stderr=subprocess.PIPE) as process:
        assert process.stderr is not None
        ready = json.loads(process.stderr.readline().partition(READY)[2])
        assert (ready["pid"] != process.pid) is bool(children)
        assert ready["workspaceRef"] == str(tmp_path)
        subprocess.run(["kill", str(ready["pid"])], check=True)
        assert process.wait(SECONDS) == 0


@pytest.mark.promise("DBL-06")
def test_it_can_drop_connections_and_go_on(start_scripted_bridge: StartOne) -> None:
    bridge = start_scripted_bridge(faults=Faults(ProcessFaults(drop_connections=2)))
    hand = Hand(bridge.url, bridge.token)
    for _ in range(2):
        with pytest.raises((OSError, http.client.HTTPException)):
            hand.call(f"{CONTROL}Ping")
    assert hand.call(f"{CONTROL}Ping") == {"message": "pong"}


@pytest.mark.promise("DBL-06")
def test_a_run_can_flood_stderr_or_end_the_process(start_scripted_bridge: StartOne) -> None:
    bridge = start_scripted_bridge(Script([Turn([Stderr(5000), Text("one"), Exit(7)])]))
    hand = Hand(bridge.url, bridge.token)
    with pytest.raises((OSError, http.client.HTTPException, EOFError)):
        list(hand.send(hand.local(), "x"))
    assert bridge.process.wait(SECONDS) == 7
    assert bridge.process.stderr is not None
    assert len(bridge.process.stderr.read()) == 5000


@pytest.mark.promise("DBL-07")
def test_a_call_can_fail_as_often_as_asked(start: Start) -> None:
    fault = CallFault(
        "Ping",
        times=2,
        skip=1,
        code="resource_exhausted",
        message="slow down",
        sdk_code="RATE_LIMIT_EXCEEDED",
        details={"retryAfter": "7s", "requestId": "req-1"},
        debug=False,
    )
    _, hand = start(faults=Faults(calls=[fault]))
    assert hand.call(f"{CONTROL}Ping")
    for _ in range(2):
        with pytest.raises(HandError) as caught:
            hand.call(f"{CONTROL}Ping")
        assert (caught.value.status, caught.value.code) == (429, "resource_exhausted")
        assert set(caught.value.error["details"][0]) == {"type", "value"}
    assert hand.call(f"{CONTROL}Ping")


@pytest.mark.promise("DBL-07")
def test_a_stream_can_be_refused_at_its_opening(start: Start) -> None:
    _, hand = start(SHORT, Faults(calls=[CallFault("Send", times=1, code="unauthenticated")]))
    agent = hand.local()
    with pytest.raises(HandError) as caught:
        list(hand.send(agent, "x"))
    assert (caught.value.status, caught.value.code, caught.value.debug) == (200, "unauthenticated", None)
    assert result_of(list(hand.send(agent, "x")))["result"] == "onetwo"


@pytest.mark.promise("DBL-07")
def test_an_answer_can_come_from_something_else(start_scripted_bridge: StartOne) -> None:
    bridge = start_scripted_bridge(
        faults=Faults(calls=[CallFault("*", "status", headers={"retry-after": "3"})])
    )
    hand = Hand(bridge.url, bridge.token)
    connection = hand.connect()
    response = hand.post(connection, METHODS[f"{CONTROL}Ping"], b"{}")
    assert (response.status, response.headers["content-type"]) == (502, "text/html")
    assert response.headers["retry-after"] == "3"
    assert b"<html>" in response.read()
    connection.close()


@pytest.mark.promise("DBL-07")
@pytest.mark.parametrize(("kind", "handled"), [("drop", 0), ("drop_after", 1), ("half", 1)])
def test_an_answer_can_be_lost_with_or_without_its_effect(
    start_scripted_bridge: StartOne, kind: str, handled: int
) -> None:
    bridge = start_scripted_bridge(faults=Faults(calls=[CallFault("CreateAgent", kind, times=1)]))  # type: ignore[arg-type]
    hand = Hand(bridge.url, bridge.token)
    with pytest.raises((OSError, http.client.HTTPException)):
        hand.local()
    assert len(bridge.control.state()["open_agents"]) == handled
    assert len(bridge.control.requests("CreateAgent")) == 1
    assert hand.local()


@pytest.mark.promise("DBL-07")
@pytest.mark.parametrize("kind", ["slow", "slow_answer", "silence"])
def test_an_answer_can_be_late_or_never_come(start_scripted_bridge: StartOne, kind: str) -> None:
    fault = CallFault("CreateAgent", kind, seconds=0.01)  # type: ignore[arg-type]
    bridge = start_scripted_bridge(faults=Faults(calls=[fault]))
    hand = Hand(bridge.url, bridge.token)
    if kind != "silence":
        assert hand.local()
        return
    connection = hand.connect()
    connection.connect()
    method = METHODS[f"{AGENT}CreateAgent"]
    connection.sock.settimeout(0.2)
    with pytest.raises(TimeoutError):
        hand.post(connection, method, b"{}")
    connection.close()


@pytest.mark.promise("DBL-07")
def test_an_answer_can_be_garbage_and_a_call_deadly(start_scripted_bridge: StartOne) -> None:
    bridge = start_scripted_bridge(
        faults=Faults(calls=[CallFault("Ping", "garbage"), CallFault("Me", "crash")])
    )
    hand = Hand(bridge.url, bridge.token)
    with pytest.raises(ValueError):
        hand.call(f"{CONTROL}Ping")
    with pytest.raises((OSError, http.client.HTTPException)):
        hand.call("SdkCursorService/Me")
    assert bridge.process.wait(SECONDS) == -signal.SIGKILL


@pytest.mark.promise("DBL-08")
@pytest.mark.parametrize(
    ("fault", "error"),
    [
        (StreamFault("cut", 3), (OSError, http.client.HTTPException)),
        (StreamFault("cut", 1), (OSError, http.client.HTTPException)),
        (StreamFault("no_end", 3), EOFError),
        (StreamFault("no_end", 1), EOFError),
        (StreamFault("half_header", 3), EOFError),
        (StreamFault("half_frame", 3), EOFError),
        (StreamFault("half_frame", 3, abort=True), (OSError, http.client.HTTPException)),
        (StreamFault("error_end", 3, code="resource_exhausted"), HandError),
        (StreamFault("bad_end", 3), ValueError),
        (StreamFault("garbage", 3), Exception),
        (StreamFault("crash", 3), (OSError, http.client.HTTPException)),
    ],
)
def test_a_stream_can_break_at_a_frame(
    start: Start, fault: StreamFault, error: type[Exception] | tuple[type[Exception], ...]
) -> None:
    _, hand = start(SHORT, streamed(fault))
    agent = hand.local()
    got: list[Json] = []
    with pytest.raises(error):
        for frame in hand.send(agent, "x"):
            got.append(frame)
    assert [frame["offset"] for frame in got] == ["1", "2"][: fault.frame - 1]


@pytest.mark.promise("DBL-08")
def test_a_stream_can_come_apart_and_together(start: Start) -> None:
    for kind in ("bytes", "coalesce"):
        _, hand = start(SHORT, streamed(StreamFault(kind)))
        assert result_of(list(hand.send(hand.local(), "x")))["result"] == "onetwo"


@pytest.mark.promise("DBL-08")
def test_frames_can_be_repeated_renumbered_and_lost(start: Start) -> None:
    bridge, hand = start(SHORT, streamed(StreamFault("repeat", 2), StreamFault("renumber", 4)))
    offsets = [frame["offset"] for frame in hand.send(hand.local(), "x")]
    assert offsets == ["1", "2", "2", "3", "1", "2", "3"]
    bridge.control.set_faults(streamed(StreamFault("lose_result")))
    frames = list(hand.send(hand.local(), "x"))
    assert kinds(frames)[-1] == "status FINISHED"
    bridge.control.set_faults(streamed(StreamFault("unknown_status", times=1)))
    assert result_of(list(hand.send(hand.local(), "x")))["status"] == 99
    assert result_of(list(hand.send(hand.local(), "x")))["status"] == "RUN_LIFECYCLE_STATUS_FINISHED"


@pytest.mark.promise("DBL-08")
def test_envelopes_can_lie(start_scripted_bridge: StartOne) -> None:
    faults = streamed(StreamFault("content_type"), StreamFault("compressed", 1), StreamFault("after_end"))
    script = Script([Turn([RawFrame(b"raw", 4), Text("one")])])
    bridge = start_scripted_bridge(script, faults)
    hand = Hand(bridge.url, bridge.token)
    connection, send = hand.connect(), METHODS[f"{AGENT}Send"]
    payload = hand.encode(send, {"agentId": hand.local(), "message": {"text": "x"}})
    request = struct.pack(">BI", 0, len(payload)) + payload
    response = hand.post(connection, send, request)
    assert response.headers["content-type"] == "text/html"
    found = list(envelopes(response))
    assert [flags for flags, _ in found] == [1, 4, 0, 0, 0, 0, 2, 0]
    assert found[1][1] == b"raw"
    bridge.control.set_faults(streamed(StreamFault("length", 2)))
    response = hand.post(connection, send, request)
    next(envelopes(response))
    assert response.read(5) == b"\0\xff\xff\xff\xff"
    response.close()
    connection.close()


@pytest.mark.promise("DBL-08")
def test_a_stream_can_fall_silent_without_headers(start_scripted_bridge: StartOne) -> None:
    bridge = start_scripted_bridge(SHORT, streamed(StreamFault("silence", 1, rpc="Send")))
    hand = Hand(bridge.url, bridge.token)
    agent = hand.local()
    connection, send = hand.connect(), METHODS[f"{AGENT}Send"]
    payload = hand.encode(send, {"agentId": agent, "message": {"text": "x"}})
    connection.connect()
    connection.sock.settimeout(0.2)
    with pytest.raises(TimeoutError):
        hand.post(connection, send, struct.pack(">BI", 0, len(payload)) + payload)
    connection.close()
    (request,) = bridge.control.requests("Send")
    assert request["body"]["message"] == {"text": "x"}


@pytest.mark.promise("DBL-09")
def test_a_test_can_look_in_and_steer(start: Start) -> None:
    bridge, hand = start(Script([Turn([Text("a"), Hold("door"), Text("b")])]))
    control = bridge.control
    agent = hand.local(apiKey="key-of-the-agent")
    stream = hand.send(agent, "x", options={"local": {"force": False}})
    next(stream)
    while control.state()["waiting"] != {"door": 1}:
        pass
    state = control.state()
    assert (state["open_streams"], state["open_agents"], len(state["live_runs"])) == (1, [agent], 1)
    created, sent = control.requests()
    assert (created["rpc"], created["codec"], sent["rpc"]) == ("CreateAgent", hand.codec, "Send")
    assert created["body"]["options"]["apiKey"] == "key-of-the-agent"
    assert "authorization" not in created["headers"]
    assert bridge.token not in json.dumps([created, sent])
    control.release("door")
    assert result_of(list(stream))["result"] == "ab"
    control.forget()
    assert control.requests() == []
    control.set_script(Script([Turn([Text("new")])]))
    assert result_of(list(hand.send(agent, "x")))["result"] == "new"
    stranger = type(control)(bridge.url, "wrong")
    with pytest.raises(RuntimeError, match="401"):
        stranger.state()
