"""What the public data classes share: a short ``repr`` and ``to_dict()``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import MISSING, Field, fields
from os import fspath
from reprlib import Repr
from typing import Any, cast

from cursor_sdk_async.options._read import is_list, is_mapping, is_path

__all__ = ["Record", "Unknown", "plain", "short"]

_REPR = Repr()
_REPR.maxstring = _REPR.maxother = 120
_REPR.maxdict = _REPR.maxlist = _REPR.maxtuple = 6
_REPR.maxlevel = 4


def short(value: object) -> str:
    """A ``repr`` that stays readable whatever the size of the value."""
    return repr(value) if isinstance(value, Record | Unknown) else _REPR.repr(value)


def plain(value: Any) -> Any:
    """The value as dictionaries, lists and scalars, as far as it consists of data."""
    if value is None or isinstance(value, str | int | float | bool):
        return value
    if is_mapping(value):
        return {str(key): plain(item) for key, item in value.items()}
    if is_list(value):
        return [plain(item) for item in value]
    if is_path(value):
        return fspath(value)
    to_dict = getattr(value, "to_dict", None)
    return value if to_dict is None else to_dict()


def _shown(record: object) -> Iterator[tuple[Field[Any], Any]]:
    """The fields that say something: visible ones that do not hold their default."""
    for field in fields(cast("Any", record)):
        value = getattr(record, field.name)
        made = field.default_factory() if field.default_factory is not MISSING else field.default
        if value is not made and not (value == made and type(value) is type(made)) and field.name[0] != "_":
            yield field, value


class Record:
    """A frozen public data class."""

    __slots__ = ()

    def to_dict(self) -> dict[str, Any]:
        """The fields as dictionaries, lists and scalars, ready for ``json.dumps``; ``None`` is left out."""
        items = ((field.name, getattr(self, field.name)) for field in fields(cast("Any", self)))
        return {name: plain(value) for name, value in items if value is not None and name[0] != "_"}

    def __repr__(self) -> str:
        shown = ", ".join(f"{field.name}={short(value)}" for field, value in _shown(self))
        return f"{type(self).__name__}({shown})"


class Unknown(Mapping[str, Any]):
    """Something of a newer contract: a mapping over what was received, with its ``type``."""

    __slots__ = ()

    def _received(self) -> Mapping[str, Any]:
        raise NotImplementedError

    def __getitem__(self, key: str) -> Any:
        return self._received()[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._received())

    def __len__(self) -> int:
        return len(self._received())

    def to_dict(self) -> dict[str, Any]:
        """What was received, copied to plain dictionaries and lists."""
        return {str(key): plain(value) for key, value in self.items()}

    def __repr__(self) -> str:
        return f"{type(self).__name__}({_REPR.repr(dict(self._received()))})"
