"""Promises about the public types: what goes in, what comes out."""

from __future__ import annotations

from tests.requirements._promise import Promise

PROMISES = (
    Promise(
        "TYP-01",
        "Options as a data class, a mapping in either spelling, keywords, or mixed, make the same request.",
        "issue",
    ),
    Promise("TYP-02", "A misspelt option or word is refused, and the nearest one is named.", "RC-46"),
    Promise("TYP-03", "A value of the wrong type is refused; the option and the kind are named.", "issue"),
    Promise(
        "TYP-04",
        "What the bridge would refuse, or drop without a word, is refused before it is sent.",
        "docs/protocol.md: JSON mapping",
    ),
    Promise("TYP-05", "No secret shows in the repr of options or in an error about them.", "RC-56"),
    Promise(
        "TYP-06",
        "What is given though empty stays given: cloud={} is a cloud agent, tools=[] means no tools.",
        "docs/protocol.md: JSON mapping",
    ),
    Promise(
        "TYP-07", "Keywords win over options; the model is replaced as a whole, the rest is merged.", "issue"
    ),
    Promise(
        "TYP-08",
        "A cloud create always has an idempotency key, a local one never has.",
        "docs/protocol.md: Agents",
    ),
    Promise(
        "TYP-09", "extra= passes a field of a newer contract through.", "docs/protocol.md: Compatibility"
    ),
    Promise(
        "TYP-10",
        "A message, update or step of an unknown kind is an object with its type that is also a mapping.",
        "RC-34",
    ),
    Promise(
        "TYP-11",
        "Public data is frozen, survives pickle and copy, and can be read again from its to_dict().",
        "issue",
    ),
    Promise("TYP-12", "Whatever is in a frame, reading it gives an event or a typed error.", "RC-34"),
    Promise("TYP-13", "Whole numbers are integers, whether they came as numbers, doubles or text.", "RC-36"),
    Promise(
        "TYP-14", "Usage that is absent is None, usage of zero is zero, sums keep reported totals.", "RC-38"
    ),
    Promise("TYP-15", "A page is a sequence, and goes on to the end of the list page by page.", "issue"),
    Promise("TYP-16", "Every answer of the bridge becomes its public type.", "docs/protocol.md: Messages"),
    Promise("TYP-17", "Pictures come from files, bytes, base64 and URLs; local agents refuse URLs.", "issue"),
    Promise("TYP-18", "A failed result says why, and raises when asked to.", "issue"),
    Promise("TYP-19", "match works on messages, updates, steps and unknown kinds.", "RC-59"),
    Promise(
        "TYP-20",
        "types, events and asyncio are import paths for the same objects; data types import nothing heavy.",
        "RC-58",
    ),
)
