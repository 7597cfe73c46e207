"""Options of cloud agents, which work on a machine with the repository cloned."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from cursor_sdk_async.options._input import HIDDEN, Option, items_of, join, pruned, read_fields, word_of
from cursor_sdk_async.options._read import optional_text
from cursor_sdk_async.options._record import Record
from cursor_sdk_async.options._refuse import missing, refused
from cursor_sdk_async.options._words import JsonObject

__all__ = ["CloudAgentOptions", "CloudEnvironment", "CloudRepository", "CloudSendOptions"]

ENVIRONMENT = "CLOUD_ENVIRONMENT_TYPE_"
_SHORT_NAME = re.compile(r"[A-Za-z0-9][\w.-]*/[\w.-]+")


@dataclass(frozen=True, slots=True, repr=False)
class CloudEnvironment(Record, Option):
    """Where a cloud agent runs.

    Attributes:
        type: ``"cloud"`` (hosted by Cursor), ``"pool"`` or ``"machine"`` (self-hosted).
        name: The environment, pool or machine.
    """

    type: str = "cloud"
    name: str | None = None

    @classmethod
    def from_value(cls, value: object, where: str = "env") -> CloudEnvironment:
        """Read an instance or a mapping."""
        found = read_fields(cls, value, where)
        words = ("cloud", "pool", "machine")
        return cls(
            word_of(found.get("type"), join(where, "type"), words, ENVIRONMENT) or "cloud", found.get("name")
        )

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> CloudEnvironment:
        """Read what the bridge sent; a type that is not known here stays as it came."""
        word = str(value.get("type") or "cloud")
        return cls(word.removeprefix(ENVIRONMENT).lower(), optional_text(value.get("name")))

    def to_json(self) -> JsonObject:
        """The form on the wire."""
        exact = CloudEnvironment.from_value(self)
        return pruned({"type": f"{ENVIRONMENT}{exact.type.upper()}", "name": exact.name})


@dataclass(frozen=True, slots=True, repr=False)
class CloudRepository(Option):
    """A repository that a cloud agent works on.

    Attributes:
        url: Its address.
        starting_ref: The branch, tag or commit to start from.
        pr_url: A pull request to work on.
    """

    url: str
    starting_ref: str | None = None
    pr_url: str | None = None

    @classmethod
    def from_value(cls, value: object, where: str = "repository") -> CloudRepository:
        """Read an address, an ``owner/name`` of GitHub, an instance, or a mapping."""
        found = {"url": value} if isinstance(value, str) else read_fields(cls, value, where)
        url = found["url"]
        if isinstance(url, str):
            url = url.strip()
            if "/" not in url:
                raise missing(join(where, "url"), "give a repository as an address or as owner/name")
            found["url"] = f"https://github.com/{url}" if _SHORT_NAME.fullmatch(url) else url
        return cls(**found)

    def to_json(self) -> JsonObject:
        """The form on the wire."""
        exact = CloudRepository.from_value(self)
        return pruned({"url": exact.url, "startingRef": exact.starting_ref, "prUrl": exact.pr_url})


@dataclass(frozen=True, slots=True, repr=False)
class CloudAgentOptions(Option):
    """Options of a cloud agent. Giving them, even empty, makes the agent a cloud agent.

    Attributes:
        env: Where it runs; hosted by Cursor when absent.
        repos: What it works on; none is possible.
        work_on_current_branch: Commit to the starting branch instead of a new one.
        auto_create_pr: Open a pull request at the end.
        open_as_cursor_github_app: Open it as the Cursor app instead of as the user.
        skip_reviewer_request: Do not ask for a review.
        env_vars: Environment variables for the life of the agent; never shown.
        metadata: Labels of your own.
    """

    ALIASES: ClassVar[Mapping[str, str]] = {"autoCreatePR": "auto_create_pr"}

    env: CloudEnvironment | Mapping[str, Any] | None = None
    repos: Sequence[CloudRepository | Mapping[str, Any] | str] | None = None
    work_on_current_branch: bool | None = None
    auto_create_pr: bool | None = None
    open_as_cursor_github_app: bool | None = None
    skip_reviewer_request: bool | None = None
    env_vars: Mapping[str, str] | None = field(default=None, metadata=HIDDEN)
    metadata: Mapping[str, str] | None = None

    @classmethod
    def from_value(cls, value: object, where: str = "cloud") -> CloudAgentOptions:
        """Read an instance or a mapping."""
        found = read_fields(cls, value, where)
        if found.get("env") is not None:
            found["env"] = CloudEnvironment.from_value(found["env"], join(where, "env"))
        repos = found.get("repos")
        if isinstance(repos, str):
            raise refused(f"{join(where, 'repos')} is a list of repositories; put the one into a list.")
        found["repos"] = items_of(repos, join(where, "repos"), CloudRepository.from_value)
        return cls(**found)

    def to_json(self) -> JsonObject:
        """The form on the wire."""
        exact = CloudAgentOptions.from_value(self)
        env = exact.env
        return pruned(
            {
                "env": None if env is None else CloudEnvironment.from_value(env).to_json(),
                "repos": [CloudRepository.from_value(repo).to_json() for repo in exact.repos or ()],
                "workOnCurrentBranch": exact.work_on_current_branch,
                "autoCreatePr": exact.auto_create_pr,
                "openAsCursorGithubApp": exact.open_as_cursor_github_app,
                "skipReviewerRequest": exact.skip_reviewer_request,
                "envVars": dict(exact.env_vars or {}),
                "metadata": dict(exact.metadata or {}),
            }
        )


@dataclass(frozen=True, slots=True, repr=False)
class CloudSendOptions(Option):
    """Options of one prompt to a cloud agent.

    Attributes:
        env_vars: Environment variables of this run; they win over the agent's. Never shown.
    """

    env_vars: Mapping[str, str] | None = field(default=None, metadata=HIDDEN)

    @classmethod
    def from_value(cls, value: object, where: str = "cloud") -> CloudSendOptions:
        """Read an instance or a mapping."""
        return cls(**read_fields(cls, value, where))

    def to_json(self) -> JsonObject:
        """The form on the wire."""
        return pruned({"envVars": dict(self.env_vars or {})})
