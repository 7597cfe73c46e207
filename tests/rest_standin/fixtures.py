"""The fixtures of the stand-in; a ``conftest.py`` that wants them imports them by name."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.rest_standin.process import RestStandin

__all__ = ["fresh_rest_standin", "rest_standin"]


@pytest.fixture(scope="session")
def rest_standin() -> Iterator[RestStandin]:
    """The stand-in's process: one for each worker, ended with it."""
    with RestStandin() as standin:
        yield standin


@pytest.fixture(autouse=True)
def fresh_rest_standin(request: pytest.FixtureRequest) -> None:
    """Forget what the test before asked for; agents stay, since a shared bridge may know them."""
    if "rest_standin" in request.fixturenames:
        standin = request.getfixturevalue("rest_standin")
        assert isinstance(standin, RestStandin)
        standin.reset()
