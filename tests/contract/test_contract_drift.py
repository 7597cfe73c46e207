"""Our text of the contract against the one that comes with the bridge: names, numbers, types, presence."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from google.protobuf.descriptor_pb2 import (
    DescriptorProto,
    EnumDescriptorProto,
    FileDescriptorProto,
    FileDescriptorSet,
    ServiceDescriptorProto,
)

from tests.contract.catalogue import OURS, PACKAGE

pytestmark = [pytest.mark.promise("CON-05"), pytest.mark.real_bridge]

Fact = tuple[object, ...]


def wheel_protos() -> Path:
    """The folder below which the wheel keeps ``sdk/v1/*.proto``."""
    spec = importlib.util.find_spec("cursor_sdk")
    if spec is None or not spec.submodule_search_locations:
        pytest.fail("cursor-sdk is not installed: pip install cursor-sdk")
    for place in spec.submodule_search_locations:
        for found in Path(place).rglob("sdk/v1/sdk_errors.proto"):
            return found.parents[2]
    pytest.fail("the cursor-sdk wheel carries no sdk/v1/*.proto")


def compiled(root: Path, out: Path) -> list[FileDescriptorProto]:
    spec = importlib.util.find_spec("grpc_tools")
    assert spec is not None
    assert spec.submodule_search_locations
    well_known = Path(spec.submodule_search_locations[0]) / "_proto"
    subprocess.run(
        [
            *(sys.executable, "-m", "grpc_tools.protoc"),
            *(f"-I{root}", f"-I{well_known}", "--include_imports", f"--descriptor_set_out={out}"),
            *sorted(path.relative_to(root).as_posix() for path in root.glob("sdk/v1/*.proto")),
        ],
        check=True,
        cwd=out.parent,
    )
    files = FileDescriptorSet.FromString(out.read_bytes()).file
    return [file for file in files if file.package == PACKAGE]


def message_facts(file: str, message: DescriptorProto, prefix: str = "") -> Iterator[Fact]:
    name = prefix + message.name
    yield ("message", file, name, message.options.map_entry)
    for span in message.reserved_range:
        yield ("reserved numbers", name, span.start, span.end)
    for word in message.reserved_name:
        yield ("reserved name", name, word)
    for field in message.field:
        oneof = message.oneof_decl[field.oneof_index].name if field.HasField("oneof_index") else None
        yield (
            *("field", name, field.name, field.number, field.json_name),
            *(field.type, field.type_name, field.label, field.proto3_optional, oneof),
            *(field.options.deprecated, field.options.packed, field.HasField("options")),
        )
    for nested in message.nested_type:
        yield from message_facts(file, nested, f"{name}.")
    for enum in message.enum_type:
        yield from enum_facts(file, enum, f"{name}.")


def enum_facts(file: str, enum: EnumDescriptorProto, prefix: str = "") -> Iterator[Fact]:
    name = prefix + enum.name
    yield ("enum", file, name, enum.options.allow_alias)
    for value in enum.value:
        yield ("enum value", name, value.name, value.number)
    for span in enum.reserved_range:
        yield ("reserved numbers", name, span.start, span.end)
    for word in enum.reserved_name:
        yield ("reserved name", name, word)


def service_facts(file: str, service: ServiceDescriptorProto) -> Iterator[Fact]:
    yield ("service", file, service.name)
    for method in service.method:
        yield (
            *("rpc", service.name, method.name, method.input_type, method.output_type),
            *(method.client_streaming, method.server_streaming, method.options.idempotency_level),
        )


def facts(files: list[FileDescriptorProto]) -> Iterator[Fact]:
    """Everything that goes over the wire or into the JSON form; comments and language options do not."""
    for file in files:
        yield ("file", file.name, file.package, file.syntax)
        yield from (("import", file.name, path) for path in file.dependency)
        for message in file.message_type:
            yield from message_facts(file.name, message)
        for enum in file.enum_type:
            yield from enum_facts(file.name, enum)
        for service in file.service:
            yield from service_facts(file.name, service)


def test_our_contract_is_the_contract_of_the_bridge(tmp_path: Path) -> None:
    theirs = set(facts(compiled(wheel_protos(), tmp_path / "set.binpb")))
    mine = set(facts(OURS))
    lines = [
        *(f"only in the wheel: {fact}" for fact in sorted(theirs - mine, key=str)),
        *(f"only in ours: {fact}" for fact in sorted(mine - theirs, key=str)),
    ]
    assert not lines, "\n".join(lines)
    assert len(mine) > 500


def test_a_difference_would_be_noticed(tmp_path: Path) -> None:
    files = compiled(wheel_protos(), tmp_path / "set.binpb")
    message = next(item for file in files for item in file.message_type if item.name == "SendRequest")
    message.field[0].number = 9
    assert set(facts(files)) != set(facts(OURS))
