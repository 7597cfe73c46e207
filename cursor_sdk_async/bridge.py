"""AsyncBridge: one bridge process, launched, watched and ended.

No process, descriptor, thread or token file outlives it: not when it is closed, forgotten, or interrupted
anywhere in between, and not when this process dies. (One exception: a bridge that is ended in the instant
between writing its token file and naming it leaves a file whose name nobody else knows.) Launching is bounded
by ``timeout``, closing by 12 seconds, the sum of the constants in ``_bridge/_stop.py``, and usually takes a
few hundredths of one.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Awaitable, Callable, Collection, Mapping
from contextlib import suppress
from math import isfinite
from pathlib import Path
from types import TracebackType
from typing import Any
from weakref import finalize

from typing_extensions import Self

from cursor_sdk_async._bridge._command import (
    BridgeFlags,
    SpawnCommand,
    child_environment,
    local_store,
    secrets_of,
)
from cursor_sdk_async._bridge._discovery import READY_LINE_PREFIX, BridgeEndpoint, parse_discovery_line
from cursor_sdk_async._bridge._locate import Command, locate
from cursor_sdk_async._bridge._reader import OnStderr
from cursor_sdk_async._bridge._supervisor import Supervisor
from cursor_sdk_async._bridge._tools import BridgeTools
from cursor_sdk_async._lifecycle import Opening, Owner
from cursor_sdk_async._logging import set_up_logging
from cursor_sdk_async._settings import environment, read_startup_timeout
from cursor_sdk_async._version import __version__
from cursor_sdk_async.errors import BridgeExitedError, BridgeStartError, ClosedError, ConfigurationError

__all__ = [
    "READY_LINE_PREFIX",
    "AsyncBridge",
    "BridgeEndpoint",
    "BridgeProcess",
    "BridgeWatch",
    "Command",
    "OnStderr",
    "parse_discovery_line",
]

set_up_logging()

DEFAULT_STARTUP_SECONDS = 30.0


class BridgeProcess:
    """The process that was started: on POSIX the guard, which runs the launcher and leads its group.

    Attributes:
        pid: Its process id, which is that of the group and the session too; the bridge's own is
            ``bridge.pid``.
    """

    __slots__ = ("_supervisor", "pid")

    def __init__(self, pid: int, supervisor: Supervisor) -> None:
        self.pid: int = pid
        self._supervisor = supervisor

    @property
    def returncode(self) -> int | None:
        """Its return code, ``None`` while it runs; -n or 128 + n for signal n."""
        return self._supervisor.returncode

    def poll(self) -> int | None:
        """The same, by the name it has in ``subprocess``."""
        return self.returncode

    def __repr__(self) -> str:
        return f"<BridgeProcess pid={self.pid} returncode={self.returncode}>"


class BridgeWatch:
    """What a channel may hold of a bridge.

    It tells of the end of the process, and does not keep the bridge alive.
    """

    __slots__ = ("_supervisor",)

    def __init__(self, supervisor: Supervisor) -> None:
        self._supervisor = supervisor

    def on_exit(self, callback: Callable[[BridgeExitedError], None]) -> Callable[[], None]:
        """As ``AsyncBridge.on_exit``."""
        return self._supervisor.add_exit_callback(callback)

    def exited_error(self, run_ids: Collection[str] = ()) -> BridgeExitedError:
        """As ``AsyncBridge.exited_error``."""
        return self._supervisor.exited_error(tuple(run_ids))

    async def explain_loss(self) -> BridgeExitedError | None:
        """After a lost connection.

        The error if the process has ended or does so within 1 s, else ``None``.
        """
        return await self._supervisor.explain_loss()


class AsyncBridge(BridgeTools):
    """A launched bridge. Made by ``launch``; use it as an async context manager, or close it.

    Attributes:
        endpoint: Its address and token, and what it said about itself.
        process: The process that was started.
    """

    def __init__(self, supervisor: Supervisor, owner: Owner) -> None:
        assert supervisor.endpoint is not None
        assert supervisor.process_pid is not None
        self.endpoint: BridgeEndpoint = supervisor.endpoint
        self.process: BridgeProcess = BridgeProcess(supervisor.process_pid, supervisor)
        self._supervisor = supervisor
        self._owner = owner
        forgotten = f"A bridge (pid {self.pid}) was not closed. Use 'async with', or await its aclose()."
        self._finalizer = finalize(self, _forgotten, owner, supervisor, forgotten)
        self._finalizer.atexit = False  # at exit the guard does it, without a loop

    @classmethod
    def launch(
        cls,
        command: Command | None = None,
        *,
        workspace: str | os.PathLike[str] | None = None,
        state_root: str | os.PathLike[str] | None = None,
        host: str | None = None,
        port: int | None = None,
        timeout: float | None = None,
        local: Any = None,
        env: Mapping[str, str | None] | None = None,
        inherit_env: bool | Collection[str] = True,
        on_stderr: OnStderr | None = None,
        verbose: bool = False,
        max_concurrent_agents: int | None = None,
        max_message_bytes: int | None = None,
    ) -> Opening[Self]:
        """Launch a bridge and wait until it is ready.

        Nothing starts until what this returns is awaited or entered. A cancelled start leaves nothing behind.

        Args:
            command: The launcher, as a path or an argument list to which flags are appended; by default it
                is searched (``docs/bridge.md``, "Which bridge").
            workspace: Where the bridge starts, and the default directory of local agents.
            state_root: The directory of its durable state.
            host: The loopback address it listens on.
            port: The port it listens on; by default a free one.
            timeout: Seconds it may take to become ready; by default those in the environment variable
                ``CURSOR_SDK_BRIDGE_STARTUP_TIMEOUT``, else 30.
            local: ``LocalAgentOptions`` or a mapping; its ``store`` becomes the default of local agents.
            env: Variables for the bridge; ``None`` as a value takes one away.
            inherit_env: Whether the bridge gets our environment, or the names of the variables it gets. Some
                pass only when named: ``NODE_OPTIONS``, and the callback addresses of another bridge.
            on_stderr: Called in the loop with each line that the bridge writes; may be async. Secrets are
                masked in it.
            verbose: Have the bridge write a line for each call.
            max_concurrent_agents: Advertised by the bridge.
            max_message_bytes: Advertised by the bridge.

        Raises:
            ConfigurationError: An argument is wrong.
            BridgeNotFoundError: There is no bridge to launch, or the chosen one cannot be launched.
            BridgeStartError: It ended before it was ready, said something wrong, or took too long.
        """
        flags = BridgeFlags(
            workspace=_absolute(workspace),
            state_root=_absolute(state_root),
            host=host,
            port=port,
            local_store=local_store(local),
            max_concurrent_agents=max_concurrent_agents,
            max_message_bytes=max_message_bytes,
            verbose=verbose,
        )
        if timeout is not None and not (isfinite(timeout) and timeout > 0):
            raise ConfigurationError(f"timeout={timeout!r} is not a positive number of seconds.")

        async def start() -> Self:
            launcher = locate(command)
            child = child_environment(environment(), env, inherit_env, version=__version__)
            spawn = SpawnCommand(
                argv=(*launcher.argv, *flags.argv()),
                env=child,
                cwd=flags.workspace,
                secrets=secrets_of(child),
                source=launcher.source,
            )
            limit = timeout or read_startup_timeout() or DEFAULT_STARTUP_SECONDS
            return await cls._start(Supervisor(spawn, timeout=limit, on_stderr=on_stderr))

        return Opening(start, cls.aclose)

    @classmethod
    async def _start(cls, supervisor: Supervisor) -> Self:
        owner = Owner("cursor-sdk-bridge", supervisor.run)
        supervisor.prepare()
        owner.start()
        opened = False
        try:
            # One plain wait: a task group here would wrap the KeyboardInterrupt of trio in a group.
            with suppress(ClosedError):  # the owner ended first
                await owner.call(supervisor.opened.wait)
            opened = supervisor.endpoint is not None and supervisor.failure is None
        finally:
            if not opened:
                owner.request_close()  # also when we were cancelled: then the owner ends it without us
        if supervisor.failure is not None:
            await owner.wait_ended()
            raise supervisor.failure
        if not opened:
            raise BridgeStartError("The start of the bridge was cut short: its event loop is ending.")
        return cls(supervisor, owner)

    # Facts

    @property
    def pid(self) -> int | None:
        """The process id of the bridge itself, from its ready line."""
        return self.endpoint.pid

    @property
    def version(self) -> str:
        """The version of the bridge."""
        return self.endpoint.server_version

    @property
    def workspace_ref(self) -> str:
        """Its workspace directory."""
        return self.endpoint.workspace_ref

    @property
    def state_root(self) -> str:
        """The directory of its durable state."""
        return self.endpoint.state_root

    @property
    def stderr_tail(self) -> tuple[str, ...]:
        """The last lines that it wrote to stderr, secrets masked."""
        return self._supervisor.stderr_tail

    @property
    def exit_code(self) -> int | None:
        """Its exit code, once it has ended by itself."""
        return self._supervisor.exit.exit_code if self._supervisor.exit is not None else None

    @property
    def signal(self) -> int | None:
        """The signal that ended it, if one did."""
        return self._supervisor.exit.signal if self._supervisor.exit is not None else None

    @property
    def owner(self) -> Owner:
        """The owner task, in which a client runs its own jobs too."""
        return self._owner

    def is_alive(self) -> bool:
        """Whether the process has not ended, as far as the loop has noticed."""
        return self._supervisor.exit is None and not self._owner.ended

    # For clients

    @property
    def watch(self) -> BridgeWatch:
        """What others may hold in place of this object, which can then still be collected."""
        return BridgeWatch(self._supervisor)

    def set_farewell(self, farewell: Callable[[], Awaitable[object]] | None) -> None:
        """Set the polite steps of closing: they run in the owner before any signal, for at most 4 s.

        ``farewell`` must hold no reference to this object, or one that is forgotten is never closed.
        """
        self._supervisor.farewell = farewell

    def on_exit(self, callback: Callable[[BridgeExitedError], None]) -> Callable[[], None]:
        """Have ``callback`` called once, in the owner, when the process has ended, expected or not.

        It must hold no reference to this object. Called at once when the process has ended already.

        Returns:
            A function that takes the callback back.
        """
        return self._supervisor.add_exit_callback(callback)

    def exited_error(self, run_ids: Collection[str] = ()) -> BridgeExitedError:
        """A fresh error that says how the bridge ended; ``run_ids`` were in flight."""
        return self._supervisor.exited_error(tuple(run_ids))

    async def wait_exited(self) -> None:
        """Wait until the process has ended.

        Raises:
            ClosedError: This bridge belongs to another event loop.
        """
        if self._supervisor.exit is None:
            if not self._owner.is_current:
                self._owner.check("wait_exited()")
            await self._supervisor.exited.wait()

    # Closing

    async def aclose(self) -> None:
        """End the bridge and wait until nothing is left of it; twice, or from two tasks, is harmless.

        The ending itself runs in the owner: a cancelled caller leaves it going on.
        """
        self._finalizer.detach()
        await self._owner.aclose()

    async def close(self) -> None:
        """The same as ``aclose``."""
        await self.aclose()

    async def __aenter__(self) -> Self:
        self._owner.check("async with")
        return self

    async def __aexit__(
        self, exc_type: type[BaseException] | None, exc: BaseException | None, tb: TracebackType | None
    ) -> None:
        await self.aclose()

    def __repr__(self) -> str:
        state = "closed" if self._owner.closed else "running" if self.is_alive() else "dead"
        return f"<AsyncBridge pid={self.pid} version={self.version!r} url={self.endpoint.url!r} {state}>"


def _forgotten(owner: Owner, supervisor: Supervisor, message: str) -> None:
    """Close a bridge that is garbage: through its loop, or without it when the loop is gone."""
    if not owner.request_close_threadsafe(message):
        supervisor.kill_now()
        warnings.warn(message, ResourceWarning, stacklevel=2)


def _absolute(path: str | os.PathLike[str] | None) -> str | None:
    """A path that means the same in another directory."""
    return None if path is None else os.path.abspath(Path(path).expanduser())
