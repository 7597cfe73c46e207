"""The fixtures of the real bridge; the package's docstring describes them."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from tests.real.raw_bridge import RawBridge, find_launcher
from tests.rest_standin import ACCEPTED_KEY, RestStandin
from tests.rest_standin.fixtures import fresh_rest_standin, rest_standin

__all__ = [
    "bridge_launcher",
    "fresh_rest_standin",
    "raw_bridge",
    "real_bridge_environment",
    "real_workspace",
    "rest_standin",
]


@pytest.fixture(scope="session")
def bridge_launcher() -> Path:
    """The launcher of the installed wheel."""
    launcher = find_launcher()
    if launcher is None:
        pytest.fail("needs the bridge of the cursor-sdk wheel: pip install cursor-sdk")
    return launcher


@pytest.fixture(scope="session")
def real_bridge_environment(
    bridge_launcher: Path, rest_standin: RestStandin, tmp_path_factory: pytest.TempPathFactory
) -> Mapping[str, str]:
    """Variables that keep a bridge off the network and out of the user's home directory."""
    root = tmp_path_factory.mktemp("bridge")
    for name in ("home", "tmp"):
        (root / name).mkdir()
    return {
        "CURSOR_API_KEY": ACCEPTED_KEY,
        "CURSOR_BACKEND_URL": rest_standin.url,
        "HOME": str(root / "home"),
        "TMPDIR": str(root / "tmp"),
    }


@pytest.fixture
def real_workspace(tmp_path: Path) -> Path:
    """An empty directory to work in."""
    workspace = tmp_path / "workspace"
    workspace.mkdir()
    return workspace


@pytest.fixture(scope="session")
def raw_bridge(
    bridge_launcher: Path,
    real_bridge_environment: Mapping[str, str],
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[RawBridge]:
    """A running bridge, spoken to by hand; it has no key of its own, so that none hides a missing one."""
    environment = {"PATH": os.environ["PATH"], **real_bridge_environment}
    del environment["CURSOR_API_KEY"]
    bridge = RawBridge(bridge_launcher, tmp_path_factory.mktemp("workspace"), environment)
    yield bridge
    bridge.stop()
