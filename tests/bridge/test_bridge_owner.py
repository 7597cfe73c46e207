"""The owner task and openings."""

from __future__ import annotations

import contextvars
import gc
import logging
from typing import Any

import anyio
import anyio.to_thread
import pytest

from cursor_sdk_async._lifecycle import LoopOwner, Opening, Owner
from cursor_sdk_async.errors import ClosedError
from tests.bridge.helpers import launch

pytestmark = [pytest.mark.anyio, pytest.mark.promise("BRG-22")]

variable: contextvars.ContextVar[str] = contextvars.ContextVar("variable", default="empty")


async def double(number: int) -> int:
    await anyio.lowlevel.checkpoint()
    return number * 2


class TestJobs:
    async def test_a_result_reaches_its_caller(self) -> None:
        owner = Owner("test")
        owner.start()
        assert await owner.call(double, 4) == 8
        await owner.aclose()

    @pytest.mark.parametrize("error", [ValueError("x"), SystemExit(3)])
    async def test_an_exception_reaches_its_caller_and_nobody_else(self, error: BaseException) -> None:
        async def fail() -> None:
            raise error

        owner = Owner("test")
        owner.start()
        with pytest.raises(type(error)):
            await owner.call(fail)
        assert await owner.call(double, 1) == 2
        await owner.aclose()

    async def test_what_a_background_job_raises_is_logged(self, caplog: pytest.LogCaptureFixture) -> None:
        async def fail() -> None:
            raise ValueError("in the background")

        owner = Owner("test")
        owner.start()
        owner.post(fail)
        assert await owner.call(double, 1) == 2
        await owner.aclose()
        assert "in the background" in caplog.text

    async def test_a_main_that_raises_is_logged_and_ends_the_owner(
        self, caplog: pytest.LogCaptureFixture
    ) -> None:
        async def fail(owner: Owner) -> None:
            raise ValueError("main")

        owner = Owner("test", fail)
        owner.start()
        await owner.wait_ended()
        assert "ValueError: main" in caplog.text
        with pytest.raises(ClosedError):
            await owner.call(double, 1)

    async def test_a_cancelled_caller_cancels_its_job(self) -> None:
        ended = anyio.Event()

        async def job() -> None:
            try:
                await anyio.sleep_forever()
            finally:
                ended.set()

        owner = Owner("test")
        owner.start()
        with anyio.move_on_after(0.01):
            await owner.call(job)
        with anyio.fail_after(30):
            await ended.wait()
        with anyio.CancelScope() as scope:
            scope.cancel()
            await owner.call(job)  # before it started
        await owner.aclose()

    async def test_with_keep_the_job_goes_on(self) -> None:
        go, done = anyio.Event(), anyio.Event()

        async def job() -> None:
            await go.wait()
            done.set()

        owner = Owner("test")
        owner.start()
        with anyio.move_on_after(0.01):
            await owner.call(job, keep=True)
        go.set()
        with anyio.fail_after(30):
            await done.wait()
        await owner.aclose()

    async def test_jobs_run_in_an_empty_context(self) -> None:
        async def read() -> str:
            return variable.get()

        variable.set("of the caller")
        owner = Owner("test")
        owner.start()
        assert await owner.call(read) == "empty"
        await owner.aclose()

    async def test_jobs_are_posted_from_other_threads(self) -> None:
        done = anyio.Event()

        async def job() -> None:
            done.set()

        owner = Owner("test")
        owner.start()
        await anyio.to_thread.run_sync(owner.post_threadsafe, job)
        with anyio.fail_after(30):
            await done.wait()
        await owner.aclose()
        owner.post(job)
        owner.post_threadsafe(job)


