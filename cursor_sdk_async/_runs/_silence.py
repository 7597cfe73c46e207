"""Silence: is the bridge still there? Asked with a ping when a stream or a long answer is silent for long.

Nothing hangs: a bridge that does not answer, such as a stopped process, ends the wait with an error after
``SILENCE_SECONDS + PINGS * PING_SECONDS``. One that answers is waited for without a limit; it sends a
keep-alive every 15 s (``docs/protocol.md``, "Run streams").
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import anyio

from cursor_sdk_async._connect._frames import RunFrame
from cursor_sdk_async._lifecycle import beside
from cursor_sdk_async._runs._reader import Frames
from cursor_sdk_async.errors import (
    APITimeoutError,
    BridgeError,
    BridgeNotRespondingError,
    ClosedError,
    CursorSDKError,
    NetworkError,
)
from cursor_sdk_async.errors._base import fresh

__all__ = ["Patience", "Watchdog", "WatchedStream"]

T = TypeVar("T")

logger = logging.getLogger("cursor_sdk_async")


@dataclass(frozen=True)
class Patience:
    """How long is waited.

    Attributes:
        silence: Seconds without anything until the bridge is pinged: four keep-alives.
        answer: Seconds that it has for an answer.
        pings: How many pings may stay unanswered.
    """

    silence: float = 60.0
    answer: float = 10.0
    pings: int = 3


class Watchdog:
    """Asks the bridge whether it is there.

    Args:
        ping: Sends a ping that may take so many seconds.

    Attributes:
        patience: How long is waited.
    """

    def __init__(self, ping: Callable[[float], Awaitable[object]]) -> None:
        self.patience: Patience = Patience()
        self._ping = ping

    async def check(self) -> None:
        """Ping until there is an answer, whatever it says.

        Raises:
            BridgeNotRespondingError: There is none.
            BridgeExitedError: The bridge has ended.
            ClosedError: The client was closed.
        """
        patience = self.patience
        for _ in range(patience.pings):
            with anyio.move_on_after(patience.answer):
                try:
                    await self._ping(patience.answer)
                except (BridgeError, ClosedError):
                    raise
                except (APITimeoutError, NetworkError) as error:
                    logger.debug("a ping was not answered: %s", error)
                    if not isinstance(error, APITimeoutError):
                        await anyio.sleep(patience.answer)  # the bridge may come back
                    continue
                except CursorSDKError as error:
                    logger.debug("a ping was answered by an error: %s", error)
                return
        raise BridgeNotRespondingError(
            f"The bridge was silent for {patience.silence:g} s and answered none of {patience.pings} pings "
            f"within {patience.answer:g} s each. Its process may be stopped, or its machine overloaded. "
            "The run itself may still be going on; once the bridge answers, read it with get_run(), or "
            "launch another bridge.",
            code="bridge_not_responding",
            is_retryable=True,
        )

    async def over(self, fn: Callable[..., Awaitable[T]], *args: Any) -> T:
        """Wait for ``fn(*args)``, and check the bridge whenever it has been silent for long.

        Raises:
            CursorSDKError: Of the function, or as :meth:`check` does.
        """

        async def watch() -> None:
            while True:
                await anyio.sleep(self.patience.silence)
                await self.check()

        return await beside(watch, fn, *args)


class WatchedStream:
    """A stream whose bridge is pinged when it is silent.

    Args:
        stream: The stream.
        watchdog: Asks the bridge.
    """

    def __init__(self, stream: Frames, watchdog: Watchdog) -> None:
        self._stream = stream
        self._watchdog = watchdog
        self._heard = anyio.current_time()
        self._failure: CursorSDKError | None = None

    async def receive(self) -> list[RunFrame]:
        """As the protocol says. A cancelled call loses nothing.

        Raises:
            BridgeNotRespondingError: The bridge answers no more.
        """
        while self._failure is None:
            with anyio.CancelScope(deadline=self._heard + self._watchdog.patience.silence):
                frames = await self._stream.receive()
                self._heard = anyio.current_time()
                return frames
            try:
                await self._watchdog.check()
            except CursorSDKError as error:
                self._failure = error.with_traceback(None)
                await self._stream.aclose()
            else:
                self._heard = anyio.current_time()
        raise fresh(self._failure)

    async def aclose(self) -> None:
        """Drop the connection."""
        await self._stream.aclose()
