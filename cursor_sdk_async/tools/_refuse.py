"""What cannot be a tool: refused when it is made, with the function, the parameter and the remedy."""

from __future__ import annotations

import re

from cursor_sdk_async.errors import ConfigurationError

__all__ = ["check_limits", "check_name", "refused"]

NAME = re.compile(r"[A-Za-z0-9_-]{1,64}", re.ASCII)


def refused(where: str, what: str, parameter: str | None = None) -> ConfigurationError:
    """The error of something that cannot be a tool.

    Args:
        where: The function or the file.
        what: What is wrong with it, and what to do instead; a sentence.
        parameter: The parameter of it that is meant.
    """
    place = f"tool {where}" if parameter is None else f"tool {where}, parameter {parameter!r}"
    return ConfigurationError(f"{place}: {what}", code="invalid_tool", is_safe_to_retry=True)


def check_name(where: str, name: object) -> str:
    """The name of a tool: 1 to 64 of the letters A to Z and a to z, digits, ``_`` and ``-``.

    Raises:
        ConfigurationError: It is something else.
    """
    if isinstance(name, str) and NAME.fullmatch(name):
        return name
    if name == "<lambda>":
        raise refused(where, "a lambda has no name; give it one: tool(function, name='...').")
    shown = repr(name) if isinstance(name, str) and len(name) <= 80 else "what was given"
    raise refused(
        where,
        f"{shown} cannot be the name of a tool. A name has 1 to 64 letters (A to Z, a to z), digits, _ and "
        "-; give another one: tool(name='...').",
    )


def check_limits(where: str, timeout: object, max_concurrency: object) -> None:
    """Refuse limits that are no limits.

    Raises:
        ConfigurationError: ``timeout`` is not a number of seconds above zero, or ``max_concurrency`` not a
            whole number above zero.
    """
    if timeout is not None and (
        isinstance(timeout, bool) or not isinstance(timeout, int | float) or not 0 < timeout < float("inf")
    ):
        raise refused(where, "timeout must be a number of seconds above zero, or None for no limit.")
    if max_concurrency is not None and (type(max_concurrency) is not int or max_concurrency < 1):
        raise refused(where, "max_concurrency must be a whole number above zero, or None for no limit.")
