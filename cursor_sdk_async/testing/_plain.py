"""Frozen dataclasses to plain JSON values and back: scripts and faults travel to the process that way."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass
from typing import Any, TypeGuard, cast

__all__ = ["from_plain", "to_plain"]

KIND = "do"
BYTES = "base64"


def is_sequence(value: object) -> TypeGuard[Sequence[Any]]:
    """Whether it is an array in JSON."""
    return isinstance(value, Sequence) and not isinstance(value, str | bytes)


def to_plain(value: Any) -> Any:
    """A value that ``json.dumps`` takes; fields that hold their default are left out."""
    if is_dataclass(value) and not isinstance(value, type):
        plain: dict[str, Any] = {KIND: type(value).__name__}
        for field in fields(value):
            held = getattr(value, field.name)
            default = field.default if field.default_factory is MISSING else field.default_factory()
            if held is not default and (type(held) is not type(default) or held != default):
                plain[field.name] = to_plain(held)
        return plain
    if isinstance(value, bytes):
        return {BYTES: base64.b64encode(value).decode()}
    if isinstance(value, Mapping):
        return {key: to_plain(item) for key, item in cast("Mapping[str, Any]", value).items()}
    if is_sequence(value):
        return [to_plain(item) for item in value]
    return value


def from_plain(value: Any, kinds: Mapping[str, type[Any]]) -> Any:
    """What :func:`to_plain` was given; ``kinds`` are the dataclasses that may appear, by name.

    Raises:
        ValueError: A dataclass of that name is not known, or has no such field.
    """
    if isinstance(value, dict):
        given = cast("dict[str, Any]", value)
        if set(given) == {BYTES}:
            return base64.b64decode(given[BYTES])
        made = {name: from_plain(item, kinds) for name, item in given.items()}
        kind = kinds.get(str(made.get(KIND)))
        if kind is None:
            return made
        del made[KIND]
        # Our fields are tuples; lists within JSON values stay lists, as the protobuf package wants them.
        given = {name: tuple(item) if is_sequence(item) else item for name, item in made.items()}
        try:
            return kind(**given)
        except TypeError as error:
            raise ValueError(f"{kind.__name__}: {error}") from error
    if is_sequence(value):
        return [from_plain(item, kinds) for item in value]
    return value
