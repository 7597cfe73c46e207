"""The types of option values, checked by pydantic against the annotations of the option classes.

Options are in canonical form when they come here: what is left to check are plain values. An adapter is built
for each annotation, once, at its first use.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Any, Literal, Union, cast, get_args, get_origin, get_type_hints

from cursor_sdk_async.options import (
    AgentDefinition,
    AgentOptions,
    CloudAgentOptions,
    CloudRepository,
    CustomTool,
    HttpMcpServerConfig,
    LocalAgentOptions,
    McpAuth,
    ModelSelection,
    SandboxOptions,
    SDKImage,
    SendOptions,
    StdioMcpServerConfig,
    UserMessage,
)
from cursor_sdk_async.options._input import Option, join
from cursor_sdk_async.options._read import is_list, is_mapping
from cursor_sdk_async.options._refuse import OptionTypeError, wrong_type

if TYPE_CHECKING:
    from pydantic import TypeAdapter

__all__ = ["build_adapters", "check_types"]

_ADAPTERS: dict[Any, TypeAdapter[Any]] = {}
_HINTS: dict[type[Any], dict[str, Any]] = {}
_COMMON = (
    AgentDefinition,
    AgentOptions,
    CloudAgentOptions,
    CloudRepository,
    CustomTool,
    HttpMcpServerConfig,
    LocalAgentOptions,
    McpAuth,
    ModelSelection,
    SDKImage,
    SandboxOptions,
    SendOptions,
    StdioMcpServerConfig,
    UserMessage,
)


def build_adapters() -> None:
    """Import pydantic and build the adapters ahead of their first use, for example in a worker thread."""
    for cls in _COMMON:
        for hint in _leaf_hints(cls).values():
            _adapter(hint)


def check_types(option: object, where: str = "") -> None:
    """Check an option and everything nested in it.

    Raises:
        OptionTypeError: A value is of the wrong type; names the option, not the value.
    """
    if isinstance(option, Option):
        for name, hint in _leaf_hints(type(option)).items():
            value = getattr(option, name)
            if value is not None:
                error = _wrong(hint, value, join(where, name))
                if error is not None:
                    raise error
        for field in fields(cast("Any", option)):
            check_types(getattr(option, field.name), join(where, field.name))
    elif is_mapping(option):
        for key, item in option.items():
            check_types(item, join(where, key))
    elif is_list(option):
        for at, item in enumerate(option):
            check_types(item, join(where, at))


def _wrong(hint: Any, value: object, where: str) -> OptionTypeError | None:
    from pydantic import ValidationError

    try:
        _adapter(hint).validate_python(value)
    except ValidationError as error:
        # Only the place is taken: pydantic's own text would quote the value.
        place = error.errors(include_url=False, include_context=False, include_input=False)[0]["loc"]
    else:
        return None
    if place[1:] == ("[key]",):
        return wrong_type(f"A key of {where}", place[0], "text")
    if place and isinstance(place[0], int) and is_list(value):
        return wrong_type(join(where, place[0]), value[place[0]], "text")
    if place and is_mapping(value) and place[0] in value:
        return wrong_type(join(where, place[0]), value[place[0]], "text")
    return wrong_type(where, value, _expected(hint))


def _adapter(hint: Any) -> TypeAdapter[Any]:
    if hint not in _ADAPTERS:
        from pydantic import ConfigDict, TypeAdapter

        _ADAPTERS[hint] = TypeAdapter(hint, config=ConfigDict(strict=True))
    return _ADAPTERS[hint]


def _leaf_hints(cls: type[Any]) -> dict[str, Any]:
    """The annotations of the fields that hold plain values; the others are options themselves."""
    if cls not in _HINTS:
        unresolved = {"ConversationStep": Any, "InteractionUpdate": Any}
        hints = get_type_hints(cls, localns=unresolved)
        names = {field.name for field in fields(cls)}
        _HINTS[cls] = {
            name: hint
            for name, hint in hints.items()
            if name in names and not any(map(_nested, _parts(hint)))
        }
    return _HINTS[cls]


def _parts(hint: Any) -> Iterator[Any]:
    yield hint
    for part in get_args(hint):
        yield from _parts(part)


def _nested(part: Any) -> bool:
    """Whether a part of an annotation is an option class."""
    return get_origin(part) is None and isinstance(part, type) and issubclass(part, Option)


def _expected(hint: Any) -> str:
    """An annotation in words."""
    if get_origin(hint) in (Union, UnionType):
        return " or ".join(dict.fromkeys(_expected(part) for part in get_args(hint) if part is not NoneType))
    if get_origin(hint) is Literal:
        return f"one of {', '.join(map(str, get_args(hint)))}"
    words: dict[Any, str] = {str: "text", bool: "True or False", int: "a whole number"}
    kinds: dict[Any, str] = {Sequence: "a list of texts", Mapping: "a mapping with texts as keys"}
    origin: Any = get_origin(hint)
    return words.get(hint) or kinds.get(origin) or "of another type"
