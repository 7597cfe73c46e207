"""Text that is safe to show: without control characters, without secrets, of bounded length. Pure.

What an agent says and what its tools return is foreign text. It may hold terminal escapes, keys that a
command printed, or megabytes on one line; whatever is displayed goes through here first.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, cast

__all__ = ["HIDDEN", "clean", "clip", "count", "details", "hidden", "one_line", "seconds", "size"]

#: What stands where a secret was.
HIDDEN = "***"
#: How much of an argument or a result is walked through: levels, and items of each level.
DEPTH, ITEMS = 6, 50
#: The argument of a tool that says what it does; without one of them it is the first text.
MAIN = ("command", "path", "query", "pattern", "url")

_ESCAPES = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)")
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
_SECRET_NAME = re.compile(
    r"api_?key|access_?key|private_?key|password|passwd|secret|credential|authorization|cookie|(?:^|_|auth)token$"
)
_SECRET_TEXT = re.compile(
    r"\b(?:key_|crsr_|sk-|gh[pousr]_|github_pat_|xox[abpr]-)[\w-]{16,}|(?<=\bBearer )[\w.~+/=-]{8,}",
    re.IGNORECASE | re.ASCII,
)


def clean(text: str) -> str:
    """The text without escape sequences, control characters and halves of surrogate pairs."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if "\x1b" in text:
        text = _ESCAPES.sub("", text)
    return _CONTROLS.sub("\ufffd", text)


def hidden(text: str) -> str:
    """The text with what looks like a key of a known service replaced."""
    return _SECRET_TEXT.sub(HIDDEN, text)


def clip(text: str, limit: int) -> str:
    """The beginning, and how much more there is."""
    return text if len(text) <= limit else f"{text[:limit]} … ({len(text) - limit:,} more characters)"


def one_line(value: object, limit: int) -> str:
    """A value on one line: the argument that says most as it is, others as ``name=value``."""
    value = _shown(value, limit)
    if value is None:
        return ""
    if isinstance(value, dict):
        pairs = cast("dict[str, Any]", value)
        first = next((name for name in (*MAIN, *pairs) if isinstance(pairs.get(name), str)), None)
        rest = [f"{name}={_json(item)}" for name, item in pairs.items() if name != first]
        value = " ".join([*([] if first is None else [pairs[first]]), *rest])
    return clip(" ".join(_text(value).split()), limit)


def details(value: object, limit: int) -> str:
    """A value on as many lines as it needs; longer texts of a mapping stand as they are."""
    value = _shown(value, limit)
    if value is None:
        return ""
    if isinstance(value, dict):
        pairs = cast("dict[str, Any]", value)
        value = "\n".join(
            f"{name}:\n{item}" if isinstance(item, str) and "\n" in item else f"{name}: {_text(item)}"
            for name, item in pairs.items()
        )
    return clip(_text(value).strip("\n"), limit)


def _text(value: object) -> str:
    return value if isinstance(value, str) else _json(value)


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _shown(value: object, limit: int, depth: int = DEPTH) -> Any:
    """A bounded copy for showing: cleaned, secrets hidden; what is no data is named by its type."""
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, str):
        return clip(hidden(clean(value[: 2 * limit])), limit) + ("" if len(value) <= 2 * limit else " …")
    if depth == 0:
        return "…"
    if isinstance(value, Mapping):
        items = list(cast("Mapping[object, Any]", value).items())
        shown = {
            _name(key): HIDDEN if item and _is_secret(key) else _shown(item, limit, depth - 1)
            for key, item in items[:ITEMS]
        }
        return {**shown, "…": f"{len(items) - ITEMS} more"} if len(items) > ITEMS else shown
    if isinstance(value, list | tuple):
        rows = cast("list[Any]", value)
        seen = [_shown(item, limit, depth - 1) for item in rows[:ITEMS]]
        return [*seen, f"… {len(rows) - ITEMS} more"] if len(rows) > ITEMS else seen
    return f"<{type(value).__name__}>"


def _name(key: object) -> str:
    return clip(clean(str(key)[:200]), 100)


def _is_secret(key: object) -> bool:
    words = re.sub(r"(?<=[a-z])(?=[A-Z])|-", "_", str(key)[:200]).lower()
    return _SECRET_NAME.search(words) is not None


def count(number: int, noun: str) -> str:
    """``1 token``, ``1,540 tokens``."""
    plural = f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"
    return f"{number:,} {noun if number == 1 else plural}"


def seconds(value: float) -> str:
    """A duration: ``4.2 s``, ``3 min 05 s``, ``2 h 07 min``."""
    if value < 60:
        return f"{value:.1f} s"
    minutes, rest = divmod(int(value), 60)
    return f"{minutes} min {rest:02} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60:02} min"


def size(number: int) -> str:
    """A number of bytes: ``512 B``, ``2.5 MB``."""
    value, unit = float(number), "B"
    for unit in ("B", "kB", "MB", "GB"):
        if value < 1000 or unit == "GB":
            break
        value /= 1000
    return f"{number:,} B" if unit == "B" else f"{value:,.1f} {unit}"
