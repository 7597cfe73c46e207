"""Starting the child: the one place where a process is made.

Nothing is left open when it fails: every descriptor is closed, or owned by what is returned. It never waits.
"""

from __future__ import annotations

import logging
import os
import subprocess
from contextlib import ExitStack

from cursor_sdk_async._bridge._command import SpawnCommand, guarded, platform_options
from cursor_sdk_async._bridge._stop import Tree
from cursor_sdk_async.errors import BridgeNotFoundError, BridgeStartError, ConfigurationError

__all__ = ["spawn"]

logger = logging.getLogger("cursor_sdk_async.bridge")


def spawn(command: SpawnCommand) -> tuple[Tree, int]:
    """Start the child; its process tree, and the read end of its stderr.

    It is ``subprocess`` and not a spawner of the event loop, since there is nothing to cancel in the middle,
    and nothing that depends on the kind of loop.

    Raises:
        ConfigurationError: The workspace is no directory.
        BridgeNotFoundError: The launcher has gone.
        BridgeStartError: The system refused.
    """
    if command.cwd is not None and not os.path.isdir(command.cwd):
        raise ConfigurationError(
            f"The workspace {command.cwd} is not a directory. Create it, or pass another workspace=."
        )
    argv = guarded(command.argv)
    with ExitStack() as undo, ExitStack() as child_ends:
        stderr, child_stderr = _pipe(undo, child_ends)
        guard, child_guard = None, subprocess.DEVNULL
        if argv is not None:
            child_guard, guard = os.pipe()
            child_ends.callback(os.close, child_guard)
            undo.callback(os.close, guard)
        elif os.name == "posix":
            logger.warning("there is no /bin/sh: a bridge will outlive this process if it is killed")
        try:
            process = subprocess.Popen(
                argv or command.argv,
                stdin=child_guard,
                stdout=subprocess.DEVNULL,
                stderr=child_stderr,
                cwd=command.cwd,
                env=command.env,
                **platform_options(),
            )
        except OSError as error:
            raise _refused(command, error) from error
        # From here on nothing may fail before the tree is owned.
        undo.pop_all()
        return Tree(process, guard), stderr


def _pipe(undo: ExitStack, child_ends: ExitStack) -> tuple[int, int]:
    """A pipe for stderr: ours does not block; neither is inherited by other children."""
    ours, theirs = os.pipe()
    child_ends.callback(os.close, theirs)
    undo.callback(os.close, ours)
    if os.name == "posix":
        os.set_blocking(ours, False)
    return ours, theirs


def _refused(command: SpawnCommand, error: OSError) -> BridgeNotFoundError | BridgeStartError:
    program = command.argv[0]
    if isinstance(error, (FileNotFoundError, PermissionError)):
        return BridgeNotFoundError(
            f"Cannot launch the bridge: {program} (from {command.source}): {error.strerror}. Reinstall it.",
            path=program,
            code="bridge_not_launchable",
            cause=error,
        )
    return BridgeStartError(
        f"The system refused to start {program}: {error.strerror}. The machine may be out of memory, "
        "processes or "
        "files; nothing was started.",
        code="bridge_start_failed",
        is_safe_to_retry=True,
        cause=error,
    )
