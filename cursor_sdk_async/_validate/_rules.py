"""What the bridge or the service would refuse, or drop without a word; refused before anything is sent.

``docs/protocol.md``: Agents. Values are never shown.
"""

from __future__ import annotations

from collections.abc import Mapping

from cursor_sdk_async.errors import ConfigurationError
from cursor_sdk_async.options import (
    AgentOptions,
    CloudAgentOptions,
    CloudSendOptions,
    CustomTool,
    LocalAgentOptions,
    SendOptions,
)
from cursor_sdk_async.options._input import join
from cursor_sdk_async.options._refuse import refused

__all__ = ["check_agent", "check_send"]

METADATA_PAIRS = 50
METADATA_KEY = 255
METADATA_VALUE = 4096
RESERVED = "CURSOR_"


def check_agent(options: AgentOptions) -> None:
    """The rules of agent options, in canonical form.

    Raises:
        BadRequestError: Something that the bridge calls an invalid argument.
        ConfigurationError: Custom tools that cannot be called.
    """
    tools = options.local.custom_tools if isinstance(options.local, LocalAgentOptions) else None
    for name, tool in (tools or {}).items():
        if not isinstance(tool, CustomTool):
            raise _tools_error(
                f"local.custom_tools.{name} has no execute: give the function that does the work."
            )
    cloud = options.cloud
    if not isinstance(cloud, CloudAgentOptions):
        return
    if tools:
        raise _tools_error(
            "local.custom_tools: cloud agents cannot call functions of this process. Use a local agent, or "
            "an MCP server that the cloud can reach."
        )
    for name, value in (("tools", options.tools), ("disallowed_tools", options.disallowed_tools or None)):
        if value is not None:
            raise refused(f"{name} is for local agents only; leave it out for a cloud agent.")
    if cloud.env_vars and options.agent_id:
        raise refused(
            "agent_id cannot be chosen together with cloud.env_vars: the service then makes its own. "
            "Leave one of them out."
        )
    _check_variables(cloud.env_vars, "cloud.env_vars")
    _check_metadata(cloud.metadata, "cloud.metadata")


def check_send(options: SendOptions) -> None:
    """The rules of send options, in canonical form.

    Raises:
        BadRequestError: Something that the bridge calls an invalid argument.
    """
    if isinstance(options.cloud, CloudSendOptions):
        _check_variables(options.cloud.env_vars, "cloud.env_vars")


def _check_variables(variables: Mapping[str, str] | None, where: str) -> None:
    for name in variables or {}:
        if not name:
            raise refused(f"{where} has a variable with an empty name.")
        if name.startswith(RESERVED):
            raise refused(
                f"{join(where, name)}: names that start with {RESERVED} are reserved; choose another."
            )


def _check_metadata(metadata: Mapping[str, str] | None, where: str) -> None:
    pairs = metadata or {}
    if len(pairs) > METADATA_PAIRS:
        raise refused(f"{where} has {len(pairs)} pairs; there can be up to {METADATA_PAIRS}.")
    for key, value in pairs.items():
        if not 1 <= len(key) <= METADATA_KEY:
            raise refused(
                f"{where} has a key of length {len(key)}; keys have 1 to {METADATA_KEY} characters."
            )
        size = len(value.encode("utf-8", "surrogatepass"))
        if size > METADATA_VALUE:
            raise refused(f"{join(where, key)} has {size} bytes; values have up to {METADATA_VALUE}.")


def _tools_error(message: str) -> ConfigurationError:
    return ConfigurationError(message, code="custom_tools_unsupported", is_safe_to_retry=True)
