"""Fixtures for pytest: ``pytest_plugins = ["cursor_sdk_async.testing.fixtures"]``, or import them by name."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from cursor_sdk_async.testing.process import ScriptedBridge

__all__ = ["scripted_bridge", "start_scripted_bridge"]


@pytest.fixture
def start_scripted_bridge(tmp_path: Path) -> Iterator[Callable[..., ScriptedBridge]]:
    """Start scripted bridges, with the arguments of ``ScriptedBridge``; they are stopped after the test."""
    with ExitStack() as stack:

        def start(*arguments: Any, **options: Any) -> ScriptedBridge:
            options.setdefault("workspace", tmp_path)
            return stack.enter_context(ScriptedBridge(*arguments, **options))

        yield start


@pytest.fixture
def scripted_bridge(start_scripted_bridge: Callable[..., ScriptedBridge]) -> ScriptedBridge:
    """A scripted bridge with the default script."""
    return start_scripted_bridge()
