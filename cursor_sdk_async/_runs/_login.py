"""An API key that is refused although an earlier prompt of the same agent was accepted with it.

The bridge keeps a login for each agent and may lose it while the agent is idle. Nothing is sent again here:
the caller is told what is known, and how to go on.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeVar

from cursor_sdk_async.errors import AuthenticationError

__all__ = ["Login"]

T = TypeVar("T")

HINT = (
    " The same key was accepted for an earlier prompt of this agent. Either it was revoked, or the login of "
    "the agent was lost while it was idle: the prompt was not accepted, so resume the agent with "
    "client.agents.resume() and send it again."
)


class Login:
    """What is known of the key of one agent."""

    def __init__(self) -> None:
        self._accepted = False

    async def over(self, send: Callable[[], Awaitable[T]]) -> T:
        """Send a prompt.

        Raises:
            AuthenticationError: The key was refused; says so when it was accepted before.
        """
        try:
            answer = await send()
        except AuthenticationError as error:
            if self._accepted:
                error.message = error.message.rstrip(". ") + "." + HINT
                error.args = (error.message,)
            raise
        self._accepted = True
        return answer
