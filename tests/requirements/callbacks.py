"""Promises about callbacks: the listener, and tools that the bridge calls through it."""

from __future__ import annotations

from tests.requirements._promise import Promise

WIRE = "docs/protocol.md: Callback services"
TOOLS = "docs/tools.md: How tools run"

PROMISES = (
    Promise(
        "CBK-01", "The callback server listens on literal loopback addresses only, with a deep backlog.", WIRE
    ),
    Promise(
        "CBK-02", "A call without the token, from a browser, or to another name or path is refused.", TOOLS
    ),
    Promise(
        "CBK-03", "What is not HTTP, or too long, is answered with an error and ends its connection.", TOOLS
    ),
    Promise("CBK-04", "Slow and idle clients are dropped; a running tool is not idle.", TOOLS),
    Promise("CBK-05", "Connections are kept, and requests in a row are answered in order.", WIRE),
    Promise("CBK-06", "A client that hangs up cancels its call.", TOOLS),
    Promise("CBK-07", "A connection that fails hurts no other.", "RC-54"),
    Promise("CBK-08", "Closing leaves no socket, task or call behind.", "AGENTS.md: Done means"),
    Promise("CBK-09", "The callback token shows in no log, repr, error or answer.", "AGENTS.md: Errors"),
    Promise(
        "CBK-10",
        "A request is the same in every cut of its bytes; damage gives an error, never a hang.",
        WIRE,
    ),
    Promise(
        "CBK-11",
        "What a tool returns reaches the model in the documented form.",
        "docs/protocol.md: Custom tools",
    ),
    Promise(
        "CBK-12", "A result that JSON cannot hold is an error for the model that names the place.", "RC-47"
    ),
    Promise(
        "CBK-13",
        "What a tool raises, an exit included, is one error result for the model, and ends nothing else.",
        "RC-47",
    ),
    Promise("CBK-14", "A tool that takes longer than its timeout is answered for, and is told.", "RC-47"),
    Promise(
        "CBK-15",
        "Blocking tools run in threads of their own, many at once, with the context of the send().",
        "RC-48",
    ),
    Promise("CBK-16", "Cancelling is not held up by tools, however many run.", "RC-48"),
    Promise("CBK-17", "A tool runs as often at once as max_concurrency says.", TOOLS),
    Promise("CBK-18", "Many calls at once each run once, with their own agent's tool.", "RC-50"),
    Promise(
        "CBK-19",
        "A call for an unknown agent or tool, or without its fields, is refused and logged.",
        "RC-50",
    ),
    Promise("CBK-20", "Every kind of callable can be a tool, and a context can be made by hand.", TOOLS),
    Promise(
        "CBK-21",
        "A run calls the tools of its agent, which see the context variables of its send().",
        "RC-48",
    ),
    Promise(
        "CBK-22",
        "Clients of one bridge share one endpoint, of which it is told once and which the last one takes back.",
        TOOLS,
    ),
    Promise(
        "CBK-23",
        "Tools are there before the bridge can call them, and gone when the agent is closed or was not made.",
        TOOLS,
    ),
    Promise("CBK-24", "A bridge that has forgotten where to call is told again, once.", TOOLS),
    Promise(
        "CBK-25",
        "Cancelling the run, and closing the agent or the client, cancels the calls that run.",
        TOOLS,
    ),
    Promise("CBK-26", "A tool may call back into its client, and close it.", "RC-54"),
    Promise("CBK-27", "Tools that nobody could call are refused before anything is sent.", TOOLS),
    Promise(
        "CBK-28",
        "Tools can be registered by hand, on the client and on the bridge that it launched.",
        "docs/compatibility.md",
    ),
    Promise(
        "CBK-29",
        "A client that is forgotten leaves no listener; one that moves to another loop takes its tools along.",
        "AGENTS.md: Lifetimes",
    ),
    Promise(
        "CBK-30",
        "ToolCallbackServer serves tools to a bridge that somebody else tells of it.",
        "docs/compatibility.md",
    ),
    Promise(
        "CBK-31",
        "The callback client of the real bridge gets every answer, error and refusal as it is meant.",
        WIRE,
    ),
)
