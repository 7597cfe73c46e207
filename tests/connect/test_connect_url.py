"""Which base URLs are allowed."""

from __future__ import annotations

import httpx
import pytest

from cursor_sdk_async._connect._channel import Channel
from cursor_sdk_async._connect._httpx_lane import HttpxLane
from cursor_sdk_async._connect._lane import LoopbackLane
from cursor_sdk_async._connect._lanes import open_lane
from cursor_sdk_async._connect._url import check_url
from cursor_sdk_async._lifecycle import Owner
from cursor_sdk_async.errors import ConfigurationError

pytestmark = pytest.mark.promise("CHN-19")


@pytest.mark.parametrize(
    ("url", "authority", "addresses"),
    [
        ("http://127.0.0.1:8080", "127.0.0.1:8080", ("127.0.0.1",)),
        (" http://127.1.2.3:1/ ", "127.1.2.3:1", ("127.1.2.3",)),
        ("http://[::1]:5", "[::1]:5", ("::1",)),
        ("http://localhost:9/x/", "localhost:9", ("127.0.0.1", "::1")),
    ],
)
def test_loopback_urls_are_allowed(url: str, authority: str, addresses: tuple[str, ...]) -> None:
    target = check_url(url)
    assert (target.authority, target.addresses) == (authority, addresses)
    assert not target.path.endswith("/")


@pytest.mark.parametrize(
    "url", ["http://example.com", "http://127.0.0.1.example.com:1", "https://10.0.0.1", "http://0.0.0.0:1"]
)
def test_a_remote_url_needs_permission(url: str) -> None:
    with pytest.raises(ConfigurationError, match="allow_remote"):
        check_url(url)
    assert check_url(url, allow_remote=True).addresses == ()


@pytest.mark.parametrize(
    "url",
    [
        "",
        "127.0.0.1:80",
        "unix:///x",
        "ftp://127.0.0.1",
        "http://",
        "http://user:canary@127.0.0.1",
        "http://127.0.0.1/?k=canary",
        "http://127.0.0.1/#canary",
        "http://127.0.0.1:99999",
        "http://127.0.0.1/a\nHost: canary",
        "http://127.0.0.1/ä",
    ],
)
def test_a_url_that_cannot_be_meant_is_refused_without_quoting_it(url: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        check_url(url, allow_remote=True)
    assert "canary" not in str(caught.value)
    assert caught.value.is_safe_to_retry


def test_the_lane_follows_from_the_url_and_the_client() -> None:
    owner = Owner("test")
    assert isinstance(open_lane("http://127.0.0.1:1", owner=lambda: owner), LoopbackLane)
    assert isinstance(open_lane("https://127.0.0.1:1", owner=lambda: owner), HttpxLane)
    assert isinstance(open_lane("http://example.com", owner=lambda: owner, allow_remote=True), HttpxLane)
    with httpx.Client() as client:
        assert isinstance(open_lane("http://127.0.0.1:1", owner=lambda: owner, http_client=client), HttpxLane)
    with pytest.raises(ConfigurationError, match="AsyncClient or an"):
        open_lane("http://127.0.0.1:1", owner=lambda: owner, http_client="requests")  # type: ignore[arg-type]


@pytest.mark.promise("CHN-14")
@pytest.mark.parametrize("token", ["", " canary", "canary\r\nX: y", "canäry", "can\x00ary"])
def test_a_token_that_cannot_be_sent_is_refused_without_quoting_it(token: str) -> None:
    lane = open_lane("http://127.0.0.1:1", owner=lambda: Owner("test"))
    with pytest.raises(ConfigurationError) as caught:
        Channel(lane, token=token)
    assert "can" not in str(caught.value).replace("cannot", "")
