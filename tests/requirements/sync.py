"""Promises about the blocking shim."""

from __future__ import annotations

from tests.requirements._promise import Promise

PROMISES = (
    Promise("SYN-01", "What the async client does, the blocking one does and waits for.", "docs/blocking.md"),
    Promise(
        "SYN-02",
        "Every public class of the shim has the members, parameters, defaults and descriptions of its twin, but for a short list.",
        "docs/blocking.md",
    ),
    Promise(
        "SYN-03",
        "One Ctrl-C reaches the caller once, cancels what it waits for, its run included, and leaves bridge and sibling runs alone.",
        "RC-17",
    ),
    Promise(
        "SYN-04",
        "However a program ends, it ends at once, with its own exit code, no noise, and no bridge left.",
        "RC-16",
    ),
    Promise(
        "SYN-05",
        "A forked child gets a clear error for old handles and can make new ones; its end does not touch the parent's bridge.",
        "docs/blocking.md",
    ),
    Promise(
        "SYN-06",
        "Threads may share a client, and many calls need no more threads than one.",
        "docs/blocking.md",
    ),
    Promise(
        "SYN-07",
        "on_delta, on_step and listeners run in the thread of whoever waits, in order, and may call the client.",
        "docs/blocking.md",
    ),
    Promise(
        "SYN-08",
        "Events that arrive together cost one change of threads, and none is lost or shown early.",
        "docs/blocking.md",
    ),
    Promise(
        "SYN-09", "It works inside a running event loop, in coroutines, and beside several loops.", "RC-22"
    ),
    Promise(
        "SYN-10",
        "Calls without client= share a client that starts at the first of them, is replaced when its bridge has died, and closes at exit.",
        "docs/blocking.md",
    ),
    Promise(
        "SYN-11",
        "A closed portal, and a call from its own thread, are typed errors and never hang.",
        "docs/blocking.md",
    ),
    Promise(
        "SYN-12",
        "Everything but the handles is the very same object as in the async package.",
        "docs/blocking.md",
    ),
    Promise(
        "SYN-13",
        "Fronts of other kinds can be built on the documented hooks, on both backends.",
        "docs/blocking.md",
    ),
)
