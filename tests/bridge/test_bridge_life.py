"""Launching, being alive, dying."""

from __future__ import annotations

import copy
import logging
import os
import pickle
import signal
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

import anyio
import pytest

from cursor_sdk_async.bridge import AsyncBridge
from cursor_sdk_async.errors import (
    BridgeExitedError,
    BridgeNotFoundError,
    BridgeStartError,
    ConfigurationError,
)
from tests.bridge.helpers import (
    gone,
    is_running,
    launch,
    nothing_left,
    session,
    token_folders,
    until,
    write_wrapper,
)

pytestmark = pytest.mark.anyio


@pytest.mark.promise("BRG-01")
class TestOpening:
    async def test_it_can_be_entered(self) -> None:
        async with launch() as bridge:
            assert bridge.is_alive()
            assert bridge.version == "child"
            assert bridge.pid is not None
            assert is_running(bridge.pid)
            assert bridge.process.returncode is None
        assert not bridge.is_alive()
        await gone(bridge.process.pid)

    async def test_it_can_be_awaited_and_closed(self) -> None:
        bridge = await launch()
        await bridge.close()
        await gone(bridge.process.pid)

    async def test_it_can_be_awaited_and_entered(self) -> None:
        async with await launch() as bridge:
            assert bridge.is_alive()

    async def test_it_is_a_coroutine_for_task_groups(self) -> None:
        opening = launch()
        assert isinstance(opening, Coroutine)
        async with anyio.create_task_group() as group:
            group.start_soon(lambda: _enter(opening))

    async def test_it_is_used_once(self) -> None:
        opening = launch()
        async with opening:
            pass
        with pytest.raises(RuntimeError, match="used already"):
            await opening

    async def test_nothing_starts_before_it_is_used(self, token_home: Path) -> None:
        with nothing_left(token_home):
            launch()
            await anyio.lowlevel.checkpoint()

    async def test_wrong_arguments_are_refused_at_once(self) -> None:
        wrong: list[dict[str, Any]] = [
            {"host": "0.0.0.0"},
            {"port": 70000},
            {"timeout": 0},
            {"max_message_bytes": 0},
            {"local": {"store": {"type": "custom"}}},
            {"local": {"store": {"type": "jsonl"}}},
        ]
        for options in wrong:
            with pytest.raises(ConfigurationError):
                AsyncBridge.launch(**options)

    async def test_a_missing_workspace_is_refused_with_its_name(self, tmp_path: Path) -> None:
        with pytest.raises(ConfigurationError, match="nowhere"):
            await launch(workspace=tmp_path / "nowhere")


async def _enter(opening: Any) -> None:
    async with opening as bridge:
        assert bridge.is_alive()


@pytest.mark.promise("BRG-04")
@pytest.mark.parametrize(
    "plan",
    [
        {"fragments": True},
        {"end": "\r\n"},
        {"noise_before": "one\ntwo\n", "noise_after": " and more"},
        {"noise_before": "no line end before it: "},
        {"noise_before": "x", "times": 1_000_000},
        {"noise_before": "waiting for cursor-sdk-bridge ready to come\n"},
    ],
    ids=["fragments", "crlf", "noise", "same line", "a megabyte on the same line", "quoted"],
)
async def test_the_ready_line_is_found(plan: dict[str, Any]) -> None:
    async with launch(plan) as bridge:
        assert bridge.endpoint.url == "http://127.0.0.1:9"
        assert bridge.endpoint.auth_token == "child-token-0123456789"


@pytest.mark.promise("BRG-04")
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("cursor-sdk-bridge ready {not json", "valid JSON"),
        ('cursor-sdk-bridge ready {"schemaVersion": 2}', "schemaVersion 2"),
        ('cursor-sdk-bridge ready {"schemaVersion":1,"transport":"udp","protocol":"connect"}', "'udp'"),
        (
            'cursor-sdk-bridge ready {"schemaVersion":1,"transport":"tcp","protocol":"connect","url":"http://h"}',
            "token",
        ),
    ],
)
async def test_a_wrong_ready_line_is_a_start_error(text: str, said: str, token_home: Path) -> None:
    with nothing_left(token_home), pytest.raises(BridgeStartError, match=said):
        await launch({"ready_text": text})


