"""The contract as plain data, read from the generated descriptors, for the tests of this folder."""

from __future__ import annotations

from typing import Any

import betterproto2
from google.protobuf.descriptor_pb2 import (
    DescriptorProto,
    EnumDescriptorProto,
    FieldDescriptorProto,
    FileDescriptorSet,
    ServiceDescriptorProto,
)
from google.protobuf.message import Message as GoogleMessage

from cursor_sdk_async._gen.descriptor import DESCRIPTOR_SET, google_class
from cursor_sdk_async._gen.methods import message_type

PACKAGE = "sdk.v1"
FILES = FileDescriptorSet.FromString(DESCRIPTOR_SET)
OURS = [file for file in FILES.file if file.package == PACKAGE]
MESSAGES: dict[str, DescriptorProto] = {item.name: item for file in OURS for item in file.message_type}
ENUMS: dict[str, EnumDescriptorProto] = {item.name: item for file in OURS for item in file.enum_type}
SERVICES: dict[str, ServiceDescriptorProto] = {item.name: item for file in OURS for item in file.service}
NAMES = sorted(MESSAGES)


def local_name(type_name: str) -> str:
    """``.sdk.v1.SendRequest`` without its package; other packages stay as they are."""
    return type_name.removeprefix(f".{PACKAGE}.")


def is_repeated(field: FieldDescriptorProto) -> bool:
    return field.label == FieldDescriptorProto.LABEL_REPEATED


def map_entry(message: DescriptorProto, field: FieldDescriptorProto) -> DescriptorProto | None:
    """The entry type of a map field, or None for any other field."""
    for nested in message.nested_type:
        if nested.options.map_entry and field.type_name.endswith(f".{message.name}.{nested.name}"):
            return nested
    return None


def ours(name: str) -> type[betterproto2.Message]:
    return message_type(name)


def official(name: str, **values: Any) -> GoogleMessage:
    return google_class(name)(**values)


def reparse(name: str, data: bytes) -> GoogleMessage:
    return google_class(name).FromString(data)
