"""Envelopes and HTTP answers, cut anywhere."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cursor_sdk_async._connect._envelope import Envelope, EnvelopeDecoder, encode_envelope
from cursor_sdk_async._connect._http1 import HEAD_LIMIT, ResponseParser, request_bytes
from cursor_sdk_async._connect._seam import Request, Secrets
from cursor_sdk_async.errors import ProtocolError

ENVELOPES = st.lists(st.builds(Envelope, st.integers(0, 255), st.binary(max_size=40)), max_size=8)


def cut(data: bytes, where: list[int]) -> list[bytes]:
    places = sorted({0, len(data), *(place % (len(data) + 1) for place in where)})
    return [data[start:end] for start, end in pairwise(places)]


@pytest.mark.promise("CHN-02")
@given(ENVELOPES, st.lists(st.integers(0, 10_000), max_size=20))
def test_any_way_of_cutting_the_bytes_gives_the_same_envelopes(
    envelopes: list[Envelope], where: list[int]
) -> None:
    data = b"".join(encode_envelope(item.payload, item.flags) for item in envelopes)
    decoder = EnvelopeDecoder()
    found = [item for piece in cut(data, where) for item in decoder.feed(piece)]
    assert found == envelopes
    assert decoder.at_boundary
    decoder.close()


@pytest.mark.promise("CHN-03")
@given(st.binary(min_size=1, max_size=30), st.data())
def test_an_envelope_that_was_cut_is_noticed(payload: bytes, data: st.DataObject) -> None:
    whole = encode_envelope(payload)
    kept = data.draw(st.integers(1, len(whole) - 1))
    decoder = EnvelopeDecoder()
    assert decoder.feed(whole[:kept]) == []
    assert (decoder.at_boundary, decoder.buffered) == (False, kept)
    with pytest.raises(ProtocolError, match=f"cut {kept} bytes"):
        decoder.close()


@pytest.mark.promise("CHN-04")
def test_too_long_a_message_is_refused_before_anything_of_it_is_kept() -> None:
    decoder = EnvelopeDecoder(limit=10)
    assert decoder.feed(encode_envelope(b"x" * 10)) == [Envelope(0, b"x" * 10)]
    assert decoder.feed(encode_envelope(b"ok") + b"\x00\x00\x00\x00\x0bhello") == [Envelope(0, b"ok")]
    assert (decoder.refused, decoder.buffered) == (True, 0)
    for call in (lambda: decoder.feed(b""), lambda: decoder.feed(b"more"), decoder.close):
        with pytest.raises(ProtocolError, match="11 bytes is announced; the limit is 10"):
            call()
    with pytest.raises(ProtocolError, match="4294967295"):
        EnvelopeDecoder().feed(b"\x00\xff\xff\xff\xff")


ANSWERS = [
    b"HTTP/1.1 200 OK\r\nContent-Type: a/b\r\nContent-Length: 5\r\n\r\nhello",
    (
        b"HTTP/1.1 200 OK\r\nContent-Type: a/b\r\nTransfer-Encoding: chunked\r\n\r\n"
        b"2\r\nhe\r\n3;x=1\r\nllo\r\n0\r\nT: 1\r\n\r\n"
    ),
    (
        b"HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n"
        b"HTTP/1.1 200 OK\r\nContent-Type: a/b\r\nContent-Length: 5\r\n\r\nhello"
    ),
]


@pytest.mark.promise("CHN-02")
@pytest.mark.parametrize("answer", ANSWERS)
def test_an_answer_may_be_cut_at_every_byte(answer: bytes) -> None:
    for step in (1, 2, 7, len(answer)):
        parser = ResponseParser()
        body = b"".join(parser.feed(answer[at : at + step]) for at in range(0, len(answer), step))
        assert body == b"hello"
        assert parser.head is not None
        assert (parser.head.status, parser.head.headers["content-type"]) == (200, "a/b")
        assert parser.complete
        assert parser.reusable


@pytest.mark.promise("CHN-03")
@pytest.mark.parametrize("answer", ANSWERS[:2])
def test_an_answer_that_was_cut_is_not_complete(answer: bytes) -> None:
    for kept in range(len(answer)):
        parser = ResponseParser()
        parser.feed(answer[:kept])
        assert not parser.eof()
        assert not parser.reusable


@pytest.mark.promise("CHN-03")
def test_an_answer_without_a_length_ends_with_its_connection() -> None:
    parser = ResponseParser()
    assert parser.feed(b"HTTP/1.1 200 OK\r\n\r\nhel") + parser.feed(b"lo") == b"hello"
    assert not parser.complete
    assert parser.eof()
    assert not parser.reusable


@pytest.mark.promise("CHN-15")
@given(st.binary(max_size=200), st.integers(0, 60))
def test_damage_gives_an_answer_or_an_error_of_ours(damage: bytes, place: int) -> None:
    parser = ResponseParser()
    try:
        for piece in (ANSWERS[1][:place], damage, ANSWERS[1][place:]):
            parser.feed(piece)
        parser.eof()
    except ProtocolError:
        pass


@pytest.mark.promise("CHN-15")
def test_an_endless_head_is_refused() -> None:
    parser = ResponseParser()
    parser.feed(b"HTTP/1.1 200 OK\r\n")
    with pytest.raises(ProtocolError, match="head of the answer"):
        for number in range(HEAD_LIMIT):
            parser.feed(b"X-%d: %s\r\n" % (number, b"y" * 1000))


@pytest.mark.promise("CHN-08")
@pytest.mark.parametrize(
    "answer",
    [
        b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 1\r\n\r\na",
        b"HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\na",
        b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\naHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nb",
        b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\na?",
    ],
)
def test_a_connection_with_anything_left_on_it_is_not_reused(answer: bytes) -> None:
    parser = ResponseParser()
    assert parser.feed(answer) == b"a"
    assert parser.complete
    assert not parser.reusable


@pytest.mark.promise("CHN-14")
def test_a_request_hides_what_it_carries() -> None:
    request = Request("/p", "application/json", b'{"apiKey":"canary"}', Secrets("canary"))
    assert "canary" not in f"{request!r}{request.__class__}{Secrets('canary')!r}"
    assert request_bytes(request, "h:1", "/base").startswith(b"POST /base/p HTTP/1.1\r\nHost: h:1\r\n")
