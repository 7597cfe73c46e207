"""The life of the process: start, the token file, the ready line, signals, shutdown.

Facts: docs/protocol.md, "Process and signals" and "Shutdown". The first signal or
the Shutdown RPC stops listening, and the process ends with its last open request; it waits for that without
bound, as the real one does, and a second signal ends it.
"""

from __future__ import annotations

import asyncio
import errno
import json
import os
import secrets
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Sequence

from cursor_sdk_async.testing import _codec, _stderr
from cursor_sdk_async.testing._argv import USAGE, Options, UsageError, parse
from cursor_sdk_async.testing._bridge import Bridge
from cursor_sdk_async.testing._catalogue import VERSION
from cursor_sdk_async.testing._http import Exchange, Listener
from cursor_sdk_async.testing._play import die
from cursor_sdk_async.testing._router import Router

__all__ = ["run"]

PROGRAM = "cursor-sdk-bridge"


def run(argv: Sequence[str]) -> int:
    """Run until asked to end; gives the exit code."""
    try:
        options = parse(argv, os.environ)
    except UsageError as error:
        return _failed(error)
    if options.help:
        sys.stdout.write(USAGE)
        return 0
    if options.faults.process.exit_before_ready is not None:
        _stderr.flood(options.faults.process.stderr_before)
        _stderr.line(f"{PROGRAM} failed: Error: scripted failure before the ready line")
        return options.faults.process.exit_before_ready
    try:
        code = asyncio.run(_Process(options).serve())
    except OSError as error:
        return _failed(OSError(f"{errno.errorcode.get(error.errno or 0, '')}: {error.strerror}"))
    return code


def _failed(error: Exception) -> int:
    _stderr.line(f"{PROGRAM} failed: Error: {error}")
    _stderr.line("".join(traceback.format_tb(error.__traceback__)).rstrip())
    return 1


def _token_file(token: str) -> str:
    """Write the token; the file is never removed, as the real one's."""
    folder = tempfile.mkdtemp(prefix=f"{PROGRAM}-")
    path = os.path.join(folder, "auth-token")
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="ascii") as file:
        file.write(token)
    return path


class _Process:
    """One life."""

    def __init__(self, options: Options) -> None:
        self._options = options
        self._faults = options.faults.process
        self._token = secrets.token_urlsafe(32)
        self._bridge = Bridge(options)
        self._router = Router(self._bridge, self._token, self._shutdown)
        self._listener = Listener(self._handle, options.script.idle_seconds)
        self._listener.drop = self._faults.drop_connections
        self._in_flight = 0
        self._code: asyncio.Future[int] | None = None

    async def serve(self) -> int:
        """From binding the socket to the exit code."""
        loop = asyncio.get_running_loop()
        self._code = loop.create_future()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self._signalled, number)
        self._bridge.go_on()
        port = self._listener.open(self._options.host, self._options.port)
        if self._faults.grandchild:
            self._grandchild()
        time.sleep(self._faults.ready_seconds)  # noqa: ASYNC251 - nothing else is to happen
        if not self._faults.never_ready:
            _stderr.write_ready(json.dumps(self._ready(port), separators=(",", ":")), self._faults)
        self._after_ready(loop)
        loop.call_soon(_codec.warm_up)
        code = await self._code
        time.sleep(self._faults.cleanup_seconds)  # noqa: ASYNC251
        if self._faults.cleanup_marker:
            with open(self._faults.cleanup_marker, "w", encoding="utf-8") as file:  # noqa: ASYNC230
                file.write("clean\n")
        sys.stdout.flush()
        # Nothing of the interpreter's own end: no warnings of tasks that end with the process.
        os._exit(code)

    def _ready(self, port: int) -> dict[str, object]:
        options = self._options
        host = f"[{options.host}]" if ":" in options.host else options.host
        ready: dict[str, object] = {
            "schemaVersion": 1,
            "serverVersion": VERSION,
            "pid": os.getpid(),
            "transport": "tcp",
            "protocol": "connect",
            "host": options.host,
            "port": port,
            "url": f"http://{host}:{port}",
            "authTokenFile": _token_file(self._token),
            "workspaceRef": options.workspace,
            "stateRoot": options.state_root,
        }
        if options.max_concurrent_agents is not None:
            ready["maxConcurrentAgents"] = options.max_concurrent_agents
        if options.max_message_bytes is not None:
            ready["maxMessageBytes"] = options.max_message_bytes
        return ready

    def _after_ready(self, loop: asyncio.AbstractEventLoop) -> None:
        faults = self._faults
        if faults.exit_after_ready is not None:
            die(faults.exit_after_ready)
        if faults.crash_after_seconds is not None:
            loop.call_later(faults.crash_after_seconds, die, -9)
        if faults.stop:
            os.kill(os.getpid(), signal.SIGSTOP)

    def _grandchild(self) -> None:
        with subprocess.Popen(["sleep", "60"], stdin=subprocess.DEVNULL) as child:
            child.returncode = 0  # it is not waited for: it outlives this process if nobody stops it

    async def _handle(self, exchange: Exchange) -> None:
        self._in_flight += 1
        try:
            await self._router.handle(exchange)
        finally:
            self._in_flight -= 1
            if self._listener.closed:
                asyncio.get_running_loop().call_soon(self._end_if_idle)

    def _signalled(self, number: signal.Signals) -> None:
        if self._faults.ignore_sigterm:
            return
        if self._listener.closed:
            name = signal.Signals(number).name
            _stderr.line(f"{name} shutdown error: Error [ERR_SERVER_NOT_RUNNING]: Server is not running.")
            os._exit(1)
        for each in (signal.SIGTERM, signal.SIGINT):
            asyncio.get_running_loop().remove_signal_handler(each)
            signal.signal(each, signal.SIG_DFL)
        _stderr.line(f"{PROGRAM} {signal.Signals(number).name} received, shutting down")
        self._close()

    def _shutdown(self, grace: float) -> None:
        """After the answer, and after the grace."""
        if not self._faults.ignore_shutdown:
            asyncio.get_running_loop().call_later(grace, self._close)

    def _close(self) -> None:
        self._listener.close()
        self._end_if_idle()

    def _end_if_idle(self) -> None:
        if self._in_flight == 0 and self._code is not None and not self._code.done():
            self._code.set_result(0)
