"""``python -m tests.benchmarks [--smoke | --table]``: all of them; results are printed and written as JSON.

``--smoke`` takes few rounds and keeps nothing: it shows that the benchmarks work, and that both sides
delivered everything. ``--table`` measures nothing, and prints what was written as the table of
``docs/performance.md``.
"""

from __future__ import annotations

import sys

from tests.benchmarks import callbacks, channel, crowd, imports, launch, streams, table

if __name__ == "__main__":
    if "--table" in sys.argv:
        print(table.table())
        sys.exit()
    smoke = "--smoke" in sys.argv
    rounds = 2 if smoke else 15
    callbacks.main(rounds, keep=not smoke)
    channel.main(min(rounds, 7), keep=not smoke)
    imports.main(rounds, keep=not smoke)
    launch.main(1 if smoke else rounds, keep=not smoke)
    crowd.main(1 if smoke else 3, (20,) if smoke else (300, 1000), keep=not smoke)
    streams.main(50 if smoke else 1000, keep=not smoke)
