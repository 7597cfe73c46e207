"""The import paths that people already use, and what importing costs."""

from __future__ import annotations

import subprocess
import sys

import pytest

import cursor_sdk_async
from cursor_sdk_async import asyncio, events, types

pytestmark = pytest.mark.promise("TYP-20")

HEAVY = ("pydantic", "httpx", "anyio", "betterproto2", "google.protobuf", "cursor_sdk_async._gen")


@pytest.mark.parametrize("module", [types, events, asyncio], ids=lambda module: module.__name__)
def test_documented_import_paths_give_the_very_same_objects(module: object) -> None:
    names: list[str] = getattr(module, "__all__")  # noqa: B009
    for name in names:
        if hasattr(cursor_sdk_async, name):
            assert getattr(module, name) is getattr(cursor_sdk_async, name)
        else:
            assert getattr(module, name) is not None


def test_making_options_and_reading_messages_imports_nothing_heavy() -> None:
    code = (
        "import sys, cursor_sdk_async.types as t; t.AgentOptions(model='m').to_json(); "
        "t.sdk_message_from_json({'type': 'status'}); "
        f"print([name for name in {HEAVY!r} if name in sys.modules])"
    )
    shown = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=True
    )
    assert shown.stdout.strip() == "[]"
