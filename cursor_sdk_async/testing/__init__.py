"""Test your own program without a key and without a network: the scripted bridge.

The scripted bridge is a real process that speaks the real protocol; its agent does what a script says, and
there is a switch for each fault that a program should survive::

    from cursor_sdk_async import AsyncClient
    from cursor_sdk_async.testing import Script, Text, ToolCall, Turn, Usage, scripted_bridge_command

    turn = Turn([Text("Hel"), Text("lo"), ToolCall("read", {"path": "a.py"}, {"status": "success"}), Usage()])
    command = scripted_bridge_command(Script([turn]))
    async with AsyncClient.launch_bridge(command=command, workspace=".") as client: ...

- **What its agent does**: :class:`Script`, :class:`Turn` and the steps (:class:`Text`, :class:`Thinking`,
  :class:`ToolCall`, :class:`CallTool`, :class:`Usage`, :class:`Wait`, :class:`Hold`, :class:`Fail`, …).
- **What goes wrong**: :class:`Faults` with :class:`ProcessFaults`, :class:`CallFault`, :class:`StreamFault`.
- **Looking in from a test**: :class:`ScriptedControl` lists the recorded requests, releases holds, changes
  script and faults: ``ScriptedControl(url, token)``.
- **Without the SDK**: :class:`ScriptedBridge` starts a process.
- :func:`write_launcher` writes a shell script around the command, like the real bridge's launcher.
- Fixtures for pytest: ``pytest_plugins = ["cursor_sdk_async.testing.fixtures"]``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cursor_sdk_async.testing.command import scripted_bridge_command, write_launcher
from cursor_sdk_async.testing.faults import CallFault, Faults, ProcessFaults, StreamFault
from cursor_sdk_async.testing.script import Artifact, Script, Turn
from cursor_sdk_async.testing.steps import (
    Burst,
    CallTool,
    Echo,
    Exit,
    Fail,
    Fill,
    Hold,
    KeepAlive,
    Message,
    RawFrame,
    Status,
    Stderr,
    Step,
    StepFrame,
    Text,
    Thinking,
    ToolCall,
    UnknownArm,
    Update,
    Usage,
    Wait,
)

if TYPE_CHECKING:
    from cursor_sdk_async.testing.process import ScriptedBridge, ScriptedControl

__all__ = [
    "Artifact",
    "Burst",
    "CallFault",
    "CallTool",
    "Echo",
    "Exit",
    "Fail",
    "Faults",
    "Fill",
    "Hold",
    "KeepAlive",
    "Message",
    "ProcessFaults",
    "RawFrame",
    "Script",
    "ScriptedBridge",
    "ScriptedControl",
    "Status",
    "Stderr",
    "Step",
    "StepFrame",
    "StreamFault",
    "Text",
    "Thinking",
    "ToolCall",
    "Turn",
    "UnknownArm",
    "Update",
    "Usage",
    "Wait",
    "scripted_bridge_command",
    "write_launcher",
]


def __getattr__(name: str) -> Any:
    # Not needed by the process itself, whose start-up time counts.
    if name in ("ScriptedBridge", "ScriptedControl"):
        from cursor_sdk_async.testing import process

        return getattr(process, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
