"""A stream that is opened at the first step, by the owner.

Nothing is lost: a step that is cancelled while the stream is being opened leaves the opening alone, and the
next step goes on with it. Nothing leaks: what is opened after ``aclose`` is closed at once.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import anyio

from cursor_sdk_async._connect._frames import RunFrame
from cursor_sdk_async._lifecycle import Owner
from cursor_sdk_async._runs._reader import Frames
from cursor_sdk_async.errors import ClosedError, CursorSDKError

__all__ = ["LateStream"]


class LateStream:
    """The ``Frames`` of a stream that may not be open yet.

    An opening must not be cut short: the bridge may take the request all the same, and would then hand the
    only replay of the run to a connection that is gone.

    Args:
        open_stream: Sends the request.
        owner: Where that runs.

    Attributes:
        opened: Whether it was opened.
    """

    def __init__(self, open_stream: Callable[[], Awaitable[Frames]], owner: Owner) -> None:
        self.opened: bool = False
        self.owner: Owner = owner
        self._open_stream = open_stream
        self._stream: Frames | None = None
        self._error: CursorSDKError | None = None
        self._ready: anyio.Event | None = None
        self._closed = False

    async def receive(self) -> list[RunFrame]:
        """As the protocol says; an opening that failed is tried again at the next step."""
        if self._stream is None and not self._closed:
            if self._ready is None:
                self._ready = anyio.Event()
                await self.owner.call(self._open, self._ready, keep=True)
            else:
                await self.owner.call(self._ready.wait)
            self._ready = None
        error, self._error = self._error, None
        if error is not None:
            raise error
        if self._stream is None:
            raise ClosedError("The observation was closed meanwhile.", code="closed")
        return await self._stream.receive()

    async def _open(self, ready: anyio.Event) -> None:
        try:
            stream = await self._open_stream()
            # No await between having the stream and its owner.
            if self._closed:
                await stream.aclose()
            else:
                self._stream = stream
                self.opened = True
        except CursorSDKError as error:
            self._error = error
        finally:
            ready.set()

    async def aclose(self) -> None:
        """Drop the connection, now or once it is there."""
        self._closed = True
        stream, self._stream = self._stream, None
        if stream is not None:
            await stream.aclose()
