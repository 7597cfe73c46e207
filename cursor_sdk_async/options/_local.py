"""Options of local agents, which work on files of this machine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Any

from cursor_sdk_async.errors import ConfigurationError
from cursor_sdk_async.options._input import Option, items_of, join, path_text, pruned, read_fields, word_of
from cursor_sdk_async.options._read import is_list, is_mapping, is_path
from cursor_sdk_async.options._refuse import missing, wrong_type
from cursor_sdk_async.options._tools import CustomTool, custom_tools, custom_tools_json
from cursor_sdk_async.options._words import JsonObject, SettingSource

__all__ = ["LocalAgentOptions", "LocalAgentStoreConfig", "LocalSendOptions", "SandboxOptions"]

SOURCES = ("project", "user", "team", "mdm", "plugins", "all")
STORES = ("sqlite", "jsonl", "custom")


@dataclass(frozen=True, slots=True, repr=False)
class SandboxOptions(Option):
    """Whether the agent's commands run in a sandbox.

    Attributes:
        enabled: On or off; ``None`` is the bridge's default.
    """

    enabled: bool | None = None

    @classmethod
    def from_value(cls, value: object, where: str = "sandbox_options") -> SandboxOptions:
        """Read an instance or a mapping."""
        return cls(**read_fields(cls, value, where))

    def to_json(self) -> JsonObject:
        """The form on the wire."""
        return pruned({"enabled": self.enabled})


@dataclass(frozen=True, slots=True, repr=False)
class LocalAgentStoreConfig(Option):
    """Where a local agent keeps its conversation.

    Attributes:
        type: ``"sqlite"`` (the default of the bridge), ``"jsonl"`` or ``"custom"``.
        root_dir: The directory; ``"jsonl"`` needs one.
    """

    type: str
    root_dir: str | None = None

    @classmethod
    def from_value(cls, value: object, where: str = "store") -> LocalAgentStoreConfig:
        """Read an instance or a mapping."""
        found = read_fields(cls, value, where)
        found["type"] = word_of(found["type"], join(where, "type"), STORES, "")
        found["root_dir"] = path_text(found.get("root_dir"), join(where, "root_dir"))
        if found["type"] is None:
            raise missing(join(where, "type"), f"one of {', '.join(STORES)}")
        given = found["root_dir"]
        if given == "" or (given is None and found["type"] == "jsonl"):
            raise missing(join(where, "root_dir"), "name the directory of the store")
        return cls(**found)

    def to_json(self) -> JsonObject:
        """The form on the wire."""
        exact = LocalAgentStoreConfig.from_value(self)
        return pruned({"type": exact.type, "rootDir": exact.root_dir})


@dataclass(frozen=True, slots=True, repr=False)
class LocalAgentOptions(Option):
    """Options of a local agent.

    Attributes:
        cwd: Its directory; the bridge's workspace when absent.
        dirs: Further directories that it may work in.
        setting_sources: Which settings it reads; without it only what is given inline.
        sandbox_options: Whether its commands run in a sandbox.
        store: Where it keeps its conversation.
        auto_review: Whether a classifier reviews its tool calls.
        custom_tools: Tools by name; not stored, pass them again on resume.
    """

    cwd: str | PathLike[str] | None = None
    dirs: Sequence[str | PathLike[str]] | None = None
    setting_sources: Sequence[SettingSource | str] | None = None
    sandbox_options: SandboxOptions | Mapping[str, Any] | None = None
    store: LocalAgentStoreConfig | Mapping[str, Any] | None = None
    auto_review: bool | None = None
    custom_tools: Mapping[str, CustomTool | Mapping[str, Any]] | None = None

    @classmethod
    def from_value(cls, value: object, where: str = "local") -> LocalAgentOptions:
        """Read an instance or a mapping."""
        found = read_fields(cls, value, where)
        cwd, dirs = found.get("cwd"), found.get("dirs")
        if is_list(cwd):
            raise wrong_type(join(where, "cwd"), cwd, "one path (further directories go into dirs)")
        found["cwd"] = path_text(cwd, join(where, "cwd"))
        if isinstance(dirs, str) or is_path(dirs):
            dirs = [dirs]
        found["dirs"] = items_of(dirs, join(where, "dirs"), path_text)
        found["setting_sources"] = items_of(
            found.get("setting_sources"), join(where, "setting_sources"), _source
        )
        if found.get("sandbox_options") is not None:
            at = join(where, "sandbox_options")
            found["sandbox_options"] = SandboxOptions.from_value(found["sandbox_options"], at)
        if found.get("store") is not None:
            found["store"] = LocalAgentStoreConfig.from_value(found["store"], join(where, "store"))
        found["custom_tools"] = custom_tools(found.get("custom_tools"), join(where, "custom_tools"))
        return cls(**found)

    def to_json(self) -> JsonObject:
        """The form on the wire; the functions of custom tools stay here."""
        exact = LocalAgentOptions.from_value(self)
        sandbox, store = exact.sandbox_options, exact.store
        return pruned(
            {
                "cwd": [exact.cwd] if exact.cwd else None,
                "dirs": list(exact.dirs or ()),
                "settingSources": [f"SETTING_SOURCE_{word.upper()}" for word in exact.setting_sources or ()],
                "sandboxOptions": None if sandbox is None else SandboxOptions.from_value(sandbox).to_json(),
                "store": None if store is None else LocalAgentStoreConfig.from_value(store).to_json(),
                "autoReview": exact.auto_review,
                "customTools": custom_tools_json(exact.custom_tools),
            }
        )


def _source(value: object, where: str) -> str:
    word = word_of(value, where, SOURCES, "SETTING_SOURCE_")
    if word is None:
        raise wrong_type(where, value, f"one of the words {', '.join(SOURCES)}")
    return word


@dataclass(frozen=True, slots=True, repr=False)
class LocalSendOptions(Option):
    """Options of one prompt to a local agent.

    Attributes:
        force: End a run that still keeps the agent busy, for example one of a process that died.
    """

    force: bool | None = None

    @classmethod
    def from_value(cls, value: object, where: str = "local") -> LocalSendOptions:
        """Read an instance or a mapping.

        Raises:
            ConfigurationError: It has ``custom_tools``; those belong to the agent.
        """
        if is_mapping(value) and {"custom_tools", "customTools"}.intersection(value):
            raise ConfigurationError(
                f"{where}.custom_tools: custom tools belong to an agent, not to a prompt. Give them in "
                "local= when the agent is created or resumed.",
                code="custom_tools_unsupported",
                is_safe_to_retry=True,
            )
        return cls(**read_fields(cls, value, where))

    def to_json(self) -> JsonObject:
        """The form on the wire."""
        return pruned({"force": self.force})
