"""The fixed words of the API."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

__all__ = [
    "AgentModeOption",
    "JsonObject",
    "RunOperation",
    "RunResultStatus",
    "RunStatus",
    "RuntimeOption",
    "SettingSource",
]

#: Which settings of the user's machine a local agent reads: ``all`` means every one of them.
SettingSource: TypeAlias = Literal["project", "user", "team", "mdm", "plugins", "all"]
AgentModeOption: TypeAlias = Literal["agent", "plan"]
RunStatus: TypeAlias = Literal["running", "finished", "error", "cancelled", "expired"]
RunResultStatus: TypeAlias = Literal["finished", "error", "cancelled", "expired"]
RunOperation: TypeAlias = Literal["stream", "wait", "cancel", "conversation"]
RuntimeOption: TypeAlias = Literal["local", "cloud", "auto"]
JsonObject: TypeAlias = dict[str, Any]
