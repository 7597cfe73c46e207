"""``python -m tests.benchmarks [--smoke]``: every benchmark; results are printed and written as JSON.

``--smoke`` takes few rounds and keeps nothing: it shows that the benchmarks work.
"""

from __future__ import annotations

import sys

from tests.benchmarks import callbacks, channel, imports, launch, streams

if __name__ == "__main__":
    smoke = "--smoke" in sys.argv
    rounds = 2 if smoke else 15
    callbacks.main(rounds, keep=not smoke)
    channel.main(min(rounds, 7), keep=not smoke)
    imports.main(rounds, keep=not smoke)
    launch.main(rounds, keep=not smoke)
    streams.main(50 if smoke else 1000, keep=not smoke)
