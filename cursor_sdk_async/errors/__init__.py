"""Every error that this package raises.

::

    CursorAgentError                      the root: ``except CursorAgentError`` catches everything below
    └── CursorSDKError
        ├── AuthenticationError           the key is missing at the server, unknown or refused
        ├── PermissionDeniedError         the key is valid, the operation is not allowed
        ├── RateLimitError                too many requests, or a usage limit is reached
        ├── BadRequestError               the server or the bridge calls the request malformed
        ├── AgentBusyError                the agent still has an active run
        │   └── LocalAgentBusyError       … and it is a local one, which ``force`` may free
        ├── NotFoundError                 no such run, agent, file
        │   └── AgentNotFoundError
        ├── InternalServerError           a fault of the server or of the bridge
        ├── NetworkError                  the bridge or the service could not be reached, or went away
        │   ├── APITimeoutError
        │   │   └── RunTimeoutError       (also a TimeoutError) a deadline of a run passed
        │   ├── StreamInterruptedError    a run stream broke off before its end
        │   ├── BridgeExitedError         (also a BridgeError) the bridge process ended
        │   └── BridgeNotRespondingError  (also a BridgeError) … is silent and answers no ping
        ├── ConfigurationError            wrong or missing configuration, refused before or by the server
        │   ├── IntegrationNotConnectedError
        │   ├── UnsupportedRunOperationError
        │   ├── ClosedError               the handle is closed, or belongs to another event loop
        │   ├── SyncUsageError            the blocking shim was used where it cannot work
        │   └── BridgeNotFoundError       (also a BridgeError) no bridge to launch
        ├── BridgeError                   anything about the bridge process
        │   └── BridgeStartError          it did not become ready
        ├── ProtocolError                 the peer broke the wire contract
        ├── ToolError                     a custom tool failed
        └── StoreError                    a custom store failed

Attributes carry the facts, the message is for people. All of them can be pickled and copied; a
pickle leaves out ``cause``, which may hold anything.
"""

from __future__ import annotations

from cursor_sdk_async.errors._api import (
    AgentNotFoundError,
    APITimeoutError,
    AuthenticationError,
    BadRequestError,
    ClosedError,
    ConfigurationError,
    IntegrationNotConnectedError,
    InternalServerError,
    NetworkError,
    NotFoundError,
    PermissionDeniedError,
    ProtocolError,
    RateLimitError,
    SyncUsageError,
)
from cursor_sdk_async.errors._base import CursorAgentError, CursorSDKError
from cursor_sdk_async.errors._bridge import (
    BridgeError,
    BridgeExitedError,
    BridgeNotFoundError,
    BridgeNotRespondingError,
    BridgeStartError,
)
from cursor_sdk_async.errors._callbacks import StoreError, ToolError
from cursor_sdk_async.errors._runs import (
    AgentBusyError,
    LocalAgentBusyError,
    RunTimeoutError,
    StreamInterruptedError,
    UnsupportedRunOperationError,
)

__all__ = [
    "APITimeoutError",
    "AgentBusyError",
    "AgentNotFoundError",
    "AuthenticationError",
    "BadRequestError",
    "BridgeError",
    "BridgeExitedError",
    "BridgeNotFoundError",
    "BridgeNotRespondingError",
    "BridgeStartError",
    "ClosedError",
    "ConfigurationError",
    "CursorAgentError",
    "CursorSDKError",
    "IntegrationNotConnectedError",
    "InternalServerError",
    "LocalAgentBusyError",
    "NetworkError",
    "NotFoundError",
    "PermissionDeniedError",
    "ProtocolError",
    "RateLimitError",
    "RunTimeoutError",
    "StoreError",
    "StreamInterruptedError",
    "SyncUsageError",
    "ToolError",
    "UnsupportedRunOperationError",
]

for _name in __all__:  # tracebacks and pickles name the public import path
    globals()[_name].__module__ = __name__
