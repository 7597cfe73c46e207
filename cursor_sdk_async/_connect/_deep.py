"""Reads run frames that are nested too deeply for the official package, which stops at some thirty. Pure.

Slow, and only used when the C parser has refused a frame: a tool result may be nested as deeply as in JSON.
Stricter than the wire format needs: whatever is not exactly such a frame raises ``ValueError``.
"""

from __future__ import annotations

from collections.abc import Iterator
from struct import unpack
from typing import Any

__all__ = ["read_deep_frame"]

_VARINT, _FIXED64, _BYTES = 0, 1, 2
#: Field numbers of docs/protocol.md, "Run streams".
_ARMS = {1: ("sdk_message", "message"), 5: ("interaction_update", "update"), 6: ("step", "step")}
_OFFSET = 4


def read_deep_frame(data: bytes) -> tuple[str, dict[str, Any], str | None]:
    """Kind, payload and offset of a ``RunStreamMessage`` that carries a ``Struct``.

    Raises:
        ValueError: It is not one, is cut off, or is nested more deeply than Python can go.
    """
    kind, payload, offset = "", {}, None
    try:
        for number, value in _fields(memoryview(data)):
            if number == _OFFSET:
                offset = _text(value)
            elif number in _ARMS:
                kind, inner = _ARMS[number]
                payload = _arm(_view(value), inner)
    except RecursionError:
        kind = ""
    if not kind:
        raise ValueError("no frame with an object in it, or nested too deeply")
    return kind, payload, offset


def _arm(data: memoryview, inner: str) -> dict[str, Any]:
    shape: dict[str, Any] = {}
    for number, value in _fields(data):
        if number == 1:
            shape["type"] = _text(value)
        elif number == 2:
            shape[inner] = _struct(_view(value))
    return shape


def _struct(data: memoryview) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for number, entry in _fields(data):
        if number == 1:
            key, held = "", None
            for part, value in _fields(_view(entry)):
                if part == 1:
                    key = _text(value)
                elif part == 2:
                    held = _value(_view(value))
            found[key] = held
    return found


def _value(data: memoryview) -> Any:
    held: Any = None
    for number, value in _fields(data):
        if number == 2:
            eight = _view(value)
            if len(eight) != 8:
                raise ValueError("a number that is not a double")
            (double,) = unpack("<d", eight)
            held = int(double) if double.is_integer() else double
        elif number == 3:
            held = _text(value)
        elif number == 4:
            held = bool(value)
        elif number == 5:
            held = _struct(_view(value))
        elif number == 6:
            held = [_value(_view(item)) for part, item in _fields(_view(value)) if part == 1]
    return held


def _fields(data: memoryview) -> Iterator[tuple[int, int | memoryview]]:
    """Field numbers and values, strictly: nothing may be missing at the end."""
    at, size = 0, len(data)
    while at < size:
        tag, at = _varint(data, at)
        wire = tag & 7
        if wire == _VARINT:
            value, at = _varint(data, at)
            yield tag >> 3, value
            continue
        if wire == _BYTES:
            length, at = _varint(data, at)
        elif wire == _FIXED64:
            length = 8
        else:
            raise ValueError(f"wire type {wire}")
        if at + length > size:
            raise ValueError("cut off")
        yield tag >> 3, data[at : at + length]
        at += length


def _varint(data: memoryview, at: int) -> tuple[int, int]:
    value = 0
    for shift in range(0, 70, 7):
        if at >= len(data):
            break
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
    raise ValueError("bad number")


def _view(value: int | memoryview) -> memoryview:
    if isinstance(value, int):
        raise ValueError("a number in the place of an object")
    return value


def _text(value: int | memoryview) -> str:
    return str(_view(value), "utf-8")
