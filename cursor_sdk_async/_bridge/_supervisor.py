"""One bridge process: made ready, watched, ended.

No process, descriptor or token file outlives ``run``, however it ends; the last resort at its end waits for
nothing but the kernel. No wait for the bridge is without a limit: ``StopLimits``, and the start-up timeout.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from typing import Any

import anyio

from cursor_sdk_async._bridge._command import SpawnCommand
from cursor_sdk_async._bridge._discovery import BridgeEndpoint, remove_token_file
from cursor_sdk_async._bridge._reader import OnStderr, StderrReader
from cursor_sdk_async._bridge._spawn import spawn
from cursor_sdk_async._bridge._stop import StopLimits, Tree
from cursor_sdk_async._bridge._watch import Exit, first, open_pidfd, wait_exit, wait_gone
from cursor_sdk_async._lifecycle import Owner
from cursor_sdk_async._settings import STARTUP_TIMEOUT_VARIABLE
from cursor_sdk_async.errors import BridgeExitedError, BridgeStartError, CursorSDKError, ProtocolError

__all__ = ["Supervisor"]

logger = logging.getLogger("cursor_sdk_async.bridge")

#: A connection breaks some milliseconds before the exit status is there; on a loaded machine some more.
_EXPLAIN_SECONDS = 1.0
#: For the stderr callback to take the last lines.
_FLUSH_SECONDS = 1.0

Farewell = Callable[[], Awaitable[object]]
ExitCallback = Callable[[BridgeExitedError], None]


class Supervisor:
    """What an owner runs for a launched bridge. It knows nothing of the public handle, which may be garbage.

    Args:
        command: What to start.
        timeout: How long it may take to become ready, in seconds.
        on_stderr: Called with each line of its stderr.
        limits: How long each step of its ending may take.
    """

    def __init__(
        self,
        command: SpawnCommand,
        *,
        timeout: float,
        on_stderr: OnStderr | None = None,
        limits: StopLimits | None = None,
    ) -> None:
        self._command = command
        self._timeout = timeout
        self._on_stderr = on_stderr
        self._limits = limits or StopLimits()
        self._tree: Tree | None = None
        self._reader: StderrReader | None = None
        self._announced: BridgeEndpoint | None = None
        self._misread: ProtocolError | None = None
        self._bridge_pid: int | None = None  # while the bridge itself has to be waited for
        self._pidfd: int | None = None
        self._callbacks: list[ExitCallback] = []
        self.farewell: Farewell | None = None
        self.endpoint: BridgeEndpoint | None = None
        self.failure: CursorSDKError | None = None
        self.exit: Exit | None = None

    def prepare(self) -> None:
        """Make the events; in the loop that will run it."""
        self.opened: anyio.Event = anyio.Event()
        self.exited: anyio.Event = anyio.Event()
        self._ready = anyio.Event()

    # What others ask

    @property
    def stderr_tail(self) -> tuple[str, ...]:
        """The last lines of stderr."""
        return self._reader.tail if self._reader is not None else ()

    @property
    def process_pid(self) -> int | None:
        """The process that we started: the guard on POSIX, else the launcher."""
        return self._tree.process.pid if self._tree is not None else None

    @property
    def returncode(self) -> int | None:
        """The return code of that process, once it is reaped."""
        return self._tree.process.returncode if self._tree is not None else None

    def add_exit_callback(self, callback: ExitCallback) -> Callable[[], None]:
        """Have ``callback`` called once when the process has ended; the answer takes it back."""
        self._callbacks.append(callback)

        def remove() -> None:
            with suppress(ValueError):
                self._callbacks.remove(callback)

        if self.exit is not None:
            self._call_back()
        return remove

    def exited_error(self, run_ids: tuple[str, ...] = ()) -> BridgeExitedError:
        """A fresh error that says how the bridge ended."""
        ended = self.exit or Exit()
        how = str(ended) if self.exit is not None else "is gone"
        runs = f" Runs in flight: {', '.join(run_ids)}." if run_ids else ""
        return BridgeExitedError(
            f"The bridge process {how}. Calls and streams that were open have failed; launch a new one to "
            "go on."
            f"{runs}{_tail_text(self.stderr_tail)}",
            code="bridge_exited",
            exit_code=ended.exit_code,
            signal=ended.signal,
            run_ids=run_ids,
            stderr_tail=self.stderr_tail,
        )

    async def explain_loss(self) -> BridgeExitedError | None:
        """After a lost connection: the error if the bridge has ended or ends now, ``None`` if it lives on."""
        if self.exit is None:
            with anyio.move_on_after(_EXPLAIN_SECONDS):
                await self.exited.wait()
        return self.exited_error() if self.exit is not None else None

    # The life

    async def run(self, owner: Owner) -> None:
        """Start the bridge, and stay until the owner is asked to close, or the start fails."""
        try:
            # No await between here and the try below: what is made has an owner at once.
            self._tree, stderr = spawn(self._command)
            self._reader = StderrReader(stderr, self._on_stderr, self._command.secrets)
            self._reader.on_ready = self._heard_ready
        except CursorSDKError as error:
            self.failure = error
            self.opened.set()
            return
        try:
            async with anyio.create_task_group() as group:
                group.start_soon(self._reader.read)
                group.start_soon(self._reader.dispatch)
                group.start_soon(self._watch, self._tree)
                await self._live(owner, self._tree, self._reader)
                group.cancel_scope.cancel()
        except anyio.get_cancelled_exc_class():
            # The loop ends: no requests any more, only signals. Where the shield is pierced, the finally is
            # left.
            with anyio.CancelScope(shield=True), anyio.move_on_after(self._limits.unready_term):
                self._tree.terminate()
                await wait_exit(self._tree.process)
                await self._bridge_gone()
            raise
        finally:
            self._finish(self._tree, self._reader)

    async def _live(self, owner: Owner, tree: Tree, reader: StderrReader) -> None:
        with anyio.move_on_after(self._timeout) as limit:
            await first(self._ready.wait, self.exited.wait, owner.wait_close_requested)
        if self._ready.is_set() and self.exit is None:
            self._become_ready(tree)
        elif self.exit is not None or limit.cancelled_caught:
            self.failure = self._start_failure(limit.cancelled_caught)
        if self.endpoint is not None and not owner.closed:
            self.opened.set()
            await first(owner.wait_close_requested, self.exited.wait)
        await self._end(tree, polite=self.exit is None)
        with anyio.move_on_after(_FLUSH_SECONDS):
            await reader.flush()
        # Whoever waits for a failed start learns of it when nothing is left of it.
        self.opened.set()
        if self.failure is None:
            await owner.wait_close_requested()

    def _heard_ready(self, discovery: Mapping[str, Any] | ProtocolError | None) -> None:
        if self._ready.is_set() or discovery is None or self._reader is None:
            return
        try:
            if isinstance(discovery, ProtocolError):
                raise discovery
            self._announced = BridgeEndpoint.from_discovery(discovery)
            # Before the lines behind the ready line are logged.
            self._reader.add_secret(self._announced.auth_token)
        except ProtocolError as error:
            self._misread = error
        if isinstance(discovery, Mapping):
            remove_token_file(discovery)
        self._ready.set()

    def _become_ready(self, tree: Tree) -> None:
        endpoint = self._announced
        if endpoint is None:
            said = self._misread.message if self._misread is not None else ""
            self.failure = BridgeStartError(
                f"{said}{_tail_text(self.stderr_tail)}",
                code="bridge_ready_line",
                stderr_tail=self.stderr_tail,
                cause=self._misread,
            )
            return
        if endpoint.pid is not None and tree.adopt(endpoint.pid):
            self._bridge_pid = endpoint.pid
            self._pidfd = open_pidfd(endpoint.pid)
        self.endpoint = endpoint
        logger.debug("bridge %s is ready: pid %s", endpoint.server_version, endpoint.pid)

    def _start_failure(self, timed_out: bool) -> BridgeStartError:
        program = self._command.argv[0]
        if timed_out:
            return BridgeStartError(
                f"The bridge {program} did not become ready within {self._timeout:g} s and was ended. If "
                "it is only "
                "slow, raise the limit: timeout=, or "
                f"{STARTUP_TIMEOUT_VARIABLE}.{_tail_text(self.stderr_tail)}",
                code="bridge_start_timeout",
                stderr_tail=self.stderr_tail,
            )
        ended = self.exit or Exit()
        return BridgeStartError(
            f"The bridge {program} (from {self._command.source}) {ended} before it was ready."
            f"{_tail_text(self.stderr_tail)}",
            code="bridge_start_failed",
            exit_code=ended.exit_code,
            signal=ended.signal,
            stderr_tail=self.stderr_tail,
        )

    async def _watch(self, tree: Tree) -> None:
        ended = await wait_exit(tree.process)
        if self._reader is not None:
            self._reader.drain()  # the reason is in its last words
        self.exit = ended
        self.exited.set()
        if self.endpoint is not None:
            logger.debug("the bridge %s", ended)
        self._call_back()

    def _call_back(self) -> None:
        while self._callbacks:
            callback = self._callbacks.pop(0)
            try:
                callback(self.exited_error())
            except Exception:
                logger.exception("a callback for the end of the bridge raised")

    # The end

    async def _end(self, tree: Tree, *, polite: bool) -> None:
        """Farewell, exit, SIGTERM, SIGKILL: each bounded by ``StopLimits``.

        Only as much of it as is needed.
        """
        limits = self._limits
        ready = self.endpoint is not None
        if polite and ready and await self._said_farewell():
            await self._gone_within(limits.exit)
        if self.exit is None or self._bridge_pid is not None:
            tree.terminate()
            await self._gone_within(limits.term if ready else limits.unready_term)
        # Also when it is gone: whatever else is in its group goes with it.
        tree.kill()
        if self.exit is None:
            with anyio.move_on_after(limits.kill):
                await self.exited.wait()
        if self.exit is not None:
            tree.reap(limits.kill)  # a zombie by now: at once
            tree.release()

    async def _said_farewell(self) -> bool:
        """Whether the client's polite part came to its end in time."""
        farewell, self.farewell = self.farewell, None
        if farewell is None:
            return False
        with anyio.move_on_after(self._limits.farewell):
            try:
                await first(farewell, self.exited.wait)
            except Exception:
                logger.exception("the polite part of closing failed; the bridge is ended by a signal")
                return False
            return True
        return False

    async def _gone_within(self, seconds: float) -> None:
        with anyio.move_on_after(seconds):
            await self.exited.wait()
            await self._bridge_gone()

    async def _bridge_gone(self) -> None:
        """Wait for the bridge itself: its launcher may end before it."""
        if self._bridge_pid is not None:
            await wait_gone(self._bridge_pid, self._pidfd)
            self._bridge_pid = None

    def _finish(self, tree: Tree, reader: StderrReader) -> None:
        """The last resort, without awaiting: after a regular end there is little left to do."""
        tree.kill()
        code = tree.reap(self._limits.kill)
        tree.release()
        reader.drain()
        reader.close()
        if self._pidfd is not None:
            os.close(self._pidfd)
            self._pidfd = None
        if self.exit is None and code is not None:
            self.exit = Exit.from_returncode(code)

    def kill_now(self) -> None:
        """End everything at once, from any thread; for when the loop is gone."""
        if self._tree is not None and self._reader is not None and self._tree.is_ours:
            self._finish(self._tree, self._reader)


def _tail_text(tail: tuple[str, ...]) -> str:
    return "\n\nThe end of its stderr:\n" + "\n".join(f"  {line}" for line in tail[-20:]) if tail else ""
