"""Promises of the client as a whole, shown on the scripted and on the real bridge alike."""

from __future__ import annotations

from tests.requirements._promise import Promise

PROMISES = (
    Promise(
        "CTR-01",
        "A client answers ping and version, and reads the account, the models and the repositories.",
        "issue",
    ),
    Promise(
        "CTR-02",
        "A missing, blank or refused API key is an error of its own kind, at the call that needs the key.",
        "docs/protocol.md: API keys",
    ),
)
