"""Promises about runs: reading, waiting, cancelling."""

from __future__ import annotations

from tests.requirements._promise import Promise

WIRE = "docs/protocol.md: Run streams"

PROMISES = (
    Promise(
        "RUN-01", "Each event of a run is handed out once, in order, to whichever reader asks first.", "issue"
    ),
    Promise("RUN-02", "A cancelled step loses nothing, and the next step goes on.", "RC-18"),
    Promise("RUN-03", "wait() returns the result whatever was read, and beside other readers.", "RC-39"),
    Promise("RUN-04", "A stream that breaks is an error for its readers, never a normal end.", "RC-29"),
    Promise("RUN-05", "Only a result ends a run; status words, known or not, do not.", WIRE),
    Promise("RUN-06", "Usage that was not reported is None, never zero, and messages add up.", "RC-38"),
    Promise("RUN-07", "text() loses no text, and keeps a tool call's two sides apart.", "docs/runs.md"),
    Promise(
        "RUN-08",
        "Callbacks and listeners may be sync or async; what one raises is raised once and loses no event.",
        "RC-54",
    ),
    Promise("RUN-09", "Keep-alives are not shown, not even when they come first.", WIRE),
    Promise("RUN-10", "A send that is cancelled leaves no run without an owner.", "RC-44"),
    Promise(
        "RUN-20",
        "A stream that breaks while the bridge lives goes on, each message once and in order.",
        "RC-45",
    ),
    Promise(
        "RUN-21",
        "A stream that cannot be proven to go on where it broke is an error that says how far it was read.",
        "RC-45",
    ),
    Promise(
        "RUN-24",
        "A silent bridge that answers a ping is waited for; one that does not is an error of its own kind.",
        "RC-28",
    ),
    Promise(
        "RUN-25",
        "A limit given to a run or a reader cancels the run, and its error has text and usage; that of wait() "
        "leaves the run alone.",
        "RC-28",
    ),
    Promise(
        "RUN-26",
        "cancel() can be repeated while a run is live or was cancelled, and says when there is nothing to "
        "cancel.",
        "RC-44",
    ),
    Promise(
        "RUN-30",
        "A prompt for a busy agent is refused, or waits until the agent takes it; it never makes two runs.",
        "RC-37",
    ),
    Promise("RUN-31", "on_busy='force' ends the run that keeps a local agent busy, and only then.", "RC-41"),
    Promise("RUN-22", "Updates that a broken stream lost show as one event of kind gap.", "docs/runs.md"),
    Promise(
        "RUN-23", "Another process goes on reading where a stored position stands, or is refused.", "RC-45"
    ),
    Promise(
        "RUN-32", "An observation that was begun at an offset is taken up again like any other.", "RC-45"
    ),
)
