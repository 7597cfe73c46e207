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
    Promise(
        "CTR-03",
        "A cloud run is streamed in order to its result; it can be read as messages, events or text, or just "
        "awaited.",
        "issue",
    ),
    Promise("CTR-04", "An agent takes prompt after prompt, also after it was resumed by its id.", "issue"),
    Promise("CTR-05", "Deltas, steps and status changes go to sync and async callbacks.", "RC-54"),
    Promise(
        "CTR-06",
        "A run that fails has a result that says why; a prompt that is refused is an error of send().",
        "issue",
    ),
    Promise(
        "CTR-07",
        "A live run is cancelled by its handle, by its ids, by leaving it early and by cancelling a prompt.",
        "RC-44",
    ),
    Promise(
        "CTR-08",
        "A prompt for an agent with a live run is AgentBusyError, and leaves that run alone.",
        "issue",
    ),
    Promise(
        "CTR-09",
        "A run goes on whatever becomes of its readers, and waiting beside them takes nothing from them.",
        "RC-39",
    ),
)
