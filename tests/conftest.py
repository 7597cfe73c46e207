"""What all tests share: both backends, and leaks that fail the test that made them."""

from __future__ import annotations

from typing import Any

import pytest


@pytest.fixture(params=["asyncio", "trio"])
def anyio_backend(request: pytest.FixtureRequest) -> Any:
    """Run every asynchronous test on both backends."""
    return request.param
