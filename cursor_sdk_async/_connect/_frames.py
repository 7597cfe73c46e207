"""The frames of a stream in one shape for both codecs. Pure, and the hot path: no trees of generated objects.

Facts: ``docs/protocol.md``, "Run streams". Numbers inside a ``Struct`` are doubles on the wire; whole ones
come out as ``int``, as JSON writes them.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable
from typing import Any, Literal, NamedTuple, cast

from cursor_sdk_async._connect._codec import Codec, bytes_of, load_json
from cursor_sdk_async._connect._deep import read_deep_frame
from cursor_sdk_async._connect._methods import Method
from cursor_sdk_async.errors import ProtocolError

__all__ = ["FrameKind", "RunFrame", "frame_decoder"]

FrameKind = Literal[
    "sdk_message", "interaction_update", "step", "result", "done", "keepalive", "unknown", "gap"
]


class RunFrame(NamedTuple):
    """One frame of a run stream.

    Attributes:
        kind: Which one it is; ``unknown`` for a kind of a newer contract, ``gap`` for one that we made
            ourselves.
        payload: Its JSON form, such as ``{"type": ..., "message": ...}`` for ``sdk_message``.
        offset: Its offset, which not every frame has.
    """

    kind: FrameKind
    payload: dict[str, Any]
    offset: str | None


#: JSON name, original name, kind, and the name of the inner object where there is one.
_ARMS: tuple[tuple[str, str, FrameKind, str], ...] = (
    ("sdkMessage", "sdk_message", "sdk_message", "message"),
    ("interactionUpdate", "interaction_update", "interaction_update", "update"),
    ("step", "step", "step", "step"),
    ("result", "result", "result", "result"),
    ("done", "done", "done", ""),
)
_BY_NAME: dict[str, tuple[FrameKind, str]] = {
    name: (kind, inner) for json_name, name_, kind, inner in _ARMS for name in (json_name, name_)
}


def frame_decoder(method: Method, codec: Codec) -> Callable[[bytes], Any]:
    """What turns the payload of an envelope into a frame, raising ``ProtocolError`` only.

    Frames of run streams are ``RunFrame``, those of a download are ``bytes``.
    """
    runs = method.answer_name == "RunStreamMessage"
    if codec == "json":
        read: Callable[[bytes], Any] = _run_from_json if runs else _chunk_from_json
        errors: tuple[type[Exception], ...] = (ValueError, TypeError, AttributeError)
    else:
        from google.protobuf.message import Error

        read = _run_from_proto() if runs else _chunk_from_proto()
        errors = (Error, ValueError, TypeError)

    def decode(payload: bytes) -> Any:
        try:
            return read(payload)
        except errors as error:
            problem = f"{type(error).__name__}: {error}" if codec == "proto" else type(error).__name__
        raise ProtocolError(
            f"A message of the stream of {method.key} cannot be read as {method.answer_name} in {codec} "
            f"({problem}).",
            code="bad_frame",
            rpc=method.key,
        )

    return decode


def _run_from_json(payload: bytes) -> RunFrame:
    if payload == b"{}":
        return RunFrame("keepalive", {}, None)
    data = load_json(payload)
    offset = data.pop("offset", None)
    if offset is not None and not isinstance(offset, str):
        raise TypeError("offset")
    for name, value in data.items():
        arm = _BY_NAME.get(name)
        if arm is not None and value is not None:
            kind, inner = arm
            _check_arm(value, inner)
            return RunFrame(kind, value, offset)
    known = {name: value for name, value in data.items() if value is not None}
    return RunFrame("unknown" if known else "keepalive", known, offset)


def _check_arm(value: Any, inner: str) -> None:
    """Refuse what no codec could have written, so that nobody above has to look."""
    if not isinstance(value, dict):
        raise TypeError("not an object")
    arm = cast("dict[str, Any]", value)
    if inner and not isinstance(arm.get(inner) or {}, dict):
        raise TypeError(inner)
    if not isinstance(arm.get("type") or "", str):
        raise TypeError("type")


def _chunk_from_json(payload: bytes) -> bytes:
    return bytes_of(load_json(payload).get("data") or "")


def _chunk_from_proto() -> Callable[[bytes], bytes]:
    from cursor_sdk_async._gen.descriptor import google_class

    message: Any = google_class("DownloadArtifactChunk")

    def read(payload: bytes) -> bytes:
        data: bytes = message.FromString(payload).data
        return data

    return read


def _run_from_proto() -> Callable[[bytes], RunFrame]:
    from google.protobuf.json_format import MessageToDict
    from google.protobuf.message import DecodeError

    from cursor_sdk_async._gen.descriptor import google_class

    message: Any = google_class("RunStreamMessage")
    parse: Callable[[bytes], Any] = message.FromString
    inner = {"sdk_message": "message", "interaction_update": "update", "step": "step"}

    def read(payload: bytes) -> RunFrame:
        if not payload:
            return RunFrame("keepalive", {}, None)
        try:
            frame = parse(payload)
        except DecodeError:
            deep, shape, offset = read_deep_frame(payload)
            return RunFrame(cast("FrameKind", deep), shape, offset)
        kind = frame.WhichOneof("envelope")
        offset = frame.offset if frame.HasField("offset") else None
        if kind is None:
            return _without_arm(frame, offset)
        arm = getattr(frame, kind)
        name = inner.get(kind)
        if name is None:
            return RunFrame(kind, MessageToDict(arm), offset)
        shape = {"type": arm.type} if arm.type else {}
        if arm.HasField(name):
            shape[name] = _struct(getattr(arm, name).fields)
        return RunFrame(kind, shape, offset)

    return read


def _without_arm(frame: Any, offset: str | None) -> RunFrame:
    """A frame of no known kind: a keep-alive, or one of a newer contract, of which only numbers are known."""
    from google.protobuf.unknown_fields import UnknownFieldSet

    fields: dict[str, Any] = {}
    found: Any = UnknownFieldSet(frame)
    for field in found:
        data: object = field.data
        fields[str(field.field_number)] = (
            b64encode(data).decode("ascii") if isinstance(data, bytes) else str(data)
        )
    return RunFrame("unknown" if fields else "keepalive", fields, offset)


def _struct(fields: Any) -> dict[str, Any]:
    return {name: _value(value) for name, value in fields.items()}


def _value(value: Any) -> Any:
    kind = value.WhichOneof("kind")
    if kind == "string_value":
        return value.string_value
    if kind == "struct_value":
        return _struct(value.struct_value.fields)
    if kind == "number_value":
        number: float = value.number_value
        return int(number) if number.is_integer() else number
    if kind == "list_value":
        return [_value(item) for item in value.list_value.values]
    return value.bool_value if kind == "bool_value" else None
