"""The warning of older names."""

from __future__ import annotations

from warnings import warn

__all__ = ["older"]


def older(old: str, new: str) -> None:
    """Tell the caller of a method by its older name what to write."""
    warn(f"{old} is the older name; write {new}.", DeprecationWarning, stacklevel=3)
