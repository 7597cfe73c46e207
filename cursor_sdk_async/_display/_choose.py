"""Which of the views fits: a notebook, a terminal, or plain text."""

from __future__ import annotations

import sys
from difflib import get_close_matches
from importlib.util import find_spec
from typing import Any, Literal, TypeAlias, get_args

from cursor_sdk_async._display._views import PlainView, View
from cursor_sdk_async.errors import ConfigurationError

__all__ = ["How", "choose"]

How: TypeAlias = Literal["auto", "notebook", "terminal", "plain"]


def choose(how: str) -> View:
    """The view that was asked for, or the best one for this place.

    Raises:
        ConfigurationError: There is no such view, or what was asked for explicitly cannot be had here.
    """
    if how == "notebook":
        _need("notebook", "IPython", "markdown_it")
        if _shell() is None:
            raise ConfigurationError(
                'display(how="notebook") needs a notebook, and this is not IPython. Use how="auto".',
                code="no_notebook",
                is_safe_to_retry=True,
            )
        return _notebook()
    if how == "terminal":
        _need("cli", "rich")
        return _terminal(explicit=True) or PlainView()
    if how == "plain":
        return PlainView()
    if how != "auto":
        raise _unknown(how)
    if getattr(_shell(), "kernel", None) is not None:
        return _notebook()
    if sys.stdout.isatty() and _is_there("rich"):
        return _terminal(explicit=False) or PlainView()
    return PlainView()


def _shell() -> Any:
    """The IPython shell that we run in, without importing IPython where it is not in use."""
    get_ipython = getattr(sys.modules.get("IPython"), "get_ipython", None)
    return None if get_ipython is None else get_ipython()


def _notebook() -> View:
    from cursor_sdk_async._display._notebook import NotebookView

    return NotebookView()


def _terminal(*, explicit: bool) -> View | None:
    """A rich view, ``None`` where plain text is better."""
    from rich.console import Console
    from rich.errors import LiveError

    from cursor_sdk_async._display._terminal import TerminalView

    console = Console(highlight=False)
    if not console.encoding.lower().startswith("utf"):
        if explicit:
            raise ConfigurationError(
                f'display(how="terminal") needs UTF-8, and standard output is {console.encoding}. Set '
                'PYTHONIOENCODING=utf-8, or use how="plain".',
                code="no_terminal",
                is_safe_to_retry=True,
            )
        return None
    if not explicit and console.is_dumb_terminal:
        return None
    try:
        return TerminalView(console)
    except LiveError:  # another run is shown already, and this rich can show only one at a time
        return None


def _is_there(package: str) -> bool:
    try:
        return find_spec(package) is not None
    except ValueError:  # a module without a spec stands in for it
        return package in sys.modules


def _need(extra: str, *packages: str) -> None:
    missing = [package for package in packages if not _is_there(package)]
    if missing:
        raise ConfigurationError(
            f"This display needs the package {' and '.join(missing)}, which is not installed. Run: "
            f'pip install "cursor-sdk-async[{extra}]"',
            code="missing_extra",
            is_safe_to_retry=True,
        )


def _unknown(how: str) -> ConfigurationError:
    known = get_args(How)
    near = get_close_matches(str(how), known, n=1)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    return ConfigurationError(
        f"display(how={how!r}) is not one of {', '.join(map(repr, known))}.{hint}", is_safe_to_retry=True
    )
