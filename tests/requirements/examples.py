"""Promises about what is shown in README and docs."""

from __future__ import annotations

from tests.requirements._promise import Promise

PROMISES = (
    Promise("EXA-01", "Every example of the documentation runs as it stands.", "docs/examples"),
    Promise("EXA-02", "The code of the README is an example file.", "README.md"),
    Promise("EXA-03", "The example notebook runs in a Jupyter kernel as it stands.", "docs/examples"),
    Promise(
        "CLI-01",
        "`python -m cursor_sdk_async run` streams an answer, also without a key, and says so.",
        "README.md",
    ),
)
