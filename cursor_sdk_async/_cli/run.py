"""``run``: one prompt, the answer streamed to stdout, a status line on stderr."""

from __future__ import annotations

import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

from rich.console import Console
from rich.markup import escape
from rich.status import Status

from cursor_sdk_async import (
    AsyncClient,
    AsyncRun,
    BridgeNotFoundError,
    CursorAgentError,
    LocalAgentOptions,
    SDKAssistantMessage,
    TextBlock,
)
from cursor_sdk_async._display import RunState
from cursor_sdk_async._display._text import clean
from cursor_sdk_async._display._views import printable, status_text
from cursor_sdk_async._settings import read_api_key
from cursor_sdk_async.testing import scripted_bridge_command

__all__ = ["run_prompt"]

DEMO_KEY = "scripted-key"


async def run_prompt(prompt: str, *, workspace: Path, model: str | None, scripted: bool) -> int:
    """Run one prompt.

    Returns:
        The exit status: 0 when the run finished, 1 when it did not.
    """
    console = Console(stderr=True, highlight=False)
    try:
        async with _client(console, workspace, scripted) as client:
            chosen = model or (await client.models.list())[0].id
            agent = await client.agents.create(model=chosen, local=LocalAgentOptions(cwd=workspace))
            async with agent, await agent.send(prompt) as run:
                state = await _show(console, run)
                result = await run.wait()
    except CursorAgentError as error:
        console.print(f"{type(error).__name__}: {error}", style="red", markup=False)
        return 1
    state.settle(result)
    console.print(status_text(state), style="dim" if result.ok else "red", markup=False)
    return 0 if result.status == "finished" else 1


@asynccontextmanager
async def _client(console: Console, workspace: Path, scripted: bool) -> AsyncGenerator[AsyncClient]:
    """A client of the real bridge if there are a key and a bridge, else of the scripted one."""
    reason = "as asked" if scripted else "" if read_api_key() else "CURSOR_API_KEY is not set"
    client: AsyncClient | None = None
    if not reason:
        try:
            client = await AsyncClient.launch_bridge(workspace=workspace)
        except BridgeNotFoundError as error:
            if error.path is not None:  # chosen by the user, and wrong
                raise
            reason = "no bridge is installed (pip install 'cursor-sdk-async[bridge]')"
    if client is None:
        console.print(f"Scripted bridge, not a real agent: {reason}.", style="yellow", markup=False)
        command = scripted_bridge_command()
        client = await AsyncClient.launch_bridge(command, workspace=workspace, api_key=DEMO_KEY)
    async with client:
        yield client


async def _show(console: Console, run: AsyncRun) -> RunState:
    """Stream the text; everything else goes to the status line."""
    state = RunState(run.id, run.agent_id)
    with Status("starting", console=console) as status:
        async for event in run.events():
            state.take(event)
            message = event.sdk_message
            if isinstance(message, SDKAssistantMessage):
                status.stop()
                for block in message.message.content:
                    if isinstance(block, TextBlock):
                        sys.stdout.write(printable(clean(block.text), sys.stdout))
                        sys.stdout.flush()
            else:
                status.update(escape(state.activity))
    sys.stdout.write("\n")
    sys.stdout.flush()
    return state
