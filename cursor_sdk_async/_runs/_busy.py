"""Sending to an agent that may have another run: what the caller asked for with ``on_busy``.

A prompt that is refused because the agent is busy was not accepted, so sending it again makes no second run.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from typing import Any, Literal, TypeAlias, TypeVar, cast, get_args

import anyio

from cursor_sdk_async.errors import AgentBusyError, ConfigurationError

__all__ = ["OnBusy", "checked_on_busy", "sent_when_free"]

logger = logging.getLogger("cursor_sdk_async.runs")

T = TypeVar("T")

OnBusy: TypeAlias = Literal["raise", "wait", "force"]

#: Between two attempts of ``on_busy="wait"``, in seconds: the first pause, how it grows, and the longest one.
FIRST_PAUSE = 0.25
GROWTH = 1.5
LONGEST_PAUSE = 2.0


def checked_on_busy(value: Any, *, cloud: bool) -> OnBusy:
    """What was given as ``on_busy``.

    Raises:
        ConfigurationError: It is no such word, or ``"force"`` for a cloud agent.
    """
    if value not in get_args(OnBusy):
        raise ConfigurationError(
            f"on_busy is 'raise', 'wait' or 'force', not {value!r}.",
            code="bad_on_busy",
            is_safe_to_retry=True,
        )
    if cloud and value == "force":
        raise ConfigurationError(
            "on_busy='force' is for local agents. Cancel the run of a cloud agent and send again, or send "
            "with on_busy='wait'.",
            code="bad_on_busy",
            is_safe_to_retry=True,
        )
    return cast("OnBusy", value)


async def sent_when_free(
    on_busy: OnBusy, send: Callable[[], Awaitable[T]], force: Callable[[], Awaitable[T]]
) -> T:
    """Send a prompt, and do as asked when the agent has another run.

    Args:
        on_busy: What was asked for.
        send: Sends the prompt.
        force: Sends it so that the bridge ends the other run first.

    Raises:
        AgentBusyError: The agent has another run, and was to be left alone.
    """
    pause = FIRST_PAUSE
    while True:
        try:
            return await send()
        except AgentBusyError:
            if on_busy == "raise":
                raise
        if on_busy == "force":
            logger.info("the agent is busy; the prompt is sent again with force")
            return await force()
        logger.debug("the agent is busy; the prompt is sent again in %.2f s", pause)
        await anyio.sleep(pause)
        pause = min(pause * GROWTH, LONGEST_PAUSE)
