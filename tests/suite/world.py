"""What the tests of the suite need of a bridge, whichever it is.

The prompt decides what a run does, in both worlds alike. Each prompt may have more words around it.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

__all__ = [
    "COUNT",
    "COUNT_PIECES",
    "COUNT_TEXT",
    "FAIL",
    "HELLO",
    "HELLO_TEXT",
    "HOLD",
    "HOLD_TEXT",
    "PULL",
    "World",
]

#: Thinking, a tool call, an answer in three pieces, usage.
HELLO = "hello"
HELLO_TEXT = "You asked: hello. Done."
#: One piece, then nothing until :meth:`World.release` or a cancel, then another piece, usage.
HOLD = "please hold"
HOLD_TEXT = "Waiting no more."
#: Many pieces at once.
COUNT = "please count"
COUNT_PIECES = tuple(f"{number} ".ljust(20, ".") for number in range(2000))
COUNT_TEXT = "".join(COUNT_PIECES)
#: One piece, then the run fails, with code ``bad_luck`` and message ``No luck.``
FAIL = "please fail"
#: As :data:`HELLO`; an agent with repository and ``auto_create_pr`` opens a pull request.
PULL = "hello, open a pull request"


class World(Protocol):
    """A running bridge with what stands behind it.

    Attributes:
        name: ``real`` or ``scripted``.
        url: Where the bridge is.
        token: Its bearer token.
        workspace: Its workspace.
        artifacts: The files that each cloud agent has, one of more than 2 MiB and an empty one.
    """

    name: str
    url: str
    token: str
    workspace: Path
    artifacts: Mapping[str, bytes]

    def fresh(self) -> None:
        """Forget what the test before asked for; agents stay."""
        ...

    def release(self) -> None:
        """Let the runs of :data:`HOLD` go on, those to come as well."""
        ...

    def refuse_send(self, status: int, code: str) -> None:
        """Let the service refuse the next prompt."""
        ...

    def expect_service_key(self) -> None:
        """From now on the key is that of a service account, as ``SERVICE_KEY`` is."""
        ...

    def stop(self) -> None:
        """End the bridge."""
        ...
