"""One promised behaviour."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Promise"]


@dataclass(frozen=True)
class Promise:
    """One behaviour that a user may rely on.

    Attributes:
        id: Room prefix and number, such as ``BRG-01``; never reused.
        sentence: What the user sees, in one sentence.
        source: Where it comes from: a section of ``docs/``, a public report, or an issue.
    """

    id: str
    sentence: str
    source: str
