"""The descriptions of the asynchronous twins, which are those of the blocking classes too."""

from __future__ import annotations

import re
from collections.abc import Callable
from inspect import getattr_static
from typing import Any, TypeVar

from cursor_sdk_async.blocking import Both

__all__ = ["blocking_words", "twin_of"]

C = TypeVar("C", bound=type[Any])

_WORDS = (
    (r"async (with|for)( await)?", r"\1"),
    (r"\bawait (its |it\b)?", r"\1"),
    (r"\bAsyncClient\b", "CursorClient"),
    (r"\bAsync(?=[A-Z])", ""),
    (r"\baclose\b", "close"),
)


def blocking_words(text: str) -> str:
    """A description without ``await``."""
    for pattern, word in _WORDS:
        text = re.sub(pattern, word, text)
    return text


def twin_of(twin: type[Any]) -> Callable[[C], C]:
    """Describe a class and its members, where they have no description, as their asynchronous twins are.

    Args:
        twin: The asynchronous class.
    """

    def describe(cls: C) -> C:
        for name, member in vars(cls).items():
            text = getattr(getattr_static(twin, name, None), "__doc__", None)
            if name.startswith("__") or not text:
                continue
            target: Any = getattr(member, "__func__", member)  # of class and static methods
            if isinstance(target, Both):
                target.describe(blocking_words(text))
            elif not target.__doc__:
                target.__doc__ = blocking_words(text)
        if not cls.__doc__:
            cls.__doc__ = blocking_words(twin.__doc__ or "")
        return cls

    return describe