class TestClosing:
    async def test_jobs_that_still_run_are_cut_short(self) -> None:
        owner = Owner("test")
        owner.start()
        running = anyio.Event()

        async def run() -> None:
            running.set()
            await anyio.sleep_forever()

        async with anyio.create_task_group() as group:

            async def wait() -> None:
                with pytest.raises(ClosedError, match="cut short"):
                    await owner.call(run)

            group.start_soon(wait)
            with anyio.fail_after(30):
                await running.wait()
            await owner.aclose()
        assert owner.ended

    async def test_it_can_be_closed_from_its_own_job(self) -> None:
        owner = Owner("test")
        owner.start()
        owner.post(owner.aclose)
        with anyio.fail_after(30):
            await owner.wait_ended()

    async def test_while_it_closes_only_its_own_jobs_are_served(self) -> None:
        results: list[Any] = []

        async def main(owner: Owner) -> None:
            await owner.wait_close_requested()
            results.append(await owner.call(double, 21))

        owner = Owner("test", main)
        owner.start()
        owner.request_close()
        with pytest.raises(ClosedError, match="closed"):
            await owner.call(double, 1)
        await owner.aclose()
        assert results == [42]

    async def test_one_that_was_never_started_is_closed_at_once(self) -> None:
        owner = Owner("test")
        await owner.aclose()
        assert owner.closed

    async def test_cleanup_runs_when_the_loop_ends_first(self, caplog: pytest.LogCaptureFixture) -> None:
        caplog.set_level(logging.DEBUG)
        Owner("left open").start()


@pytest.mark.promise("BRG-17")
class TestOtherLoops:
    async def test_an_owner_of_another_loop_refuses_work(self, anyio_backend_name: str) -> None:
        bridge = await launch()

        async def other() -> None:
            with pytest.raises(ClosedError, match="another event loop"):
                await bridge.owner.call(double, 1)
            with pytest.raises(ClosedError, match="another event loop"):
                await bridge.__aenter__()
            with pytest.raises(ClosedError, match="another event loop"):
                await bridge.wait_exited()
            with pytest.raises(ClosedError, match="asked to close"):
                await bridge.aclose()

        await anyio.to_thread.run_sync(lambda: anyio.run(other, backend=anyio_backend_name))
        with anyio.fail_after(30):
            await bridge.owner.wait_ended()

    async def test_a_bridge_of_a_loop_that_ended_is_closed(self, anyio_backend_name: str) -> None:
        kept: list[Any] = []

        async def first() -> None:
            kept.append(await launch())

        await anyio.to_thread.run_sync(lambda: anyio.run(first, backend=anyio_backend_name))
        assert not kept[0].is_alive()
        with pytest.raises(ClosedError):
            await kept[0].__aenter__()
        await kept[0].aclose()

    async def test_something_without_a_process_moves_from_loop_to_loop(self, anyio_backend_name: str) -> None:
        source = LoopOwner("test")
        first = source()
        assert source() is first
        assert await first.call(double, 1) == 2

        async def other() -> int:
            return await source().call(double, 2)

        found = await anyio.to_thread.run_sync(lambda: anyio.run(other, backend=anyio_backend_name))
        assert found == 4
        with anyio.fail_after(30):
            await first.wait_ended()
        await source.aclose()
        await source.aclose()
        with pytest.raises(ClosedError):
            source()


@pytest.mark.promise("BRG-01")
class TestOpening:
    async def test_an_unused_one_is_dropped_in_silence(self) -> None:
        Opening(lambda: double(1), double)
        gc.collect()

    async def test_a_value_is_opened_and_closed(self) -> None:
        closed: list[int] = []

        async def close(value: int) -> None:
            closed.append(value)

        async with Opening(lambda: double(2), close) as value:
            assert value == 4
            assert not closed
        assert closed == [4]

    def test_it_is_driven_as_a_coroutine(self) -> None:
        opening = Opening(lambda: double(2), double)
        with pytest.raises(ValueError, match="thrown"):
            opening.throw(ValueError, ValueError("thrown"), None)
        Opening(lambda: double(2), double).close()
