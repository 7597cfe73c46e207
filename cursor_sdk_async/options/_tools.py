"""Custom tools: functions of this process that a local agent may call."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import inf
from typing import Any, TypeAlias

from cursor_sdk_async.options._context import CustomToolContext
from cursor_sdk_async.options._input import Option, join, read_fields, table_of
from cursor_sdk_async.options._read import is_mapping
from cursor_sdk_async.options._refuse import wrong_type
from cursor_sdk_async.options._words import JsonObject

__all__ = ["CustomTool", "CustomToolContext", "CustomToolExecute", "custom_tools", "custom_tools_json"]


CustomToolExecute: TypeAlias = Callable[[Mapping[str, Any], CustomToolContext], Any]


@dataclass(repr=False)
class CustomTool(Option):
    """A tool that the model may call.

    Attributes:
        execute: Called with the arguments and a context; may be asynchronous. It never leaves this process.
        description: What it does, for the model.
        input_schema: JSON Schema of the arguments.
        output_schema: JSON Schema of the answer.
        timeout: How long one call may run, in seconds; without limit by default. A call that takes longer is
            answered with an error for the model, and is cancelled.
        max_concurrency: How many calls of this tool may run at once for one agent; others wait their turn.
            Without limit by default.
    """

    execute: CustomToolExecute
    description: str | None = None
    input_schema: Mapping[str, Any] | None = None
    output_schema: Mapping[str, Any] | None = None
    timeout: float | None = None
    max_concurrency: int | None = None

    def to_json(self) -> JsonObject:
        """What the bridge is told: everything but the function."""
        return _tool_json(self)


def custom_tool(value: object, where: str) -> CustomTool | dict[str, Any]:
    """A tool; a mapping without ``execute`` stays one, since another source may still give the function."""
    if isinstance(value, CustomTool):
        _check_limits(vars(value), where)
        return value
    if not is_mapping(value):
        raise wrong_type(where, value, "a CustomTool or a mapping")
    plain: Mapping[str, Any] = value
    found = read_fields(CustomTool, plain if "execute" in plain else {**plain, "execute": _absent}, where)
    execute = found["execute"]
    if execute is _absent:
        return {name: item for name, item in found.items() if name != "execute"}
    if not callable(execute):
        raise wrong_type(join(where, "execute"), execute, "a function")
    _check_limits(found, where)
    return CustomTool(**found)


def _check_limits(found: Mapping[str, Any], where: str) -> None:
    timeout, most = found.get("timeout"), found.get("max_concurrency")
    if timeout is not None and not (_is_number(timeout, int | float) and 0 < timeout < inf):
        raise wrong_type(join(where, "timeout"), timeout, "a positive number of seconds, or None")
    if most is not None and not (_is_number(most, int) and most > 0):
        raise wrong_type(join(where, "max_concurrency"), most, "a whole number from 1 on, or None")


def _is_number(value: object, kind: Any) -> bool:
    return isinstance(value, kind) and not isinstance(value, bool)


def _absent(arguments: Mapping[str, Any], context: CustomToolContext) -> None:
    """Stands for the function of a tool that has none."""


def custom_tools(value: object, where: str) -> dict[str, CustomTool | dict[str, Any]] | None:
    """Tools by name; an empty list means none."""
    return {} if value == [] or value == () else table_of(value, where, custom_tool)


def custom_tools_json(tools: Mapping[str, Any] | None) -> JsonObject:
    """The tools by name, as on the wire."""
    return {name: _tool_json(tool) for name, tool in (custom_tools(tools, "custom_tools") or {}).items()}


def _tool_json(tool: CustomTool | Mapping[str, Any]) -> JsonObject:
    found = read_fields(
        CustomTool, {"execute": _absent, **tool} if isinstance(tool, Mapping) else tool, "tool"
    )
    json: JsonObject = {}
    if found.get("description") is not None:
        json["description"] = found["description"]
    for name, wire in (("input_schema", "inputSchema"), ("output_schema", "outputSchema")):
        if found.get(name):
            json[wire] = dict(found[name])
    return json
