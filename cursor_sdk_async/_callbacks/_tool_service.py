"""``CallCustomTool``: from the bytes of a call to the tool that is meant, or to an error that says why not.

Facts: ``docs/protocol.md``, "Custom tools". Calls are independent: one that comes again under the same id
runs again.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from typing import Any

from cursor_sdk_async._callbacks._executor import Executor, Registration
from cursor_sdk_async._callbacks._request import Answer, refusal
from cursor_sdk_async.options._read import is_mapping

__all__ = ["CALL_TOOL", "ToolService"]

logger = logging.getLogger("cursor_sdk_async.tools")

CALL_TOOL = "/sdk.v1.SdkCustomToolCallbackService/CallCustomTool"
_SHOWN = 100


class ToolService:
    """The tools of all agents of one listener.

    Attributes:
        agents: Who is registered, by agent id.
        executor: Runs the tools; set while the listener serves.
    """

    def __init__(self) -> None:
        self.agents: dict[str, Registration] = {}
        self.executor: Executor | None = None

    def add(self, registration: Registration) -> Registration | None:
        """Register an agent; gives the registration that this one takes the place of."""
        before = self.agents.get(registration.agent_id)
        self.agents[registration.agent_id] = registration
        return before

    def remove(self, registration: Registration) -> None:
        """Take a registration back, unless another one has its place."""
        if self.agents.get(registration.agent_id) is registration:
            del self.agents[registration.agent_id]

    async def handle(self, body: bytes) -> Answer:
        """Answer a call."""
        empty: dict[str, Any] = {}
        try:
            call: Any = json.loads(body)
        except (ValueError, RecursionError):
            return _invalid("The body is not JSON.")
        if not is_mapping(call):
            return _invalid("The body is not a JSON object.")
        agent_id = _text(call, "agentId", "agent_id")
        name = _text(call, "toolName", "tool_name")
        if not agent_id or not name:
            return _invalid(f"{'toolName' if agent_id else 'agentId'} is missing.")
        args: Any = call.get("args")
        args = empty if args is None else args
        if not is_mapping(args):
            return _invalid("args is not an object.")
        registration = self.agents.get(agent_id)
        call_id = _text(call, "toolCallId", "tool_call_id")
        if registration is None or name not in registration.tools:
            return _unknown(agent_id, name, call_id, is_agent=registration is None)
        if self.executor is None:
            return refusal(503, "unavailable", "The callback server is closing.")
        return await self.executor.answer(registration, name, args, call_id)


def _text(call: Mapping[str, Any], camel: str, snake: str) -> str | None:
    value = call.get(camel, call.get(snake))
    return value if isinstance(value, str) and value else None


def _invalid(message: str) -> Answer:
    return refusal(400, "invalid_argument", message)


def _unknown(agent_id: str, name: str, call_id: str | None, *, is_agent: bool) -> Answer:
    agent, tool = agent_id[:_SHOWN], name[:_SHOWN]
    if is_agent:
        message = f"No tools are registered here for agent {agent!r}; tool {tool!r} was asked for."
    else:
        message = f"Agent {agent!r} has no tool {tool!r} here."
    logger.warning(
        "%s Another process may have created the agent, or it was closed.",
        message,
        extra={"agent_id": agent, "tool_name": tool, "tool_call_id": call_id},
    )
    return _invalid(message)
