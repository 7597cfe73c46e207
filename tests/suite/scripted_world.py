"""The scripted bridge, with the scripts of the suite."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from cursor_sdk_async.testing import (
    Artifact,
    Burst,
    CallFault,
    Echo,
    Faults,
    Hold,
    Script,
    ScriptedBridge,
    Text,
    Thinking,
    ToolCall,
    Turn,
    Usage,
)
from tests.rest_standin import ACCEPTED_KEY, ARTIFACTS, MODELS, SERVICE_KEY
from tests.suite.world import COUNT, COUNT_PIECES, FAIL, HOLD, PULL

__all__ = ["ScriptedWorld"]

README = {"content": "# Demo\n", "totalLines": 1, "fileSize": 7}
HELLO_STEPS = (
    Thinking("The prompt is short. "),
    Thinking("One look at the readme will do."),
    ToolCall("read", {"path": "README.md"}, {"status": "success", "value": README}),
    Text("You asked: "),
    Echo(),
    Text(". Done."),
    Usage(),
)
PULL_REQUEST = {
    "repoUrl": "github.com/acme/rocket",
    "branch": "cursor/pull",
    "prUrl": "https://github.com/acme/rocket/pull/7",
}
SERVICE = {"apiKeyName": "service", "createdAt": "2026-01-15T09:30:00.000Z"}
SCRIPT = Script(
    turns=(Turn(HELLO_STEPS),),
    by_prompt={
        HOLD: Turn((Text("Waiting"), Hold("go"), Text(" no more."), Usage())),
        COUNT: Turn((Burst(len(COUNT_PIECES)),)),
        FAIL: Turn((Text("Trying"),), status="ERROR", error_code="bad_luck", error_message="No luck."),
        PULL: Turn(HELLO_STEPS, branches=(PULL_REQUEST,)),
    },
    models=[{name: value for name, value in model.items() if name != "aliases"} for model in MODELS],
    artifacts=[Artifact(path, size=len(content)) for path, content in ARTIFACTS.items()],
    accepted_keys=(ACCEPTED_KEY, SERVICE_KEY),
)
#: What the bridge makes of refusals of the service.
REFUSALS = {
    "rate_limited": CallFault(
        "Send",
        code="resource_exhausted",
        message="Scripted failure.",
        sdk_code="RATE_LIMIT_EXCEEDED",
        times=1,
    ),
    "internal_error": CallFault(
        "Send", code="internal", message="[internal_error] Scripted failure.", times=1
    ),
}


class ScriptedWorld:
    """See :class:`tests.suite.world.World`."""

    name = "scripted"

    def __init__(self, workspace: Path) -> None:
        self.workspace = workspace
        self.artifacts: Mapping[str, bytes] = {
            artifact.path: artifact.read() for artifact in SCRIPT.artifacts
        }
        self._bridge = ScriptedBridge(SCRIPT, workspace=workspace)
        self.url, self.token = self._bridge.url, self._bridge.token

    def fresh(self) -> None:
        control = self._bridge.control
        control.forget()
        control.hold("go")
        control.set_faults(Faults())
        control.set_script(SCRIPT)

    def release(self) -> None:
        self._bridge.control.release("go")

    def refuse_send(self, status: int, code: str) -> None:
        self._bridge.control.set_faults(Faults(calls=[REFUSALS[code]]))

    def expect_service_key(self) -> None:
        self._bridge.control.set_script(replace(SCRIPT, user=SERVICE))

    def stop(self) -> None:
        self._bridge.stop()
