"""``python -m tests.benchmarks [--smoke]``: every benchmark; results are printed and written as JSON."""

from __future__ import annotations

import sys

from tests.benchmarks import imports, launch, streams

if __name__ == "__main__":
    smoke = "--smoke" in sys.argv
    imports.main(2 if smoke else 15)
    launch.main(2 if smoke else 15)
    streams.main(50 if smoke else 1000)
