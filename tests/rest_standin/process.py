"""The handle that tests hold: starts the stand-in's process, and speaks its control API.

The process cannot leak: its stdin is a pipe of ours, whose end ends it, however we die. No wait here is
without a bound. All methods are short blocking calls that answer in milliseconds and can be used in
asynchronous tests too (the stand-in is another process, so a blocked loop does not block it); only
:meth:`RestStandin.seen` waits for something that the test's own loop may have to do, and therefore is a
coroutine.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from http.client import HTTPConnection
from pathlib import Path
from types import TracebackType
from typing import Any
from urllib.parse import urlencode

import anyio.to_thread
from typing_extensions import Self

from tests.rest_standin.script import Script

__all__ = ["RestStandin"]

ROOT = Path(__file__).parents[2]
CALL_SECONDS = 30.0
STOP_SECONDS = 5.0
Json = dict[str, Any]


class RestStandin:
    """One running stand-in. A context manager; see the package's docstring for what it can be told.

    Attributes:
        url: Its base URL, for ``CURSOR_BACKEND_URL``.
        process: The process itself.
    """

    def __init__(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.rest_standin", "--until-stdin-closes"],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout is not None
        self.url = self.process.stdout.readline().strip()
        if not self.url:
            self.stop()
            raise RuntimeError("The REST stand-in ended before it was ready; its stderr says why.")

    def stop(self) -> None:
        """End the process and wait for that; calling it again does nothing."""
        self.process.terminate()
        try:
            self.process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                pipe.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    def script(self, script: Script, *, when: str = "", times: int | None = 1) -> None:
        """Let the next ``times`` runs (None: all) whose prompt contains ``when`` do this."""
        self._post("script", {"script": script.to_json(), "when": when, "times": times})

    def fail(
        self,
        method: str = "*",
        path: str = "*",
        *,
        status: int = 500,
        code: str = "internal_error",
        message: str = "Scripted failure.",
        help_url: str | None = None,
        provider: str | None = None,
        headers: Mapping[str, str] | None = None,
        body: str | None = None,
        drop: bool = False,
        times: int | None = 1,
    ) -> None:
        """Answer the next ``times`` requests that match with an error.

        Args:
            method: HTTP method, or ``*``.
            path: Path, in which ``*`` stands for any characters.
            status: HTTP status.
            code: The API's error code.
            message: The API's message.
            help_url: ``helpUrl`` of the error.
            provider: ``provider`` of the error.
            headers: More headers, such as ``Retry-After``.
            body: This text instead of a JSON error.
            drop: Close the connection without an answer.
            times: How many requests; None is all.
        """
        extras = {"helpUrl": help_url, "provider": provider}
        self._post(
            "fail",
            {
                "method": method,
                "path": path,
                "status": status,
                "error": {"code": code, "message": message, **{k: v for k, v in extras.items() if v}},
                "headers": dict(headers or {}),
                "body": body,
                "drop": drop,
                "times": times,
            },
        )

    def delay(self, method: str = "*", path: str = "*", *, gate: str = "gate", times: int | None = 1) -> None:
        """Let the next ``times`` requests that match wait for :meth:`release` before they are handled."""
        self._post("fail", {"method": method, "path": path, "status": 0, "hold": gate, "times": times})

    def release(self, name: str | None = "gate") -> None:
        """Open the gate of this name (None: every gate in use); it stays open until :meth:`reset`."""
        self._post("release", {"name": name})

    def reset(self, *, agents: bool = False) -> None:
        """Forget scripts, failures and requests, release everybody; with ``agents`` forget those too."""
        self._post("reset", {"agents": agents})

    def requests(self, method: str = "*", path: str = "*") -> list[Json]:
        """The recorded requests that match, oldest first."""
        return self._requests(method, path, 0, 0)

    async def seen(self, method: str = "*", path: str = "*", count: int = 1) -> list[Json]:
        """Wait (25 s at most) until there are ``count`` such requests; all that there are."""
        found = await anyio.to_thread.run_sync(
            self._requests, method, path, count, 25, abandon_on_cancel=True
        )
        assert len(found) >= count, f"only {len(found)} of {count} requests {method} {path}"
        return found

    def state(self) -> Json:
        """``agents`` (ids), ``live_runs`` (ids) and the number of ``open_streams``."""
        found: Json = self._call("GET", "state")
        return found

    def _requests(self, method: str, path: str, count: int, wait: int) -> list[Json]:
        query = urlencode({"method": method, "path": path, "count": count, "wait": wait})
        found: list[Json] = self._call("GET", f"requests?{query}")
        return found

    def _post(self, name: str, body: Json) -> None:
        self._call("POST", name, body)

    def _call(self, method: str, name: str, body: Json | None = None) -> Any:
        connection = HTTPConnection(self.url.removeprefix("http://"), timeout=CALL_SECONDS)
        try:
            connection.request(method, f"/_control/{name}", None if body is None else json.dumps(body))
            response = connection.getresponse()
            text = response.read()
        finally:
            connection.close()
        if response.status != 200:
            raise RuntimeError(f"/_control/{name}: HTTP {response.status}: {text.decode(errors='replace')}")
        return json.loads(text)
