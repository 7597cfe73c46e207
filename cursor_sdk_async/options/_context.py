"""CustomToolContext: what a tool is told about its call, and what it can say while it works."""

from __future__ import annotations

import logging
from collections.abc import MutableMapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from cursor_sdk_async.errors import ToolError

__all__ = ["CustomToolContext"]

_LOGGER = logging.getLogger("cursor_sdk_async.tools")


if TYPE_CHECKING:
    _Adapter = logging.LoggerAdapter[logging.Logger]
else:
    _Adapter = logging.LoggerAdapter  # has no subscript before Python 3.11


class _CallLogger(_Adapter):
    """Adds the ids of the call to each record, beside what the caller gives."""

    def process(self, msg: Any, kwargs: MutableMapping[str, Any]) -> tuple[Any, MutableMapping[str, Any]]:
        return msg, {**kwargs, "extra": {**(self.extra or {}), **(kwargs.get("extra") or {})}}


@dataclass
class CustomToolContext:
    """What a tool is told about its call. Can be made by hand, to test a tool.

    Attributes:
        tool_call_id: The id of the call, if the bridge gave one.
        agent_id: The agent that calls.
        tool_name: The name that the tool is called by.
    """

    tool_call_id: str | None = None
    agent_id: str | None = None
    tool_name: str | None = None
    _cancelled: bool = field(default=False, init=False, repr=False, compare=False)

    @property
    def cancelled(self) -> bool:
        """Whether nobody waits for the answer any more.

        The run was cancelled, the agent or the client was closed, the bridge hung up, or the call took longer
        than the tool's ``timeout``. May be read in any thread.
        """
        return self._cancelled

    def cancel(self) -> None:
        """Say that nobody waits any more. The client calls this; a test of a tool may."""
        self._cancelled = True

    def check_cancelled(self) -> None:
        """Stop here when nobody waits any more; for blocking tools, which cannot be interrupted.

        Raises:
            ToolError: The call was cancelled (code ``tool_call_cancelled``).
        """
        if self._cancelled:
            raise ToolError(
                "The call was cancelled; nobody waits for its answer.", code="tool_call_cancelled"
            )

    @property
    def logger(self) -> logging.LoggerAdapter[logging.Logger]:
        """The logger ``cursor_sdk_async.tools``, with ``agent_id``, ``tool_name`` and ``tool_call_id``."""
        ids = {"agent_id": self.agent_id, "tool_name": self.tool_name, "tool_call_id": self.tool_call_id}
        return _CallLogger(_LOGGER, ids)

    def log(self, message: str, *args: object, level: int = logging.INFO) -> None:
        """Log a message of this call.

        Args:
            message: The text, with ``%`` places for ``args``.
            args: What stands there.
            level: A level of ``logging``.
        """
        self.logger.log(level, message, *args)

    def progress(self, done: float, total: float | None = None, message: str | None = None) -> None:
        """Log how far the call has come; the model does not see it.

        The record has ``progress_done`` and ``progress_total`` beside the ids.

        Args:
            done: How much is done, in any unit.
            total: How much there is, if that is known.
            message: What is being done.
        """
        of = "" if total is None else f" of {total:g}"
        extra = {"progress_done": done, "progress_total": total}
        self.logger.info("%g%s done%s", done, of, f": {message}" if message else "", extra=extra)
