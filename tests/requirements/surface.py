"""Promises about the public surface: the documented names, the ways to say the same, what it costs to import."""

from __future__ import annotations

from tests.requirements._promise import Promise

PROMISES = (
    Promise(
        "SUR-01",
        "Every public name, parameter, field and default of cursor-sdk is here, or a list says why not.",
        "docs/compatibility.md",
    ),
    Promise(
        "SUR-02",
        "Documented calls work on the class, on an instance, flat on the client and by their older names.",
        "docs/compatibility.md",
    ),
    Promise(
        "SUR-03",
        "A transport of the user's carries every call of a client; AsyncConnectTransport calls RPCs in JSON.",
        "docs/compatibility.md",
    ),
    Promise(
        "SUR-04",
        "client.models.resolve() turns the name of a model and parameters into a selection, or says what comes near.",
        "docs/compatibility.md",
    ),
    Promise(
        "SUR-05",
        "CURSOR_SDK_LOG=debug or info writes our own log to stderr; without it, and to other loggers, nothing.",
        "docs/compatibility.md",
    ),
    Promise(
        "SUR-06",
        "A reported failure is safe to repeat when it refused the call before it began, or when the call only reads.",
        "issue",
    ),
    Promise(
        "SUR-07",
        "Each option arrives at the bridge as it was given, in both codecs, from a data class or a mapping in any spelling.",
        "issue",
    ),
)
