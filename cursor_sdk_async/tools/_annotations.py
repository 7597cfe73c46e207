"""From an annotation as written to a type: text is evaluated with the names that the function can see."""

from __future__ import annotations

import sys
from collections import ChainMap
from collections.abc import Mapping
from typing import Any

from typing_extensions import get_type_hints

from cursor_sdk_async.options import CustomToolContext
from cursor_sdk_async.tools._refuse import refused

__all__ = ["names_for", "resolve"]


def names_for(function: object, around: Mapping[str, Any]) -> Mapping[str, Any]:
    """The names that a function's annotations may use, nearest first.

    Args:
        function: The innermost function.
        around: The local names of the place where it is made into a tool.
    """
    cells: dict[str, Any] = {}
    code = getattr(function, "__code__", None)
    for name, cell in zip(
        getattr(code, "co_freevars", ()), getattr(function, "__closure__", None) or (), strict=False
    ):
        try:
            cells[name] = cell.cell_contents
        except ValueError:  # not assigned yet
            continue
    generic = {each.__name__: each for each in getattr(function, "__type_params__", ())}
    module = sys.modules.get(getattr(function, "__module__", None) or "")
    names: Mapping[str, Any] = getattr(function, "__globals__", None) or getattr(module, "__dict__", {})
    # The last one serves modules that import the context for type checkers only.
    return dict(ChainMap(generic, cells, dict(around), dict(names), {"CustomToolContext": CustomToolContext}))


def resolve(annotation: Any, namespace: Mapping[str, Any], where: str, name: str) -> Any:
    """An annotation with all text in it evaluated.

    Raises:
        ConfigurationError: It names something that is not there, or is no type.
    """
    holder = _Holder()
    holder.__annotations__ = {name: annotation}
    try:
        found = get_type_hints(holder, dict(namespace), {}, include_extras=True)
    except NameError as error:
        raise refused(
            where,
            f"its annotation names {error.name!r}, which is not known here. Define it above the tool, in the "
            "module or in the same function, and import it outside of TYPE_CHECKING.",
            name,
        ) from error
    except Exception as error:
        raise refused(where, f"its annotation cannot be read ({type(error).__name__}).", name) from error
    return found[name]


class _Holder:
    """Something with annotations, neither a class nor a function, so that nothing else is looked at."""

    __annotations__: dict[str, Any]
