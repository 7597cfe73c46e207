"""The errors of options: which option, what kind of value it has, what to do. Values are never shown."""

from __future__ import annotations

from collections.abc import Iterable, Sized
from difflib import get_close_matches
from typing import cast

from cursor_sdk_async.errors import BadRequestError, ConfigurationError

__all__ = ["OptionTypeError", "kind", "missing", "refused", "unknown_option", "unknown_word", "wrong_type"]


class OptionTypeError(BadRequestError, TypeError):
    """An option has a value of the wrong type."""


def kind(value: object) -> str:
    """What a value is, without showing it."""
    if value is None:
        return "None"
    name = type(value).__name__
    if isinstance(value, str | bytes | list | tuple | dict | set):
        size = len(cast("Sized", value))
        return f"an empty {name}" if size == 0 else f"a {name} of length {size}"
    return f"{'an' if name[0].lower() in 'aeiou' else 'a'} {name}"


def _near(word: object, words: Iterable[str]) -> str:
    if not isinstance(word, str):
        return ""
    near = get_close_matches(word.lower(), list(words), n=2, cutoff=0.7)
    return f" Did you mean {' or '.join(map(repr, near))}?" if near else ""


def wrong_type(where: str, value: object, expected: str) -> OptionTypeError:
    """A value of the wrong type."""
    return OptionTypeError(
        f"{where} must be {expected}, but it is {kind(value)}.",
        code="invalid_argument",
        is_safe_to_retry=True,
    )


def unknown_option(where: str, name: object, known: Iterable[str]) -> ConfigurationError:
    """An option that does not exist; the bridge would drop it silently."""
    names = sorted(known)
    text = repr(name) if isinstance(name, str) and len(name) < 60 else kind(name)
    place = f" in {where}" if where else ""
    return ConfigurationError(
        f"There is no option {text}{place}.{_near(name, names)} There are: {', '.join(names)}. "
        "A field that only a newer bridge knows can be passed with extra={...}.",
        code="unknown_option",
        is_safe_to_retry=True,
    )


def unknown_word(where: str, value: object, words: Iterable[str]) -> ConfigurationError:
    """A word that is not one of a fixed set; the bridge would drop it silently."""
    words = list(words)
    return ConfigurationError(
        f"{where} is none of the words that are possible here: {', '.join(words)}.{_near(value, words)}",
        code="unknown_word",
        is_safe_to_retry=True,
    )


def missing(where: str, what: str = "it is required") -> ConfigurationError:
    """A required option that is absent."""
    return ConfigurationError(f"{where} is missing: {what}.", code="missing_option", is_safe_to_retry=True)


def refused(message: str, code: str = "invalid_argument") -> BadRequestError:
    """Something that the bridge or the service would call an invalid argument."""
    return BadRequestError(message, code=code, is_safe_to_retry=True)
