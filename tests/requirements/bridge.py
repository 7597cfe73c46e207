"""Promises about the bridge process: finding, starting, watching, stopping."""

from __future__ import annotations

from tests.requirements._promise import Promise

PROMISES = (
    Promise(
        "BRG-01",
        "A bridge can be entered, awaited or handed to a task, and starts only then.",
        "docs/bridge.md",
    ),
    Promise(
        "BRG-02",
        "The bridge is searched in a documented order, and an explicit choice never falls through.",
        "RC-06",
    ),
    Promise(
        "BRG-03",
        "A file that cannot be launched is refused with an error that names it and the remedy.",
        "RC-05",
    ),
    Promise(
        "BRG-04",
        "The ready line is found in any fragments and behind any noise.",
        "docs/protocol.md: Ready line",
    ),
    Promise("BRG-05", "However much the bridge writes to stderr, nothing changes but the log.", "RC-01"),
    Promise(
        "BRG-06",
        "A bridge that does not become ready is one typed error with exit status and stderr tail.",
        "RC-03",
    ),
    Promise(
        "BRG-07", "The death of the process is known at once, with its exit status and stderr tail.", "RC-03"
    ),
    Promise("BRG-08", "Closing ends the whole process tree, whatever the launcher does.", "RC-13"),
    Promise(
        "BRG-09", "Closing gives the bridge time to clean up, and is bounded when it does not end.", "RC-14"
    ),
    Promise(
        "BRG-10",
        "Closing twice, from other tasks, or in a cancelled scope is harmless and complete.",
        "RC-11",
    ),
    Promise(
        "BRG-11", "Nothing is left after any exit path: processes, threads, descriptors, files.", "RC-11"
    ),
    Promise("BRG-12", "No bridge outlives our process, however that ends.", "RC-12"),
    Promise("BRG-13", "A program that ends without closing is quiet, and leaves no bridge.", "RC-16"),
    Promise("BRG-14", "A forgotten bridge is closed, with one ResourceWarning.", "RC-11"),
    Promise(
        "BRG-15", "Secrets never show in arguments, repr, pickles, logs or error messages.", "docs/bridge.md"
    ),
    Promise("BRG-16", "The child's environment can be extended, replaced and filtered.", "docs/bridge.md"),
    Promise("BRG-17", "A bridge used in another event loop or a forked child raises ClosedError.", "RC-21"),
    Promise(
        "BRG-18", "The child's working directory is the workspace, and its stdin is empty.", "docs/bridge.md"
    ),
    Promise(
        "BRG-19",
        "Settings are read from the environment in one place, at the time of the call.",
        "docs/bridge.md",
    ),
    Promise("BRG-20", "On Windows no console window opens and command files are resolved.", "RC-07"),
    Promise("BRG-21", "The real bridge launches, answers and closes with nothing left behind.", "issue"),
    Promise(
        "BRG-22",
        "Jobs of an owner reach their caller; nothing that they raise escapes it.",
        "issue",
    ),
    Promise(
        "BRG-23",
        "A home directory that the bridge cannot write to is one error that names it and the remedy; nothing of "
        "ours is written there.",
        "RC-09",
    ),
)
