"""The process: start, ready line, token, signals, shutdown."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from cursor_sdk_async.testing import Hold, Script, ScriptedBridge, Text, Turn, scripted_bridge_command
from tests.scripted.by_hand import AGENT, CONTROL, Hand, result_of

pytestmark = pytest.mark.promise("DBL-01")

Start = Callable[..., tuple[ScriptedBridge, Hand]]
HELD = Script([Turn([Text("one"), Hold()])])


def held_stream(bridge: ScriptedBridge) -> tuple[Hand, list[dict[str, object]], object]:
    """A client, and a stream that waits."""
    hand = Hand(bridge.url, bridge.token)
    stream = hand.send(hand.local(), "go")
    return hand, [next(stream), next(stream)], stream


def test_the_ready_line_and_the_token_file_are_as_the_real_ones(
    start_scripted_bridge: Callable[..., ScriptedBridge], tmp_path: Path
) -> None:
    bridge = start_scripted_bridge(
        flags=["--max-concurrent-agents", "3", "--state-root", "/nowhere"], env={"TMPDIR": str(tmp_path)}
    )
    ready = bridge.ready
    token_file = Path(ready["authTokenFile"])
    assert ready["schemaVersion"] == 1
    assert (ready["transport"], ready["protocol"], ready["pid"]) == ("tcp", "connect", bridge.process.pid)
    assert (ready["workspaceRef"], ready["stateRoot"]) == (str(tmp_path), "/nowhere")
    assert (ready["maxConcurrentAgents"], "maxMessageBytes" in ready) == (3, False)
    assert ready["url"] == f"http://127.0.0.1:{ready['port']}"
    assert token_file.parent.parent == tmp_path
    assert token_file.parent.name.startswith("cursor-sdk-bridge-")
    assert stat.S_IMODE(token_file.stat().st_mode) == 0o600
    assert stat.S_IMODE(token_file.parent.stat().st_mode) == 0o700
    assert len(bridge.token) == 43
    assert "authToken" not in ready


def test_it_can_be_run_as_a_module() -> None:
    command = scripted_bridge_command()
    ran = subprocess.run(
        [command[0], "-m", "cursor_sdk_async.testing.bridge", "--help"],
        capture_output=True,
        text=True,
        check=True,
        timeout=30,
    )
    assert "--workspace" in ran.stdout
    assert ran.stderr == ""


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--nonsense"], "Unknown argument: --nonsense"),
        (["--port"], "Missing value for --port"),
        (["--port", "99999"], "--port"),
        (["--host", "0.0.0.0"], "--host"),
        (["--max-message-bytes", "0"], "--max-message-bytes"),
        (["--tool-callback-url", "http://127.0.0.1:1"], "belong together"),
        (["--script", "{}"], "--script"),
        (["--faults", '{"do":"Faults","process":{"do":"ProcessFaults","zzz":1}}'], "zzz"),
    ],
)
def test_a_wrong_command_line_is_fatal(arguments: list[str], message: str) -> None:
    ran = subprocess.run(
        [*scripted_bridge_command(), *arguments], capture_output=True, text=True, check=False, timeout=30
    )
    assert ran.returncode == 1
    assert ran.stderr.startswith("cursor-sdk-bridge failed: Error: ")
    assert message in ran.stderr


def test_a_module_in_the_workspace_changes_nothing(
    start_scripted_bridge: Callable[..., ScriptedBridge], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "json.py").write_text("raise SystemExit('shadowed')")
    monkeypatch.chdir(tmp_path)
    assert start_scripted_bridge().control.state()["open_agents"] == []


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_an_idle_bridge_with_zero(
    scripted_bridge: ScriptedBridge, number: signal.Signals
) -> None:
    scripted_bridge.process.send_signal(number)
    _, errors = scripted_bridge.process.communicate(timeout=30)
    assert scripted_bridge.process.returncode == 0
    assert errors.decode() == f"cursor-sdk-bridge {number.name} received, shutting down\n"


def test_an_open_stream_holds_up_the_end_until_it_ends(
    start_scripted_bridge: Callable[..., ScriptedBridge],
) -> None:
    bridge = start_scripted_bridge(HELD)
    hand = Hand(bridge.url, bridge.token)
    stream = hand.send(hand.local(), "go")
    first = next(stream)
    control = hand.connect()
    control.connect()
    bridge.process.send_signal(signal.SIGTERM)
    assert bridge.process.stderr is not None
    assert b"shutting down" in bridge.process.stderr.readline()
    with pytest.raises(OSError, match=r"refused|reset"):
        hand.call(f"{CONTROL}Ping")
    assert bridge.process.poll() is None
    # Busy connections go on, idle ones were closed: so the run is released by the end of its stream's client.
    assert first["sdkMessage"]["type"] == "status"
    stream.close()  # type: ignore[attr-defined]
    assert bridge.process.wait(30) == 0
    control.close()


def test_a_second_signal_ends_it_at_once(start_scripted_bridge: Callable[..., ScriptedBridge]) -> None:
    bridge = start_scripted_bridge(HELD)
    hand, _, stream = held_stream(bridge)
    bridge.process.send_signal(signal.SIGTERM)
    assert bridge.process.stderr is not None
    bridge.process.stderr.readline()
    bridge.process.send_signal(signal.SIGTERM)
    assert bridge.process.wait(30) == -signal.SIGTERM
    del hand, stream


def test_shutdown_is_answered_and_ends_it_after_the_last_stream(start: Start) -> None:
    bridge, hand = start(HELD)
    agent = hand.local()
    stream = hand.send(agent, "go")
    next(stream)
    assert hand.call(f"{CONTROL}Shutdown", {"graceSeconds": 0}) == {}
    with pytest.raises(OSError, match=r"refused|reset"):
        while True:  # until the listener is closed
            hand.call(f"{CONTROL}Ping")
    assert bridge.process.poll() is None
    bridge.process.send_signal(signal.SIGTERM)
    assert bridge.process.wait(30) == 1
    assert bridge.process.stderr is not None
    assert b"ERR_SERVER_NOT_RUNNING" in bridge.process.stderr.read()


def test_requests_are_served_until_the_grace_is_over(start: Start) -> None:
    bridge, hand = start(HELD)
    agent = hand.local()
    stream = hand.send(agent, "go")
    next(stream)
    hand.call(f"{CONTROL}Shutdown", {"graceSeconds": 1})
    bridge.control.release()
    assert result_of(list(stream))["result"] == "one"
    assert hand.call(f"{CONTROL}Ping") == {"message": "pong"}
    assert bridge.process.wait(30) == 0
    assert bridge.process.stderr is not None
    assert bridge.process.stderr.read() == b""


def test_verbose_lines_tell_of_calls_and_streams(
    start_scripted_bridge: Callable[..., ScriptedBridge],
) -> None:
    bridge = start_scripted_bridge(Script([Turn([Text("one")])]), flags=["--verbose"])
    hand = Hand(bridge.url, bridge.token)
    list(hand.send(hand.local(), "go"))
    with pytest.raises(Exception, match="Unknown agent"):
        hand.call(f"{AGENT}CloseAgent", {"agentId": "zz"})
    bridge.process.send_signal(signal.SIGKILL)
    _, data = bridge.process.communicate(timeout=30)
    lines = data.decode().splitlines()
    assert lines[0].startswith("cursor-sdk-bridge rpc sdk.v1.SdkAgentService/CreateAgent start")
    assert any("/Send stream end 5 messages" in line for line in lines)
    assert any('code=not_found message="Unknown agent: zz"' in line for line in lines)


def test_a_closed_stderr_ends_it_at_its_next_line(
    start_scripted_bridge: Callable[..., ScriptedBridge],
) -> None:
    bridge = start_scripted_bridge(flags=["--verbose"])
    assert bridge.process.stderr is not None
    bridge.process.stderr.close()
    with pytest.raises((OSError, EOFError)):
        Hand(bridge.url, bridge.token).call(f"{CONTROL}Ping")
    assert bridge.process.wait(30) == 1
    bridge.process.stderr = None


def test_an_address_of_ipv6_is_written_in_brackets(
    start_scripted_bridge: Callable[..., ScriptedBridge],
) -> None:
    if not os.path.exists("/proc/net/if_inet6"):
        pytest.skip("no IPv6 here")
    bridge = start_scripted_bridge(flags=["--host", "::1"])
    assert bridge.url.startswith("http://[::1]:")
    assert Hand(bridge.url, bridge.token).call(f"{CONTROL}Ping") == {"message": "pong"}
