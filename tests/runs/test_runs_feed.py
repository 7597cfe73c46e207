"""From frames to the state of a run."""

from __future__ import annotations

import pytest

from cursor_sdk_async._connect._frames import RunFrame
from cursor_sdk_async._runs._feed import RunFeed
from cursor_sdk_async.results import TokenUsage
from tests.runs.frames import AGENT, RUN, delta, done, keepalive, message, result, status, text, tool, usage


def fed(*frames: RunFrame) -> RunFeed:
    feed = RunFeed()
    for frame in frames:
        feed.take(frame)
    return feed


@pytest.mark.promise("RUN-05")
@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("CREATING", "running"),
        ("RUNNING", "running"),
        ("FINISHED", "finished"),
        ("ERROR", "error"),
        ("CANCELLED", "cancelled"),
        ("EXPIRED", "expired"),
        ("SOMETHING_NEW", "running"),
    ],
)
def test_a_status_message_sets_the_status_but_does_not_end_the_run(word: str, expected: str) -> None:
    feed = fed(status(word))
    assert (feed.status, feed.result) == (expected, None)


@pytest.mark.promise("RUN-05")
def test_a_late_stream_that_starts_with_the_final_status_goes_on_to_the_result() -> None:
    feed = fed(status("FINISHED"), status("RUNNING"), text("a"))
    seen = [feed.status]
    for frame in (result(), status("RUNNING")):
        feed.take(frame)
        seen.append(feed.status)
    assert seen == ["running", "finished", "finished"]


@pytest.mark.promise("RUN-05")
def test_a_result_with_an_unknown_status_is_an_error() -> None:
    assert fed(result("SOMETHING_NEW")).status == "error"


@pytest.mark.promise("RUN-01")
def test_ids_and_offsets_come_from_the_frames() -> None:
    feed = fed(message("status", 7, status="RUNNING"))
    assert (feed.run_id, feed.agent_id, feed.offset) == (RUN, AGENT, "7")
    feed.take(keepalive())
    assert feed.offset == "7"


@pytest.mark.promise("RUN-09")
def test_a_keep_alive_is_no_event() -> None:
    assert RunFeed().take(keepalive()) is None


@pytest.mark.promise("RUN-07")
def test_text_is_joined_piece_by_piece_and_kept_apart_at_tool_calls() -> None:
    feed = fed(
        tool("running"), text("Let me "), text("look."), tool("running"), tool(), text("It is "), text("42.")
    )
    assert feed.text == "Let me look.\n\nIt is 42."


@pytest.mark.promise("RUN-07")
def test_the_text_of_the_result_wins() -> None:
    assert fed(text("partial"), result(result="final")).text == "final"
    assert fed(text("partial"), result()).text == "partial"


@pytest.mark.promise("RUN-06")
def test_usage_is_none_when_nothing_was_reported() -> None:
    assert fed(text("a"), result()).usage is None


@pytest.mark.promise("RUN-06")
def test_usage_messages_add_up_and_win_over_the_result() -> None:
    counts = {
        "inputTokens": 10,
        "outputTokens": 2,
        "cacheReadTokens": 0,
        "cacheWriteTokens": 0,
        "totalTokens": 12,
    }
    feed = fed(usage(**counts), usage(**counts), result(usage={"inputTokens": "1", "totalTokens": "1"}))
    assert feed.usage == TokenUsage(20, 4, 0, 0, 24)
    assert feed.result is not None
    assert feed.result.usage == feed.usage


@pytest.mark.promise("RUN-06")
def test_usage_of_zero_stays_zero() -> None:
    feed = fed(result(usage={}))
    assert feed.usage == TokenUsage(0, 0, 0, 0, 0)


@pytest.mark.promise("RUN-01")
def test_every_kind_of_frame_gives_its_kind_of_event() -> None:
    feed = RunFeed()
    kinds = [getattr(feed.take(frame), "kind", None) for frame in (text("a"), delta("a"), result(), done())]
    assert kinds == ["sdk_message", "interaction_update", "result", "done"]
    assert feed.done
