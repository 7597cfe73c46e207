"""How far a run was read, to be stored and gone on from by another process."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from typing_extensions import Self

from cursor_sdk_async.errors import ConfigurationError

__all__ = ["RunPosition"]


@dataclass(frozen=True)
class RunPosition:
    """How far a run was read. It holds no key and nothing of what was said.

    Attributes:
        agent_id: The agent.
        run_id: The run.
        cloud: Whether it is a cloud run.
        cwd: The directory of a local agent, ``None`` for the bridge's workspace.
        count: How many messages were handed out, status and request messages left out.
        digest: A digest over all of them, which proves that a later stream is one of the same run.
    """

    agent_id: str
    run_id: str
    cloud: bool = False
    cwd: str | None = None
    count: int = 0
    digest: str = ""

    def to_dict(self) -> dict[str, Any]:
        """The fields as plain JSON values."""
        return asdict(self)

    @classmethod
    def from_dict(cls, value: Mapping[str, Any]) -> Self:
        """Read what :meth:`to_dict` gave; fields of a newer version are left out.

        Raises:
            ConfigurationError: A field is missing or of the wrong type.
        """
        kinds: dict[str, type | tuple[type, ...]] = {
            "agent_id": str,
            "run_id": str,
            "cloud": bool,
            "cwd": (str, type(None)),
            "count": int,
            "digest": str,
        }
        known = {name: value[name] for name in kinds if name in value}
        for name, kind in kinds.items():
            wrong = name in known and not isinstance(known[name], kind)
            if wrong or (name in ("agent_id", "run_id") and not known.get(name)):
                raise ConfigurationError(
                    f"This is no run position: its {name} is missing or wrong. Pass what "
                    "RunPosition.to_dict() gave.",
                    code="bad_position",
                    is_safe_to_retry=True,
                )
        return cls(**known)
