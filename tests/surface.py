"""The public surface as text: a change of it shows in a diff. ``python -m tests.surface`` rewrites it."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cursor_sdk_async
from cursor_sdk_async._both import Both

SNAPSHOT = Path(__file__).with_name("surface.txt")
MODULES = (
    "cursor_sdk_async",
    "cursor_sdk_async.asyncio",
    "cursor_sdk_async.blocking",
    "cursor_sdk_async.errors",
    "cursor_sdk_async.events",
    "cursor_sdk_async.testing",
    "cursor_sdk_async.tools",
    "cursor_sdk_async.types",
    "cursor_sdk_sync",
)


def _signature(value: object) -> str:
    try:
        return str(inspect.signature(value))  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return ""


def _members(cls: type[Any]) -> Iterator[str]:
    """The public attributes that the class itself, or a private part of it, but no public base, defines."""
    members: dict[str, Any] = {}
    for base in reversed(cls.__mro__):
        if base is cls or base.__module__.startswith(("cursor_sdk_async._", "cursor_sdk_sync._")):
            members.update(vars(base))
    for name, value in sorted(members.items()):
        if name.startswith("_") or name in getattr(cls, "__dataclass_fields__", {}):
            continue
        if isinstance(value, property):
            yield f"  {name}: property"
        elif isinstance(value, classmethod | staticmethod):
            kind = "classmethod" if isinstance(value, classmethod) else "staticmethod"
            yield f"  {name}{_signature(getattr(cls, name))} [{kind}]"
        elif isinstance(vars(cls).get(name), Both):
            yield f"  {name}{_signature(getattr(cls, name))} [on the class]"
            instance: Any = object.__new__(cls)
            yield f"  {name}{_signature(getattr(instance, name))} [on an instance]"
        elif inspect.isroutine(value):
            yield f"  {'async ' if inspect.iscoroutinefunction(value) else ''}{name}{_signature(value)}"


def surface() -> str:
    """Every public name with its signature, one a line."""
    lines: list[str] = []
    for name in MODULES:
        module = importlib.import_module(name)
        lines.append(f"# {name}")
        for public in sorted(module.__all__):
            value = getattr(module, public)
            if name == "cursor_sdk_sync" and value is getattr(cursor_sdk_async, public, None):
                continue  # the very same object
            if isinstance(value, type):
                bases = ", ".join(base.__name__ for base in value.__bases__ if base is not object)
                made = _signature(value) if "__init__" in vars(value) else ""
                lines.append(f"{public}{made} < {bases}")
                lines.extend(_members(value))
            elif inspect.isroutine(value):
                lines.append(f"{public}{_signature(value)}")
            else:
                lines.append(f"{public}: {type(value).__name__}")
        lines.append("")
    return "\n".join(lines)


if __name__ == "__main__":
    SNAPSHOT.write_text(surface())
