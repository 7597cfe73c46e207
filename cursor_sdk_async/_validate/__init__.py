"""From what users pass in to checked options in canonical form. Refuses before anything is sent.

Three steps: read (``from_value`` of each option class: spellings, words, nesting), check the types of what is
left (pydantic, imported at the first use), check the rules of the bridge. Errors name the option, the kind of
its value and the remedy, never the value.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any, TypeVar

from cursor_sdk_async._validate._rules import check_agent, check_send
from cursor_sdk_async._validate._types import build_adapters, check_types
from cursor_sdk_async.options import (
    AgentOptions,
    LocalAgentOptions,
    ModelSelection,
    SendOptions,
    UserMessage,
)
from cursor_sdk_async.options._input import Option
from cursor_sdk_async.options._read import is_mapping
from cursor_sdk_async.options._refuse import refused
from cursor_sdk_async.options._requests import (
    AgentListOptions,
    MessageListOptions,
    OperationOptions,
    RunListOptions,
    RunOptions,
    read_request,
)

__all__ = [
    "agent_list_options",
    "agent_options",
    "local_cwd",
    "message_list_options",
    "model_selection",
    "operation_options",
    "run_list_options",
    "run_options",
    "send_options",
    "user_message",
    "warm_up",
]

O = TypeVar("O", bound=Option)  # noqa: E741

#: Options that keywords replace as a whole instead of merging them.
_WHOLE = frozenset({"model", "env", "store"})


def warm_up() -> None:
    """Import pydantic and build what every check needs: about 75 ms, better spent off the event loop.

    Twice, or in several threads at once, is harmless.
    """
    build_adapters()


def agent_options(options: AgentOptions | Mapping[str, Any] | None = None, **keywords: Any) -> AgentOptions:
    """Options of an agent: an instance, a mapping, keywords, or options with keywords over them.

    Keywords that are not ``None`` win. ``local``, ``cloud`` and tables by name are merged, everything else is
    replaced; ``model`` as a whole, so that no parameters are inherited.

    Raises:
        ConfigurationError: An option is unknown or missing, or custom tools cannot be called.
        BadRequestError: A value is of the wrong type or breaks a rule.
    """
    chosen = AgentOptions.from_value(options)
    if keywords:
        chosen = _merged(chosen, AgentOptions.from_value(keywords))
    check_types(chosen)
    check_agent(chosen)
    return chosen


def send_options(
    options: SendOptions | Mapping[str, Any] | None = None, *, idempotency_key: str | None = None
) -> SendOptions:
    """Options of one prompt; the keyword wins over the key in ``options``.

    Raises:
        ConfigurationError: An option is unknown or missing.
        BadRequestError: A value is of the wrong type or breaks a rule.
    """
    chosen = SendOptions.from_value(options)
    if idempotency_key is not None:
        chosen = replace(chosen, idempotency_key=idempotency_key)
    check_types(chosen)
    check_send(chosen)
    return chosen


def user_message(message: str | UserMessage | Mapping[str, Any]) -> UserMessage:
    """A prompt: a text, an instance, or a mapping.

    Raises:
        ConfigurationError: An option is unknown or missing.
        BadRequestError: A value is of the wrong type.
    """
    chosen = UserMessage.from_value(message)
    check_types(chosen, "message")
    return chosen


def model_selection(model: str | ModelSelection | Mapping[str, Any]) -> ModelSelection:
    """A model: its id, an instance, or a mapping.

    Raises:
        ConfigurationError: The id is empty, or an option is unknown.
        BadRequestError: A value is of the wrong type.
    """
    chosen = ModelSelection.from_value(model)
    check_types(chosen, "model")
    return chosen


def local_cwd(options: AgentOptions) -> str | None:
    """The directory of a local agent, if the options, in canonical form, name one."""
    local = options.local
    return local.cwd if isinstance(local, LocalAgentOptions) and isinstance(local.cwd, str) else None


def agent_list_options(
    options: AgentListOptions | Mapping[str, Any] | None = None, **keywords: Any
) -> AgentListOptions:
    """Which agents to list; keywords that are not ``None`` win. Raises as :func:`agent_options` does."""
    return read_request(AgentListOptions, options, keywords)


def run_list_options(
    options: RunListOptions | Mapping[str, Any] | None = None, **keywords: Any
) -> RunListOptions:
    """Which runs of an agent to list; keywords that are not ``None`` win."""
    return read_request(RunListOptions, options, keywords)


def run_options(options: RunOptions | Mapping[str, Any] | None = None, **keywords: Any) -> RunOptions:
    """Where a run lives; keywords that are not ``None`` win.

    Raises:
        BadRequestError: A cloud run without the id of its agent.
    """
    chosen = read_request(RunOptions, options, keywords)
    if chosen.cloud and not chosen.agent_id:
        raise refused("agent_id is missing: a cloud run is found only with the id of its agent.")
    return chosen


def operation_options(
    options: OperationOptions | Mapping[str, Any] | None = None, **keywords: Any
) -> OperationOptions:
    """Where an agent is; keywords that are not ``None`` win."""
    return read_request(OperationOptions, options, keywords)


def message_list_options(
    options: MessageListOptions | Mapping[str, Any] | None = None, **keywords: Any
) -> MessageListOptions:
    """Which messages to list; keywords that are not ``None`` win."""
    return read_request(MessageListOptions, options, keywords)


def _merged(base: O, over: O) -> O:
    """The options of ``over`` that are given, above those of ``base``."""
    changes: dict[str, Any] = {}
    for field in fields(over):  # type: ignore[arg-type]  # every option class is a dataclass
        below, above = getattr(base, field.name), getattr(over, field.name)
        if above is None:
            continue
        if isinstance(above, Option) and type(below) is type(above) and field.name not in _WHOLE:
            above = _merged(below, above)
        elif is_mapping(above) and is_mapping(below):
            above = {**below, **above}
        changes[field.name] = above
    return replace(base, **changes)  # type: ignore[type-var]
