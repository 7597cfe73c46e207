"""What the stand-in's own tests share."""

from __future__ import annotations

from collections.abc import Iterator

import httpx
import pytest

from tests.rest_standin import ACCEPTED_KEY, RestStandin
from tests.rest_standin.fixtures import fresh_rest_standin, rest_standin

__all__ = ["api", "connect", "fresh_rest_standin", "rest_standin"]


def connect(standin: RestStandin) -> httpx.Client:
    """A client that makes no TLS context: that is the slowest part of a small test."""
    return httpx.Client(base_url=standin.url, auth=(ACCEPTED_KEY, ""), trust_env=False, verify=False)


@pytest.fixture(scope="session")
def api(rest_standin: RestStandin) -> Iterator[httpx.Client]:
    """A client with a good key."""
    with connect(rest_standin) as client:
        yield client
