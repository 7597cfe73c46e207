"""The artifacts of an agent: each has the same three, downloaded from a pre-signed address of this server."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from tests.rest_standin._agents import find_agent
from tests.rest_standin._errors import ApiError

__all__ = ["ARTIFACTS", "LARGE_ARTIFACT", "routes"]

LARGE_ARTIFACT = "artifacts/large.bin"
ARTIFACTS: dict[str, bytes] = {
    "artifacts/report.txt": b"All is well.\n",
    LARGE_ARTIFACT: bytes(range(251)) * 10_444,  # 2,621,444 bytes: two chunks of 1 MiB and a shorter one
    "artifacts/empty.txt": b"",
}


async def listing(request: Request) -> Response:
    agent = find_agent(request)
    items = [
        {"path": path, "sizeBytes": len(content), "updatedAt": agent.updated}
        for path, content in ARTIFACTS.items()
    ]
    return JSONResponse({"items": items})


async def download(request: Request) -> Response:
    agent = find_agent(request)
    path = request.query_params.get("path", "")
    if path not in ARTIFACTS:
        raise ApiError(404, "artifact_not_found", "Artifact not found.")
    expires = datetime.now(timezone.utc) + timedelta(minutes=15)
    return JSONResponse(
        {
            "url": f"{request.base_url}_signed/{agent.id}/{path}?signature=test",
            "expiresAt": expires.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        }
    )


async def signed(request: Request) -> Response:
    """The file itself; the address is its own authorization."""
    content = ARTIFACTS.get(request.path_params["path"])
    if content is None or request.query_params.get("signature") != "test":
        return Response(status_code=403)
    return Response(content, media_type="application/octet-stream")


routes = [
    Route("/v1/agents/{agent}/artifacts", listing, methods=["GET"]),
    Route("/v1/agents/{agent}/artifacts/download", download, methods=["GET"]),
    Route("/_signed/{agent}/{path:path}", signed, methods=["GET"]),
]
