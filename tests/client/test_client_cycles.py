"""A hundred clients, opened and closed in every way: nothing piles up."""

from __future__ import annotations

import gc
import os
import warnings
from collections.abc import Awaitable, Callable
from itertools import cycle
from pathlib import Path

import anyio
import pytest

from cursor_sdk_async import AsyncClient, BridgeStartError
from cursor_sdk_async._lifecycle import Opening
from cursor_sdk_async.testing import Faults, Hold, ProcessFaults, Script, Text, Turn
from tests.client.cancelling import Leftovers
from tests.client.conftest import local_agent

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.promise("CLT-23"),
    pytest.mark.slow,
    pytest.mark.timeout(240),
]

QUICK = Script([Turn([Text("a")])])
HELD = Script([Turn([Text("a"), Hold()])])
Launch = Callable[..., Opening[AsyncClient]]
#: Before the process exists, while it starts, when it is up.
DELAYS = cycle([0, 0.01, 0.05, 0.1, 0.2, 0.3])


def processes(folder: Path) -> list[str]:
    """The processes whose temporary directory is that one, wherever they hang in the tree."""
    wanted, found = f"TMPDIR={folder}".encode(), list[str]()
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and wanted in (entry / "environ").read_bytes().split(b"\0"):
                found.append(entry.name)
        except OSError:
            continue  # gone, or not ours
    return [name for name in found if int(name) != os.getpid()]


async def normal(launch: Launch) -> None:
    async with launch(QUICK) as client:
        run = await (await local_agent(client)).send("go")
        assert await run.text() == "a"


async def exception_in_the_body(launch: Launch) -> None:
    with pytest.raises(ZeroDivisionError):
        async with launch(HELD) as client:
            await (await local_agent(client)).send("go")
            raise ZeroDivisionError


async def cancelled_start(launch: Launch) -> None:
    with anyio.move_on_after(next(DELAYS)) as scope:
        await launch(faults=Faults(process=ProcessFaults(never_ready=True)))
    assert scope.cancelled_caught


async def failed_start(launch: Launch) -> None:
    with pytest.raises(BridgeStartError):
        await launch(faults=Faults(process=ProcessFaults(exit_before_ready=1)))


async def cancelled_in_the_body(launch: Launch) -> None:
    with anyio.CancelScope() as scope:
        async with launch(HELD) as client:
            run = await (await local_agent(client)).send("go")
            scope.cancel()
            await run.wait()
    assert scope.cancelled_caught


async def aclose_from_another_task(launch: Launch) -> None:
    client = await launch(QUICK)
    async with anyio.create_task_group() as group:
        group.start_soon(client.aclose)


async def close_from_two_tasks(launch: Launch) -> None:
    client = await launch(QUICK)
    async with anyio.create_task_group() as group:
        group.start_soon(client.close)
        group.start_soon(client.close)
    await client.aclose()


async def the_bridge_dies(launch: Launch) -> None:
    async with launch(QUICK) as client:
        assert client.bridge is not None
        await client.shutdown()
        await client.bridge.wait_exited()


async def garbage(launch: Launch) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        client = await launch(QUICK)
        await (await local_agent(client)).send("go")
        owner = client._core.owner()
        del client
        gc.collect()
        with anyio.fail_after(30):
            await owner.wait_ended()
        del owner
        gc.collect()
    assert [warning.category for warning in caught] == [ResourceWarning]


PATHS = [
    normal,
    exception_in_the_body,
    cancelled_start,
    failed_start,
    cancelled_in_the_body,
    aclose_from_another_task,
    close_from_two_tasks,
    the_bridge_dies,
    garbage,
]
CYCLES = 100 // len(PATHS) + 1


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.__name__)
async def test_cycles_leave_nothing(
    path: Callable[[Launch], Awaitable[None]],
    launch: Launch,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    await path(launch)  # what is imported and kept by the first one counts as before
    leftovers = Leftovers()
    for _ in range(CYCLES):
        await path(launch)
    await leftovers.none()
    assert not list(folder.iterdir())
    assert not processes(folder)
