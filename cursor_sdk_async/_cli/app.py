"""The commands and their options."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import Annotated

import anyio
import typer

from cursor_sdk_async._cli.run import run_prompt
from cursor_sdk_async._version import __version__

__all__ = ["app"]

app = typer.Typer(
    help="Drive Cursor agents from the command line.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
)


@app.command()
def run(
    prompt: Annotated[str, typer.Argument(help="What the agent is asked.")],
    workspace: Annotated[
        Path, typer.Option(help="The directory the agent works in.", exists=True, file_okay=False)
    ] = Path(),
    model: Annotated[
        str | None, typer.Option(help="A model id; by default the first of the catalogue.")
    ] = None,
    scripted: Annotated[
        bool, typer.Option("--scripted", help="Use the scripted bridge, even where there is a key.")
    ] = False,
) -> None:
    """Ask a local agent and stream its answer.

    Uses the real bridge where a key (CURSOR_API_KEY) and a bridge are there, else the scripted one, and says
    so.
    """
    try:
        code = anyio.run(
            partial(run_prompt, prompt, workspace=workspace.resolve(), model=model, scripted=scripted)
        )
    except KeyboardInterrupt:
        code = 130
    sys.exit(code)


@app.command()
def version() -> None:
    """Print the version of this package."""
    print(__version__)