@pytest.mark.promise("BRG-05")
class TestFlood:
    async def test_five_megabytes_before_at_and_after_the_ready_line(self) -> None:
        plan = {"flood_before": 5_000_000, "flood_after": 5_000_000, "flood_end": 5_000_000}
        async with launch(plan) as bridge:
            assert bridge.is_alive()
        assert bridge.exit_code == 0 or bridge.signal == signal.SIGTERM
        assert sum(map(len, bridge.stderr_tail)) < 30_000

    async def test_each_line_goes_to_the_log_and_the_callback(self, caplog: pytest.LogCaptureFixture) -> None:
        lines: list[str] = []
        caplog.set_level(logging.DEBUG, "cursor_sdk_async.bridge")
        async with launch({"noise_before": "first\nsecond\n"}, on_stderr=lines.append):
            await until(lambda: len(lines) == 2)
        assert lines[:2] == ["first", "second"]
        assert {"first", "second"} <= set(caplog.messages)
        assert "child-token" not in caplog.text

    async def test_the_callback_may_be_async(self) -> None:
        lines: list[str] = []

        async def collect(line: str) -> None:
            await anyio.lowlevel.checkpoint()
            lines.append(line)

        async with launch({"noise_before": "a\nb\nc\n"}, on_stderr=collect):
            pass
        assert lines[:3] == ["a", "b", "c"]

    async def test_a_callback_that_raises_is_reported_once(self, caplog: pytest.LogCaptureFixture) -> None:
        def broken(line: str) -> None:
            raise ValueError("of the user")

        async with launch({"noise_before": "a\nb\n", "flood_after": 200_000}, on_stderr=broken) as bridge:
            await until(lambda: any("noise" in line for line in bridge.stderr_tail))
        assert caplog.text.count("on_stderr raised") == 1

    async def test_a_callback_that_hangs_holds_up_nothing(self) -> None:
        async def hang(line: str) -> None:
            await anyio.sleep_forever()

        async with launch({"flood_before": 5_000_000}, on_stderr=hang) as bridge:
            assert bridge.is_alive()


