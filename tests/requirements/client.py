"""Promises about the client as a whole: the main job, death, many streams, garbage, loops."""

from __future__ import annotations

from tests.requirements._promise import Promise

PROMISES = (
    Promise(
        "CLT-01",
        "async with launch_bridge() starts a bridge, runs a prompt, streams and returns its result, and leaves "
        "nothing behind.",
        "README.md",
    ),
    Promise(
        "CLT-02",
        "When the bridge dies, every pending call and stream fails at once with its exit status, the end of its "
        "stderr and the runs that were in flight.",
        "RC-03",
    ),
    Promise("CLT-03", "A thousand open streams on one client do not hold up a ping or a cancel.", "RC-26"),
    Promise("CLT-04", "wait_for around single steps of any iterator loses nothing.", "RC-18"),
    Promise("CLT-05", "Breaking off, or forgetting a run, leaves no connection open.", "RC-60"),
    Promise("CLT-06", "A client that is forgotten ends its bridge, with one ResourceWarning.", "RC-11"),
    Promise("CLT-07", "Closing twice, from two tasks, or in a cancelled scope is harmless.", "RC-11"),
    Promise("CLT-08", "A closed client refuses every call with ClosedError.", "docs/bridge.md"),
    Promise(
        "CLT-09", "A launched client belongs to its loop, and says so; a connected one may change.", "RC-21"
    ),
    Promise("CLT-10", "Closing the client cancels live local runs at the bridge.", "docs/runs.md"),
    Promise("CLT-11", "The table of what ends a run holds.", "RC-44"),
    Promise("CLT-12", "Live handles refuse to be pickled, and say what to store instead.", "RC-57"),
    Promise("CLT-13", "Keys and tokens show in no repr, log, error or command line.", "RC-56"),
    Promise(
        "CLT-14",
        "Closing an agent whose run is live interrupts its readers, and names the run.",
        "docs/runs.md",
    ),
    Promise(
        "CLT-20",
        "A stream that breaks in any way is a typed error with run and position; wait() still gets the result, and the client stays usable.",
        "RC-29",
    ),
    Promise(
        "CLT-21",
        "A call that fails is a typed error that says whether it may have taken effect, and what changes something is sent once.",
        "RC-31",
    ),
    Promise("CLT-22", "Cancelling at any checkpoint of any operation leaves nothing behind.", "issue"),
    Promise("CLT-23", "A hundred clients opened and closed in any way leave nothing behind.", "RC-11"),
    Promise(
        "CLT-24",
        "Callbacks may raise, cancel the run, call the client, and close agent or client, without deadlock.",
        "RC-54",
    ),
    Promise("CLT-25", "wait() returns whatever was read before and whoever reads beside it.", "RC-39"),
    Promise(
        "CLT-26", "Thousands of short runs on one client leave its tables empty and its memory flat.", "RC-60"
    ),
    Promise("CLT-27", "A slow reader or a huge message holds up no other run and no call.", "RC-39"),
    Promise(
        "CLT-28",
        "What a newer contract sends arrives in order, as Unknown... objects.",
        "docs/protocol.md: Run streams",
    ),
    Promise("CLT-29", "Launching and the first agent import nothing heavy on the event loop.", "issue"),
    Promise(
        "CLT-30", "Readers of a run that is closed on this side get ClosedError, never a normal end.", "RC-29"
    ),
    Promise("CLT-31", "Closing a client leaves no prompt on its way without an owner.", "RC-44"),
    Promise("CLT-32", "Each observation of a run sees all of it, however many there are.", "RC-45"),
    Promise(
        "CLT-39",
        "Ctrl-C in a terminal is one KeyboardInterrupt; the bridge is asked to end, and nothing is left.",
        "RC-17",
    ),
    Promise(
        "CLT-40",
        "A key that is refused after it was accepted is an error that says so; nothing is sent again by itself, "
        "and resuming the agent makes a new login.",
        "RC-40",
    ),
    Promise(
        "CLT-41",
        "A model that does not exist is refused in the bridge's words, and the next call that names a right one works.",
        "RC-46",
    ),
    Promise(
        "CLT-42",
        "A loop over a run can be left at any step and in any task; nothing spins, and the run can be used on.",
        "RC-18",
    ),
)
