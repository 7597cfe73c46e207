"""Scripted bridges by hand, in both codecs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from cursor_sdk_async.testing import ScriptedBridge
from cursor_sdk_async.testing.fixtures import scripted_bridge, start_scripted_bridge
from tests.real.conftest import bridge_launcher, raw_bridge, real_bridge_environment
from tests.rest_standin.fixtures import rest_standin
from tests.scripted.by_hand import Hand

__all__ = [
    "bridge_launcher",
    "raw_bridge",
    "real_bridge_environment",
    "rest_standin",
    "scripted_bridge",
    "start_scripted_bridge",
]


@pytest.fixture(params=["json", "proto"])
def codec(request: pytest.FixtureRequest) -> str:
    """Both codecs."""
    found: str = request.param
    return found


@pytest.fixture
def start(
    start_scripted_bridge: Callable[..., ScriptedBridge], codec: str
) -> Callable[..., tuple[ScriptedBridge, Hand]]:
    """Starts a bridge; gives it and a client of it."""

    def made(*arguments: Any, **options: Any) -> tuple[ScriptedBridge, Hand]:
        bridge = start_scripted_bridge(*arguments, **options)
        return bridge, Hand(bridge.url, bridge.token, codec)

    return made
