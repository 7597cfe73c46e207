"""Why a name of the official package is not here, or not the same: one reason for each pattern."""

from __future__ import annotations

#: Only in ``cursor_sdk_async``.
BLOCKING = (
    r"(Agent|Run|Cursor|CursorClient|Client|Bridge|close_default_client)",
    "blocking handles are in cursor_sdk_sync",
)
REASONS: tuple[tuple[str, str], ...] = (
    (
        r"(LocalAgentStoreHandler|Store\w+Handler|StoreCallbackServer)",
        "custom stores are not there yet",
    ),
    (
        r"(Async)?(Bridge|Client|CursorClient)\.(\w+\(store_handler\)|store_callback_enabled)",
        "custom stores are not there yet",
    ),
    (
        r"(Async)?(Agent|Run|Bridge)\(\w+\)",
        "handles are made by the client, create(), resume(), send(), get_run() and launch(), not by hand",
    ),
    (
        r"(Async)?(Bridge\.launch|Client\.launch_bridge|CursorClient\.launch_bridge)\(timeout\)",
        "None stands for 30 s, or for CURSOR_SDK_BRIDGE_STARTUP_TIMEOUT",
    ),
    (
        r"(Async)?(Cursor)?Client(\.\w+)?\(max_retries\)",
        "None stands for what retry= says: calls that only read are repeated; 0 switches that off",
    ),
    (
        r"Agent\.list_runs\(cwd\)",
        "one of the keywords of a typed dictionary, like the other list options",
    ),
    (
        r"types\.(ConfigurationError|\w+_idempotency_key|\w+_to_json|chunks_to_bytes|normalize\w+|strip_empty)",
        "helpers of that package that no documentation names",
    ),
    (
        r"errors\.error_from_connect_payload",
        "helpers of that package that no documentation names",
    ),
    (
        r"(ConversationStep|InteractionUpdate|SDKMessage)",
        "what is unknown comes as an Unknown... object, which is a mapping too, not as a plain one",
    ),
)
