"""A scripted bridge without the SDK, for tests that speak to it by hand; the client of its control calls.

The process never outlives ``stop()``, which kills it; ``stop()`` never hangs, and calls have a time limit.
"""

from __future__ import annotations

import http.client
import json
import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any
from urllib.parse import urlsplit

from typing_extensions import Self

from cursor_sdk_async.testing.command import scripted_bridge_command
from cursor_sdk_async.testing.faults import Faults
from cursor_sdk_async.testing.script import Script

__all__ = ["ScriptedBridge", "ScriptedControl"]

READY = b"cursor-sdk-bridge ready "
CALL_SECONDS = 30.0
# What a child needs to find Python and its modules, and nothing of the user's.
PASSED = ("PATH", "PYTHONPATH", "HOME", "TMPDIR", "SYSTEMROOT", "VIRTUAL_ENV", "LD_LIBRARY_PATH")


class ScriptedControl:
    """Asks a scripted bridge what it did, and tells it what to do. Blocking; every call is short.

    Args:
        url: Its base URL.
        token: Its bearer token.
    """

    def __init__(self, url: str, token: str) -> None:
        self._parts = urlsplit(url)
        self._token = token

    def state(self) -> dict[str, Any]:
        """``open_streams``, ``open_agents``, ``handles``, ``live_runs``, ``waiting``, ``tool_callback``."""
        return self._post("state")

    def requests(self, rpc: str | None = None) -> list[dict[str, Any]]:
        """The requests so far: ``rpc``, ``codec``, ``headers`` without the token, ``body`` as JSON."""
        found: list[dict[str, Any]] = self._post("requests", rpc=rpc)["requests"]
        return found

    def forget(self) -> None:
        """Forget the requests so far."""
        self._post("forget")

    def release(self, name: str = "gate") -> None:
        """Let runs go on that wait in ``Hold(name)``, now and later."""
        self._post("release", name=name)

    def hold(self, name: str = "gate") -> None:
        """Make ``Hold(name)`` wait again."""
        self._post("hold", name=name)

    def set_faults(self, faults: Faults) -> None:
        """Other faults of calls and streams, from now on."""
        self._post("faults", faults=faults.to_json())

    def set_script(self, script: Script) -> None:
        """Another script, for the sends from now on."""
        self._post("script", script=script.to_json())

    def _post(self, what: str, **body: Any) -> dict[str, Any]:
        connection = http.client.HTTPConnection(
            self._parts.hostname or "", self._parts.port, timeout=CALL_SECONDS
        )
        try:
            headers = {"authorization": f"Bearer {self._token}", "content-type": "application/json"}
            connection.request("POST", f"/_scripted/{what}", json.dumps(body), headers)
            response = connection.getresponse()
            data = response.read()
            if response.status != 200:
                raise RuntimeError(f"control call {what!r}: HTTP {response.status} {data.decode()}")
            answer: dict[str, Any] = json.loads(data)
            return answer
        finally:
            connection.close()


class ScriptedBridge:
    """A running scripted bridge; a context manager.

    Args:
        script: What its agent does.
        faults: What goes wrong; it must become ready all the same.
        flags: More flags of the bridge, such as ``["--verbose"]``.
        env: More environment variables; only a few of this process's own are passed.
        state_file: See :func:`scripted_bridge_command`.

    Attributes:
        ready: The JSON of its ready line.
        url: Its base URL.
        token: Its bearer token.
        control: See :class:`ScriptedControl`.
        process: The process; its stderr is not read after the ready line.
    """

    def __init__(
        self,
        script: Script | None = None,
        faults: Faults | None = None,
        *,
        workspace: str | Path = ".",
        flags: Sequence[str] = (),
        env: Mapping[str, str] | None = None,
        state_file: str | Path | None = None,
    ) -> None:
        command = scripted_bridge_command(script, faults, state_file=state_file)
        self.process: subprocess.Popen[bytes] = subprocess.Popen(
            [*command, "--workspace", str(workspace), *flags],
            env={**{name: os.environ[name] for name in PASSED if name in os.environ}, **(env or {})},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        try:
            self.ready: dict[str, Any] = self._read_ready()
        except BaseException:
            self.stop()
            raise
        self.url: str = self.ready["url"]
        token_file = Path(self.ready["authTokenFile"])
        self.token: str = token_file.read_text().strip()
        self.control: ScriptedControl = ScriptedControl(self.url, self.token)

    def _read_ready(self) -> dict[str, Any]:
        assert self.process.stderr is not None
        seen: list[bytes] = []
        for line in self.process.stderr:
            position = line.find(READY)
            if position >= 0:
                ready: dict[str, Any] = json.loads(line[position + len(READY) :])
                return ready
            seen = [*seen[-9:], line]
        raise RuntimeError(f"the scripted bridge did not start: {b''.join(seen).decode(errors='replace')}")

    def terminate(self) -> int:
        """SIGTERM, then wait for the end; the exit code."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(CALL_SECONDS)

    def stop(self) -> None:
        """Kill it, wait for it, remove its token file."""
        self.process.kill()
        self.process.wait()
        if self.process.stderr is not None:
            self.process.stderr.close()
        path = getattr(self, "ready", {}).get("authTokenFile")
        if path:
            Path(path).unlink(missing_ok=True)
            if Path(path).parent.exists():
                Path(path).parent.rmdir()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()
