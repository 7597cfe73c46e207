"""wait() whatever was read before, and whoever reads beside it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import anyio
import anyio.lowlevel
import pytest

from cursor_sdk_async import AsyncClient, AsyncRun, RunResult
from cursor_sdk_async.testing import CallFault, Faults, Hold, Script, ScriptedControl, Text, Turn, Usage, Wait
from tests.client.conftest import cloud_agent, local_agent

pytestmark = [pytest.mark.anyio, pytest.mark.promise("CLT-25", "RUN-03")]

LETTERS = "abcdef"
SCRIPT = Script([Turn([*map(Text, LETTERS), Usage()])])


@pytest.fixture(params=["local", "cloud"])
async def run(client: AsyncClient, control: ScriptedControl, request: pytest.FixtureRequest) -> AsyncRun:
    control.set_script(SCRIPT)
    make = local_agent if request.param == "local" else cloud_agent
    return await (await make(client)).send("go")


async def take(iterator: AsyncIterator[Any], count: int) -> list[Any]:
    return [await iterator.__anext__() for _ in range(count)]


async def finished(run: AsyncRun) -> RunResult:
    with anyio.fail_after(30):
        result = await run.wait()
        assert (result.status, result.result, run.status) == ("finished", LETTERS, "finished")
        assert await run.wait() == result
        assert await run.text() == LETTERS
    return result


async def test_wait_after_any_number_of_messages(client: AsyncClient, control: ScriptedControl) -> None:
    control.set_script(SCRIPT)
    run = await (await local_agent(client)).send("go")
    count = len([message async for message in run.messages()])
    await finished(run)
    for taken in range(count + 1):
        for held in (True, False):
            run = await (await local_agent(client)).send("go")
            iterator = run.messages()
            await take(iterator, taken)
            if not held:
                await iterator.aclose()  # type: ignore[attr-defined]
            await finished(run)


async def test_wait_first_and_iterate_then_shows_nothing_twice(run: AsyncRun) -> None:
    await finished(run)
    assert [event async for event in run.events()] == []
    assert "".join([event.text async for event in observed_texts(run)]) == LETTERS


async def observed_texts(run: AsyncRun) -> AsyncIterator[Any]:
    async for event in run.observe():
        for block in getattr(getattr(event.sdk_message, "message", None), "content", ()):
            yield block


async def test_two_iterators_and_two_waits_at_once(run: AsyncRun) -> None:
    got: list[str] = []
    results: list[RunResult] = []

    async def read() -> None:
        async for piece in run.iter_text():
            got.append(piece)

    async def wait() -> None:
        results.append(await finished(run))

    with anyio.fail_after(30):
        async with anyio.create_task_group() as group:
            group.start_soon(read)
            group.start_soon(read)
            while not (run._reader.busy or run._reader.over):  # a wait that comes first would read, too
                await anyio.lowlevel.checkpoint()
            group.start_soon(wait)
            group.start_soon(wait)
    assert "".join(sorted(got)) == LETTERS
    assert results[0] == results[1]


async def test_wait_beside_a_slow_reader_does_not_wait_for_it_nor_take_from_it(run: AsyncRun) -> None:
    got: list[str] = []
    go_on = anyio.Event()

    async def read_slowly() -> None:
        async for piece in run.iter_text():
            got.append(piece)
            await go_on.wait()

    with anyio.fail_after(30):
        async with anyio.create_task_group() as group:
            group.start_soon(read_slowly)
            while not got:
                await anyio.sleep(0.001)
            await finished(run)
            assert len(got) == 1
            go_on.set()
    assert "".join(got) == LETTERS


async def test_an_iterator_that_is_kept_and_never_closed_is_no_obstacle(run: AsyncRun) -> None:
    kept = run.iter_text()
    await kept.__anext__()
    await finished(run)
    assert "".join([piece async for piece in kept]) == LETTERS[1:]


async def test_a_cancelled_wait_leaves_the_stream_to_the_next_one(
    client: AsyncClient, control: ScriptedControl
) -> None:
    control.set_script(Script([Turn([*map(Text, LETTERS[:3]), Hold(), *map(Text, LETTERS[3:])])]))
    run = await (await local_agent(client)).send("go")
    for _ in range(3):
        with anyio.move_on_after(0.02):
            await run.wait()
    assert not control.requests("WaitLiveRun")
    control.release()
    await finished(run)


async def test_the_text_is_there_long_before_the_end(client: AsyncClient, control: ScriptedControl) -> None:
    control.set_script(Script([Turn([*map(Text, LETTERS), Usage(), Hold()])], keep_alive_seconds=0.05))
    run = await (await local_agent(client)).send("go")
    pieces = run.iter_text()
    with anyio.fail_after(30):
        assert "".join(await take(pieces, len(LETTERS))) == LETTERS
        assert run.status == "running"
        with anyio.move_on_after(0.3) as scope:  # a few keep-alives
            await pieces.__anext__()
        assert scope.cancelled_caught
        assert run.status == "running"
        control.release()
        await finished(run)
        assert [piece async for piece in pieces] == []


async def test_wait_with_an_observation_and_another_handle_beside_it(
    client: AsyncClient, control: ScriptedControl
) -> None:
    control.set_script(Script([Turn([*map(Text, LETTERS), Hold()])]))
    agent = await cloud_agent(client)
    run = await agent.send("go")
    other = await client.agents.get_run(run.id, agent_id=agent.agent_id, runtime="cloud")
    seen: list[str] = []

    async def watch() -> None:
        async for event in run.observe():
            seen.append(event.kind)

    with anyio.fail_after(30):
        async with anyio.create_task_group() as group:
            group.start_soon(watch)
            group.start_soon(finished, other)
            while not seen:
                await anyio.sleep(0.01)
            control.release()
            await finished(run)
    assert seen[-2:] == ["result", "done"]


async def test_a_listener_that_raises_in_wait_is_heard_once_and_silences_no_other(
    client: AsyncClient, control: ScriptedControl
) -> None:
    control.set_script(Script([Turn([*map(Text, LETTERS), Hold()])]))
    run = await (await local_agent(client)).send("go")
    kept = run.messages()
    await kept.__anext__()
    heard: list[str] = []

    def broken(word: str) -> None:
        heard.append(f"broken {word}")
        raise ValueError("mine")

    run.on_did_change_status(broken)
    run.on_did_change_status(heard.append)
    control.release()
    with anyio.fail_after(30):
        with pytest.raises(ValueError, match="mine"):
            await run.wait()
        await finished(run)
    assert heard == ["broken finished", "finished"]


async def test_wait_gets_the_result_when_only_the_question_fails_for_a_while(
    client: AsyncClient, control: ScriptedControl
) -> None:
    control.set_script(SCRIPT)
    run = await (await local_agent(client.with_options(max_retries=0))).send("go")
    kept = run.messages()
    await kept.__anext__()
    control.set_faults(Faults(calls=[CallFault("WaitLiveRun", "status", times=1)]))
    with pytest.raises(Exception, match="502"):
        await run.wait()
    await finished(run)


async def test_many_waits_of_one_run_end_together(client: AsyncClient, control: ScriptedControl) -> None:
    control.set_script(Script([Turn([*map(Text, LETTERS), Wait(0.2)])]))
    run = await (await local_agent(client)).send("go")
    with anyio.fail_after(30):
        async with anyio.create_task_group() as group:
            for _ in range(20):
                group.start_soon(finished, run)
