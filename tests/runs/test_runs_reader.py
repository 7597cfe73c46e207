"""The one stream of a run, shared by everybody who reads it."""

from __future__ import annotations

from typing import Any

import anyio
import pytest

from cursor_sdk_async._runs._feed import RunFeed
from cursor_sdk_async._runs._reader import RunReader
from cursor_sdk_async._runs._views import RunView, events, messages, texts
from cursor_sdk_async.errors import CursorSDKError, StreamInterruptedError
from tests.runs.frames import FakeStream, delta, done, keepalive, result, status, text

pytestmark = pytest.mark.anyio


def reader_of(stream: FakeStream, **options: Any) -> RunReader:
    return RunReader(RunFeed(), stream, **options)


async def drained(reader: RunReader) -> list[str]:
    return [piece async for piece in RunView(reader, texts)]


@pytest.mark.promise("RUN-01")
async def test_two_iterators_share_the_events() -> None:
    reader = reader_of(FakeStream([text("a"), text("b")], [text("c")], [result(), done()]))
    first, second = RunView(reader, texts), RunView(reader, texts)
    assert [await first.__anext__(), await second.__anext__(), await first.__anext__()] == ["a", "b", "c"]
    with pytest.raises(StopAsyncIteration):
        await second.__anext__()
    assert await drained(reader) == []


@pytest.mark.promise("RUN-01")
async def test_breaking_off_and_iterating_again_goes_on_where_it_stood() -> None:
    reader = reader_of(FakeStream([text("a"), text("b"), text("c")]))
    async for _ in RunView(reader, messages):
        break
    assert await drained(reader) == ["b", "c"]


@pytest.mark.promise("RUN-02")
async def test_a_step_that_is_cancelled_at_any_point_loses_nothing() -> None:
    letters = "abcdefgh"
    for cut in range(len(letters)):
        batches = [[text(letter)] for letter in letters]
        stream = FakeStream(*batches[:cut], None)
        reader = reader_of(stream)
        got: list[str] = []
        view = RunView(reader, texts)
        with anyio.move_on_after(0.01):
            async for piece in view:
                got.append(piece)
        stream.batches = [*batches[cut:]]
        got += await drained(reader)
        assert "".join(got) == letters


@pytest.mark.promise("RUN-02", "RUN-08")
async def test_a_step_cancelled_inside_an_async_callback_keeps_its_event() -> None:
    hold = anyio.Event()

    async def on_delta(update: object) -> None:
        await hold.wait()

    reader = reader_of(FakeStream([delta("a"), text("b")]), on_delta=on_delta)
    with anyio.move_on_after(0.01):
        await reader.next()
    event = await reader.next()
    assert event is not None
    assert event.interaction_update is not None
    assert await drained(reader) == ["b"]


@pytest.mark.promise("RUN-08")
async def test_what_a_callback_raises_is_raised_once_and_the_event_follows() -> None:
    def on_delta(update: object) -> None:
        raise ValueError("mine")

    reader = reader_of(FakeStream([delta("a"), text("b")]), on_delta=on_delta)
    with pytest.raises(ValueError, match="mine"):
        await reader.next()
    kinds = [event.kind async for event in RunView(reader, events)]
    assert kinds == ["interaction_update", "sdk_message"]


@pytest.mark.promise("RUN-08")
async def test_listeners_hear_each_change_of_status_once() -> None:
    heard: list[str] = []

    async def listener(word: str) -> None:
        heard.append(word)

    reader = reader_of(FakeStream([status("CREATING"), status("RUNNING"), status("FINISHED"), result()]))
    reader.listeners.append(listener)
    reader.listeners.append(heard.append)
    await drained(reader)
    assert heard == ["finished", "finished"]


@pytest.mark.promise("RUN-04")
async def test_a_broken_stream_is_an_error_for_every_later_reader() -> None:
    reader = reader_of(FakeStream([text("a")], StreamInterruptedError("cut")))
    view = RunView(reader, texts)
    assert await view.__anext__() == "a"
    for _ in range(2):
        with pytest.raises(StreamInterruptedError) as caught:
            await view.__anext__()
        assert caught.value.run_id == "run-1"
    assert not reader.iterators


@pytest.mark.promise("RUN-04")
async def test_a_stream_that_breaks_after_its_end_marker_has_ended() -> None:
    reader = reader_of(FakeStream([text("a"), result(), done()], StreamInterruptedError("cut")))
    assert await drained(reader) == ["a"]


@pytest.mark.promise("RUN-04")
async def test_an_interrupted_stream_gives_what_was_read_and_then_the_reason() -> None:
    stream = FakeStream([text("a"), text("b")], None)
    reader = reader_of(stream)
    view = RunView(reader, texts)
    assert await view.__anext__() == "a"
    await reader.interrupt(CursorSDKError("closed by us"))
    assert stream.closed.is_set()
    assert await view.__anext__() == "b"
    with pytest.raises(CursorSDKError, match="closed by us"):
        await view.__anext__()


@pytest.mark.promise("RUN-09")
async def test_keep_alives_are_skipped() -> None:
    reader = reader_of(FakeStream([keepalive()], [keepalive(), text("a"), keepalive()], [keepalive()]))
    assert [event.kind async for event in RunView(reader, events)] == ["sdk_message"]


@pytest.mark.promise("RUN-03")
async def test_draining_stops_when_somebody_else_reads() -> None:
    reader = reader_of(FakeStream([text("a")], [text("b")], [result(), done()]))
    view = RunView(reader, texts)
    assert await view.__anext__() == "a"
    await reader.drain()
    assert await view.__anext__() == "b"
    del view
    await reader.drain()
    assert reader.over
    assert reader.feed.result is not None


@pytest.mark.promise("RUN-03")
async def test_draining_ends_at_the_result_even_if_the_stream_stays_open() -> None:
    reader = reader_of(FakeStream([result()], None))
    with anyio.fail_after(30):
        await reader.drain()
    assert reader.feed.result is not None


@pytest.mark.promise("RUN-01")
async def test_two_tasks_that_iterate_at_once_split_the_events() -> None:
    count = 500
    reader = reader_of(FakeStream(*[[text(str(n))] for n in range(count)]))
    got: list[int] = []

    async def read() -> None:
        async for piece in RunView(reader, texts):
            got.append(int(piece))

    async with anyio.create_task_group() as group:
        for _ in range(4):
            group.start_soon(read)
    assert sorted(got) == list(range(count))
