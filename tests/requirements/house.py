"""Promises about the house itself: layout, imports, the public surface."""

from __future__ import annotations

from tests.requirements._promise import Promise

PROMISES = (
    Promise("HSE-01", "Each room imports only what the import law allows.", "docs/decisions/0001-rooms.md"),
    Promise(
        "HSE-02",
        "Every promise has a test, and every test cites a promise.",
        "docs/decisions/0002-promises.md",
    ),
    Promise(
        "HSE-03",
        "The public surface changes only on purpose: a snapshot names every public name.",
        "docs/decisions/0001-rooms.md",
    ),
    Promise("HSE-04", "Every public error survives pickle and copy with its facts.", "RC-57"),
)
