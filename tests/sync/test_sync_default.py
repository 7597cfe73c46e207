"""The client of calls that name none."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from cursor_sdk_async.testing import ScriptedBridge, scripted_bridge_command, write_launcher
from cursor_sdk_sync import Agent, ConfigurationError, Cursor, CursorClient, close_default_client, warm_up
from tests.sync.program import until

pytestmark = pytest.mark.promise("SYN-10")


@pytest.fixture(autouse=True)
def bridge(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """What the environment launches is a scripted bridge."""
    launcher = write_launcher(tmp_path / "cursor-sdk-bridge", scripted_bridge_command())
    for name in ("CURSOR_SDK_BRIDGE_URL", "CURSOR_SDK_BRIDGE_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("CURSOR_SDK_BRIDGE_BIN", str(launcher))
    monkeypatch.setenv("CURSOR_API_KEY", "key")
    close_default_client()
    yield
    close_default_client()


def test_it_starts_at_the_first_call_and_is_shared() -> None:
    with Agent.create(model="scripted", local={}) as agent:
        assert agent.prompt("hello").status == "finished"
        assert agent.client is warm_up()
    assert Agent.prompt("hello", {"model": "scripted", "local": {}}).status == "finished"
    assert Cursor.models.list()
    assert Cursor.me().user_id
    close_default_client()
    assert agent.client.closed
    close_default_client()


def test_threads_that_start_together_get_the_same_one() -> None:
    found: list[CursorClient] = []
    threads = [threading.Thread(target=lambda: found.append(warm_up())) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 8
    assert len(set(found)) == 1


def test_one_whose_bridge_has_died_is_replaced() -> None:
    first = warm_up()
    assert first.bridge is not None
    assert first.bridge.pid is not None
    os.kill(first.bridge.pid, signal.SIGKILL)
    until(lambda: not first.is_alive())
    assert Cursor.models.list()
    assert warm_up() is not first


def test_the_environment_can_attach_it(
    shared_bridge: ScriptedBridge, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CURSOR_SDK_BRIDGE_URL", shared_bridge.url)
    with pytest.raises(ConfigurationError, match="CURSOR_SDK_BRIDGE_TOKEN"):
        warm_up()
    monkeypatch.setenv("CURSOR_SDK_BRIDGE_TOKEN", shared_bridge.token)
    client = warm_up()
    assert client.bridge is None
    assert client.ping() == "pong"
    with pytest.raises(ConfigurationError) as caught:  # a key of ours is not for somebody else's bridge
        Cursor.models.list()
    assert caught.value.code == "missing_api_key"
    close_default_client()
    assert shared_bridge.control.state()["pid"]
