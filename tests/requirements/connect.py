"""Promises about the connection to the bridge."""

from __future__ import annotations

from tests.requirements._promise import Promise

_ENVELOPE = "docs/protocol.md: Streaming envelope"
_ERRORS = "docs/protocol.md: Errors"
_TRANSPORT = "docs/protocol.md: Transport"

PROMISES = (
    Promise(
        "CHN-01",
        "Every call gives the same answer over a socket of our own and over the user's httpx client, blocking or "
        "not, in both codecs.",
        "issue",
    ),
    Promise(
        "CHN-02", "However the bytes of a stream are cut on their way, the frames are the same.", _ENVELOPE
    ),
    Promise(
        "CHN-03",
        "A stream that ends without its end record, in the middle of a message, or with anything that the contract "
        "does not allow, raises an error that says where it broke; it never looks finished.",
        "RC-29",
    ),
    Promise("CHN-04", "A message of 64 MiB passes, and one that announces 4 GiB is refused unread.", "RC-33"),
    Promise(
        "CHN-05",
        "A cancelled step of a stream loses nothing and the next one goes on; a cancelled call leaves nothing.",
        "issue",
    ),
    Promise("CHN-06", "Open streams never keep a call from being answered.", "RC-26"),
    Promise("CHN-07", "Proxies of the environment never see what goes to a bridge.", "RC-25"),
    Promise("CHN-08", "A read on a connection that the bridge closed while it idled is sent again.", "RC-30"),
    Promise(
        "CHN-09",
        "A call that may have had an effect is sent once, and the error for a lost answer says that its outcome is "
        "unknown.",
        "RC-31",
    ),
    Promise(
        "CHN-10",
        "Streams and calls that wait for a run have no time limit by default, and a limit that was given raises an "
        "error that names it.",
        "RC-28",
    ),
    Promise(
        "CHN-11",
        "Every failure that the bridge reports becomes the documented class with code, message, details, request "
        "id and RPC; only the documented ones are called retryable.",
        _ERRORS,
    ),
    Promise("CHN-12", "A second send to a busy local agent raises LocalAgentBusyError.", "RC-37"),
    Promise(
        "CHN-13",
        "When the bridge dies, every pending call and stream fails at once with the reason.",
        "issue",
    ),
    Promise("CHN-14", "The bearer token shows in no repr, log, error or traceback.", "RC-56"),
    Promise("CHN-15", "Errors of HTTP libraries, sockets and decoders never reach a user.", "RC-29"),
    Promise(
        "CHN-16",
        "Whole numbers inside messages are int in both codecs, and a message looks the same in both.",
        "RC-36",
    ),
    Promise("CHN-17", "Unknown fields, words and kinds of frames are let through.", "RC-34"),
    Promise(
        "CHN-18",
        "Requests follow the JSON mapping: what was given is sent, even when it is empty; nothing else is.",
        "docs/protocol.md: JSON mapping",
    ),
    Promise("CHN-19", "A URL that leads to another machine is refused unless that was allowed.", _TRANSPORT),
    Promise(
        "CHN-20",
        "Nothing compressed is asked for, and a compressed answer is refused, not misread.",
        _TRANSPORT,
    ),
    Promise("CHN-21", "A closed channel refuses calls, and closing it twice is harmless.", "issue"),
    Promise("CHN-22", "Calls that only read are repeated as the policy says, and no other call is.", "RC-31"),
    Promise(
        "CHN-23",
        "A pause before a repeated call is bounded, and ends with its caller or the client.",
        "issue",
    ),
    Promise("CHN-24", "A prompt is sent again only when asked for and under an idempotency key.", "RC-31"),
)
