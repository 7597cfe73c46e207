"""The promised behaviours, as data: what a user may rely on, and where the promise comes from.

Each room has a module here with a tuple ``PROMISES``. ``tests/test_requirements.py`` fails on a promise that
no test cites, and on a test that cites none: ``@pytest.mark.promise("BRG-01")``, or the mark for a module.
"""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules

from tests.requirements._promise import Promise

__all__ = ["PROMISES", "Promise"]


def _collect() -> tuple[Promise, ...]:
    found: list[Promise] = []
    for module in sorted(info.name for info in iter_modules(__path__) if not info.name.startswith("_")):
        found.extend(import_module(f"{__name__}.{module}").PROMISES)
    return tuple(found)


PROMISES: tuple[Promise, ...] = _collect()
