"""Closing types: data classes and TypedDicts that refuse unknown names, numbers that are finite.

Whether the parts of a type inherit such settings from the whole differs between versions of pydantic, so they
are written into its core schema. Models, and classes with a configuration of their own, decide themselves.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cursor_sdk_async.options._read import is_list, is_mapping

__all__ = ["closed", "is_closed"]

#: What stands beside types in a core schema, and is none.
_NO_TYPES = frozenset(("config", "default", "expected", "members", "metadata", "serialization"))


def closed(schema: Any, *, is_open: bool = False) -> Any:
    """A core schema in which nothing unknown is let in; the given one is not changed.

    Args:
        schema: A core schema, or a part of one.
        is_open: Whether the class around it has decided already.
    """
    if is_list(schema):
        return type(schema)([closed(item, is_open=is_open) for item in schema])
    if not is_mapping(schema) or _is_of_pydantic(schema):
        return schema
    kind = schema.get("type")
    if kind in ("dataclass", "typed-dict"):
        is_open = (
            "extra" in getattr(schema.get("cls"), "__pydantic_config__", ()) or "extras_schema" in schema
        )
    made: dict[str, Any] = {
        key: item if key in _NO_TYPES else closed(item, is_open=is_open) for key, item in schema.items()
    }
    if kind in ("dataclass-args", "typed-dict") and not is_open:
        made["extra_behavior"] = "forbid"
    elif kind == "float":
        made.setdefault("allow_inf_nan", False)
    return made


def is_closed(schema: Mapping[str, Any]) -> bool:
    """Whether a part of a core schema refuses unknown names."""
    return schema.get("extra_behavior") == "forbid"


def _is_of_pydantic(schema: Mapping[str, Any]) -> bool:
    """Whether it is that of a class which has its own validator, used whatever the schema says."""
    return schema.get("type") == "model" or "__pydantic_validator__" in getattr(
        schema.get("cls"), "__dict__", ()
    )
