"""The contract is whole: how many of each kind, and nothing half generated."""

from __future__ import annotations

import dataclasses
import re
from typing import Any

import pytest

from tests.contract.catalogue import ENUMS, FILES, MESSAGES, NAMES, OURS, SERVICES, is_repeated, ours

pytestmark = pytest.mark.promise("CON-01")


def test_the_contract_has_all_its_parts() -> None:
    methods = [method for service in SERVICES.values() for method in service.method]
    fields = [field for message in MESSAGES.values() for field in message.field]
    oneofs = {
        (message.name, field.oneof_index)
        for message in MESSAGES.values()
        for field in message.field
        if field.HasField("oneof_index") and not field.proto3_optional
    }
    assert (len(OURS), len(SERVICES), len(methods)) == (7, 5, 29)
    assert sum(method.server_streaming for method in methods) == 3
    assert not any(method.client_streaming for method in methods)
    assert (len(MESSAGES), len(fields), len(oneofs)) == (114, 289, 5)
    assert (len(ENUMS), sum(len(item.value) for item in ENUMS.values())) == (8, 54)


def test_a_field_number_once_used_stays_reserved() -> None:
    reserved = [
        (item.name, [(r.start, r.end) for r in item.reserved_range], list(item.reserved_name))
        for item in MESSAGES.values()
        if item.reserved_range or item.reserved_name
    ]
    assert reserved == [("LocalSendOptions", [(2, 3)], ["custom_tools"])]


def test_only_three_well_known_types_come_from_outside() -> None:
    outside = {file.name for file in FILES.file} - {file.name for file in OURS}
    assert outside == {f"google/protobuf/{name}.proto" for name in ("struct", "timestamp", "duration")}


@pytest.mark.parametrize("name", NAMES)
def test_every_message_has_a_class_with_the_same_fields(name: str) -> None:
    dataclass: Any = ours(name)
    meta = {field.name: field.metadata["betterproto"] for field in dataclasses.fields(dataclass)}
    for field in MESSAGES[name].field:
        found = meta[field.name]
        assert found.number == field.number
        assert found.repeated == (is_repeated(field) and found.map_meta is None)
    assert set(meta) == {field.name for field in MESSAGES[name].field}


def test_nothing_generated_tells_where_it_was_generated() -> None:
    paths = [file.name for file in FILES.file]
    assert not [path for path in paths if re.match(r"/|[A-Za-z]:|\.\.", path)]
    assert not any(file.HasField("source_code_info") for file in FILES.file)
