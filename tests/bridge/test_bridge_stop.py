"""Closing: the whole tree, with grace, bounded, from anywhere."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import warnings
from collections.abc import Awaitable, Callable, Generator
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import pytest

from cursor_sdk_async._bridge import _supervisor
from cursor_sdk_async._bridge._stop import StopLimits
from cursor_sdk_async.bridge import AsyncBridge
from cursor_sdk_async.errors import ClosedError
from tests.bridge.helpers import gone, is_running, launch, nothing_left, session, until, write_wrapper

pytestmark = pytest.mark.anyio


@pytest.fixture
def short_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same steps, with less patience."""
    monkeypatch.setattr(_supervisor, "StopLimits", lambda: StopLimits(0.3, 0.3, 0.5, 0.3, 2.0))


@pytest.mark.promise("BRG-08")
class TestTree:
    @pytest.mark.parametrize("trap", [False, True])
    @pytest.mark.parametrize("grandchild", [False, True])
    async def test_a_wrapper_without_exec_goes_with_its_children(
        self, tmp_path: Path, trap: bool, grandchild: bool
    ) -> None:
        wrapper = write_wrapper(tmp_path, trap=trap)
        async with launch({"grandchild": grandchild}, wrapper=wrapper) as bridge:
            assert len(session(bridge.process.pid)) >= 4
        await gone(bridge.process.pid)

    async def test_a_bridge_with_a_session_of_its_own_goes_too(self, tmp_path: Path) -> None:
        async with launch({"setsid": True}, wrapper=write_wrapper(tmp_path)) as bridge:
            assert bridge.pid is not None
            assert os.getpgid(bridge.pid) != bridge.process.pid
        await gone(bridge.process.pid)

    @pytest.mark.usefixtures("short_limits")
    async def test_one_that_left_the_group_and_ignores_sigterm_goes_too(self, tmp_path: Path) -> None:
        plan = {"setsid": True, "ignore_term": True}
        async with launch(plan, wrapper=write_wrapper(tmp_path)) as bridge:
            assert bridge.pid is not None
        await until(lambda: not is_running(bridge.pid or 0))

    async def test_a_pid_that_cannot_be_the_bridge_is_never_signalled(self) -> None:
        bystander = subprocess.Popen(["sleep", "1000"])
        try:
            for pid in (bystander.pid, os.getpid(), os.getppid(), 1, -1, 0):
                async with launch({"ready": {"pid": pid}}):
                    pass
            assert bystander.poll() is None
        finally:
            bystander.kill()
            bystander.wait()


@pytest.mark.promise("BRG-09")
class TestGrace:
    @pytest.mark.parametrize("wrapped", [False, True])
    async def test_one_that_cleans_up_for_a_second_is_given_it(self, tmp_path: Path, wrapped: bool) -> None:
        marker = tmp_path / "marker"
        wrapper = write_wrapper(tmp_path) if wrapped else None
        async with launch({"clean_up": 1.0, "marker": str(marker)}, wrapper=wrapper):
            pass
        assert marker.exists()

    @pytest.mark.usefixtures("short_limits")
    async def test_one_that_ignores_sigterm_is_killed(self) -> None:
        async with launch({"ignore_term": True}) as bridge:
            pass
        assert bridge.signal == signal.SIGKILL
        await gone(bridge.process.pid)

    async def test_a_stopped_one_is_woken_to_hear_it(self, tmp_path: Path) -> None:
        marker = tmp_path / "marker"
        async with launch({"stop": True, "marker": str(marker)}):
            pass
        assert marker.exists()

    async def test_the_farewell_comes_first(self) -> None:
        async with launch() as bridge:
            seen: list[bool] = []
            pid = bridge.pid or 0

            async def farewell() -> None:
                await anyio.lowlevel.checkpoint()
                seen.append(is_running(pid))
                os.kill(pid, signal.SIGTERM)  # as a Shutdown request would

            bridge.set_farewell(farewell)
        assert seen == [True]
        assert bridge.exit_code == 0

    @pytest.mark.usefixtures("short_limits")
    async def test_a_farewell_that_hangs_or_fails_is_cut_short(self) -> None:
        async def broken() -> None:
            raise ValueError("broken")

        for farewell in (anyio.sleep_forever, broken):
            async with launch() as bridge:
                bridge.set_farewell(farewell)
            await gone(bridge.process.pid)

    @pytest.mark.usefixtures("short_limits")
    async def test_a_farewell_to_a_dead_bridge_is_left_out(self) -> None:
        called: list[int] = []

        async def farewell() -> None:
            called.append(1)

        async with launch() as bridge:
            bridge.set_farewell(farewell)
            os.kill(bridge.pid or 0, signal.SIGKILL)
            await bridge.wait_exited()
        assert not called


