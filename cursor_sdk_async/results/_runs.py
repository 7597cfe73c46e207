"""What became of a run."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from cursor_sdk_async._shown import Shown
from cursor_sdk_async.errors import CursorSDKError
from cursor_sdk_async.options import ModelSelection, RunResultStatus, RunStatus
from cursor_sdk_async.options._read import each, first, integer, mapping, object_of, optional_text, text
from cursor_sdk_async.options._record import Record
from cursor_sdk_async.results._usage import TokenUsage

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["RunError", "RunGitBranchInfo", "RunGitInfo", "RunResult", "RunSnapshot", "run_status"]

_PREFIX = "RUN_LIFECYCLE_STATUS_"
_STATUS: dict[str, RunStatus] = {
    "creating": "running",
    "running": "running",
    "finished": "finished",
    "error": "error",
    "cancelled": "cancelled",
    "expired": "expired",
}


def run_status(word: object) -> RunStatus:
    """The status for a word of the wire. A word that is absent or not known counts as an error."""
    if not isinstance(word, str):
        return "error"
    return _STATUS.get(word.removeprefix(_PREFIX).lower(), "error")


class RunError(NamedTuple):
    """Why a run failed: a short code, if there was one, and a sentence."""

    code: str | None
    message: str


@dataclass(frozen=True, slots=True, repr=False)
class RunGitBranchInfo(Record):
    """A branch that the agent made.

    Attributes:
        repo_url: The repository, without a scheme.
        branch: The branch.
        pr_url: Its pull request, empty when there is none.
    """

    repo_url: str
    branch: str = ""
    pr_url: str = ""

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> RunGitBranchInfo:
        """Read a mapping with keys in either spelling."""
        value = object_of(value, "A branch")
        url, pull = first(value, "repoUrl", "repo_url"), first(value, "prUrl", "pr_url")
        return cls(text(url), text(value.get("branch")), text(pull))


@dataclass(frozen=True, slots=True, repr=False)
class RunGitInfo(Record):
    """The branches of an agent."""

    branches: Sequence[RunGitBranchInfo] = ()

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> RunGitInfo:
        """Read a mapping."""
        value = object_of(value, "The branches of a run")
        return cls(each(value.get("branches"), RunGitBranchInfo.from_json))


@dataclass(frozen=True, slots=True, repr=False)
class RunResult(Record, Shown):
    """How a run ended.

    Attributes:
        id: The run.
        agent_id: Its agent.
        status: ``"finished"``, ``"error"``, ``"cancelled"`` or ``"expired"``; ``"running"`` in a snapshot.
        result: The final text of the assistant; may be empty though the run finished.
        model: The model, where the bridge says it.
        duration_ms: How long it took, in milliseconds.
        git: Branches and pull requests.
        created_at: When it was created, RFC 3339.
        usage: Tokens; ``None`` when they were not reported.
        error_code: The short code of a failure, if there is one.
        error_message: The reason of a failure.
    """

    id: str
    agent_id: str
    status: RunResultStatus | RunStatus
    result: str = ""
    model: ModelSelection | None = None
    duration_ms: int = 0
    git: RunGitInfo | None = None
    created_at: str | None = None
    usage: TokenUsage | None = None
    error_code: str | None = None
    error_message: str | None = None

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Self:
        """Read a mapping with keys in either spelling."""
        value = object_of(value, "A run")
        model, git, usage = (mapping(value.get(name)) for name in ("model", "git", "usage"))
        return cls(
            id=text(first(value, "runId", "run_id", "id")),
            agent_id=text(first(value, "agentId", "agent_id")),
            status=run_status(value.get("status")),
            result=text(value.get("result")),
            model=None if model is None else ModelSelection.from_json(model),
            duration_ms=integer(first(value, "durationMs", "duration_ms")) or 0,
            git=None if git is None else RunGitInfo.from_json(git),
            created_at=optional_text(first(value, "createdAt", "created_at")),
            usage=None if usage is None else TokenUsage.from_json(usage),
            error_code=optional_text(first(value, "errorCode", "error_code")),
            error_message=optional_text(first(value, "errorMessage", "error_message")),
        )

    @property
    def ok(self) -> bool:
        """Whether the run finished as it should."""
        return self.status == "finished"

    @property
    def error(self) -> RunError | None:
        """Why the run failed; ``None`` when it finished or still runs."""
        if self.status in ("finished", "running"):
            return None
        return RunError(self.error_code, self.error_message or f"The run ended with status {self.status!r}.")

    def raise_for_status(self) -> Self:
        """Raise if the run did not finish.

        Returns:
            The result itself, if it did.

        Raises:
            CursorSDKError: It failed, was cancelled, expired, or still runs; ``code`` is its error code, else
                its status.
        """
        if self.ok:
            return self
        reason = self.error_message or (
            "It is still going on." if self.status == "running" else "No reason was given."
        )
        raise CursorSDKError(
            f"Run {self.id} of agent {self.agent_id} has status {self.status!r}: {reason}",
            code=self.error_code or self.status,
        )

    @property
    def run_id(self) -> str:
        """The run, by its old name; use :attr:`id`."""
        warnings.warn("RunResult.run_id is deprecated, use id.", DeprecationWarning, stacklevel=2)
        return self.id


@dataclass(frozen=True, slots=True, repr=False)
class RunSnapshot(RunResult):
    """The state of a run when it was asked for; it may still be running."""
