"""Both codecs: messages of the contract to bytes and back, ``proto`` and ``json``. Pure.

The generated classes carry values; what is read from the wire is checked by the C implementation first, since
betterproto2 accepts bytes that were cut off. The JSON mapping is that of the official package
(``docs/protocol.md``, "JSON mapping"). Both are imported on first use.
"""

from __future__ import annotations

import json
from base64 import b64decode
from binascii import Error as Base64Error
from collections.abc import Mapping
from struct import error as StructError  # noqa: N812 - a class, whatever its name
from typing import TYPE_CHECKING, Any, Literal, cast

from cursor_sdk_async._connect._methods import Method
from cursor_sdk_async.errors import ConfigurationError, ProtocolError

if TYPE_CHECKING:
    from betterproto2 import Message

__all__ = [
    "Codec",
    "as_list",
    "as_object",
    "bytes_of",
    "decode_answer",
    "details_as_json",
    "encode_request",
    "load_json",
    "plain_number",
    "raw_answer",
    "unary_type",
    "warm_up",
]

Codec = Literal["proto", "json"]


def unary_type(codec: Codec) -> str:
    """The content type of a unary call."""
    return f"application/{codec}"


def plain_number(text: str) -> int | float:
    """A JSON number with a point or an exponent: whole ones come out as ``int``, as everywhere."""
    number = float(text)
    return int(number) if number.is_integer() else number


def _no_constant(word: str) -> None:
    raise ValueError(f"{word} is not JSON")


#: What json and betterproto2 raise at values that they did not expect.
_CODEC_ERRORS = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    RecursionError,
    StructError,
    TypeError,
    ValueError,
)

_decoder = json.JSONDecoder(parse_float=plain_number, parse_constant=_no_constant)


def warm_up() -> None:
    """Import what messages are written and read with, ahead of its first use."""
    from google.protobuf import json_format, unknown_fields

    from cursor_sdk_async._gen.descriptor import google_class
    from cursor_sdk_async._gen.sdk.v1 import PingRequest

    del json_format, unknown_fields
    google_class("RunStreamMessage")
    bytes(PingRequest())  # betterproto2 imports more of pydantic at its first message


def load_json(data: bytes) -> dict[str, Any]:
    """A JSON object.

    Raises:
        ValueError: It is not UTF-8, not JSON, nested too deeply, or not an object.
    """
    written = data.decode("utf-8")
    try:
        value, end = _decoder.raw_decode(written) if written[:1] == "{" else (None, 0)
        if end != len(written):  # white space around it, or something else
            value = _decoder.decode(written)
    except RecursionError:
        value = None
    found = as_object(value)
    if found is None:
        raise ValueError("it is not a JSON object, or nested too deeply")
    return found


def as_object(value: object) -> dict[str, Any] | None:
    """A JSON object as such, anything else as ``None``."""
    return cast("dict[str, Any]", value) if isinstance(value, dict) else None


def as_list(value: object) -> list[Any]:
    """A JSON array as such, anything else as an empty one."""
    if not isinstance(value, list):
        return []
    found: list[Any] = cast("Any", value)
    return found


def encode_request(
    method: Method, message: Message, codec: Codec, extra: Mapping[str, Any] | None = None
) -> bytes:
    """The body of a request.

    Args:
        method: The RPC.
        message: Its request.
        codec: How it is written.
        extra: Fields that the contract does not know, merged into the JSON form.

    Raises:
        ConfigurationError: The message has values that the contract cannot carry.
    """
    problem = ""
    try:
        data = bytes(message)
        if codec == "proto":
            return data
        form = _as_json(method.request_name, data)
        text = json.dumps(_merged(form, extra or {}), ensure_ascii=False, allow_nan=False)
        return text.encode("utf-8")
    except _CODEC_ERRORS as error:
        problem = _kind(error)
    except _decode_errors() as error:
        problem = _kind(error)
    raise ConfigurationError(
        f"The request of {method.key} has a value that cannot be sent ({problem}). "
        "Nothing was sent; check the types and the sizes of what was passed.",
        code="bad_request_value",
        rpc=method.key,
        is_safe_to_retry=True,
    )


def decode_answer(method: Method, data: bytes, codec: Codec) -> Message:
    """The message of a unary answer. Unknown fields and unknown words of enums are let through.

    Raises:
        ProtocolError: The bytes are not such a message.
    """
    from cursor_sdk_async._gen.descriptor import google_class

    problem = ""
    try:
        kind = google_class(method.answer_name)
        if codec == "proto":
            checked = kind.FromString(data)
        else:
            from google.protobuf import json_format

            checked = json_format.ParseDict(load_json(data), kind(), ignore_unknown_fields=True)
        # A known number with a wrong wire type is an unknown field, which betterproto2 would trip over.
        checked.DiscardUnknownFields()
        return method.answer.parse(checked.SerializeToString())
    except _CODEC_ERRORS as error:
        problem = _kind(error)
    except _decode_errors() as error:
        problem = _kind(error)
    raise ProtocolError(
        f"The answer to {method.key} cannot be read as {method.answer_name} in {codec} ({problem}). "
        "The call may have taken effect.",
        code="bad_answer",
        rpc=method.key,
    )


def raw_answer(method: Method, data: bytes) -> dict[str, Any]:
    """An answer, or a message of a stream, as the JSON object that it is.

    Raises:
        ProtocolError: It is none.
    """
    try:
        return load_json(data)
    except ValueError as error:
        problem = _kind(error)
    raise ProtocolError(
        f"An answer to {method.key} cannot be read as JSON ({problem}). The call may have taken effect.",
        code="bad_answer",
        rpc=method.key,
    )


def details_as_json(data: bytes) -> dict[str, Any] | None:
    """The JSON form of a binary ``SdkErrorDetails``; ``None`` when the bytes are not one."""
    try:
        return _as_json("SdkErrorDetails", data)
    except (TypeError, ValueError, AttributeError):
        return None
    except _decode_errors():
        return None


def bytes_of(text: object) -> bytes:
    """Base64 text of either alphabet, padded or not, as the JSON mapping allows.

    Raises:
        ValueError: It is not base64.
    """
    if not isinstance(text, str):
        raise ValueError("bytes must be base64 text")
    text = text.replace("-", "+").replace("_", "/").rstrip("=")
    try:
        return b64decode(text + "=" * (-len(text) % 4), validate=True)
    except Base64Error as error:
        raise ValueError("not base64") from error


def _as_json(name: str, data: bytes) -> dict[str, Any]:
    from google.protobuf import json_format

    from cursor_sdk_async._gen.descriptor import google_class

    return json_format.MessageToDict(google_class(name).FromString(data))


def _decode_errors() -> tuple[type[Exception], ...]:
    """What the official package raises; asked for only while an error is handled."""
    from google.protobuf import json_format
    from google.protobuf.message import Error

    return (Error, json_format.Error)


def _merged(form: dict[str, Any], extra: Mapping[str, Any]) -> dict[str, Any]:
    for key, value in extra.items():
        inner = as_object(form.get(key))
        if inner is not None and isinstance(value, Mapping):
            _merged(inner, cast("Mapping[str, Any]", value))
        else:
            form[key] = value
    return form


def _kind(error: BaseException) -> str:
    """Only the kind: the text may quote a value, and a value may be secret."""
    return type(error).__name__
