"""Prompts: text and pictures."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import PathLike, fspath
from pathlib import Path
from typing import Any, cast

from cursor_sdk_async.options._input import Option, items_of, join, pruned, read_fields
from cursor_sdk_async.options._read import is_mapping
from cursor_sdk_async.options._refuse import kind, missing, wrong_type
from cursor_sdk_async.options._words import JsonObject

__all__ = ["SDKImage", "SDKImageDimension", "SDKUserMessage", "UserMessage"]

#: How base64 text of the picture formats begins, for pictures that came without a type.
_MAGIC = {"iVBORw0KGg": "image/png", "/9j/": "image/jpeg", "R0lGOD": "image/gif", "UklGR": "image/webp"}
_UNKNOWN_TYPE = "application/octet-stream"


@dataclass(frozen=True, slots=True, repr=False)
class SDKImageDimension(Option):
    """The size of a picture in pixels."""

    width: int
    height: int

    @classmethod
    def from_value(cls, value: object, where: str = "dimension") -> SDKImageDimension:
        """Read an instance or a mapping."""
        found = read_fields(cls, value, where)
        for name, pixels in found.items():
            if not isinstance(pixels, int) or isinstance(pixels, bool) or pixels < 0:
                raise wrong_type(join(where, name), pixels, "a number of pixels")
        return cls(**found)

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> SDKImageDimension:
        """Read a mapping with ``width`` and ``height``."""
        return cls.from_value(value)

    def to_json(self) -> JsonObject:
        """The form on the wire."""
        return {"width": self.width, "height": self.height}


@dataclass(frozen=True, slots=True, repr=False)
class SDKImage(Option):
    """A picture in a prompt. The service takes up to five of 15 MB each, as PNG, JPEG, GIF or WebP.

    Attributes:
        url: Its address; wins over ``data``. Local agents refuse addresses.
        data: Its content in base64.
        mime_type: The type of ``data``.
        dimension: Its size.
    """

    url: str | None = None
    data: str | None = None
    mime_type: str | None = None
    dimension: SDKImageDimension | Mapping[str, Any] | None = None

    @classmethod
    def from_url(cls, url: str, dimension: SDKImageDimension | Mapping[str, Any] | None = None) -> SDKImage:
        """A picture at an address."""
        return cls(url=url, dimension=dimension)

    @classmethod
    def url_image(cls, url: str, dimension: SDKImageDimension | Mapping[str, Any] | None = None) -> SDKImage:
        """The same as :meth:`from_url`."""
        return cls.from_url(url, dimension)

    @classmethod
    def from_data(
        cls,
        data: bytes | str,
        mime_type: str,
        dimension: SDKImageDimension | Mapping[str, Any] | None = None,
    ) -> SDKImage:
        """A picture from its bytes, or from base64 text."""
        return cls(data=_base64(data), mime_type=mime_type, dimension=dimension)

    @classmethod
    def data_image(
        cls, data: str, mime_type: str, dimension: SDKImageDimension | Mapping[str, Any] | None = None
    ) -> SDKImage:
        """A picture from base64 text."""
        return cls.from_data(data, mime_type, dimension)

    @classmethod
    def from_file(
        cls,
        path: str | PathLike[str],
        *,
        mime_type: str | None = None,
        dimension: SDKImageDimension | Mapping[str, Any] | None = None,
    ) -> SDKImage:
        """A picture from a file, which is read now; in a coroutine call it in a worker thread.

        Args:
            path: The file.
            mime_type: Its type; by default guessed from its name.
            dimension: Its size.

        Raises:
            OSError: The file cannot be read.
        """
        import mimetypes  # reads files of the system at its first use

        type_ = mime_type or mimetypes.guess_type(fspath(path))[0] or _UNKNOWN_TYPE
        return cls.from_data(Path(path).read_bytes(), type_, dimension)

    @classmethod
    def from_value(cls, value: object, where: str = "image") -> SDKImage:
        """Read an instance or a mapping; ``url`` and ``data`` may be wrapped as on the wire."""
        if is_mapping(value):
            value = _flat(value, where)
        found = read_fields(cls, value, where)
        if isinstance(found.get("data"), bytes | bytearray):
            found["data"] = _base64(bytes(found["data"]))
        url, data = found.get("url"), found.get("data")
        if not url and not data:
            raise missing(where, "a picture has a url or data")
        for name, given in (("url", url), ("data", data)):
            if given is not None and not isinstance(given, str):
                raise wrong_type(join(where, name), given, "text")
        if not url and not found.get("mime_type"):
            found["mime_type"] = _guess(cast("str", data), where)
        if found.get("dimension") is not None:
            found["dimension"] = SDKImageDimension.from_value(found["dimension"], join(where, "dimension"))
        return cls(**found)

    def to_json(self) -> JsonObject:
        """The form on the wire."""
        exact = SDKImage.from_value(self)
        size = exact.dimension
        source: JsonObject = (
            {"url": {"url": exact.url}}
            if exact.url
            else {"data": {"data": exact.data, "mimeType": exact.mime_type}}
        )
        return (
            source if size is None else {**source, "dimension": SDKImageDimension.from_value(size).to_json()}
        )


def _flat(value: Mapping[str, Any], where: str) -> dict[str, Any]:
    """An image mapping without the wire's wrappers around ``url`` and ``data``."""
    flat = dict(value)
    url, inner = flat.get("url"), flat.get("data")
    if is_mapping(url):
        flat["url"] = url.get("url")
    if is_mapping(inner):
        del flat["data"]
        if set(inner) - {"data", "mimeType", "mime_type"}:
            raise wrong_type(join(where, "data"), inner, "text, or a mapping of data and mime_type")
        flat.update(inner)
    return flat


def _base64(data: bytes | str) -> str:
    return data if isinstance(data, str) else b64encode(data).decode("ascii")


def _guess(data: str, where: str) -> str:
    for start, type_ in _MAGIC.items():
        if data.startswith(start):
            return type_
    raise missing(join(where, "mime_type"), "say what the data is, for example image/png")


@dataclass(frozen=True, slots=True, repr=False)
class UserMessage(Option):
    """A prompt.

    Attributes:
        text: What the agent is asked.
        images: Pictures that go with it.
    """

    text: str
    images: Sequence[SDKImage | Mapping[str, Any]] | None = None

    @classmethod
    def from_value(cls, value: object, where: str = "message") -> UserMessage:
        """Read a text, an instance, or a mapping with ``text`` and ``images``."""
        found: dict[str, Any] = {"text": value} if isinstance(value, str) else read_fields(cls, value, where)
        if not isinstance(found["text"], str):
            raise wrong_type(join(where, "text"), found["text"], "text")
        found["images"] = items_of(found.get("images"), join(where, "images"), SDKImage.from_value)
        return cls(**found)

    def to_json(self) -> JsonObject:
        """The form on the wire."""
        exact = UserMessage.from_value(self)
        images = [SDKImage.from_value(image).to_json() for image in exact.images or ()]
        return pruned({"text": exact.text, "images": images})

    def __repr__(self) -> str:
        pictures = f", images=<{len(self.images)}>" if self.images else ""
        return f"UserMessage(text={kind(self.text) if len(self.text) > 200 else repr(self.text)}{pictures})"


SDKUserMessage = UserMessage
