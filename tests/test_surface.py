"""The public surface changes only on purpose."""

from __future__ import annotations

import importlib

import pytest

from tests.surface import MODULES, SNAPSHOT, surface

pytestmark = pytest.mark.promise("HSE-03")


def test_the_public_surface_is_the_one_in_the_snapshot() -> None:
    assert surface() == SNAPSHOT.read_text(), "changed on purpose? run: python -m tests.surface"


@pytest.mark.parametrize("name", MODULES)
def test_all_names_what_can_be_imported(name: str) -> None:
    module = importlib.import_module(name)
    assert len(set(module.__all__)) == len(module.__all__)
    assert all(hasattr(module, public) for public in module.__all__)
    assert all(not public.startswith("_") or public == "__version__" for public in module.__all__)
