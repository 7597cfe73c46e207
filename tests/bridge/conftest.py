"""A temporary directory of each test for the token files of its bridges."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def token_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "tmp"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    return folder
