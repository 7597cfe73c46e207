"""Requests in every cut of their bytes, and bytes that are no requests."""

from __future__ import annotations

import json
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cursor_sdk_async._callbacks._request import HEAD_LIMIT, RequestParser

BODY = json.dumps({"toolName": "t", "args": {"text": "é" * 40}}).encode()
HEAD = b"POST /x?y=1 HTTP/1.1\r\nHost: a:1\r\nX-Two: one\r\nX-Two: two\r\n"
PLAIN = HEAD + b"Content-Length: %d\r\n\r\n" % len(BODY) + BODY
CHUNKED = (
    HEAD
    + b"Transfer-Encoding: chunked\r\n\r\n"
    + b"%x;ext=1\r\n%b\r\n%x\r\n%b\r\n0\r\nX-Trailer: ignored\r\n\r\n"
    % (10, BODY[:10], len(BODY) - 10, BODY[10:])
)


def cut(data: bytes, points: list[int]) -> list[bytes]:
    places = sorted({0, len(data), *(point % (len(data) + 1) for point in points)})
    return [data[start:end] for start, end in pairwise(places)]


@pytest.mark.promise("CBK-10")
@given(st.lists(st.integers(0, 10_000), max_size=12), st.sampled_from([PLAIN, CHUNKED]), st.integers(1, 3))
def test_a_request_is_the_same_in_every_cut_of_its_bytes(points: list[int], data: bytes, times: int) -> None:
    parser = RequestParser(10_000)
    for piece in cut(data * times, points):
        parser.feed(piece)
    assert parser.broken is None
    assert parser.current is None
    assert len(parser.requests) == times
    for request in parser.requests:
        assert (request.method, request.path, request.body) == ("POST", "/x", BODY)
        assert (request.headers["x-two"], request.keep_alive) == ("one, two", True)
        assert "x-trailer" not in request.headers


@pytest.mark.promise("CBK-10")
@pytest.mark.parametrize("data", [PLAIN, CHUNKED])
def test_every_single_cut_and_every_byte_alone(data: bytes) -> None:
    for point in range(len(data) + 1):
        parser = RequestParser(10_000)
        parser.feed(data[:point])
        assert parser.requests == [] or point == len(data)
        parser.feed(data[point:])
        assert [request.body for request in parser.requests] == [BODY]
    parser = RequestParser(10_000)
    for byte in data:
        parser.feed(bytes([byte]))
    assert [request.body for request in parser.requests] == [BODY]


@pytest.mark.promise("CBK-10")
@settings(max_examples=300)
@given(st.data())
def test_damaged_requests_are_read_or_refused_and_what_is_kept_is_bounded(data: st.DataObject) -> None:
    damaged = bytearray(data.draw(st.sampled_from([PLAIN, CHUNKED])) * 2)
    for place in data.draw(st.lists(st.integers(0, len(damaged) - 1), max_size=6)):
        damaged[place] = data.draw(st.integers(0, 255))
    parser = RequestParser(10_000)
    for piece in cut(bytes(damaged), data.draw(st.lists(st.integers(0, 10_000), max_size=8))):
        parser.feed(piece)
    for request in parser.requests:
        assert request.complete
        assert len(request.body) <= 10_000
    if parser.broken is not None:
        assert 400 <= parser.broken.status < 500
        assert parser.broken.close


@pytest.mark.promise("CBK-03")
@pytest.mark.parametrize(
    "endless",
    [
        b"x" * 1000,
        b"X-Header: value\r\n" * 60,
        b"X: " + b"y" * 1000,
    ],
)
def test_a_head_or_trailer_without_end_is_cut_off(endless: bytes) -> None:
    for start in (b"POST / HTTP/1.1\r\n", HEAD + b"Transfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n"):
        parser = RequestParser(10_000)
        parser.feed(start)
        for _ in range(2 * HEAD_LIMIT // 1000):
            parser.feed(endless)
        assert parser.broken is not None
        assert parser.broken.status in (400, 431)
