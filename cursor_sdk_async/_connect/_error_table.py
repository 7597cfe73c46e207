"""Which class a failure's code means: the codes of the details, of the cloud API and of Connect. Pure data.

Facts: ``docs/protocol.md``, "Errors".
"""

from __future__ import annotations

from cursor_sdk_async.errors import (
    AgentBusyError,
    AgentNotFoundError,
    APITimeoutError,
    AuthenticationError,
    BadRequestError,
    ConfigurationError,
    CursorSDKError,
    IntegrationNotConnectedError,
    InternalServerError,
    NetworkError,
    NotFoundError,
    PermissionDeniedError,
    RateLimitError,
)

__all__ = ["CLASSES", "STATUS_CODES"]

#: One table for all three: they never contradict each other.
CLASSES: dict[str, type[CursorSDKError]] = {
    "unauthenticated": AuthenticationError,
    "unauthorized": AuthenticationError,
    "api_key_not_found": AuthenticationError,
    "permission_denied": PermissionDeniedError,
    "role_forbidden": PermissionDeniedError,
    "forbidden": PermissionDeniedError,
    "plan_required": PermissionDeniedError,
    "feature_unavailable": PermissionDeniedError,
    "service_account_required": PermissionDeniedError,
    "key_not_supported": PermissionDeniedError,
    "user_required": PermissionDeniedError,
    "team_membership_required": PermissionDeniedError,
    "team_admin_required": PermissionDeniedError,
    "resource_exhausted": RateLimitError,
    "rate_limited": RateLimitError,
    "rate_limit_exceeded": RateLimitError,
    "usage_limit_exceeded": RateLimitError,
    "invalid_argument": BadRequestError,
    "validation_error": BadRequestError,
    "bad_request": BadRequestError,
    "missing_body": BadRequestError,
    "invalid_model": ConfigurationError,
    "invalid_branch_name": ConfigurationError,
    "repository_required": ConfigurationError,
    "agent_archived": ConfigurationError,
    "run_not_cancellable": ConfigurationError,
    "not_found": NotFoundError,
    "run_not_found": NotFoundError,
    "artifact_not_found": NotFoundError,
    "environment_not_found": NotFoundError,
    "agent_not_found": AgentNotFoundError,
    "agent_busy": AgentBusyError,
    "integration_not_connected": IntegrationNotConnectedError,
    "repository_access": IntegrationNotConnectedError,
    "pr_resolution_failed": IntegrationNotConnectedError,
    "timeout": APITimeoutError,
    "internal": InternalServerError,
    "internal_error": InternalServerError,
    "internal_server_error": InternalServerError,
    "upstream_error": InternalServerError,
    "unavailable": NetworkError,
    "stream_unavailable": NetworkError,
    "deadline_exceeded": NetworkError,
    "data_loss": NetworkError,
    "client_cancelled": CursorSDKError,
}
#: The Connect code to assume for an HTTP status without a Connect error.
STATUS_CODES = {
    400: "internal",
    401: "unauthenticated",
    403: "permission_denied",
    404: "unimplemented",
    429: "unavailable",
    502: "unavailable",
    503: "unavailable",
    504: "unavailable",
}
