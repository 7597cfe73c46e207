"""ToolCallbackServer: the callback server by itself, for bridges that are launched or attached to by hand.

Nothing leaks: closing it, leaving it, forgetting it and the end of its loop each close its sockets and cancel
its calls.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any
from weakref import finalize

from typing_extensions import Self

from cursor_sdk_async._callbacks._client_tools import checked_tools
from cursor_sdk_async._callbacks._endpoint import ToolEndpoint
from cursor_sdk_async._callbacks._executor import THREADS, Registration
from cursor_sdk_async._callbacks._routes import check_token
from cursor_sdk_async._lifecycle import in_loop

__all__ = ["ToolCallbackEndpoint", "ToolCallbackServer"]

_FORGOTTEN = "A ToolCallbackServer was not closed. Use 'async with', or call its close()."


@dataclass(frozen=True)
class ToolCallbackEndpoint:
    """Where a bridge finds the tools.

    Attributes:
        url: The base URL, ending in a slash.
        auth_token: The bearer token; not in ``repr``.
    """

    url: str
    auth_token: str = field(repr=False)


class ToolCallbackServer:
    """Serves custom tools to a bridge that you launch, or tell of its address, yourself.

    A client needs none: it serves the tools of its agents itself. The server listens from its making on, so
    that its ``endpoint`` is known. It answers from then on too when it is made in a running event loop, else
    once :meth:`start` is awaited or ``async with`` entered; tools run in that loop.

    Args:
        host: The literal loopback address to listen on.
        port: The port; 0 for a free one.
        auth_token: The bearer token that the bridge has to show; a fresh one by default.
        loop: Not used, since the tools run in the loop that the server is started in.
        threads: How many blocking tools run at once.

    Raises:
        ConfigurationError: The address is not a loopback one or is taken, or the token cannot be sent.
    """

    def __init__(
        self,
        *,
        host: str = "127.0.0.1",
        port: int = 0,
        auth_token: str | None = None,
        loop: Any = None,
        threads: int = THREADS,
    ) -> None:
        token = None if auth_token is None else check_token(auth_token)
        del auth_token  # the variables of a traceback may be logged
        self._endpoint = ToolEndpoint(host=host, port=port, token=token, threads=threads)
        self._started = False
        self._finalizer = finalize(self, self._endpoint.close_threadsafe, _FORGOTTEN)
        self._finalizer.atexit = False
        if in_loop():
            self._start()

    @property
    def endpoint(self) -> ToolCallbackEndpoint:
        """Where it is, and its token."""
        return ToolCallbackEndpoint(self._endpoint.url, self._endpoint.token)

    def register_agent(self, agent_id: str, tools: Mapping[str, Any]) -> None:
        """Register an agent's tools, in place of those that it had.

        They see the context variables of this call.

        Args:
            agent_id: The agent.
            tools: ``CustomTool`` or mappings, by name.

        Raises:
            ConfigurationError: A tool has no function.
        """
        self._endpoint.service.add(Registration(agent_id, checked_tools(tools)))

    def unregister_agent(self, agent_id: str) -> None:
        """Take an agent's tools away; calls that run are cancelled. Harmless when there are none."""
        registration = self._endpoint.service.agents.pop(agent_id, None)
        if registration is not None:
            registration.cancel_calls("its tools were taken away")

    async def start(self) -> None:
        """Begin to answer in the running loop; harmless when it has begun."""
        self._start()

    def _start(self) -> None:
        if not self._started:
            self._started = True
            self._endpoint.start()

    def close(self) -> None:
        """Stop; calls that run are cancelled. From any thread, and twice, is harmless."""
        self._finalizer.detach()
        self._endpoint.close_threadsafe()

    async def aclose(self) -> None:
        """The same, and wait until nothing is left of it."""
        self.close()
        await self._endpoint.wait_closed()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        self._start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    def __repr__(self) -> str:
        return f"<ToolCallbackServer url={self._endpoint.url!r} agents={len(self._endpoint.service.agents)}>"
