"""What a benchmark prints and writes: medians, ratios of paired rounds with a bootstrap interval, the
machine.
"""

from __future__ import annotations

import importlib.metadata
import json
import os
import platform
import random
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any

__all__ = ["RESULTS", "machine", "ratio", "write"]

RESULTS = Path(__file__).with_name("results")
PACKAGES = ("anyio", "httptools", "httpx", "betterproto2", "protobuf", "cursor-sdk", "trio")
RESAMPLES = 2000


def ratio(ours: Sequence[float], theirs: Sequence[float]) -> dict[str, float]:
    """The median ratio of paired rounds, with a 95 % bootstrap interval."""
    pairs = [a / b for a, b in zip(ours, theirs, strict=True)]
    random.seed(7)
    medians = sorted(median(random.choices(pairs, k=len(pairs))) for _ in range(RESAMPLES))
    return {
        "median": round(median(pairs), 3),
        "low": round(medians[int(0.025 * RESAMPLES)], 3),
        "high": round(medians[int(0.975 * RESAMPLES)], 3),
    }


def machine() -> dict[str, Any]:
    """Where it was measured, without names or paths."""
    versions = {}
    for name in PACKAGES:
        try:
            versions[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            versions[name] = "not installed"
    return {
        "python": platform.python_version(),
        "system": platform.system(),
        "machine": platform.machine(),
        "cores": os.cpu_count(),
        "packages": versions,
    }


def write(name: str, result: Mapping[str, Any], *, keep: bool = True) -> None:
    """Print a result and, if it is to be kept, write it as JSON."""
    text = json.dumps({"benchmark": name, **result, "where": machine()}, indent=2)
    print(text)
    if keep:
        RESULTS.mkdir(exist_ok=True)
        (RESULTS / f"{name}.json").write_text(text + "\n")
