"""Random messages of the official protobuf package, built from the descriptors alone.

The domain is where both implementations must agree; what lies outside has its own test in
``test_contract_differences.py``: fractions below a microsecond, negative durations, ``-0.0`` and ``NaN`` in
typed doubles, negative enum numbers.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from google.protobuf.descriptor_pb2 import DescriptorProto, FieldDescriptorProto
from google.protobuf.message import Message as GoogleMessage
from hypothesis import strategies as st

from cursor_sdk_async._gen.descriptor import google_class
from tests.contract.catalogue import ENUMS, MESSAGES, is_repeated, local_name, map_entry

F = FieldDescriptorProto
UNKNOWN_ENUM_NUMBER = 4321
SMALL = 3
YEAR_1, YEAR_9999 = -62135596800, 253402300799
DAY = 86400

SCALARS: dict[int, st.SearchStrategy[Any]] = {
    F.TYPE_STRING: st.text(max_size=12),
    F.TYPE_BYTES: st.binary(max_size=12),
    F.TYPE_BOOL: st.booleans(),
    F.TYPE_UINT32: st.integers(0, 2**32 - 1),
    F.TYPE_UINT64: st.integers(0, 2**64 - 1),
    F.TYPE_INT64: st.integers(-(2**63), 2**63 - 1),
    # Adding 0.0 turns -0.0 into 0.0.
    F.TYPE_DOUBLE: st.floats(allow_nan=False).map(lambda value: value + 0.0),
}
JSON_VALUES: st.SearchStrategy[Any] = st.recursive(
    st.one_of(
        st.none(), st.booleans(), st.text(max_size=8), st.floats(allow_nan=False, allow_infinity=False)
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=SMALL), st.dictionaries(st.text(max_size=6), inner, max_size=SMALL)
    ),
    max_leaves=6,
)
JSON_OBJECTS = st.dictionaries(st.text(max_size=6), JSON_VALUES, max_size=SMALL)


def micros(low: int, high: int) -> st.SearchStrategy[dict[str, int]]:
    """Seconds and nanoseconds of a Timestamp or Duration, in whole microseconds."""
    return st.fixed_dictionaries(
        {"seconds": st.integers(low, high), "nanos": st.integers(0, 999_999).map(lambda us: us * 1000)}
    )


WELL_KNOWN: dict[str, st.SearchStrategy[Any]] = {
    ".google.protobuf.Struct": JSON_OBJECTS,
    ".google.protobuf.Timestamp": micros(YEAR_1, YEAR_9999),
    ".google.protobuf.Duration": micros(0, DAY),
}


def single(field: FieldDescriptorProto) -> st.SearchStrategy[Any]:
    """One value of a field, whatever its cardinality."""
    if field.type == F.TYPE_ENUM:
        numbers = [value.number for value in ENUMS[local_name(field.type_name)].value]
        return st.sampled_from([*numbers, UNKNOWN_ENUM_NUMBER])
    if field.type == F.TYPE_MESSAGE:
        known = WELL_KNOWN.get(field.type_name)
        return known if known is not None else messages(local_name(field.type_name))
    return SCALARS[field.type]


def value(message: DescriptorProto, field: FieldDescriptorProto) -> st.SearchStrategy[Any]:
    """A value of a field: one, a list or a mapping."""
    entry = map_entry(message, field)
    if entry is not None:
        return st.dictionaries(single(entry.field[0]), single(entry.field[1]), max_size=SMALL)
    if is_repeated(field):
        return st.lists(single(field), max_size=SMALL)
    return single(field)


@cache
def messages(name: str) -> st.SearchStrategy[GoogleMessage]:
    """Messages of that name: any fields set, at most one of each oneof."""
    message = MESSAGES[name]
    plain: dict[str, st.SearchStrategy[Any]] = {}
    choices: dict[int, dict[str, st.SearchStrategy[Any]]] = {}
    for field in message.field:
        if field.HasField("oneof_index") and not field.proto3_optional:
            choices.setdefault(field.oneof_index, {})[field.name] = value(message, field)
        else:
            plain[field.name] = value(message, field)
    oneofs = [st.one_of(st.just({}), *map(_chosen, group.items())) for group in choices.values()]
    return st.tuples(st.fixed_dictionaries({}, optional=plain), *oneofs).map(
        lambda parts: build(name, {key: item for part in parts for key, item in part.items()})
    )


def _chosen(item: tuple[str, st.SearchStrategy[Any]]) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({item[0]: item[1]})


def build(name: str, values: Mapping[str, Any]) -> GoogleMessage:
    """A message with those values; an empty mapping for a message field makes the field present."""
    made: Any = google_class(name)()
    for field in MESSAGES[name].field:
        if field.name not in values:
            continue
        item = values[field.name]
        target = getattr(made, field.name)
        if map_entry(MESSAGES[name], field) is not None:
            for key, entry in item.items():
                if isinstance(entry, GoogleMessage):
                    target[key].CopyFrom(entry)
                else:
                    target[key] = entry
        elif is_repeated(field):
            target.extend(item)
        elif field.type_name == ".google.protobuf.Struct":
            target.SetInParent()
            target.update(item)
        elif isinstance(item, dict):
            target.SetInParent()
            target.seconds, target.nanos = item["seconds"], item["nanos"]
        elif isinstance(item, GoogleMessage):
            target.CopyFrom(item)
            target.SetInParent()
        else:
            setattr(made, field.name, item)
    return made  # type: ignore[no-any-return]
