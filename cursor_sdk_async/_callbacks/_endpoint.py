"""A listener with its tool service, in an owner task of its own.

Nothing leaks: the owner ends when it is asked to, and with its loop; sockets and calls end with it.
"""

from __future__ import annotations

import anyio

from cursor_sdk_async._callbacks._exchange import Limits
from cursor_sdk_async._callbacks._executor import THREADS, Executor
from cursor_sdk_async._callbacks._listener import Listener
from cursor_sdk_async._callbacks._routes import Route, new_token
from cursor_sdk_async._callbacks._tool_service import CALL_TOOL, ToolService
from cursor_sdk_async._connect._seam import Secrets
from cursor_sdk_async._lifecycle import Owner

__all__ = ["ToolEndpoint"]


class ToolEndpoint:
    """Where one bridge calls the tools of this process.

    It listens from its making on, so that its address is known; it answers once ``start`` was called.

    Args:
        host: A literal loopback address.
        port: The port; 0 for a free one.
        token: The bearer token; a fresh one by default.
        threads: How many blocking tools run at once.
        limits: The bounds of each connection.

    Attributes:
        service: The tools.
        owner: Where everything runs.
    """

    def __init__(
        self,
        *,
        host: str = "127.0.0.1",
        port: int = 0,
        token: Secrets | None = None,
        threads: int = THREADS,
        limits: Limits | None = None,
    ) -> None:
        self._token = token or Secrets(new_token())
        self._threads = threads
        self.service = ToolService()
        self._listener = Listener(
            {CALL_TOOL: Route(self.service.handle, self._token)}, host=host, port=port, limits=limits
        )
        self.owner = Owner("cursor_sdk_async callbacks", self._main)
        self._started = False

    @property
    def url(self) -> str:
        """The base URL, ending in a slash."""
        return self._listener.url

    @property
    def token(self) -> str:
        """The bearer token."""
        return self._token.first

    @property
    def usable(self) -> bool:
        """Whether it answers, and in the loop that is running."""
        return self._started and not self.owner.closed and self.owner.is_current

    @property
    def connections(self) -> int:
        """How many connections are open."""
        return len(self._listener.connections)

    def start(self) -> None:
        """Begin to answer, in the loop that is running; once."""
        self.owner.start()
        self._started = True

    async def _main(self, owner: Owner) -> None:
        try:
            async with anyio.create_task_group() as group:
                self.service.executor = Executor(group, self._threads)
                group.start_soon(self._listener.serve)
                await owner.wait_close_requested()
                for registration in list(self.service.agents.values()):
                    registration.cancel_calls("the callback server was closed")
                group.cancel_scope.cancel()
        finally:
            self.service.executor = None
            self._listener.close()

    def close(self) -> None:
        """Stop, in the loop that it runs in or before it was started; what runs is cancelled."""
        if self._started:
            self.owner.request_close()
        else:
            self._listener.close()

    async def wait_closed(self) -> None:
        """Wait until nothing is left of it; at once when it runs in another loop, or was not started."""
        if self._started and self.owner.is_current:
            await self.owner.wait_ended()

    def close_threadsafe(self, forgotten: str | None = None) -> None:
        """The same from any thread, also when the loop is gone."""
        if not self._started or not self.owner.request_close_threadsafe(forgotten):
            self._listener.close()
