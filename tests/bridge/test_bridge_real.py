"""The wheel's own bridge: launched, pinged, closed."""

from __future__ import annotations

import http.client
import importlib.util
import signal
import subprocess
import sys
import time
from pathlib import Path
from urllib.parse import urlsplit

import anyio
import pytest

from cursor_sdk_async.bridge import AsyncBridge
from tests.bridge.helpers import gone, nothing_left, session, until
from tests.bridge.test_bridge_host import GONE_SECONDS, ROOT, bridge_of, ended

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.real_bridge,
]


def ping(bridge: AsyncBridge) -> bytes:
    address = urlsplit(bridge.endpoint.url)
    connection = http.client.HTTPConnection(address.hostname or "", address.port, timeout=30)
    headers = {"authorization": f"Bearer {bridge.endpoint.auth_token}", "content-type": "application/json"}
    connection.request("POST", "/sdk.v1.SdkBridgeControlService/Ping", b"{}", headers)
    answer = connection.getresponse().read()
    connection.close()
    return answer


@pytest.mark.promise("BRG-21")
@pytest.mark.parametrize("verbose", [False, True])
async def test_launch_ping_close(tmp_path: Path, token_home: Path, verbose: bool) -> None:
    # The threads are the test's own: that of the pings, and the one in which trio's test runner waits.
    await anyio.to_thread.run_sync(time.sleep, 0.05)
    with nothing_left(token_home):
        async with AsyncBridge.launch(
            workspace=tmp_path, state_root=tmp_path / "state", verbose=verbose, max_concurrent_agents=3
        ) as bridge:
            assert bridge.version
            assert bridge.workspace_ref == str(tmp_path)
            assert bridge.state_root == str(tmp_path / "state")
            assert await anyio.to_thread.run_sync(ping, bridge) == b'{"message":"pong"}'
            if verbose:
                await until(lambda: any("Ping" in line for line in bridge.stderr_tail))
            assert len(session(bridge.process.pid)) == 4
        await gone(bridge.process.pid)


@pytest.mark.promise("BRG-12")
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGHUP])
async def test_it_does_not_outlive_our_process(anyio_backend_name: str, number: int) -> None:
    spec = importlib.util.find_spec("cursor_sdk")
    assert spec is not None
    launcher = f"{(spec.submodule_search_locations or [''])[0]}/_vendor/bridge/bin/cursor-sdk-bridge"
    host = subprocess.Popen(
        [sys.executable, "-m", "tests.bridge.host", anyio_backend_name, "wait", launcher],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    sid = await bridge_of(host)
    host.send_signal(number)
    await ended(host)
    await until(lambda: not session(sid), GONE_SECONDS)
