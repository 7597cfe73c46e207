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
        "docs/protocol.md: Agents",
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
    Promise(
        "CTR-10",
        "Runs are found by id and in lists, by any client, and are read from their start, awaited, cancelled.",
        "issue",
    ),
    Promise("CTR-11", "A run can be observed again and again, each time from its start.", "RC-45"),
    Promise("CTR-12", "The conversation of a run has its thoughts, tool calls and answer.", "issue"),
    Promise("CTR-13", "Unknown runs and agents are errors of their own classes.", "docs/protocol.md: Errors"),
    Promise(
        "CTR-14",
        "Cloud agents are listed newest first, in pages, by pull request, and describe themselves.",
        "issue",
    ),
    Promise("CTR-15", "Agents are archived, taken back, closed and deleted, and then not found.", "issue"),
    Promise("CTR-16", "Artifacts are listed and downloaded whole, above 1 MiB and empty ones too.", "issue"),
    Promise("CTR-17", "Tokens and cost are told for an agent and for one run.", "issue"),
    Promise(
        "CTR-18",
        "Idempotency keys repeat the first answer; an agent that is renamed by its first prompt is followed.",
        "docs/protocol.md: Agents",
    ),
    Promise("CTR-19", "Local agents are made, resumed, read, listed, archived and deleted.", "issue"),
    Promise(
        "CTR-20",
        "A local agent with a live run is busy until that ends, is cancelled or is forced to end.",
        "RC-41",
    ),
    Promise("CTR-21", "Both codecs and every lane give the same answers, streams and errors.", "issue"),
    Promise("CTR-22", "From launch to close the main job works and leaves no process and no file.", "issue"),
)
