"""An interrupt that hits a task group while a caller waits in it comes out as it is."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, cast

import anyio
import anyio.lowlevel
import pytest

from cursor_sdk_async._connect._line import Line
from cursor_sdk_async._lifecycle import beside, interrupt_in
from cursor_sdk_async._runs._silence import Watchdog

pytestmark = pytest.mark.promise("CLT-39")


async def interrupted() -> None:
    """A task that the interrupt hits."""
    await anyio.lowlevel.checkpoint()
    raise KeyboardInterrupt


async def in_groups() -> None:
    """As anyio connects: in a task group, here in two."""
    async with anyio.create_task_group() as outer, anyio.create_task_group() as group:
        outer.start_soon(anyio.sleep_forever)
        group.start_soon(interrupted)


async def in_a_call() -> None:
    with Line(cast("Any", None), None).waiting(60):
        await in_groups()


async def in_the_watched() -> None:
    async def ping(seconds: float) -> None: ...

    await Watchdog(ping).over(in_groups)


async def in_the_watch() -> None:
    await beside(interrupted, anyio.sleep_forever)


@pytest.mark.parametrize("wait", [in_a_call, in_the_watched, in_the_watch])
def test_an_interrupt_is_taken_out_of_the_groups_that_wrap_it(wait: Callable[[], Awaitable[None]]) -> None:
    with pytest.raises(KeyboardInterrupt) as caught:
        anyio.run(wait, backend="trio")  # on asyncio, an interrupt leaves the loop by itself
    assert caught.value.__suppress_context__


def test_only_an_interrupt_is_taken_out() -> None:
    async def fail() -> None:
        raise ValueError("mine")

    async def in_a_group() -> None:
        async with anyio.create_task_group() as group:
            group.start_soon(fail)

    with pytest.raises(Exception, match="Trio nursery") as caught:
        anyio.run(in_a_group, backend="trio")
    assert interrupt_in(caught.value) is None
    assert interrupt_in(KeyboardInterrupt()) is None


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_what_goes_on_beside_a_wait_ends_with_it_and_may_end_it(backend: str) -> None:
    ended: list[str] = []

    async def watch() -> None:
        try:
            await anyio.sleep_forever()
        finally:
            ended.append("watch")

    async def answer(value: int) -> int:
        await anyio.lowlevel.checkpoint()
        return value

    async def refuse() -> None:
        raise ValueError("mine")

    async def main() -> None:
        with anyio.fail_after(30):
            assert await beside(watch, answer, 3) == 3
            assert ended == ["watch"]
            for pair in ((watch, refuse), (refuse, anyio.sleep_forever)):
                with pytest.raises(ValueError, match="mine"):
                    await beside(*pair)

    anyio.run(main, backend=backend)
