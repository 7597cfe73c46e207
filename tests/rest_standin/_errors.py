"""The API's failures: one exception, one body shape."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

__all__ = ["ApiError", "answer", "refuse"]


class ApiError(Exception):
    """A refusal with the API's own code; ``extra`` holds ``helpUrl`` and ``provider``."""

    def __init__(self, status: int, code: str, message: str, **extra: str) -> None:
        super().__init__(f"[{code}] {message}")
        self.status = status
        self.error = {"code": code, "message": message, **extra}


def refuse(message: str) -> ApiError:
    """The answer to a request that does not fit the schema."""
    return ApiError(400, "validation_error", message)


def answer(request: Request, problem: Exception) -> Response:
    """The response for an error that a handler raised."""
    assert isinstance(problem, ApiError)
    return JSONResponse({"error": problem.error}, problem.status)
