"""Walks two packages name by name: what the first one offers in public and the second one does not.

A difference is one line of text that starts with the dotted name it is about, so that a list of reasons can
be keyed by it.
"""

from __future__ import annotations

import dataclasses
import importlib
import inspect
from collections.abc import Iterator
from types import ModuleType
from typing import Any, cast, get_args

from cursor_sdk_async._connect._channel import Unset

SUBMODULES = ("", ".types", ".errors", ".events", ".asyncio")


@dataclasses.dataclass(frozen=True)
class Difference:
    """Something that is not the same.

    Attributes:
        name: The dotted name, below the package.
        what: What is different.
    """

    name: str
    what: str

    def __str__(self) -> str:
        return f"{self.name}: {self.what}"


def public_names(module: ModuleType) -> list[str]:
    """``__all__``; without one, what does not start with an underscore and was defined by the package."""
    if hasattr(module, "__all__"):
        return sorted(name for name in module.__all__ if not name.startswith("_"))
    package = module.__name__.partition(".")[0]
    return sorted(
        name
        for name, value in vars(module).items()
        if not name.startswith("_") and str(getattr(value, "__module__", "")).startswith(package)
    )


def differences(theirs: str, ours: str) -> list[Difference]:
    """Every difference of the documented modules."""
    found: dict[str, Difference] = {}
    for submodule in SUBMODULES:
        left, right = importlib.import_module(theirs + submodule), importlib.import_module(ours + submodule)
        prefix = submodule.lstrip(".")
        for name in public_names(left):
            if not hasattr(right, name):
                where = f"{prefix}.{name}" if prefix else name
                found.setdefault(where, Difference(where, "missing"))
                continue
            for difference in _compare(name, getattr(left, name), getattr(right, name)):
                found.setdefault(str(difference), difference)
    return sorted(found.values(), key=str)


def _compare(name: str, left: Any, right: Any) -> Iterator[Difference]:
    if isinstance(left, type) and isinstance(right, type):
        left, right = cast("type[Any]", left), cast("type[Any]", right)
        if _is_data(left):
            yield from _fields(name, left, right)
        elif "__init__" in vars(left):
            yield from _parameters(name, left, right)
        yield from _members(name, left, right)
        yield from _keys(name, left, right)
    elif inspect.isroutine(left):
        yield from _parameters(name, left, right)
    elif get_args(left):
        missing = {_word(item) for item in get_args(left)} - {_word(item) for item in get_args(right)}
        for word in sorted(missing):
            yield Difference(name, f"without {word}")
    elif isinstance(left, str) and left != right:
        yield Difference(name, "another value")


def _word(item: Any) -> str:
    """A literal, or the name of a class in a union."""
    return getattr(item, "__name__", None) or getattr(item, "__forward_arg__", None) or repr(item)


def _is_data(cls: type[Any]) -> bool:
    return dataclasses.is_dataclass(cls)


def _keys(name: str, left: type[Any], right: type[Any]) -> Iterator[Difference]:
    """Keys of typed dictionaries."""
    theirs = {key for key in getattr(left, "__annotations__", {}) if hasattr(left, "__total__")}
    for key in sorted(theirs - set(getattr(right, "__annotations__", {}))):
        yield Difference(f"{name}.{key}", "missing key")


def _fields(name: str, left: type[Any], right: type[Any]) -> Iterator[Difference]:
    theirs = [item for item in dataclasses.fields(left) if not item.name.startswith("_")]
    if not _is_data(right):
        yield Difference(name, "not a dataclass")
        return
    ours = {item.name: item for item in dataclasses.fields(right)}
    order = [item.name for item in dataclasses.fields(right) if item.init]
    for item in theirs:
        if item.name not in ours:
            if not hasattr(right, item.name):
                yield Difference(f"{name}.{item.name}", "missing field")
            continue
        if _plain(_default(item)) != _plain(_default(ours[item.name])):
            yield Difference(
                f"{name}.{item.name}",
                f"default {_default(item)!r} there, {_default(ours[item.name])!r} here",
            )
    positional = [item.name for item in theirs if item.init]
    if [one for one in order if one in positional][: len(positional)] != order[: len(positional)]:
        yield Difference(name, f"positional order {positional} there, {order} here")


def _default(item: dataclasses.Field[Any]) -> Any:
    if item.default is not dataclasses.MISSING:
        return item.default
    if item.default_factory is not dataclasses.MISSING:
        return item.default_factory()
    return dataclasses.MISSING


def _plain(value: Any) -> Any:
    """A default as data: what both packages make of their own compares as what it holds."""
    if type(value) is object or isinstance(value, Unset):
        return "not given"
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in cast("list[Any]", value)]
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {item.name: _plain(getattr(value, item.name)) for item in dataclasses.fields(value)}
    return value


def _members(name: str, left: type[Any], right: type[Any]) -> Iterator[Difference]:
    fields = {item.name for item in dataclasses.fields(left)} if _is_data(left) else set[str]()
    for member in sorted(dir(left)):
        if member.startswith("_") or member in fields or member in dir(object):
            continue
        theirs = inspect.getattr_static(left, member)
        if not _defined_by_the_package(left, member):
            continue
        where = f"{name}.{member}"
        if not hasattr(right, member):
            yield Difference(where, "missing")
            continue
        mine = getattr(right, member)
        if isinstance(theirs, property) is not isinstance(inspect.getattr_static(right, member), property):
            yield Difference(where, "a property in only one of the two")
            continue
        if isinstance(theirs, (classmethod, staticmethod)) or inspect.isroutine(theirs):
            yield from _parameters(where, getattr(left, member), mine)
            if inspect.iscoroutinefunction(inspect.unwrap(getattr(left, member))) and not _awaited(mine):
                yield Difference(where, "not awaited here")


def _awaited(function: Any) -> bool:
    if inspect.iscoroutinefunction(function):
        return True
    try:
        answer = str(inspect.signature(function).return_annotation)
    except (TypeError, ValueError):
        return False
    return answer.startswith(("Awaitable", "Coroutine", "Opening"))


def _defined_by_the_package(cls: type[Any], member: str) -> bool:
    package = cls.__module__.partition(".")[0]
    return any(member in vars(base) and base.__module__.partition(".")[0] == package for base in cls.__mro__)


def _parameters(name: str, left: Any, right: Any) -> Iterator[Difference]:
    try:
        theirs, ours = inspect.signature(left), inspect.signature(right)
    except (TypeError, ValueError):
        return
    mine = dict(ours.parameters)
    anything = any(item.kind is item.VAR_KEYWORD for item in mine.values())
    for at, item in enumerate(theirs.parameters.values()):
        if item.kind in (item.VAR_KEYWORD, item.VAR_POSITIONAL) or item.name.startswith("_"):
            continue
        other = mine.get(item.name)
        where = f"{name}({item.name})"
        if other is None:
            if item.kind is item.KEYWORD_ONLY and anything:
                yield Difference(where, "only as **keywords")
            else:
                yield Difference(where, "missing parameter")
        elif item.kind is not other.kind and not (
            item.kind is item.KEYWORD_ONLY and other.kind is other.POSITIONAL_OR_KEYWORD
        ):
            yield Difference(where, f"{item.kind.description} there, {other.kind.description} here")
        elif item.default is not item.empty and _plain(item.default) != _plain(other.default):
            yield Difference(where, f"default {item.default!r} there, {other.default!r} here")
        elif item.kind is item.POSITIONAL_OR_KEYWORD and list(mine).index(item.name) != at:
            yield Difference(where, "another position")
