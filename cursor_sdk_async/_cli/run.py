"""``run``: one prompt, the answer streamed to stdout, a status line on stderr."""

from __future__ import annotations

import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

from rich.console import Console
from rich.status import Status

from cursor_sdk_async import (
    AsyncClient,
    AsyncRun,
    BridgeNotFoundError,
    CursorAgentError,
    LocalAgentOptions,
    SDKAssistantMessage,
    SDKStatusMessage,
    SDKThinkingMessage,
    SDKToolUseMessage,
    TextBlock,
)
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
                await _show(console, run)
                result = await run.wait()
    except CursorAgentError as error:
        console.print(f"{type(error).__name__}: {error}", style="red", markup=False)
        return 1
    usage = "" if result.usage is None else f", {result.usage.total_tokens} tokens"
    seconds = result.duration_ms / 1000
    console.print(f"{result.status} in {seconds:.1f} s{usage} (model {chosen}, run {result.id})", style="dim")
    if result.error_message:
        console.print(result.error_message, style="red", markup=False)
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


async def _show(console: Console, run: AsyncRun) -> None:
    """Stream the text; everything else goes to the status line."""
    tools = 0
    with Status("starting", console=console) as status:
        async for message in run.messages():
            if isinstance(message, SDKAssistantMessage):
                status.stop()
                for block in message.message.content:
                    if isinstance(block, TextBlock):
                        sys.stdout.write(block.text)
                        sys.stdout.flush()
            elif isinstance(message, SDKThinkingMessage):
                status.update("thinking")
            elif isinstance(message, SDKToolUseMessage):
                tools += message.status == "running"
                status.update(f"{message.name} ({message.status}, {tools} tool calls so far)")
            elif isinstance(message, SDKStatusMessage):
                status.update(message.status.lower())
    sys.stdout.write("\n")
    sys.stdout.flush()
