"""The custom tools of one client: registered before the bridge may call them, gone when it no longer may.

Nothing leaks: the lease on the endpoint is given back by closing, with the client's owner, and with the
client itself. Nothing hangs: cancelling a run does not wait for its tools, and they learn of it within
``GRACE_SECONDS``.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping
from contextvars import copy_context
from typing import Any, TypeVar
from weakref import finalize

import anyio

from cursor_sdk_async._callbacks._executor import Registration
from cursor_sdk_async._callbacks._shared import Announce, Lease, bridge_key, lease
from cursor_sdk_async._lifecycle import OwnerSource, beside
from cursor_sdk_async.errors import ClosedError, ConfigurationError, CursorSDKError
from cursor_sdk_async.options import AgentOptions, CustomTool, LocalAgentOptions
from cursor_sdk_async.options._tools import custom_tools

__all__ = ["ClientTools", "checked_tools", "tools_of"]

logger = logging.getLogger("cursor_sdk_async.tools")

#: How long the tools of a run that is being cancelled may go on, when the bridge has not answered by then.
GRACE_SECONDS = 1.0
#: Taking the endpoint back from a bridge that lives on.
CLEAR_SECONDS = 1.0

T = TypeVar("T")


def tools_of(options: AgentOptions) -> Mapping[str, CustomTool]:
    """The tools in options in canonical form; checked to have functions."""
    local = options.local
    tools = local.custom_tools if isinstance(local, LocalAgentOptions) else None
    return {name: tool for name, tool in (tools or {}).items() if isinstance(tool, CustomTool)}


def checked_tools(tools: Mapping[str, Any]) -> Mapping[str, CustomTool]:
    """Tools that a user registers, each with its function.

    Raises:
        ConfigurationError: One has none.
    """
    found: dict[str, CustomTool] = {}
    for name, tool in (custom_tools(tools, "tools") or {}).items():
        if not isinstance(tool, CustomTool):
            raise ConfigurationError(
                f"tools.{name} has no execute: give the function that does the work.",
                code="custom_tools_unsupported",
                is_safe_to_retry=True,
            )
        found[name] = tool
    return found


class ClientTools:
    """The registry of one client and its copies.

    Args:
        url: The bridge's base URL; empty where only a transport of the user's knows it.
        owner: Gives the owner task of the client.
        tell: Sends ``SetToolCallback``.
    """

    def __init__(self, url: str, owner: OwnerSource, tell: Announce) -> None:
        self._url = url
        self._owner = owner
        self._tell = tell
        self._agents: dict[str, Registration] = {}
        self._lease: Lease | None = None

    # Registering

    async def create(
        self,
        agent_id: str,
        tools: Mapping[str, CustomTool],
        ask: Callable[[], Awaitable[T]],
        *,
        key: str | None = None,
    ) -> T:
        """Create or resume an agent with tools: they are registered first, and removed when that fails.

        Args:
            agent_id: The agent.
            tools: Its tools.
            ask: Asks the bridge. Asked twice when the bridge has meanwhile forgotten where to call.
            key: The agent's API key, which no error shows to the model.
        """
        before = self._agents.get(agent_id)
        registration = self._add(agent_id, tools, () if key is None else (key,))
        try:
            told = await self._announced()
            try:
                return await ask()
            except CursorSDKError as error:
                if error.code != "failed_precondition" or "callback" not in error.message.lower():
                    raise
                logger.debug("the bridge has forgotten where to call tools; it is told again")
            await self._announced(told)
            return await ask()
        except BaseException:
            self._take_back(registration, before)
            raise

    def register(self, agent_id: str, tools: Mapping[str, Any]) -> None:
        """Register tools of an agent that was, or will be, created by other means.

        Raises:
            ConfigurationError: A tool has no function, or the bridge cannot call here.
        """
        self._add(agent_id, checked_tools(tools))
        self._owner().post(self._announced)

    def remove(self, agent_id: str, reason: str) -> None:
        """Take an agent's tools away; calls that run are cancelled."""
        registration = self._agents.pop(agent_id, None)
        if registration is None:
            return
        if self._lease is not None:
            self._lease.remove(registration)
        registration.cancel_calls(reason)

    async def before_send(self, agent_id: str) -> None:
        """A prompt is about to be sent: the tools of its run see the context of the caller."""
        registration = self._agents.get(agent_id)
        if registration is not None:
            registration.context = copy_context()
            await self._announced()

    # Ending

    async def cancel_run(self, agent_id: str, ask: Callable[[], Awaitable[object]]) -> None:
        """Cancel a run by ``ask``, and the calls of its agent with it."""
        registration = self._agents.get(agent_id)
        if registration is None:
            await ask()
            return
        cancelled = registration  # of this moment: a new one has nothing to do with that run

        async def soon() -> None:
            await anyio.sleep(GRACE_SECONDS)
            cancelled.cancel_calls("its run is being cancelled")

        await beside(soon, ask)
        cancelled.cancel_calls("its run was cancelled")

    async def clear(self) -> None:
        """Before an attached client lets go: have the bridge forget the endpoint if nobody else needs it."""
        if self._lease is not None and self._lease.usable:
            with anyio.move_on_after(CLEAR_SECONDS):
                try:
                    await self._lease.shared.take_back(self._tell)
                except CursorSDKError as error:
                    logger.debug("the bridge could not be told to call no more: %s", error)

    async def aclose(self) -> None:
        """Cancel what runs and give the endpoint back."""
        for agent_id in list(self._agents):
            self.remove(agent_id, "the client was closed")
        given, self._lease = self._lease, None
        if given is not None:
            given.release()
            await given.wait_closed()

    # The endpoint

    def _add(
        self, agent_id: str, tools: Mapping[str, CustomTool], secrets: tuple[str, ...] = ()
    ) -> Registration:
        held = self._leased()
        before = self._agents.get(agent_id)
        registration = self._agents[agent_id] = Registration(agent_id, tools, secrets)
        if before is not None:
            held.remove(before)
        held.add(registration)
        return registration

    def _take_back(self, registration: Registration, before: Registration | None) -> None:
        if self._agents.get(registration.agent_id) is not registration:
            return  # closed meanwhile, or registered anew
        self.remove(registration.agent_id, "the agent was not created")
        if before is not None and self._lease is not None:
            self._agents[registration.agent_id] = before
            self._lease.add(before)

    def _leased(self) -> Lease:
        """The lease, in the loop that is running; a client that has moved to another one gets a new one."""
        held = self._lease
        if held is not None and held.usable:
            return held
        key = bridge_key(self._url) if self._url else f"transport {id(self)}"
        owner = self._owner()
        if owner.closed:
            raise ClosedError("The client is closed. Make a new one.", code="closed", is_safe_to_retry=True)
        if held is not None:
            held.release()
        # No await from here on: the lease has three who give it back.
        self._lease = fresh = lease(key)
        finalize(self, fresh.release).atexit = False
        owner.post(_hold, fresh)
        for registration in self._agents.values():
            registration.renew()
            fresh.add(registration)
        return fresh

    async def _announced(self, told: int = 0) -> int:
        return await self._leased().shared.announce(self._tell, told)


async def _hold(held: Lease) -> None:
    """Runs in the client's owner, and ends with it."""
    try:
        await anyio.sleep_forever()
    finally:
        held.cancel_calls("the client was closed")
        held.release()