@pytest.mark.promise("BRG-10")
class TestClosing:
    async def test_twice_and_from_two_tasks(self, token_home: Path) -> None:
        with nothing_left(token_home):
            bridge = await launch()
            async with anyio.create_task_group() as group:
                group.start_soon(bridge.aclose)
                group.start_soon(bridge.close)
            await bridge.aclose()

    async def test_in_a_cancelled_scope_it_still_finishes(self, token_home: Path) -> None:
        with nothing_left(token_home) as left:
            bridge = await launch({"clean_up": 0.1})
            with anyio.CancelScope() as scope:
                scope.cancel()
                await bridge.aclose()
            await until(lambda: not left())
            assert bridge.exit_code == 0

    async def test_an_exception_in_the_body_passes(self) -> None:
        bridge = await launch()
        with pytest.raises(ValueError, match="body"):
            async with bridge:
                raise ValueError("body")
        await gone(bridge.process.pid)

    async def test_a_cancelled_body_leaves_nothing(self, token_home: Path) -> None:
        with nothing_left(token_home) as left:
            with anyio.move_on_after(0.05):
                async with launch():
                    await anyio.sleep_forever()
            await until(lambda: not left())

    async def test_a_closed_one_refuses_to_be_entered(self) -> None:
        bridge = await launch()
        await bridge.aclose()
        with pytest.raises(ClosedError):
            await bridge.__aenter__()


@pytest.mark.promise("BRG-10")
class TestNativeCancellation:
    """What pierces a shielded scope on asyncio."""

    @pytest.fixture
    def anyio_backend(self) -> str:
        return "asyncio"

    async def test_a_second_cancel_during_the_close(self, token_home: Path, tmp_path: Path) -> None:
        import asyncio

        marker = tmp_path / "marker"
        with nothing_left(token_home) as left:
            bridge = await launch({"clean_up": 0.2, "marker": str(marker)})
            task = asyncio.create_task(bridge.aclose())
            for _ in range(3):
                await asyncio.sleep(0.01)
                task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            await until(lambda: not left())
        assert marker.exists()

    async def test_wait_for_around_the_close(self, token_home: Path) -> None:
        import asyncio

        with nothing_left(token_home) as left:
            bridge = await launch({"clean_up": 0.3})
            with pytest.raises(asyncio.TimeoutError):
                await asyncio.wait_for(bridge.aclose(), 0.01)
            await until(lambda: not left())

    async def test_wait_for_and_create_task_take_an_opening(self) -> None:
        import asyncio

        bridge = await asyncio.wait_for(launch(), 30)
        await bridge.aclose()
        bridge = await asyncio.create_task(launch())
        await bridge.aclose()


@pytest.mark.promise("BRG-11")
class TestCancelledStart:
    async def test_at_each_of_its_steps_nothing_is_left(self, token_home: Path) -> None:
        for step in range(1, 100):
            with nothing_left(token_home) as left:
                with anyio.CancelScope() as scope:
                    bridge = await CancelAtStep(launch(), step, scope)
                    await bridge.aclose()
                await until(partial(is_empty, left))
            if not scope.cancel_called:
                assert step > 1
                return
        pytest.fail("the start never came to its end")

    async def test_at_any_time_nothing_is_left(self, token_home: Path) -> None:
        for milliseconds in range(0, 60, 2):
            with nothing_left(token_home) as left:
                with anyio.move_on_after(milliseconds / 1000):
                    async with launch():
                        pass
                await until(partial(is_empty, left))


def is_empty(left: Callable[[], list[str]]) -> bool:
    return not left()


class CancelAtStep:
    """Awaits something, and cancels a scope when it waits for the n-th time."""

    def __init__(self, inner: Awaitable[AsyncBridge], step: int, scope: anyio.CancelScope) -> None:
        self._inner = inner
        self._step = step
        self._scope = scope

    def __await__(self) -> Generator[Any, Any, AsyncBridge]:
        steps = self._inner.__await__()
        count = 0
        send: Callable[[], Any] = partial(next, steps)
        while True:
            try:
                waits_for = send()
            except StopIteration as end:
                bridge: AsyncBridge = end.value
                return bridge
            count += 1
            if count == self._step:
                self._scope.cancel()
            try:
                value = yield waits_for
            except BaseException as error:  # noqa: BLE001 - whatever is thrown in goes on inwards
                send = partial(steps.throw, error)
            else:
                send = partial(steps.send, value)


@pytest.mark.promise("BRG-14")
async def test_a_forgotten_bridge_is_closed_with_one_warning(token_home: Path) -> None:
    with nothing_left(token_home) as left, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        bridge = await launch()
        pid = bridge.process.pid
        del bridge
        gc.collect()
        await until(lambda: not left() and not session(pid))
    assert [warning.category for warning in caught] == [ResourceWarning]
    assert "was not closed" in str(caught[0].message)
