"""Promises about the public surface: the documented names, the ways to say the same, what it costs to import."""

from __future__ import annotations

from tests.requirements._promise import Promise

PROMISES = (
    Promise(
        "SUR-02",
        "Documented calls work on the class, on an instance, flat on the client and by their older names.",
        "docs/compatibility.md",
    ),
)
