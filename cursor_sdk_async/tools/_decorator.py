"""``@tool``: from a typed function to a tool."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar, overload

from cursor_sdk_async.tools._tool import Tool

__all__ = ["tool"]

P = ParamSpec("P")
R = TypeVar("R")


@overload
def tool(
    function: Callable[P, R],
    /,
    *,
    name: str | None = None,
    description: str | None = None,
    timeout: float | None = None,
    max_concurrency: int | None = None,
) -> Tool[P, R]: ...
@overload
def tool(
    *,
    name: str | None = None,
    description: str | None = None,
    timeout: float | None = None,
    max_concurrency: int | None = None,
) -> Callable[[Callable[P, R]], Tool[P, R]]: ...
def tool(
    function: Callable[..., Any] | None = None,
    /,
    *,
    name: str | None = None,
    description: str | None = None,
    timeout: float | None = None,
    max_concurrency: int | None = None,
) -> Any:
    """Make a tool of a function, whose annotations become the JSON Schema and the check of its arguments.

    Use it as ``@tool``, as ``@tool(name=...)``, or on what cannot be decorated: ``tool(thing.method)``,
    ``tool(partial(function, database=database))``. A parameter annotated with ``CustomToolContext`` gets the
    context of the call and is not in the schema. ``docs/tools.md`` says which annotations there are.

    Args:
        function: A function, synchronous or asynchronous, with an annotation at each parameter.
        name: The name that the model sees, 1 to 64 letters (A to Z, a to z), digits, ``_`` and ``-``; that
            of the function if left out.
        description: What it does, for the model; the docstring if left out.
        timeout: How many seconds a call may take; ``None`` for no limit.
        max_concurrency: How many calls may run at once; ``None`` for no limit of its own.

    Returns:
        A tool that can still be called like the function.

    Raises:
        ConfigurationError: The function cannot be a tool; function, parameter and remedy are named.
    """
    # Types that are local to the function around the tool are known only in its frame.
    local = dict(sys._getframe(1).f_locals)

    def make(function: Callable[..., Any]) -> Tool[..., Any]:
        return Tool(
            function,
            name=name,
            description=description,
            timeout=timeout,
            max_concurrency=max_concurrency,
            namespace=local,
        )

    return make if function is None else make(function)
