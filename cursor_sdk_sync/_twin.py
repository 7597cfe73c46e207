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
    # What only openings are, which wait to be awaited or entered.
    (r"``async with \S+ as client``,.*?\n\n", "It lives until ``close()``, or as long as ``with``.\n\n"),
    (r"Nothing starts until [^.]*\. A cancelled", "An interrupted"),
    (r"An opening: await it or enter it, once\.", "The client."),
    (r"When opened: ", ""),
    (r"any task of the loop", "any thread"),
    (r"several tasks", "several threads"),
    (r"of its event\s+loop", "in all threads"),
    (r"async (with|for)( await)?", r"\1"),
    (r"\bawait ", ""),
    (r"\bAsyncClient\b", "CursorClient"),
    (r"\bAsync(?=[A-Z])", ""),
    (r"\baclose\b", "close"),
)


def blocking_words(text: str) -> str:
    """A description without ``await``."""
    for pattern, word in _WORDS:
        text = re.sub(pattern, word, text, flags=re.DOTALL)
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
