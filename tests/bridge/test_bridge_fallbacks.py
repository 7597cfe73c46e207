"""Where the system lacks something: no pidfd, no shell, a status that is lost."""

from __future__ import annotations

import logging
import os
import signal
from pathlib import Path

import anyio
import pytest

from cursor_sdk_async._bridge import _command, _supervisor, _watch
from cursor_sdk_async._bridge._watch import Exit
from cursor_sdk_async.errors import BridgeStartError
from tests.bridge.helpers import is_running, launch, session, until, write_wrapper

pytestmark = pytest.mark.anyio


def nothing(pid: int) -> None:
    return None


@pytest.fixture
def without_pidfd(monkeypatch: pytest.MonkeyPatch) -> None:
    """As on macOS: a worker thread waits for the exit."""
    monkeypatch.setattr(_watch, "open_pidfd", nothing)
    monkeypatch.setattr(_supervisor, "open_pidfd", nothing)


@pytest.mark.usefixtures("without_pidfd")
class TestWithoutPidfd:
    @pytest.mark.promise("BRG-08")
    async def test_a_wrapper_goes_with_its_children(self, tmp_path: Path) -> None:
        marker = tmp_path / "marker"
        plan = {"grandchild": True, "clean_up": 0.2, "marker": str(marker)}
        async with launch(plan, wrapper=write_wrapper(tmp_path)) as bridge:
            pass
        assert marker.exists()
        await until(lambda: not session(bridge.process.pid))

    @pytest.mark.promise("BRG-07")
    async def test_death_is_known_with_its_status(self) -> None:
        async with launch() as bridge:
            os.kill(bridge.pid or 0, signal.SIGKILL)
            with anyio.fail_after(30):
                await bridge.wait_exited()
            assert bridge.signal == signal.SIGKILL

    @pytest.mark.promise("BRG-06")
    async def test_a_failed_start_is_the_same_error(self) -> None:
        with pytest.raises(BridgeStartError) as caught:
            await launch({"exit_before": 4})
        assert caught.value.exit_code == 4
        with pytest.raises(BridgeStartError, match="timeout="):
            await launch({"never_ready": True}, timeout=0.2)


@pytest.mark.promise("BRG-08")
async def test_without_a_shell_there_is_no_guard_and_a_warning(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(_command, "_SHELL", "/nowhere/sh")
    async with launch() as bridge:
        assert bridge.pid == bridge.process.pid
    assert not is_running(bridge.process.pid)
    assert bridge.exit_code == 0
    assert [record.levelno for record in caplog.records] == [logging.WARNING]


@pytest.mark.promise("BRG-07")
async def test_a_status_that_somebody_else_took_is_unknown_but_the_death_is_not() -> None:
    before = signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # the kernel then reaps children by itself
    try:
        async with launch() as bridge:
            os.kill(bridge.pid or 0, signal.SIGKILL)
            with anyio.fail_after(30):
                await bridge.wait_exited()
            assert (bridge.exit_code, bridge.signal) == (None, None)
            assert "ended" in str(bridge.exited_error())
    finally:
        signal.signal(signal.SIGCHLD, before)


@pytest.mark.promise("BRG-07")
@pytest.mark.parametrize(
    ("code", "exit_code", "number"),
    [
        (0, 0, None),
        (3, 3, None),
        (127, 127, None),
        (-9, None, 9),
        (137, None, 9),
        (255, 255, None),
        (None, None, None),
    ],
)
async def test_return_codes_are_codes_or_signals(
    code: int | None, exit_code: int | None, number: int | None
) -> None:
    assert Exit.from_returncode(code) == Exit(exit_code, number)
