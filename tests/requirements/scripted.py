"""Promises about the scripted bridge, which users test their programs with."""

from __future__ import annotations

from tests.requirements._promise import Promise

PROMISES = (
    Promise(
        "DBL-01",
        "The scripted bridge starts, tells where it is, and ends as the real one does.",
        "docs/protocol.md: Process and signals",
    ),
    Promise(
        "DBL-02",
        "It answers in both codecs over HTTP/1.1 with the real one's status codes and bodies.",
        "docs/protocol.md: Transport",
    ),
    Promise(
        "DBL-03",
        "Agents can be created, resumed, found, listed in pages, archived, closed and deleted as on the real one.",
        "docs/protocol.md: Agents",
    ),
    Promise("DBL-04", "Its agent does what the script says, step by step.", "issue"),
    Promise(
        "DBL-05",
        "Runs are replayed, shared, numbered, cancelled and waited for by the real one's rules.",
        "docs/protocol.md: Losing and resuming",
    ),
    Promise("DBL-06", "Each fault of the process can be switched on.", "RC-01, RC-03, RC-12, RC-14"),
    Promise("DBL-07", "Each fault of a call can be switched on.", "RC-30, RC-31, RC-37"),
    Promise("DBL-08", "Each fault of a stream can be switched on.", "RC-29, RC-33, RC-34, RC-45"),
    Promise(
        "DBL-09",
        "A test can read what was asked, without secrets, and steer the bridge while it runs.",
        "issue",
    ),
    Promise(
        "DBL-10",
        "The scripted agent calls custom tools through the endpoint that the client registered.",
        "docs/protocol.md: Custom tools",
    ),
    Promise(
        "DBL-11", "With a state file, a bridge that is started later goes on with agents and runs.", "RC-41"
    ),
    Promise("DBL-12", "Where both can be asked, it answers as the real bridge does.", "issue"),
)
