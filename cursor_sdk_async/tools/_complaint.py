"""What is wrong with the arguments of a call, in words that the model can act on.

No addresses of web pages, no traceback, and of each value only its beginning.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from difflib import get_close_matches
from typing import Any

from cursor_sdk_async.errors import ToolError

__all__ = ["complaint", "invalid_arguments"]

SHOWN_ERRORS = 10
SHOWN_VALUE = 60
SHOWN_WORDS = 300
_EXTRA = ("extra_forbidden", "unexpected_keyword_argument")
_MISSING = ("missing", "missing_argument", "missing_keyword_only_argument")


def invalid_arguments(tool: str, *lines: str) -> ToolError:
    """The error that the model reads when it gave wrong arguments."""
    return ToolError(
        "\n".join((f"The arguments of {tool} are wrong; the tool did not run.", *lines)),
        code="invalid_arguments",
        is_safe_to_retry=True,
    )


def complaint(tool: str, errors: Sequence[Mapping[str, Any]], known: Collection[str]) -> ToolError:
    """The same, from the errors that pydantic found.

    Args:
        tool: Its name.
        errors: What ``ValidationError.errors()`` gives.
        known: The names of its arguments.
    """
    lines = list(dict.fromkeys(f"- {_line(error, known)}" for error in errors))
    if len(lines) > SHOWN_ERRORS:
        lines = [*lines[:SHOWN_ERRORS], f"- and {len(lines) - SHOWN_ERRORS} more"]
    return invalid_arguments(tool, *lines)


def _line(error: Mapping[str, Any], known: Collection[str]) -> str:
    path = error["loc"]
    where = _path(path)
    if error["type"] in _MISSING:
        return f"{where}: it is missing and has no default."
    if error["type"] in _EXTRA:
        if len(path) > 1:
            return f"{where}: there is nothing of this name."
        near = get_close_matches(str(path[0]), known, n=1, cutoff=0.6)
        hint = f" Did you mean {near[0]}?" if near else ""
        names = f"There are: {', '.join(known)}." if known else "It takes no arguments."
        return f"{where}: there is no such argument.{hint} {names}"
    words = _cut(str(error["msg"]).removeprefix("Input "), SHOWN_WORDS)
    given = error.get("input")
    shown = f" (given: {_shown(given)})" if _is_plain(given) else ""
    return f"{where}: {words}{shown}."


def _path(path: Sequence[object]) -> str:
    text = ""
    for part in path:
        text += f"[{part}]" if isinstance(part, int) else f".{_cut(str(part), SHOWN_VALUE)}"
    return text.removeprefix(".") or "arguments"


def _is_plain(value: object) -> bool:
    return value is None or isinstance(value, bool | int | float | str)


def _shown(value: object) -> str:
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, int) and value.bit_length() > 200:
        return "a very large number"  # turning it into text may take long, or be refused
    return _cut(repr(value[:SHOWN_VALUE] if isinstance(value, str) else value), SHOWN_VALUE)


def _cut(text: str, size: int) -> str:
    return text if len(text) <= size else f"{text[: size - 1]}…"
