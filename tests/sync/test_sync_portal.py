"""The portal: threads, loops, contexts, closing, and calls that would wait for themselves."""

from __future__ import annotations

import asyncio
import gc
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import ContextVar
from typing import Any

import anyio
import pytest

from cursor_sdk_async import AsyncClient
from cursor_sdk_async.testing import (
    Hold,
    Script,
    ScriptedBridge,
    ScriptedControl,
    Text,
    Turn,
    scripted_bridge_command,
)
from cursor_sdk_sync import Agent, ClosedError, CursorClient, Portal, SyncUsageError
from tests.bridge.helpers import is_running
from tests.client.conftest import KEY
from tests.sync.program import until


@pytest.mark.promise("SYN-06")
def test_eight_threads_share_a_client(client: CursorClient) -> None:
    def job(number: int) -> tuple[str, str]:
        with client.agents.create(model="scripted", local={}, name=str(number)) as agent:
            return agent.prompt(f"number {number}").result, client.ping()

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(job, range(24)))
    assert all(f"number {number}" in text for number, (text, _) in enumerate(answers))


@pytest.mark.promise("SYN-06")
def test_a_thousand_calls_need_no_more_threads_than_one(client: CursorClient) -> None:
    client.ping()
    before = threading.active_count()
    for _ in range(1000):
        client.ping()
    assert threading.active_count() == before


@pytest.mark.promise("SYN-09")
def test_inside_a_running_loop_beside_several(client: CursorClient, shared_bridge: ScriptedBridge) -> None:
    async def main(number: int) -> str:
        async with AsyncClient.connect(shared_bridge.url, shared_bridge.token, api_key=KEY) as other:
            assert await other.ping() == client.ping() == "pong"
            run = Agent.create(client=client, model="scripted", local={}).send(f"number {number}")
            return "".join(run.iter_text())

    for number in range(3):
        assert f"number {number}" in asyncio.run(main(number))
    assert "number 4" in anyio.run(main, 4, backend="trio")


@pytest.mark.promise("SYN-09")
def test_a_context_is_carried_into_the_call(client: CursorClient, shared_bridge: ScriptedBridge) -> None:
    seen: list[str] = []
    variable: ContextVar[str] = ContextVar("variable", default="unset")

    async def key() -> str:
        seen.append(variable.get())
        return KEY

    with CursorClient.connect(shared_bridge.url, shared_bridge.token, api_key=key) as own:
        variable.set("set by the caller")
        own.models.list()
    assert seen == ["set by the caller"]


@pytest.mark.promise("SYN-11")
def test_a_portal_of_its_own_closes_what_was_opened_in_it(
    launch: Callable[..., CursorClient], shared_bridge: ScriptedBridge
) -> None:
    with Portal("mine") as portal:
        client = CursorClient.connect(shared_bridge.url, shared_bridge.token, api_key=KEY, portal=portal)
        assert client.ping() == "pong"
        assert "running" in repr(portal)
        assert "mine" in [thread.name for thread in threading.enumerate()]
    assert client.closed
    client.close()
    portal.close()
    with pytest.raises(ClosedError):
        client.ping()
    with pytest.raises(ClosedError):
        CursorClient.connect(shared_bridge.url, shared_bridge.token, portal=portal).ping()
    assert "mine" not in [thread.name for thread in threading.enumerate()]


@pytest.mark.promise("SYN-11")
def test_a_call_that_waits_while_its_portal_closes_is_cut_short(
    shared_bridge: ScriptedBridge, control: ScriptedControl
) -> None:
    control.set_script(Script([Turn([Text("a"), Hold()])]))
    portal = Portal()
    client = CursorClient.connect(shared_bridge.url, shared_bridge.token, api_key=KEY, portal=portal)
    run = client.agents.create(model="scripted", local={}).send("go")
    failures: list[BaseException] = []

    def read() -> None:
        try:
            list(run.events())
        except ClosedError as error:
            failures.append(error)

    reader = threading.Thread(target=read)
    reader.start()
    until(lambda: control.state()["waiting"])
    portal.close()
    reader.join(30)
    assert len(failures) == 1


@pytest.mark.promise("SYN-11")
def test_a_call_from_the_thread_of_the_portal_is_refused_at_once(
    client: CursorClient, shared_bridge: ScriptedBridge
) -> None:
    async def key() -> str:
        return client.ping()

    with CursorClient.connect(shared_bridge.url, shared_bridge.token, api_key=key) as own:
        with pytest.raises(SyncUsageError, match="wait for itself"):
            own.models.list()
        with pytest.raises(SyncUsageError):
            own.portal.call(_call_in, client)


async def _call_in(client: CursorClient) -> Any:
    return client.ping()


@pytest.mark.promise("SYN-11")
def test_a_portal_cannot_close_itself_and_the_shared_one_is_replaced(client: CursorClient) -> None:
    async def close() -> None:
        client.portal.close()

    with pytest.raises(SyncUsageError):
        client.portal.call(close)
    assert client.ping() == "pong"
    client.portal.close()
    with CursorClient.connect("http://127.0.0.1:1", "token") as other:
        assert other.portal is not client.portal
        assert not other.portal.closed


@pytest.mark.promise("SYN-06")
def test_forgotten_handles_are_collected(client: CursorClient, control: ScriptedControl) -> None:
    control.set_script(Script([Turn([Text("a"), Hold()])]))
    before = control.state()["open_streams"]
    for _ in range(3):
        next(client.agents.create(model="scripted", local={}).send("go").events())
    gc.collect()
    until(lambda: control.state()["open_streams"] == before)


@pytest.mark.promise("SYN-06")
def test_a_forgotten_client_ends_its_bridge_with_one_warning(tmp_path: Any) -> None:
    client = CursorClient.launch_bridge(scripted_bridge_command(), workspace=tmp_path)
    assert client.bridge is not None
    pid = client.bridge.pid
    assert pid is not None
    with pytest.warns(ResourceWarning, match="was not closed"):
        del client
        gc.collect()
        until(lambda: not is_running(pid))
        gc.collect()
