"""The tool endpoints of this process: one for each bridge and event loop, shared by its clients.

Nothing leaks: an endpoint is closed when the last lease on it is given back; with its loop it ends anyway. A
bridge knows one endpoint only. When clients of two loops, or of two processes, register tools on the same
bridge, the last one wins.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import anyio

from cursor_sdk_async._callbacks._endpoint import ToolEndpoint
from cursor_sdk_async._callbacks._executor import Registration
from cursor_sdk_async._connect._url import check_url
from cursor_sdk_async.errors import ConfigurationError

__all__ = ["Announce", "Lease", "SharedEndpoint", "bridge_key", "lease"]

#: Tells the bridge where to call, by ``SetToolCallback``; two empty texts take it back.
Announce = Callable[[str, str], Awaitable[None]]

_OPEN: list[SharedEndpoint] = []
#: By bridge: which endpoint this process told it last.
_LAST: dict[str, SharedEndpoint] = {}


def bridge_key(url: str) -> str:
    """What names the bridge in this process; clients may spell the same loopback address differently.

    Raises:
        ConfigurationError: The bridge is on another machine, and cannot call here.
    """
    target = check_url(url, allow_remote=True)
    if not target.addresses:
        raise ConfigurationError(
            "Custom tools run in this process, and a bridge on another machine cannot call it. Use a bridge "
            "on this machine.",
            code="custom_tools_unsupported",
            is_safe_to_retry=True,
        )
    return f"{target.port}{target.path}"


class SharedEndpoint:
    """One endpoint and who uses it.

    Attributes:
        endpoint: It.
        told: How often the bridge was told of it; 0 while it does not know.
        users: How many leases there are.
        leaving: How many of them are about to be given back.
    """

    def __init__(self, key: str) -> None:
        self.key = key
        self.endpoint = ToolEndpoint()
        self.endpoint.start()
        self.told = 0
        self.users = 0
        self.leaving = 0
        self._lock = anyio.Lock()

    async def announce(self, tell: Announce, told: int = 0) -> int:
        """Make sure that the bridge was told; gives how often it was.

        Args:
            tell: Tells it.
            told: What this gave when it turned out that the bridge had forgotten.
        """
        if self._known(told):
            return self.told
        async with self._lock:
            if not self._known(told):
                await tell(self.endpoint.url, self.endpoint.token)
                self.told += 1
                _LAST[self.key] = self
        return self.told

    def _known(self, told: int) -> bool:
        return self.told > told and _LAST.get(self.key) is self

    async def take_back(self, tell: Announce) -> None:
        """A user is about to go: when it is the last one, have the bridge forget the endpoint.

        Not when it was told of another endpoint since, as far as this process knows.
        """
        self.leaving += 1
        async with self._lock:
            if self.leaving >= self.users and self._known(0):
                self.told = 0
                await tell("", "")


class Lease:
    """One client's use of an endpoint; to be given back by ``release``.

    Attributes:
        shared: The endpoint.
    """

    def __init__(self, shared: SharedEndpoint) -> None:
        self.shared = shared
        self._agents: set[Registration] = set()
        self._released = False
        shared.users += 1

    @property
    def usable(self) -> bool:
        """Whether calls arrive, in the loop that is running."""
        return not self._released and self.shared.endpoint.usable

    def add(self, registration: Registration) -> None:
        """Have calls of an agent arrive."""
        self._agents.add(registration)
        self.shared.endpoint.service.add(registration)

    def remove(self, registration: Registration) -> None:
        """No more."""
        self._agents.discard(registration)
        self.shared.endpoint.service.remove(registration)

    def cancel_calls(self, reason: str) -> None:
        """Cancel the calls of the client's agents; in the loop of the endpoint."""
        for registration in self._agents:
            registration.cancel_calls(reason)

    def release(self) -> None:
        """Give it back, from any thread; twice is harmless."""
        if self._released:
            return
        self._released = True
        shared = self.shared
        for registration in self._agents:
            shared.endpoint.service.remove(registration)
        self._agents.clear()
        shared.users -= 1
        if shared.users == 0:
            _drop(shared)
            shared.endpoint.close_threadsafe()

    async def wait_closed(self) -> None:
        """After the release: wait for the endpoint to end, if this was its last user."""
        if self.shared.users == 0:
            await self.shared.endpoint.wait_closed()


def lease(key: str) -> Lease:
    """Use the endpoint of a bridge in the loop that is running; it is made if there is none."""
    for shared in list(_OPEN):
        if shared.endpoint.owner.ended:
            _drop(shared)
        elif shared.key == key and shared.endpoint.usable:
            return Lease(shared)
    shared = SharedEndpoint(key)
    _OPEN.append(shared)
    return Lease(shared)


def _drop(shared: SharedEndpoint) -> None:
    if shared in _OPEN:
        _OPEN.remove(shared)
    if _LAST.get(shared.key) is shared:
        del _LAST[shared.key]
