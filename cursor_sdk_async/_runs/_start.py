"""Sending a prompt: open the stream, read on until the run has a name.

It runs as a job of the client's owner, so that it can never leave a run without an owner: when the caller is
cancelled before the run is known, the job reads on to the id (bounded), cancels the run and drops the stream.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from typing import Any

import anyio
import anyio.lowlevel

from cursor_sdk_async._connect._frames import RunFrame
from cursor_sdk_async._runs._reader import Frames
from cursor_sdk_async.errors import CursorSDKError, ProtocolError

__all__ = ["RunStart", "run_identity"]

logger = logging.getLogger("cursor_sdk_async.runs")

Attempt = Callable[[], Awaitable[None]]

#: How long a send whose caller was cancelled may go on looking for the run id, and then how long its cancel
# may take.
ABANDONED_SECONDS = 10.0


def run_identity(frame: RunFrame) -> tuple[str, str]:
    """The run id and agent id that a frame carries; empty strings where it has none."""
    payload = frame.payload
    if frame.kind == "sdk_message":
        message: dict[str, Any] = payload.get("message") or {}
        return (
            str(message.get("run_id") or message.get("runId") or ""),
            str(message.get("agent_id") or message.get("agentId") or ""),
        )
    if frame.kind in ("result", "done"):
        return str(payload.get("runId") or ""), str(payload.get("agentId") or "")
    return "", ""


class RunStart:
    """One ``Send`` on its way.

    Args:
        open_stream: Sends the request and gives the stream.
        cancel_run: Cancels a run by run id and agent id.
        repeat: Makes attempts to send the request, more than one when that cannot make a second run.

    Attributes:
        stream: The stream, once the run is known.
        frames: What was read until then, in order.
        run_id: The run.
        agent_id: The agent as the stream names it.
    """

    def __init__(
        self,
        open_stream: Callable[[], Awaitable[Frames]],
        cancel_run: Callable[[str, str], Awaitable[None]],
        repeat: Callable[[Attempt], Awaitable[None]] | None = None,
    ) -> None:
        self.stream: Frames | None = None
        self.frames: list[RunFrame] = []
        self.run_id: str = ""
        self.agent_id: str = ""
        self._open_stream = open_stream
        self._cancel_run = cancel_run
        self._repeat = repeat
        self._abandoned = False
        self._scope = anyio.CancelScope()

    async def run(self) -> None:
        """The job: ends when the run is known, or when an abandoned one is put away.

        Raises:
            CursorSDKError: The request was refused, or the stream broke before the run was known.
        """
        await anyio.lowlevel.checkpoint()  # a caller who is cancelled already gets to say so
        if not self._abandoned:  # else nothing is sent
            await self._search()
        if self._abandoned:
            await self._put_away()

    async def _search(self) -> None:
        try:
            with self._scope:
                await (self._prime() if self._repeat is None else self._repeat(self._prime))
        except CursorSDKError as error:
            if not self._abandoned:
                raise
            logger.debug("a prompt that nobody waits for failed: %s", error)

    def abandon(self) -> None:
        """The caller is gone: bound the search, and have the run cancelled when it is found."""
        self._abandoned = True
        self._scope.deadline = anyio.current_time() + ABANDONED_SECONDS

    async def discard(self) -> None:
        """Cancel a run that became known in the moment in which its caller went away."""
        await self._put_away()

    async def _prime(self) -> None:
        self.frames.clear()
        stream = await self._open_stream()
        named = False
        try:
            while not named:
                batch = await stream.receive()
                self.frames.extend(batch)
                for frame in batch:
                    run_id, agent_id = run_identity(frame)
                    self.run_id, self.agent_id = self.run_id or run_id, self.agent_id or agent_id
                named = bool(self.run_id)
        except anyio.EndOfStream:
            raise ProtocolError(
                "Send ended cleanly without naming a run; the bridge broke the contract."
            ) from None
        finally:
            if not named:
                await stream.aclose()
        self.stream = stream

    async def _put_away(self) -> None:
        stream, self.stream = self.stream, None
        run_id, self.run_id = self.run_id, ""  # once, whoever asks
        with anyio.move_on_after(ABANDONED_SECONDS):
            if run_id:
                try:
                    await self._cancel_run(run_id, self.agent_id)
                except CursorSDKError:
                    pass  # it ended by itself, or the bridge is gone: either way it is not ours any more
        if stream is not None:
            await stream.aclose()
