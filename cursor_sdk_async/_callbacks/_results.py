"""From what a tool returned, or raised, to the object that the bridge hands to the model. Pure.

Facts: ``docs/protocol.md``, "Custom tools". What JSON cannot hold becomes an error that names its place; an
error says what happened, never where in our files, and none of the secrets that are known here.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Any

from cursor_sdk_async.errors import CursorAgentError
from cursor_sdk_async.options import SDKImage
from cursor_sdk_async.options._read import is_list, is_mapping

__all__ = ["Unsendable", "error_result", "error_text", "result_body"]

#: A model reads no more of an error.
TEXT_LIMIT = 10_000
#: Values nested deeper are no answer; the encoder and the bridge would go down with them.
DEPTH_LIMIT = 100
#: The bridge reads numbers as doubles.
_MOST_BITS = 1023


class Unsendable(Exception):
    """JSON cannot hold what is at that place."""


def result_body(value: object) -> bytes:
    """The body of the answer ``{"result": ...}`` for what a tool returned.

    Raises:
        Unsendable: JSON cannot hold it; the text names the place.
    """
    try:
        if isinstance(value, str):
            shown: Any = _text_result(value)
        elif isinstance(value, SDKImage):
            shown = {"content": [_image(value, "result")]}
        elif is_mapping(value):
            shown = _plain_mapping(value, "result")
        else:
            shown = _text_result(json.dumps(_plain(value, "result", 0), ensure_ascii=False))
        return b'{"result":' + json.dumps(shown, allow_nan=False, separators=(",", ":")).encode() + b"}"
    except RecursionError as error:
        raise Unsendable(f"result is nested deeper than {DEPTH_LIMIT} levels, or holds itself.") from error


def error_result(text: str) -> bytes:
    """The body of an answer that tells the model what went wrong."""
    return json.dumps({"result": {**_text_result(text), "isError": True}}, separators=(",", ":")).encode()


def error_text(error: BaseException, secrets: Sequence[str] = ()) -> str:
    """What the model is told of an exception: its own text, or its name where that says nothing.

    Args:
        error: The exception.
        secrets: Texts that must not show.
    """
    inner: object = getattr(error, "exceptions", ())
    while is_list(inner) and len(inner) == 1 and isinstance(inner[0], BaseException):
        error = inner[0]
        inner = getattr(error, "exceptions", ())
    name = type(error).__name__
    try:
        text = error.message if isinstance(error, CursorAgentError) else str(error)
    except Exception:  # noqa: BLE001 - a __str__ of the user's
        text = ""
    if not text.strip():
        text = f"The tool failed with {name}."
    elif isinstance(error, KeyError) or not isinstance(error, Exception):
        text = f"{name}: {text}"
    for secret in secrets:
        if secret:
            text = text.replace(secret, "<hidden>")
    return text if len(text) <= TEXT_LIMIT else f"{text[:TEXT_LIMIT]}…"


def _text_result(text: str) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": text}]}


def _plain_mapping(value: Mapping[Any, Any], where: str) -> dict[str, Any]:
    """The mapping in types that JSON has; ``content`` may hold pictures as they are."""
    content = value.get("content")
    if not is_list(content):
        return _plain_items(value, where, 0)
    rest = {key: item for key, item in value.items() if key != "content"}
    items = [_content_item(item, f"{where}.content[{index}]") for index, item in enumerate(content)]
    return {**_plain_items(rest, where, 0), "content": items}


def _content_item(item: Any, where: str) -> Any:
    if isinstance(item, SDKImage):
        return _image(item, where)
    if is_mapping(item):
        data = item.get("data")
        if isinstance(data, bytes | bytearray):
            item = {**item, "data": b64encode(data).decode()}
    return _plain(item, where, 0)


def _image(image: SDKImage, where: str) -> dict[str, Any]:
    if image.data is None:
        raise Unsendable(f"{where} is a picture without data; a tool cannot answer with an address of one.")
    item = {"type": "image", "data": image.data}
    return {**item, "mimeType": image.mime_type} if image.mime_type else item


def _plain(value: Any, where: str, depth: int) -> Any:
    """The value in types that JSON has, checked; numbers are finite, keys are text."""
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, int):
        if value.bit_length() > _MOST_BITS:
            raise Unsendable(f"{where} is too large a number for JSON; return it as text.")
        return value
    if isinstance(value, float):
        if not isfinite(value):
            raise Unsendable(f"{where} is {value}, which JSON cannot hold.")
        return value
    if depth >= DEPTH_LIMIT:
        raise RecursionError
    if is_mapping(value):
        return _plain_items(value, where, depth)
    if is_list(value):
        return [_plain(item, f"{where}[{index}]", depth + 1) for index, item in enumerate(value)]
    raise Unsendable(
        f"{where} is of type {type(value).__name__}, which JSON cannot hold. Return text, numbers, lists and "
        "mappings."
    )


def _plain_items(value: Mapping[Any, Any], where: str, depth: int) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, item in value.items():
        name = json.dumps(key) if key is None or isinstance(key, int | float) else key
        if not isinstance(name, str):
            raise Unsendable(f"{where} has a key of type {type(key).__name__}; keys must be text.")
        found[name] = _plain(item, f"{where}.{name}", depth + 1)
    return found
