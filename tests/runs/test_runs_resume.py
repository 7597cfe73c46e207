"""Which frames of a replay are new, for any run, any break and any way in which a replay may differ."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cursor_sdk_async._connect._frames import RunFrame
from cursor_sdk_async._runs._feed import RunFeed
from cursor_sdk_async._runs._resume import Journal, Mark, Mismatch, comparable
from tests.runs.frames import delta, done, keepalive, message, result, status, text, tool, usage

REQUEST = message("request", request_id="q1")


def numbered(frames: Sequence[RunFrame], after: int = 0) -> list[RunFrame]:
    """With offsets, as a stream gives them."""
    number = after
    made: list[RunFrame] = []
    for frame in frames:
        number += frame.kind != "keepalive"
        made.append(frame._replace(offset=None if frame.kind == "keepalive" else str(number)))
    return made


def live(words: Sequence[str]) -> list[RunFrame]:
    """A Send stream: statuses as they come, deltas, keep-alives."""
    body = [frame for word in words for frame in (delta(word), message_of(word), keepalive())]
    return numbered(
        [status("CREATING"), status("RUNNING"), *body, status("FINISHED"), result(), done()],
    )


def replay(words: Sequence[str], *, local: bool) -> list[RunFrame]:
    """What an observation gives afterwards."""
    if local:
        body = [REQUEST, status("RUNNING"), *map(message_of, words), status("FINISHED")]
    else:
        body = [status("FINISHED"), *map(message_of, words)]
    return numbered([*body, result(), done()])


def message_of(word: str) -> RunFrame:
    """Words stand for messages of all kinds."""
    kinds: dict[str, RunFrame] = {"tool": tool(), "usage": usage(inputTokens=3)}
    return kinds.get(word, text(word))


def told(frames: Sequence[RunFrame]) -> list[Any]:
    return [frame.payload for frame in frames if comparable(frame) or frame.kind in ("result", "done")]


def words_of(frames: Sequence[RunFrame]) -> list[str]:
    return [frame.payload["message"]["status"] for frame in frames if frame.payload.get("type") == "status"]


WORDS = st.lists(st.sampled_from(["a", "b", "tool", "usage", "c"]), max_size=12)


@pytest.mark.promise("RUN-20")
@settings(max_examples=300, deadline=None)
@given(words=WORDS, local=st.booleans(), data=st.data())
def test_any_break_anywhere_gives_each_message_once_and_in_order(
    words: list[str], local: bool, data: st.DataObject
) -> None:
    journal, got = Journal(sent=True), list[RunFrame]()
    stream = live(words)
    whole = told(stream)
    for _ in range(data.draw(st.integers(0, 4), "breaks")):
        got += journal.take(stream[: data.draw(st.integers(0, len(stream)), "cut")])
        journal.replay()
        stream = replay(words, local=local)
    for frame in stream:
        got += journal.take([frame])
    assert told(got) == whole
    shown = words_of(got)
    assert shown[-1] == "FINISHED"
    assert len(set(shown)) == len(shown)
    assert not any(frame.payload.get("type") == "request" for frame in got)


@pytest.mark.promise("RUN-20")
def test_the_statuses_of_a_mended_run_are_those_of_a_whole_one() -> None:
    stream = live("abc")
    whole = words_of(stream)
    for local in (True, False):
        for cut in range(2, len(stream) + 1):
            journal = Journal(sent=True)
            got = journal.take(stream[:cut])
            journal.replay()
            got += journal.take(replay("abc", local=local))
            assert words_of(got) == whole
            kinds = [frame.payload.get("type") for frame in got]
            assert kinds.index(None) > 0
            assert got[-2].kind == "result"


@pytest.mark.promise("RUN-21")
@settings(max_examples=300, deadline=None)
@given(count=st.integers(1, 10), data=st.data())
def test_a_replay_that_lost_one_of_the_messages_read_to_somebody_else_is_noticed(
    count: int, data: st.DataObject
) -> None:
    words = [f"word {number}" for number in range(count)]
    journal = Journal(sent=True)
    cut = data.draw(st.integers(1, count), "read")
    journal.take([status("RUNNING"), *map(message_of, words[:cut])])
    hole = data.draw(st.integers(0, cut - 1), "hole")
    journal.replay()
    with pytest.raises(Mismatch) as caught:
        journal.take(replay([*words[:hole], *words[hole + 1 :]], local=False))
    assert caught.value.index == hole or caught.value.short
    assert caught.value.short == (hole == count - 1)
    journal.replay()  # a whole one then goes on in the right place
    got = journal.take(replay(words, local=False))
    assert told(got) == told([*map(message_of, words[cut:]), result(), done()])


@pytest.mark.promise("RUN-21")
def test_a_replay_that_ends_too_early_is_noticed_however_it_ends() -> None:
    for ending in ([result()], [done()], []):
        journal = Journal(sent=True)
        journal.take([text("a"), text("b")])
        journal.replay()
        with pytest.raises(Mismatch) as caught:
            journal.take([text("a"), *ending])
            journal.closed()
        assert (caught.value.index, caught.value.short) == (1, True)


@pytest.mark.promise("RUN-20")
def test_the_order_of_keys_does_not_matter_and_a_frame_sent_twice_comes_once() -> None:
    one = text("a")._replace(offset="1")
    turned = one._replace(payload={name: one.payload[name] for name in reversed(one.payload)})
    journal = Journal()
    assert journal.take([one, one]) == [one]
    assert journal.take([one._replace(offset="2")])
    journal.replay()
    assert journal.take([turned, turned._replace(offset="2")]) == []


@pytest.mark.promise("RUN-20")
def test_a_replay_shows_what_it_alone_has_only_where_that_is_new() -> None:
    journal = Journal()
    assert journal.take([REQUEST, text("a")]) == [REQUEST, text("a")]
    journal.replay()
    unknown = RunFrame("unknown", {"news": 1}, None)
    assert journal.take([REQUEST, unknown, text("a"), REQUEST, unknown]) == [unknown]


@pytest.mark.promise("RUN-23")
@settings(max_examples=200, deadline=None)
@given(words=WORDS, data=st.data())
def test_a_stored_mark_goes_on_in_another_journal(words: list[str], data: st.DataObject) -> None:
    first = Journal(sent=True)
    cut = data.draw(st.integers(0, len(words)))
    read = first.take([status("RUNNING"), *map(message_of, words[:cut])])
    mark = first.mark(len([frame for frame in read if comparable(frame)]))
    assert mark.count == cut
    feed = RunFeed()
    second, got = Journal(start=mark, on_skip=feed.take), list[RunFrame]()
    stream = replay(words, local=False)
    for _ in range(data.draw(st.integers(0, 2), "breaks")):
        got += second.take(stream[: data.draw(st.integers(0, len(stream)), "broken at")])
        second.replay()
    got += second.take(stream)
    assert told(got) == told([*map(message_of, words[cut:]), result(), done()])
    whole = RunFeed()
    for frame in map(message_of, words[:cut]):
        whole.take(frame)
    assert (feed.text, feed.usage) == (whole.text, whole.usage)
    assert second.mark(len(words)) == first_mark(words)


def first_mark(words: Sequence[str]) -> Mark:
    journal = Journal()
    journal.take(list(map(message_of, words)))
    return journal.mark(len(words))


@pytest.mark.promise("RUN-23")
def test_a_mark_of_another_run_is_refused_and_kept() -> None:
    mark = first_mark("abc")
    journal = Journal(start=mark)
    with pytest.raises(Mismatch) as caught:
        journal.take([text("a"), text("b"), text("x")])
    assert (caught.value.index, caught.value.short) == (3, False)
    assert journal.mark(journal.before) == mark
