"""What all tests share: both backends, and leaks that fail the test that made them."""

from __future__ import annotations

import signal
from typing import Any

import pytest

# A shell starts what runs in its background with SIGINT ignored, and children inherit that: the programs that
# tests start could then not be interrupted.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(params=["asyncio", "trio"])
def anyio_backend(request: pytest.FixtureRequest) -> Any:
    """Run every asynchronous test on both backends."""
    return request.param
