"""The wheel's bridge by hand: ``subprocess`` and ``http.client`` only, nothing of ours.

For checking the stand-in itself, apart from the client that it will test. Neither the launcher nor its node
process outlives :meth:`RawBridge.stop`: node is signalled by the pid of the ready line, the launcher's group
after it.
"""

from __future__ import annotations

import importlib.util
import json
import os
import signal
import struct
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import suppress
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path
from typing import Any

__all__ = ["RawBridge", "RawError", "find_launcher"]

Json = dict[str, Any]
READY = "cursor-sdk-bridge ready "
LAUNCHER = "_vendor/bridge/bin/cursor-sdk-bridge"
CALL_SECONDS = 50.0


def find_launcher() -> Path | None:
    """The launcher inside the installed ``cursor-sdk`` wheel."""
    spec = importlib.util.find_spec("cursor_sdk")
    if spec is None or not spec.submodule_search_locations:
        return None
    launcher = Path(spec.submodule_search_locations[0]) / LAUNCHER
    return launcher if launcher.exists() else None


class RawError(Exception):
    """An error answer: of a call (with its HTTP status) or in the end record of a stream (status 200)."""

    def __init__(self, status: int, error: Json) -> None:
        super().__init__(f"{status} {error}")
        self.status = status
        self.code: str = error.get("code", "")
        self.message: str = error.get("message", "")
        details: list[Json] = error.get("details", [])
        self.debug: Json = details[0].get("debug", {}) if details else {}
        self.sdk_code: str | None = self.debug.get("sdkErrorCode")


class RawBridge:
    """A running bridge."""

    def __init__(self, launcher: Path, workspace: Path, env: Mapping[str, str]) -> None:
        self._process = subprocess.Popen(
            [str(launcher), "--workspace", str(workspace)],
            env=dict(env),
            stdin=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        assert self._process.stderr is not None
        line = self._process.stderr.readline()
        if not line.startswith(READY):
            self.stop()
            raise RuntimeError(f"The bridge did not start: {line!r}")
        self.ready: Json = json.loads(line[len(READY) :])
        self.token = Path(self.ready["authTokenFile"]).read_text().strip()

    def stop(self) -> None:
        """Kill node and its launcher, and wait for the launcher."""
        with suppress(ProcessLookupError, AttributeError):
            os.kill(self.ready["pid"], signal.SIGKILL)
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.communicate()

    def call(self, method: str, body: Json | None = None) -> Json:
        """A unary call: ``SdkAgentService/CreateAgent``."""
        connection, response = self._post(method, "application/json", json.dumps(body or {}).encode())
        try:
            answer: Json = json.loads(response.read())
        finally:
            connection.close()
        if response.status != 200:
            raise RawError(response.status, answer)
        return answer

    def stream(self, method: str, body: Json) -> Iterator[Json]:
        """The frames of a streaming call; an error in the end record is raised, a missing one too."""
        payload = json.dumps(body).encode()
        request = struct.pack(">BI", 0, len(payload)) + payload
        connection, response = self._post(method, "application/connect+json", request)
        try:
            while True:
                flags, size = struct.unpack(">BI", response.read(5))
                frame: Json = json.loads(response.read(size))
                if flags & 2:
                    if "error" in frame:
                        raise RawError(response.status, frame["error"])
                    return
                yield frame
        finally:
            response.close()
            connection.close()

    def _post(self, method: str, kind: str, body: bytes) -> tuple[HTTPConnection, HTTPResponse]:
        connection = HTTPConnection(self.ready["host"], self.ready["port"], timeout=CALL_SECONDS)
        headers = {
            "authorization": f"Bearer {self.token}",
            "content-type": kind,
            "connect-protocol-version": "1",
        }
        connection.request("POST", f"/sdk.v1.{method}", body, headers)
        return connection, connection.getresponse()
