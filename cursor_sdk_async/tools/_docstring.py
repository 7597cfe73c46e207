"""What a docstring says about the function and about each parameter.

Google style (``Args:``), NumPy style (``Parameters`` underlined) and Sphinx style (``:param x: ...``).
Whatever is in no section of parameters stays in the description.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass, field
from inspect import cleandoc

__all__ = ["Docstring", "read_docstring"]

_GOOGLE = re.compile(r"(Args|Arguments|Parameters|Params):\s*$")
_NUMPY = re.compile(r"(Other )?Parameters\s*$")
_GOOGLE_ITEM = re.compile(r"\s+\*{0,2}(\w+)\s*(?:\(.*?\))?:(?:\s+(.*))?$")
_NUMPY_ITEM = re.compile(r"(\w+(?:\s*,\s*\w+)*)\s*(?::.*)?$")
_SPHINX_ITEM = re.compile(r":(?:param|parameter|arg|argument)\s+(?:[^:]*\s)?(\w+):\s*(.*)$")
_SPHINX_TYPE = re.compile(r":type\s+(\w+):")


@dataclass
class Docstring:
    """A docstring, taken apart.

    Attributes:
        text: All of it but the sections about parameters, ``None`` if nothing is left.
        parameters: What it says about each parameter, on one line.
    """

    text: str | None = None
    parameters: dict[str, str] = field(default_factory=dict[str, str])


def read_docstring(text: str | None, names: Collection[str]) -> Docstring:
    """Take a docstring apart.

    Args:
        text: The docstring as it stands in the source.
        names: The parameters of the function. A section that describes none of them is left as it is.
    """
    lines = cleandoc(text or "").splitlines()
    found: dict[str, list[str]] = {}
    kept: list[str] = []
    at = 0
    while at < len(lines):
        end, items = _section(lines, at)
        if items.keys() & set(names):
            for name, words in items.items():
                found.setdefault(name, []).extend(words)
        else:
            kept.extend(lines[at:end])
        at = end
    rest = re.sub(r"\n{3,}", "\n\n", "\n".join(kept)).strip()
    said = {name: " ".join(" ".join(parts).split()) for name, parts in found.items() if name in names}
    return Docstring(rest or None, {name: words for name, words in said.items() if words})


def _section(lines: list[str], at: int) -> tuple[int, dict[str, list[str]]]:
    """The lines from ``at`` that belong together: where they end, and the parameters they describe."""
    if _GOOGLE.match(lines[at]):
        return _google(lines, at + 1)
    if _NUMPY.match(lines[at]) and at + 1 < len(lines) and re.fullmatch(r"-{3,}\s*", lines[at + 1]):
        return _numpy(lines, at + 2)
    if item := _SPHINX_ITEM.match(lines[at]):
        end = _indented(lines, at + 1, blank_ends=True)
        return end, {item[1]: [item[2], *lines[at + 1 : end]]}
    if item := _SPHINX_TYPE.match(lines[at]):
        return at + 1, {item[1]: []}  # the annotation says it
    return at + 1, {}


def _indented(lines: list[str], at: int, *, blank_ends: bool = False) -> int:
    """Where the indented lines from ``at`` end."""
    while at < len(lines) and (lines[at].startswith((" ", "\t")) or not (lines[at].strip() or blank_ends)):
        at += 1
    return at


def _google(lines: list[str], at: int) -> tuple[int, dict[str, list[str]]]:
    end = _indented(lines, at)
    indents = [len(line) - len(line.lstrip()) for line in lines[at:end] if line.strip()]
    items: dict[str, list[str]] = {}
    current: list[str] = []
    for line in lines[at:end]:
        item = _GOOGLE_ITEM.match(line)
        if item and len(line) - len(line.lstrip()) == min(indents):
            current = items.setdefault(item[1], [item[2] or ""])
        else:
            current.append(line)
    return end, items


def _numpy(lines: list[str], at: int) -> tuple[int, dict[str, list[str]]]:
    items: dict[str, list[str]] = {}
    while at < len(lines):
        item = _NUMPY_ITEM.match(lines[at])
        end = _indented(lines, at + 1)
        underlined = at + 1 < len(lines) and re.fullmatch(r"-{3,}\s*", lines[at + 1])
        if not item or underlined or end == at + 1:
            break
        for name in re.split(r"\s*,\s*", item[1]):
            items[name] = lines[at + 1 : end]
        at = end
    return at, items
