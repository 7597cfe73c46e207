"""What is imported on the event loop: nothing heavy."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import anyio
import anyio.to_thread
import pytest

from cursor_sdk_async import AsyncClient, _validate, _warm
from cursor_sdk_async.testing import ScriptedBridge
from tests.client.conftest import KEY, local_agent

pytestmark = pytest.mark.promise("CLT-29")

ROOT = Path(__file__).parent.parent.parent
HEAVY = ("pydantic", "pydantic_core", "google", "betterproto2", "httpx", "ssl")


@pytest.mark.parametrize("attached", [False, True], ids=["launched", "attached"])
@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_from_the_launch_to_the_end_of_a_run_nothing_heavy_is_imported_on_the_loop(
    shared_bridge: ScriptedBridge, backend: str, attached: bool
) -> None:
    address = [shared_bridge.url, shared_bridge.token] if attached else []
    done = subprocess.run(
        [sys.executable, "-m", "tests.client.importing", backend, *address],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    seen = json.loads(done.stdout)
    assert [name for name in seen["main"] if name.split(".")[0] in HEAVY] == []
    assert {"pydantic.type_adapter", "google.protobuf.json_format"} <= set(seen["others"])
    assert seen["beats"] > 5


def test_the_package_imports_no_classes_of_the_contract() -> None:
    program = (
        "import sys; from cursor_sdk_async import AsyncAgent, AsyncClient, AgentOptions, LocalAgentOptions; "
        "AgentOptions(model='m', local=LocalAgentOptions(cwd='.'));"
        "AsyncClient.connect('http://127.0.0.1:1', 't');"
        "print([name for name in sys.modules if name.split('.')[0] in %r or '_gen.sdk' in name])"
    )
    heavy = [name for name in HEAVY if name != "ssl"]  # asyncio brings it
    done = subprocess.run(
        [sys.executable, "-c", program % (heavy,)], capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.stdout.strip(), done.stderr) == ("[]", "")


FIRST_CALLS = [
    "client.ping()",
    "client.get_version()",
    "client.me()",
    "client.models.list()",
    "client.repositories.list()",
    "client.agents.list()",
    "client.agents.list(runtime='cloud')",
    "client.agents.get('agent-x')",
    "client.agents.list_runs('agent-x')",
    "client.agents.get_run('run-x')",
    "client.agents.cancel_run('run-x')",
    "client.agents.archive('agent-x')",
    "client.agents.resume('agent-x')",
    "client.agents.create(model='scripted', local={})",
    "client.wait_live_run('run-x')",
    "client.observe_run('run-x').__anext__()",
    "AsyncAgent.messages.list('agent-x', client=client)",
]


@pytest.mark.parametrize("call", FIRST_CALLS)
def test_whatever_is_called_first_imports_nothing_heavy_on_the_loop(
    shared_bridge: ScriptedBridge, call: str
) -> None:
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "tests.client.importing",
            "first",
            shared_bridge.url,
            shared_bridge.token,
            call,
        ],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    seen = json.loads(done.stdout)
    assert [name for name in seen["main"] if name.split(".")[0] in HEAVY or "_gen.sdk" in name] == []
    assert "google.protobuf.json_format" in seen["others"]


@pytest.mark.anyio
async def test_it_needs_none_of_the_threads_of_the_program(
    shared_bridge: ScriptedBridge, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_warm, "_is_warm", False)
    limiter = anyio.to_thread.current_default_thread_limiter()
    owners = [object() for _ in range(int(limiter.total_tokens))]
    for owner in owners:
        limiter.acquire_on_behalf_of_nowait(owner)
    try:
        with anyio.fail_after(30):
            async with AsyncClient.connect(shared_bridge.url, shared_bridge.token, api_key=KEY) as client:
                await (await local_agent(client)).close()
    finally:
        for owner in owners:
            limiter.release_on_behalf_of(owner)


@pytest.mark.anyio
async def test_what_cannot_be_imported_is_an_error_of_the_call_that_needs_it(
    shared_bridge: ScriptedBridge, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail() -> None:
        raise ImportError("no pydantic here")

    monkeypatch.setattr(_warm, "_is_warm", False)
    monkeypatch.setattr(_validate, "warm_up", fail)
    with _warm.warming_up():
        await anyio.sleep(0.05)
    async with AsyncClient.connect(shared_bridge.url, shared_bridge.token, api_key=KEY) as client:
        with pytest.raises(ImportError, match="no pydantic here"):
            await local_agent(client)
