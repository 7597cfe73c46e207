"""The bridge of the wheel, before the stand-in of the public API."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from tests.real.raw_bridge import RawBridge
from tests.rest_standin import ARTIFACTS, RestStandin, Script, failing, held
from tests.rest_standin import script as beats
from tests.suite.world import COUNT, COUNT_PIECES, FAIL, HOLD

__all__ = ["RealWorld"]


class RealWorld:
    """See :class:`tests.suite.world.World`.

    The bridge has no key of its own, so that none hides a missing one.
    """

    name = "real"

    def __init__(
        self, launcher: Path, workspace: Path, environment: Mapping[str, str], standin: RestStandin
    ) -> None:
        variables = {"PATH": os.environ["PATH"], **environment}
        del variables["CURSOR_API_KEY"]
        self.workspace = workspace
        self.artifacts: Mapping[str, bytes] = ARTIFACTS
        self.standin = standin
        self._bridge = RawBridge(launcher, workspace, variables)
        self.url: str = self._bridge.ready["url"]
        self.token = self._bridge.token

    def fresh(self) -> None:
        self.standin.reset()
        self.standin.script(held("go"), when=HOLD, times=None)
        self.standin.script(Script(beats=(beats.burst(len(COUNT_PIECES)),)), when=COUNT, times=None)
        self.standin.script(failing("No luck.", "bad_luck"), when=FAIL, times=None)

    def release(self) -> None:
        self.standin.release("go")

    def refuse_send(self, status: int, code: str) -> None:
        self.standin.fail("POST", "/v1/agents", status=status, code=code)

    def expect_service_key(self) -> None:
        """The stand-in knows by the key."""

    def stop(self) -> None:
        self._bridge.stop()
