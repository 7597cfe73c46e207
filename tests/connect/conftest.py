"""Each channel test runs over every lane and both codecs, on both backends."""

from __future__ import annotations

import pytest

from tests.connect.opening import Wiring


@pytest.fixture(params=["loopback", "httpx", "httpx-blocking"])
def lane_kind(request: pytest.FixtureRequest) -> str:
    found: str = request.param
    return found


@pytest.fixture(params=["proto", "json"])
def codec(request: pytest.FixtureRequest) -> str:
    found: str = request.param
    return found


@pytest.fixture
def wiring(lane_kind: str, codec: str) -> Wiring:
    """Lane and codec of this test."""
    return Wiring(lane_kind, codec)
