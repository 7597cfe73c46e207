"""What many tests of the suite do with a client."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from typing import Any

from cursor_sdk_async import AsyncAgent, AsyncClient, AsyncRun
from cursor_sdk_async.events import RunStreamEvent
from cursor_sdk_async.messages import SDKMessage, SDKStatusMessage

__all__ = ["brief", "cloud_agent", "finished_run", "kinds", "read_until_text", "statuses"]


async def cloud_agent(client: AsyncClient, **options: Any) -> AsyncAgent:
    """A new cloud agent."""
    options.setdefault("cloud", {})
    return await client.agents.create(**options)


async def finished_run(
    client: AsyncClient, prompt: str = "hello", **options: Any
) -> tuple[AsyncAgent, AsyncRun]:
    """A new cloud agent with one run that is over."""
    agent = await cloud_agent(client, **options)
    run = await agent.send(prompt)
    await run.wait()
    return agent, run


async def read_until_text(run: AsyncRun) -> AsyncIterator[str]:
    """Read the run to its first piece of text; the iterator goes on after it."""
    texts = run.iter_text()
    assert await texts.__anext__() == "Waiting"
    return texts


def brief(event: RunStreamEvent) -> str:
    """An event in one word: the type of its message, update or step, else its kind."""
    for part in (event.sdk_message, event.interaction_update, event.step):
        if part is not None:
            return str(part.type)
    return event.kind


def statuses(messages: Sequence[SDKMessage]) -> list[str]:
    """The words of the status messages."""
    return [message.status for message in messages if isinstance(message, SDKStatusMessage)]


def kinds(messages: Sequence[SDKMessage]) -> list[str]:
    """The types of the other messages."""
    return [str(message.type) for message in messages if not isinstance(message, SDKStatusMessage)]
