"""What is known of agents: their description, messages and files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from cursor_sdk_async.options import CloudEnvironment
from cursor_sdk_async.options._read import (
    first,
    integer,
    integral,
    is_list,
    mapping,
    object_of,
    optional_text,
    text,
)
from cursor_sdk_async.options._record import Record

__all__ = ["AgentMessage", "SDKAgentInfo", "SDKArtifact", "SdkArtifact"]


def _no_metadata() -> Mapping[str, str]:
    return {}


@dataclass(frozen=True, slots=True, repr=False)
class SDKAgentInfo(Record):
    """An agent, as reads and lists show it.

    Attributes:
        agent_id: Its id.
        name: Its name.
        summary: What it is about; the name again for cloud agents.
        last_modified: When it changed, RFC 3339.
        status: ``"running"``, ``"finished"``, ``"error"``, or ``None``; cloud agents have none.
        created_at: When it was created, RFC 3339.
        archived: Whether it is in the archive.
        runtime: ``"local"`` or ``"cloud"``.
        cwd: The directory of a local agent.
        env: Where a cloud agent runs.
        repos: The repositories of a cloud agent; lists leave them out.
        metadata: The labels of a cloud agent.
    """

    agent_id: str
    name: str
    summary: str
    last_modified: str | None = None
    status: str | None = None
    created_at: str | None = None
    archived: bool = False
    runtime: Literal["local", "cloud"] | None = None
    cwd: str = ""
    env: CloudEnvironment | None = None
    repos: Sequence[str] = ()
    metadata: Mapping[str, str] = field(default_factory=_no_metadata, hash=False)

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> SDKAgentInfo:
        """Read what the bridge sent, or what :meth:`to_dict` gave."""
        value = object_of(value, "An agent")
        local, cloud = mapping(value.get("local")), mapping(value.get("cloud"))
        runtime = value.get("runtime")
        if local is not None or cloud is not None:  # presence counts, an empty one is one
            runtime = "local" if local is not None else "cloud"
        place = local if local is not None else cloud if cloud is not None else value
        env, repos, metadata = mapping(place.get("env")), place.get("repos"), mapping(place.get("metadata"))
        return cls(
            agent_id=text(first(value, "agentId", "agent_id")),
            name=text(value.get("name")),
            summary=text(value.get("summary")),
            last_modified=optional_text(first(value, "lastModified", "last_modified")),
            status=_agent_status(value.get("status")),
            created_at=optional_text(first(value, "createdAt", "created_at")),
            archived=value.get("archived") is True,
            runtime="local" if runtime == "local" else "cloud" if runtime == "cloud" else None,
            cwd=text(place.get("cwd")),
            env=None if env is None else CloudEnvironment.from_json(env),
            repos=tuple(map(text, repos)) if is_list(repos) else (),
            metadata={} if metadata is None else {key: text(item) for key, item in metadata.items()},
        )


def _agent_status(word: object) -> str | None:
    """The word in lower case, known here or not; ``None`` when it is absent or unspecified."""
    if not isinstance(word, str) or not word:
        return None
    status = word.removeprefix("AGENT_INFO_STATUS_").lower()
    return None if status == "unspecified" else status


@dataclass(frozen=True, slots=True, repr=False)
class AgentMessage(Record):
    """A stored message of a local agent.

    Attributes:
        type: Its kind.
        uuid: Its id.
        agent_id: Its agent.
        message: Its content, as the bridge gives it; not a stable format.
    """

    type: str
    uuid: str
    agent_id: str
    message: Any = field(default=None, hash=False)

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> AgentMessage:
        """Read a mapping with keys in either spelling."""
        value = object_of(value, "A message")
        agent = first(value, "agentId", "agent_id")
        return cls(
            text(value.get("type")), text(value.get("uuid")), text(agent), integral(value.get("message"))
        )


@dataclass(frozen=True, slots=True, repr=False)
class SDKArtifact(Record):
    """A file that a cloud agent made.

    Attributes:
        path: Its path, for ``download_artifact()``.
        size_bytes: Its size.
        updated_at: When it was written.
    """

    path: str
    size_bytes: int = 0
    updated_at: str = ""

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> SDKArtifact:
        """Read a mapping with keys in either spelling."""
        value = object_of(value, "An artifact")
        size = integer(first(value, "sizeBytes", "size_bytes")) or 0
        return cls(text(value.get("path")), size, text(first(value, "updatedAt", "updated_at")))


SdkArtifact = SDKArtifact
