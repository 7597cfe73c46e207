"""Reading what users pass in: data classes, and mappings with keys in either spelling.

Each option class has a ``from_value()`` made of these functions. It gives an instance in canonical form:
nested values are instances too, words are short and lower case, paths are strings. The caller's objects
are never modified.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, Field, fields
from os import fspath
from typing import Any, ClassVar, TypeVar, cast

from cursor_sdk_async.options._read import is_iterable, is_list, is_mapping, is_path
from cursor_sdk_async.options._record import short
from cursor_sdk_async.options._refuse import missing, unknown_option, unknown_word, wrong_type

__all__ = [
    "Option",
    "camel",
    "items_of",
    "join",
    "names_of",
    "path_text",
    "pruned",
    "read_fields",
    "table_of",
    "word_of",
]

T = TypeVar("T")

HIDDEN = {"repr": "hidden"}
"""Field metadata: the value never shows in ``repr``."""


def camel(name: str) -> str:
    """The wire's spelling of a field name."""
    head, *rest = name.split("_")
    return head + "".join(part.capitalize() for part in rest)


def join(where: str, name: object) -> str:
    """The path of a nested option, for messages."""
    if isinstance(name, int):
        return f"{where}[{name}]"
    return f"{where}.{name}" if where else str(name)


def _safe(value: Any) -> str:
    """Like ``repr``, but mappings show only their keys, and URLs neither credentials nor query."""
    if is_mapping(value):
        keys = ", ".join(str(key)[:40] for key in list(value)[:8])
        return f"<mapping: {keys}>" if keys else "{}"
    if isinstance(value, str):
        scheme, mark, rest = value.partition("://")
        if mark:
            host, slash, path = rest.partition("/")
            value = f"{scheme}://{host.rpartition('@')[2]}{slash}{path.partition('?')[0]}"
        return short(value)
    if is_list(value):
        shown = ", ".join(_safe(item) for item in value[:6])
        return f"[{shown}{', …' if len(value) > 6 else ''}]"
    return repr(value) if isinstance(value, Option) else short(value)


class Option:
    """An option class: frozen, and with a ``repr`` that shows no secrets."""

    __slots__ = ()
    #: Further spellings of fields, beside snake_case and camelCase.
    ALIASES: ClassVar[Mapping[str, str]] = {}

    def __repr__(self) -> str:
        shown: list[str] = []
        for field in fields(cast("Any", self)):
            value = getattr(self, field.name)
            if value is None or (field.default is not MISSING and value == field.default):
                continue
            shown.append(f"{field.name}={'<hidden>' if 'repr' in field.metadata else _safe(value)}")
        return f"{type(self).__name__}({', '.join(shown)})"


_FIELDS: dict[type[Any], tuple[Field[Any], ...]] = {}
_NAMES: dict[type[Any], dict[str, str]] = {}


def _fields(cls: type[Any]) -> tuple[Field[Any], ...]:
    if cls not in _FIELDS:
        _FIELDS[cls] = fields(cls)
    return _FIELDS[cls]


def names_of(cls: type[Any]) -> Mapping[str, str]:
    """Every accepted spelling of a class's fields with the field's name."""
    if cls not in _NAMES:
        names = [field.name for field in _fields(cls)]
        _NAMES[cls] = {**dict(zip(names, names, strict=True)), **{camel(name): name for name in names}}
        _NAMES[cls].update(cls.ALIASES)
    return _NAMES[cls]


def read_fields(cls: type[Any], value: object, where: str) -> dict[str, Any]:
    """The fields of an instance of ``cls``, or of a mapping with keys in either spelling.

    Where both spellings are present the camelCase one wins.

    Raises:
        OptionTypeError: It is neither.
        ConfigurationError: A key is not a field, or a required one is absent.
    """
    if isinstance(value, cls):
        return {field.name: getattr(value, field.name) for field in _fields(cls)}
    if not is_mapping(value):
        raise wrong_type(where or "options", value, f"{cls.__name__} or a mapping")
    known = names_of(cls)
    found: dict[str, Any] = {}
    for key, item in value.items():
        name = known.get(key) if isinstance(key, str) else None
        if name is None:
            raise unknown_option(where, key, {field.name for field in _fields(cls)})
        if key != name or name not in found:
            found[name] = item
    for field in _fields(cls):
        if field.default is MISSING and field.default_factory is MISSING and found.get(field.name) is None:
            raise missing(join(where, field.name))
    return found


def items_of(value: object, where: str, read: Callable[[Any, str], T]) -> tuple[T, ...] | None:
    """A sequence, each item read by ``read``; ``None`` stays ``None``."""
    if value is None:
        return None
    if is_iterable(value):
        return tuple(read(item, join(where, at)) for at, item in enumerate(value))
    raise wrong_type(where, value, "a list")


def table_of(value: object, where: str, read: Callable[[Any, str], T]) -> dict[str, T] | None:
    """A mapping from names, each value read by ``read``; ``None`` stays ``None``."""
    if value is None:
        return None
    if not is_mapping(value):
        raise wrong_type(where, value, "a mapping from names")
    table: dict[str, T] = {}
    for key, item in value.items():
        if not isinstance(key, str):
            raise wrong_type(f"A key of {where}", key, "a string")
        table[key] = read(item, join(where, key))
    return table


def word_of(value: object, where: str, words: Sequence[str], prefix: str) -> str | None:
    """One of the words, in any case or as the full name on the wire."""
    if value is None or value == "":
        return None
    if not isinstance(value, str):
        raise wrong_type(where, value, f"one of the words {', '.join(words)}")
    short_form = value.strip().lower().removeprefix(prefix.lower())
    if short_form not in words:
        raise unknown_word(where, value, words)
    return short_form


def path_text(value: object, where: str) -> str | None:
    """A path as text; ``None`` stays ``None``."""
    if value is None:
        return None
    if isinstance(value, str):
        return value
    text: object = fspath(value) if is_path(value) else None
    if not isinstance(text, str):
        raise wrong_type(where, value, "a path (text or path-like)")
    return text


def pruned(values: Mapping[str, Any]) -> dict[str, Any]:
    """The mapping without ``None``, empty text, empty lists and empty mappings; ``False`` and ``0`` stay."""
    return {
        name: value
        for name, value in values.items()
        if not (value is None or (isinstance(value, str | list | tuple | dict) and not value))
    }
