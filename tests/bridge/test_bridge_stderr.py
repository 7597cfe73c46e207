"""From bytes to lines, however they are cut."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cursor_sdk_async._bridge._discovery import READY_LINE_PREFIX
from cursor_sdk_async._bridge._stderr import LINE_LIMIT, StderrLine, StderrSplitter, Tail

pytestmark = pytest.mark.promise("BRG-04")

READY = READY_LINE_PREFIX + '{"pid": 1}'


def split(chunks: list[bytes], *secrets: str, limit: int = LINE_LIMIT) -> list[StderrLine]:
    splitter = StderrSplitter(secrets, limit=limit)
    lines = [line for chunk in chunks for line in splitter.feed(chunk)]
    return [*lines, *splitter.close()]


def cut(data: bytes, places: list[int]) -> list[bytes]:
    edges = [0, *sorted(place % (len(data) + 1) for place in places), len(data)]
    return [data[start:end] for start, end in pairwise(edges)]


parts = st.one_of(
    st.sampled_from(
        [
            "\n",
            "\r\n",
            "\r",
            READY,
            READY + "\n",
            READY_LINE_PREFIX,
            "cursor-sdk-",
            "ö",
            "𝄞",
            "secret-value",
            "x" * 40,
        ]
    ).map(str.encode),
    st.binary(max_size=30),
)


@given(st.lists(parts, max_size=12), st.lists(st.integers(min_value=0, max_value=2000), max_size=12))
def test_any_cut_gives_the_same_lines(content: list[bytes], places: list[int]) -> None:
    data = b"".join(content)
    whole = split([data], "secret-value", limit=64)
    assert split(cut(data, places), "secret-value", limit=64) == whole
    assert split([data[at : at + 1] for at in range(len(data))], "secret-value", limit=64) == whole


@given(st.lists(st.text(st.characters(exclude_characters="\n\r", codec="utf-8")), max_size=8))
def test_lines_come_out_as_they_went_in(lines: list[str]) -> None:
    data = "".join(f"{line}\n" for line in lines).encode()
    assert [line.text for line in split([data])] == lines


@given(st.text(st.characters(codec="utf-8", exclude_characters="\n\r"), min_size=100, max_size=500))
def test_pieces_of_a_long_line_add_up(line: str) -> None:
    pieces = split([line.encode() + b"\n"], limit=64)
    assert "".join(piece.text for piece in pieces) == line
    assert len(pieces) > 1


def test_crlf_and_a_last_line_without_an_end_count() -> None:
    assert [line.text for line in split([b"one\r\ntwo"])] == ["one", "two"]


def test_bytes_that_are_no_text_are_replaced() -> None:
    assert split([b"\xff\xfe!\n"]) == [StderrLine("\ufffd\ufffd!", False)]


@pytest.mark.parametrize("noise", ["", "noise", "x" * 10, "x" * 63, "x" * 64, "x" * 100, "x" * 100_000])
@pytest.mark.parametrize("end", ["\n", "\r\n", ""])
def test_the_ready_line_is_found_behind_noise(noise: str, end: str) -> None:
    lines = split([noise.encode() + READY.encode() + end.encode()], limit=64)
    assert lines[-1] == StderrLine(READY, True)
    assert "".join(line.text for line in lines[:-1]) == noise
    assert not any(line.ready for line in lines[:-1])


def test_words_that_only_quote_the_ready_line_are_noise() -> None:
    assert not any(line.ready for line in split([b"still waiting for 'cursor-sdk-bridge ready '\n"]))


def test_a_ready_line_gone_wrong_is_still_one() -> None:
    assert split([b"cursor-sdk-bridge ready soon\n"]) == [StderrLine("cursor-sdk-bridge ready soon", True)]


def test_an_endless_ready_line_is_given_up() -> None:
    lines = split([READY_LINE_PREFIX.encode() + b"{" + b"x" * 1_000_000])
    assert lines[0].ready
    assert len(lines[0].text) < 300_000


@pytest.mark.promise("BRG-15")
class TestSecrets:
    @pytest.mark.parametrize("limit", range(20, 60))
    def test_they_are_masked_also_across_pieces(self, limit: int) -> None:
        data = b"x" * 30 + b"my-secret-value" + b"y" * 30 + b"\n"
        text = "".join(line.text for line in split([data], "my-secret-value", limit=limit))
        assert text == "x" * 30 + "***" + "y" * 30

    def test_one_that_is_added_on_the_way_is_masked_from_then_on(self) -> None:
        splitter = StderrSplitter()
        texts: list[str] = []
        for line in splitter.feed(b"first\nthe-token-value\n"):
            splitter.add_secret("the-token-value")
            texts.append(line.text)
        assert texts == ["first", "***"]

    def test_short_values_and_our_own_words_are_not(self) -> None:
        assert split([b"a cursor\n"], "a", "cursor-sdk-bridge")[0].text == "a cursor"
        assert split([READY.encode()], "cursor-sdk-bridge")[0].ready


@pytest.mark.promise("BRG-05")
def test_the_tail_is_bounded() -> None:
    tail = Tail(lines=3, width=10)
    for number in range(100):
        tail.add(f"{number} " + "x" * 100)
    tail.add("   ")
    assert len(tail.lines()) == 3
    assert tail.lines()[-1].startswith("99 xxxxxxx")
    assert all(len(line) < 20 for line in tail.lines())
