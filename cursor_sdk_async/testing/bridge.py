"""Start the scripted bridge: ``python -m cursor_sdk_async.testing.bridge``, or this file by its path.

Started by path, the package is found next to this file, and neither the working directory nor this one is
searched for modules: a workspace with a ``json.py`` in it changes nothing.
"""

from __future__ import annotations

import os
import sys

__all__ = ["main"]


def main() -> int:
    """Run until asked to end; the exit code."""
    from cursor_sdk_async.testing._process import run

    return run(sys.argv[1:])


if __name__ == "__main__":
    if not __package__:
        root: str = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
        sys.path[0:1] = []
        sys.path.append(root)
    sys.exit(main())
