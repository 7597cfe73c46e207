"""Reading values that came over the wire: what is absent or of the wrong kind becomes the field's default.

A frame that is odd in one place must not end a stream, so nothing here raises.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from os import PathLike
from typing import TYPE_CHECKING, Any, TypeVar

from cursor_sdk_async.errors import ProtocolError

if TYPE_CHECKING:
    from typing_extensions import TypeIs

__all__ = [
    "each",
    "first",
    "integer",
    "integral",
    "is_iterable",
    "is_list",
    "is_mapping",
    "is_path",
    "mapping",
    "number",
    "object_of",
    "optional_text",
    "text",
]

T = TypeVar("T")


def is_mapping(value: object) -> TypeIs[Mapping[Any, Any]]:
    """Whether the value is a mapping, with what is in it still unknown."""
    # The check of the abstract class alone takes five times as long, and frames are checked often.
    return type(value) is dict or isinstance(value, Mapping)


def is_list(value: object) -> TypeIs[list[Any] | tuple[Any, ...]]:
    """Whether the value is a list or a tuple."""
    return isinstance(value, list | tuple)


def is_iterable(value: object) -> TypeIs[Iterable[Any]]:
    """Whether the value can stand for a list; texts and mappings cannot."""
    return isinstance(value, Iterable) and not isinstance(value, str | bytes | bytearray | Mapping)


def is_path(value: object) -> TypeIs[PathLike[Any]]:
    """Whether the value is path-like."""
    return isinstance(value, PathLike)


def first(value: Mapping[str, Any], *names: str) -> Any:
    """The value of the first name that is there and not ``None``."""
    for name in names:
        found = value.get(name)
        if found is not None:
            return found
    return None


def text(value: object, default: str = "") -> str:
    """A string, or the default."""
    return value if isinstance(value, str) else default


def optional_text(value: object) -> str | None:
    """A string that is not empty, or ``None``."""
    return value if isinstance(value, str) and value else None


def integer(value: object) -> int | None:
    """An integer, also from decimal digits (64-bit integers in JSON) and from a whole double (``Struct``)."""
    if type(value) is int:
        return value
    if isinstance(value, bool):
        return None
    if isinstance(value, float):
        return int(value) if value.is_integer() else None
    if isinstance(value, str):
        try:
            return int(value)
        except ValueError:
            return None
    return None


def number(value: object) -> float:
    """A finite or infinite number, 0.0 when it is none."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value)
    try:
        return float(value) if isinstance(value, str) else 0.0
    except ValueError:
        return 0.0


def mapping(value: object) -> Mapping[str, Any] | None:
    """A mapping, or ``None``."""
    return value if is_mapping(value) else None


def each(value: object, read: Callable[[Mapping[str, Any]], T]) -> tuple[T, ...]:
    """What ``read`` makes of each mapping in a list; whatever else is in it is left out."""
    return tuple(read(item) for item in value if is_mapping(item)) if is_list(value) else ()


def integral(value: Any) -> Any:
    """The value with whole doubles as integers, at every depth: numbers of a ``Struct`` are all doubles."""
    if isinstance(value, float):
        return int(value) if value.is_integer() else value
    if is_mapping(value):
        return {key: integral(item) for key, item in value.items()}
    return [integral(item) for item in value] if is_list(value) else value


def object_of(value: object, what: str) -> Mapping[str, Any]:
    """The value, which has to be a JSON object.

    Raises:
        ProtocolError: It is something else.
    """
    if not is_mapping(value):
        raise ProtocolError(
            f"{what} is not a JSON object but {type(value).__name__}. The bridge and this package do not "
            "agree about the contract; look for a newer version of this package."
        )
    return value