@pytest.mark.promise("BRG-06")
class TestFailedStart:
    async def test_an_exit_before_ready_gives_code_and_stderr(self, token_home: Path) -> None:
        with nothing_left(token_home), pytest.raises(BridgeStartError) as caught:
            await launch({"noise_before": "cannot find my files", "exit_before": 3})
        assert caught.value.exit_code == 3
        assert caught.value.stderr_tail == ("cannot find my files",)
        assert "cannot find my files" in str(caught.value)

    async def test_a_signal_before_ready_gives_its_number(self, tmp_path: Path) -> None:
        for wrapper in (None, write_wrapper(tmp_path)):
            with pytest.raises(BridgeStartError) as caught:
                await launch({"exit_before": -signal.SIGKILL}, wrapper=wrapper)
            assert caught.value.signal == signal.SIGKILL
            assert caught.value.exit_code is None

    async def test_one_that_is_never_ready_is_ended_at_the_limit(self, token_home: Path) -> None:
        with nothing_left(token_home), pytest.raises(BridgeStartError, match="timeout=") as caught:
            await launch({"never_ready": True, "noise_before": "thinking\n"}, timeout=0.3)
        assert "0.3 s" in str(caught.value)

    async def test_the_limit_can_come_from_the_environment(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("CURSOR_SDK_BRIDGE_STARTUP_TIMEOUT", "0.2")
        with pytest.raises(BridgeStartError, match="CURSOR_SDK_BRIDGE_STARTUP_TIMEOUT"):
            await launch({"never_ready": True, "ignore_term": True})

    async def test_errors_survive_pickle(self) -> None:
        with pytest.raises(BridgeStartError) as caught:
            await launch({"exit_before": 3})
        assert pickle.loads(pickle.dumps(caught.value)).exit_code == 3

    async def test_a_missing_launcher_is_not_found(self, tmp_path: Path) -> None:
        with pytest.raises(BridgeNotFoundError) as caught:
            await AsyncBridge.launch(tmp_path / "cursor-sdk-bridge")
        assert caught.value.path == str(tmp_path / "cursor-sdk-bridge")


@pytest.mark.promise("BRG-07")
class TestDeath:
    @pytest.mark.parametrize("how", [7, -signal.SIGKILL, -signal.SIGSEGV, -signal.SIGHUP])
    async def test_it_is_known_with_its_status(self, how: int) -> None:
        told: list[BridgeExitedError] = []
        bridge = await launch({"noise_after": "\nlast words"})
        bridge.on_exit(told.append)
        with anyio.fail_after(30):
            assert bridge.pid is not None
            if how > 0:
                os.kill(bridge.pid, signal.SIGTERM)
            else:
                os.kill(bridge.pid, -how)
            await bridge.wait_exited()
        assert not bridge.is_alive()
        error = bridge.exited_error(["run-1"])
        assert error.run_ids == ("run-1",)
        assert error.stderr_tail[-1] == "last words"
        assert (error.signal, error.exit_code) == ((-how, None) if how < 0 else (None, 0))
        assert [type(one) for one in told] == [BridgeExitedError]
        late: list[BridgeExitedError] = []
        bridge.on_exit(late.append)
        assert len(late) == 1
        assert await bridge.watch.explain_loss() is not None
        await bridge.aclose()
        assert len(told) == 1

    async def test_a_callback_can_be_taken_back(self) -> None:
        told: list[BridgeExitedError] = []
        async with launch() as bridge:
            bridge.on_exit(told.append)()
        assert not told

    async def test_grandchildren_that_hold_stderr_do_not_hide_it(self, tmp_path: Path) -> None:
        bridge = await launch({"grandchild": True}, wrapper=write_wrapper(tmp_path))
        assert bridge.pid is not None
        os.kill(bridge.pid, signal.SIGKILL)
        with anyio.fail_after(30):
            await bridge.wait_exited()
        assert bridge.signal == signal.SIGKILL
        await until(lambda: not session(bridge.process.pid))
        await bridge.aclose()

    async def test_the_launcher_may_die_before_its_bridge(self, tmp_path: Path) -> None:
        bridge = await launch({}, wrapper=write_wrapper(tmp_path))
        assert bridge.pid is not None
        launcher = int(Path(f"/proc/{bridge.pid}/stat").read_text().rpartition(")")[2].split()[1])
        os.kill(launcher, signal.SIGKILL)
        with anyio.fail_after(30):
            await bridge.wait_exited()
        assert bridge.signal == signal.SIGKILL
        await until(lambda: not session(bridge.process.pid))
        await bridge.aclose()

    async def test_a_lost_connection_of_a_living_bridge_has_no_such_explanation(self) -> None:
        async with launch() as bridge:
            assert await bridge.watch.explain_loss() is None


@pytest.mark.promise("BRG-15")
class TestSecrets:
    async def test_the_token_shows_nowhere(self, caplog: pytest.LogCaptureFixture) -> None:
        caplog.set_level(logging.DEBUG)
        token = "canary-token-value-000"
        lines: list[str] = []
        async with launch(
            {"token": token, "noise_after": f"\nthe token is {token}, indeed"}, on_stderr=lines.append
        ) as bridge:
            await until(lambda: any("indeed" in line for line in bridge.stderr_tail))
            shown = [repr(bridge), repr(bridge.endpoint), repr(bridge.exited_error()), *bridge.stderr_tail]
            for pid in session(bridge.process.pid):
                shown.append(Path(f"/proc/{pid}/cmdline").read_text())
            with pytest.raises(TypeError, match="token"):
                pickle.dumps(bridge.endpoint)
            assert copy.deepcopy(bridge.endpoint) is bridge.endpoint
        assert token not in "\n".join([*shown, *lines, caplog.text])
        assert any("the token is ***, indeed" in line for line in lines)

    async def test_keys_of_the_environment_are_masked_in_what_the_bridge_writes(self) -> None:
        secret = "crsr_canary_0123456789"
        with pytest.raises(BridgeStartError) as caught:
            await launch(
                {"noise_before": f"refused: {secret}", "exit_before": 1}, env={"CURSOR_API_KEY": secret}
            )
        assert secret not in str(caught.value)
        assert caught.value.stderr_tail == ("refused: ***",)

    async def test_the_token_file_is_removed_once_read(self, token_home: Path) -> None:
        async with launch():
            assert not token_folders(token_home)

    async def test_a_token_file_with_another_name_is_left_alone(self, tmp_path: Path) -> None:
        file = tmp_path / "my-token"
        file.write_text("my-own-token-value")
        async with launch({"ready": {"authTokenFile": str(file)}}) as bridge:
            assert bridge.endpoint.auth_token == "my-own-token-value"
        assert file.exists()
