"""Options of reads and of agent operations; users pass them as keywords or mappings."""

from __future__ import annotations

from dataclasses import dataclass, field
from os import PathLike
from typing import Any, TypeVar

from cursor_sdk_async.options._input import HIDDEN, Option, join, path_text, read_fields, word_of
from cursor_sdk_async.options._refuse import refused, wrong_type
from cursor_sdk_async.options._words import RuntimeOption

__all__ = [
    "AgentListOptions",
    "MessageListOptions",
    "OperationOptions",
    "RunListOptions",
    "RunOptions",
    "read_request",
]

#: The bridge's numbers of this kind have 32 bits.
MAX_COUNT = 2**32 - 1


@dataclass(frozen=True, slots=True, repr=False)
class AgentListOptions(Option):
    """Which agents to list."""

    runtime: RuntimeOption | None = None
    cwd: str | None = None
    include_archived: bool | None = None
    pr_url: str | None = None
    cursor: str | None = None
    limit: int | None = None
    api_key: str | None = field(default=None, metadata=HIDDEN)

    @property
    def cloud(self) -> bool:
        """Whether cloud agents are meant."""
        return self.runtime == "cloud"


@dataclass(frozen=True, slots=True, repr=False)
class RunListOptions(Option):
    """Which runs of an agent to list; the id of the agent decides the runtime when it is not given."""

    runtime: RuntimeOption | None = None
    cwd: str | None = None
    cursor: str | None = None
    limit: int | None = None
    api_key: str | None = field(default=None, metadata=HIDDEN)
    agent_id: str | None = None

    @property
    def cloud(self) -> bool:
        """Whether the agent is a cloud agent."""
        return _is_cloud(self.runtime, self.agent_id)


@dataclass(frozen=True, slots=True, repr=False)
class RunOptions(Option):
    """Where a run lives; the id of the agent decides the runtime when it is not given."""

    runtime: RuntimeOption | None = None
    agent_id: str | None = None
    cwd: str | None = None
    api_key: str | None = field(default=None, metadata=HIDDEN)

    @property
    def cloud(self) -> bool:
        """Whether it is a cloud run."""
        return _is_cloud(self.runtime, self.agent_id)


@dataclass(frozen=True, slots=True, repr=False)
class OperationOptions(Option):
    """Where an agent is."""

    cwd: str | None = None
    api_key: str | None = field(default=None, metadata=HIDDEN)


@dataclass(frozen=True, slots=True, repr=False)
class MessageListOptions(Option):
    """Which messages of an agent to list."""

    limit: int | None = None
    offset: int | None = None
    runtime: RuntimeOption | None = None
    cwd: str | None = None
    api_key: str | None = field(default=None, metadata=HIDDEN)


O = TypeVar("O", bound=Option)  # noqa: E741


def read_request(cls: type[O], options: object, keywords: dict[str, Any]) -> O:
    """Options as an instance, a mapping, keywords, or both; keywords that are not ``None`` win."""
    found = {} if options is None else read_fields(cls, options, "")
    found.update({name: value for name, value in read_fields(cls, keywords, "").items() if value is not None})
    if "runtime" in found:
        found["runtime"] = word_of(found["runtime"], "runtime", ("auto", "local", "cloud"), "RUNTIME_")
    if isinstance(found.get("cwd"), str | PathLike):
        found["cwd"] = path_text(found["cwd"], "cwd")
    for name in ("limit", "offset"):
        count = found.get(name)
        if count is not None and (isinstance(count, bool) or not isinstance(count, int)):
            raise wrong_type(name, count, "a whole number")
        if count is not None and not 0 <= count <= MAX_COUNT:
            raise refused(f"{name} must lie between 0 and {MAX_COUNT}.")
    for name in ("cwd", "pr_url", "cursor", "api_key", "agent_id"):
        if found.get(name) is not None and not isinstance(found[name], str):
            raise wrong_type(join("", name), found[name], "text")
    archived = found.get("include_archived")
    if archived is not None and not isinstance(archived, bool):
        raise wrong_type("include_archived", archived, "True or False")
    return cls(**found)


def _is_cloud(runtime: str | None, agent_id: str | None) -> bool:
    if runtime in ("cloud", "local"):
        return runtime == "cloud"
    return agent_id is not None and agent_id.startswith("bc-")
