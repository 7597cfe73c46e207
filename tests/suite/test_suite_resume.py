"""Connections that are cut between client and bridge, at any byte: the reader of the run notices nothing."""

from __future__ import annotations

from collections.abc import AsyncIterator

import anyio
import pytest

from cursor_sdk_async import AsyncClient, AsyncRun, NetworkError
from cursor_sdk_async.messages import SDKMessage, SDKStatusMessage
from tests.rest_standin import ACCEPTED_KEY
from tests.suite.cutter import Cutter
from tests.suite.steps import cloud_agent
from tests.suite.world import HELLO, HELLO_TEXT, HOLD, HOLD_TEXT, World

pytestmark = [pytest.mark.anyio, pytest.mark.promise("RUN-20")]

CUTS = 8


@pytest.fixture
async def cutter(world: World) -> AsyncIterator[Cutter]:
    cutter = Cutter(world.url)
    async with anyio.create_task_group() as group:
        await cutter.start(group)
        yield cutter
        group.cancel_scope.cancel()


async def told(run: AsyncRun) -> list[str]:
    def plain(message: SDKMessage) -> str:
        text = repr(message).replace(run.id, "RUN").replace(run.agent_id, "AGENT")
        call_id = getattr(message, "call_id", None)
        return text.replace(call_id, "CALL") if call_id else text

    return [plain(message) async for message in run.messages() if not isinstance(message, SDKStatusMessage)]


@pytest.mark.parametrize("codec", ["proto", "json"])
async def test_a_run_that_is_cut_at_any_byte_is_read_as_if_it_were_not(
    world: World, cutter: Cutter, codec: str
) -> None:
    with anyio.fail_after(30):
        async with AsyncClient.connect(cutter.url, world.token, api_key=ACCEPTED_KEY, codec=codec) as client:  # type: ignore[arg-type]
            agent = await cloud_agent(client)
            whole = await agent.send(HELLO)
            messages = await told(whole)
            size, mended = cutter.passed["Send"], 0
            for cut in range(1, size, size // CUTS):
                cutter.cut = {"Send": (cut, 1), "ObserveRun": (cut, 1)}
                try:
                    run = await agent.send(HELLO)
                except NetworkError:  # before the run had a name
                    assert cut < size // 2
                    agent = await cloud_agent(client)
                    continue
                assert await told(run) == messages, cut
                assert (run.status, await run.text(), run.usage) == ("finished", HELLO_TEXT, whole.usage)
                mended += cutter.cut["Send"][1] == 0
            assert mended > CUTS // 2


async def test_a_live_run_is_followed_over_the_cut(world: World, cutter: Cutter) -> None:
    with anyio.fail_after(30):
        async with AsyncClient.connect(cutter.url, world.token, api_key=ACCEPTED_KEY) as client:
            run = await (await cloud_agent(client)).send(HOLD)
            pieces = run.iter_text()
            first = await pieces.__anext__()
            cutter.cut = {"Send": (0, 1)}
            world.release()
            assert first + "".join([piece async for piece in pieces]) == HOLD_TEXT
            assert cutter.cut["Send"] == (0, 0)
            assert (await run.wait()).status == "finished"
