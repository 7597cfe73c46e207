"""JSON values to wire bytes and back, in both codecs; handlers see dictionaries in the JSON shape only.

Requests go through the official protobuf package in both codecs: so both spellings of a field are accepted,
unknown fields and enum words are dropped, and wrong types refused, as the real bridge does.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from typing import Any, cast

__all__ = ["Json", "chunk", "decode", "dumps", "encode", "encode_frame", "message_bytes", "warm_up"]

Json = dict[str, Any]
UNKNOWN_FIELD = 99
FIELD_OF_UNKNOWN = bytes((UNKNOWN_FIELD << 3 & 0x7F | 2 | 0x80, UNKNOWN_FIELD >> 4))


def dumps(value: Any) -> bytes:
    """Compact JSON."""
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode()


def warm_up() -> None:
    """Import what the first request needs."""
    decode("PingRequest", b'{"x":1}', as_json=True)


def decode(name: str, body: bytes, *, as_json: bool) -> Json:
    """A request as a dictionary with JSON names, without fields that hold their default.

    Raises:
        ValueError: It cannot be decoded; the text is the message for the client.
    """
    if body == b"{}" if as_json else not body:
        return {}
    from google.protobuf.json_format import MessageToDict, ParseDict, ParseError
    from google.protobuf.message import DecodeError

    from cursor_sdk_async._gen.descriptor import google_class

    message = google_class(name)()
    if not as_json:
        try:
            message.ParseFromString(body)
        except DecodeError as error:
            raise ValueError(f"cannot decode sdk.v1.{name} from binary: {error}") from None
    else:
        try:
            value = json.loads(body)
        except ValueError as error:
            reason = error if body else "Unexpected end of JSON input"
            raise ValueError(f"cannot decode sdk.v1.{name} from JSON: {reason}") from None
        if not isinstance(value, dict):
            raise ValueError(f"cannot decode message sdk.v1.{name} from JSON: {_kind(value)}")
        try:
            ParseDict(cast("Json", value), message, ignore_unknown_fields=True)
        except (ParseError, OverflowError, RecursionError) as error:
            raise ValueError(f"cannot decode field of sdk.v1.{name} from JSON: {error}") from None
    made: Json = MessageToDict(message)
    return made


def _kind(value: object) -> str:
    return "array" if isinstance(value, list) else "null" if value is None else type(value).__name__


def message_bytes(name: str, value: Mapping[str, Any]) -> bytes:
    """The binary form of a message."""
    from google.protobuf.json_format import ParseDict

    from cursor_sdk_async._gen.descriptor import google_class

    made: bytes = ParseDict(dict(value), google_class(name)()).SerializeToString()
    return made


def encode(name: str, value: Mapping[str, Any], *, as_json: bool) -> bytes:
    """An answer; ``bytes`` in it are written as each codec wants."""
    if as_json:
        return dumps(value)
    return message_bytes(name, value)


def encode_frame(value: Mapping[str, Any], *, as_json: bool, unknown: str = "") -> bytes:
    """A frame of a run stream; ``unknown`` names an arm that the contract does not have."""
    if as_json:
        return dumps(value)
    if not unknown:
        return message_bytes("RunStreamMessage", value)
    known = {key: item for key, item in value.items() if key != unknown}
    payload = dumps(value[unknown])
    return message_bytes("RunStreamMessage", known) + FIELD_OF_UNKNOWN + _varint(len(payload)) + payload


def _varint(value: int) -> bytes:
    made = bytearray()
    while value > 0x7F:
        made.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes((*made, value))


def chunk(data: bytes, *, as_json: bool) -> bytes:
    """One chunk of an artifact."""
    if as_json:
        return dumps({"data": base64.b64encode(data).decode()})
    return b"\x0a" + _varint(len(data)) + data if data else b""
