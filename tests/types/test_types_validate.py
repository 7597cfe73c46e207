"""Checks of options: types, rules, keywords over options."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cursor_sdk_async import _validate
from cursor_sdk_async.errors import BadRequestError, ConfigurationError, CursorSDKError
from cursor_sdk_async.options import (
    AgentOptions,
    CloudAgentOptions,
    CustomTool,
    LocalAgentOptions,
    ModelParameterValue,
    ModelSelection,
    OptionTypeError,
    SendOptions,
    UserMessage,
)
from tests.types.samples import PROPERTY
from tests.types.test_types_messages import JUNK
from tests.types.test_types_options import FULL_CLOUD, FULL_LOCAL, FULL_SEND, as_mapping, run_tool


@pytest.mark.promise("TYP-01")
@pytest.mark.parametrize("options", [FULL_LOCAL, FULL_CLOUD], ids=["local", "cloud"])
def test_options_keywords_and_both_mixed_are_the_same(options: AgentOptions) -> None:
    expected = options.to_json()
    mapping = as_mapping(options, str)
    keywords = {name: getattr(options, name) for name in mapping}
    first = dict(list(mapping.items())[:3])
    rest = dict(list(mapping.items())[3:])
    for chosen in (
        _validate.agent_options(options),
        _validate.agent_options(mapping),
        _validate.agent_options(**keywords),
        _validate.agent_options(None, **mapping),
        _validate.agent_options(first, **rest),
        _validate.agent_options(AgentOptions(name="other"), **mapping) if options.name else options,
    ):
        assert chosen.to_json() == expected


@pytest.mark.promise("TYP-01")
def test_no_options_are_options() -> None:
    assert _validate.agent_options() == AgentOptions()
    assert _validate.send_options(None) == SendOptions()
    assert _validate.user_message("hi") == UserMessage("hi")
    assert _validate.model_selection("m") == ModelSelection("m")


@pytest.mark.promise("TYP-03")
@pytest.mark.parametrize(
    ("given_", "message"),
    [
        ({"name": 5}, "name must be text, but it is an int"),
        ({"model": 5}, "model must be ModelSelection or a mapping, but it is an int"),
        ({"model": {"id": 5}}, "model.id must be text, but it is an int"),
        ({"local": []}, "local must be LocalAgentOptions or a mapping, but it is an empty list"),
        ({"local": {"auto_review": 1}}, "local.auto_review must be True or False, but it is an int"),
        ({"local": {"cwd": 5}}, "local.cwd must be a path"),
        ({"local": {"cwd": b"x"}}, "local.cwd must be a path"),
        (
            {"local": {"sandbox_options": {"enabled": "yes"}}},
            "local.sandbox_options.enabled must be True or False",
        ),
        (
            {"local": {"custom_tools": {"t": {"execute": 1}}}},
            "local.custom_tools.t.execute must be a function",
        ),
        (
            {"local": {"custom_tools": {"t": {"execute": run_tool, "description": 1}}}},
            "t.description must be text",
        ),
        ({"cloud": {"env_vars": {"A": 1}}}, "cloud.env_vars.A must be text, but it is an int"),
        ({"cloud": {"env_vars": {1: "a"}}}, "A key of cloud.env_vars must be text, but it is an int"),
        ({"cloud": {"metadata": ["a"]}}, "cloud.metadata must be a mapping"),
        ({"cloud": {"repos": "o/n"}}, "put the one into a list"),
        ({"cloud": {"repos": [5]}}, r"cloud.repos\[0\] must be CloudRepository"),
        ({"tools": "shell"}, "tools must be a list, but it is a str of length 5"),
        ({"tools": [None]}, r"tools\[0\] must be the name of a tool, but it is None"),
        ({"mcp_servers": {"x": {"command": "c", "args": [1]}}}, r"mcp_servers.x.args\[0\] must be text"),
        ({"mcp_servers": {"x": {"url": "u", "headers": {"A": b""}}}}, "mcp_servers.x.headers.A must be text"),
        ({"mcp_servers": {"x": "https://a"}}, "mcp_servers.x must be an MCP server"),
        ({"mode": 5}, "mode must be one of the words agent, plan"),
        ({"extra": [1]}, "extra must be a mapping"),
        ({1: 2}, "There is no option an int"),
    ],
)
def test_values_of_the_wrong_type_are_refused(given_: Any, message: str) -> None:
    with pytest.raises((BadRequestError, ConfigurationError), match=message) as caught:
        _validate.agent_options(given_)
    assert caught.value.is_safe_to_retry


@pytest.mark.promise("TYP-03")
def test_a_list_of_working_directories_is_a_type_error() -> None:
    with pytest.raises(TypeError, match="further directories go into dirs"):
        _validate.agent_options({"local": {"cwd": ["/a", "/b"]}})


@pytest.mark.promise("TYP-03")
@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: _validate.agent_options("m"), "options must be AgentOptions or a mapping"),  # type: ignore[arg-type]
        (lambda: _validate.send_options({"on_delta": 5}), "on_delta must be a function"),
        (lambda: _validate.send_options({"local": {"force": "x"}}), "local.force must be True or False"),
        (lambda: _validate.user_message(5), "message must be UserMessage or a mapping"),  # type: ignore[arg-type]
        (lambda: _validate.user_message({"text": None}), "message.text is missing"),
        (lambda: _validate.agent_list_options(limit=-1), "limit must lie between"),
        (lambda: _validate.agent_list_options(limit=True), "limit must be a whole number"),
        (lambda: _validate.agent_list_options(cwd=5), "cwd must be text"),
        (
            lambda: _validate.agent_list_options(include_archived="no"),
            "include_archived must be True or False",
        ),
        (lambda: _validate.agent_list_options({"runtme": "x"}), "Did you mean 'runtime'"),
        (lambda: _validate.run_list_options(runtime="clod"), "Did you mean 'cloud'"),
        (lambda: _validate.run_options(runtime="cloud"), "agent_id is missing"),
        (lambda: _validate.message_list_options(offset=2**32), "offset must lie between"),
        (lambda: _validate.operation_options(api_key=5), "api_key must be text"),
    ],
)
def test_other_options_of_the_wrong_type_are_refused(call: Callable[[], Any], message: str) -> None:
    with pytest.raises((BadRequestError, ConfigurationError), match=message):
        call()


@pytest.mark.promise("TYP-04")
@pytest.mark.parametrize(
    ("given_", "error", "message"),
    [
        ({"cloud": {"metadata": {str(n): "" for n in range(51)}}}, BadRequestError, "51 pairs"),
        ({"cloud": {"metadata": {"": "x"}}}, BadRequestError, "key of length 0"),
        ({"cloud": {"metadata": {"k" * 256: "x"}}}, BadRequestError, "key of length 256"),
        ({"cloud": {"metadata": {"k": "é" * 2049}}}, BadRequestError, "4098 bytes"),
        ({"cloud": {"env_vars": {"CURSOR_X": "x"}}}, BadRequestError, "reserved"),
        ({"cloud": {"env_vars": {"": "x"}}}, BadRequestError, "empty name"),
        (
            {"cloud": {"env_vars": {"A": "x"}}, "agent_id": "bc-1"},
            BadRequestError,
            "agent_id cannot be chosen",
        ),
        ({"cloud": {}, "tools": []}, BadRequestError, "local agents only"),
        ({"cloud": {}, "disallowed_tools": ["task"]}, BadRequestError, "local agents only"),
        (
            {"cloud": {}, "local": {"custom_tools": {"t": CustomTool(run_tool)}}},
            ConfigurationError,
            "cloud agents cannot call",
        ),
        ({"local": {"custom_tools": {"t": {"description": "d"}}}}, ConfigurationError, "has no execute"),
        ({"local": {"store": {"type": "jsonl"}}}, ConfigurationError, "root_dir is missing"),
        ({"local": {"store": {"type": "sqlite", "root_dir": ""}}}, ConfigurationError, "root_dir is missing"),
        ({"mcp_servers": {"x": {}}}, ConfigurationError, "a url .HTTP. or a command"),
        ({"model": " "}, ConfigurationError, "model.id is missing"),
        ({"agents": {"a": {"description": "d"}}}, ConfigurationError, "agents.a.prompt is missing"),
        ({"cloud": {"repos": ["just-a-name"]}}, ConfigurationError, "owner/name"),
    ],
)
def test_what_the_bridge_would_refuse_is_refused_here(
    given_: dict[str, Any], error: type[CursorSDKError], message: str
) -> None:
    with pytest.raises(error, match=message):
        _validate.agent_options(given_)


@pytest.mark.promise("TYP-04")
def test_what_lies_at_the_limit_is_allowed() -> None:
    metadata = {str(n): "" for n in range(49)} | {"k" * 255: "é" * 2048}
    _validate.agent_options(cloud={"metadata": metadata, "env_vars": {"A": ""}}, disallowed_tools=[])


@pytest.mark.promise("TYP-04")
def test_send_options_that_the_bridge_would_refuse_are_refused_here() -> None:
    with pytest.raises(ConfigurationError, match="belong to an agent"):
        _validate.send_options({"local": {"custom_tools": {}}})
    with pytest.raises(BadRequestError, match="reserved"):
        _validate.send_options({"cloud": {"envVars": {"CURSOR_A": ""}}})


@pytest.mark.promise("TYP-07")
def test_keywords_win_and_tables_are_merged() -> None:
    options = AgentOptions(
        model=ModelSelection("a", (ModelParameterValue("x", "y"),)),
        name="below",
        local=LocalAgentOptions(
            cwd="/a", auto_review=True, custom_tools={"t": CustomTool(run_tool, "below")}
        ),
        mcp_servers={"x": {"url": "u"}},
        tools=["shell"],
    )
    chosen = _validate.agent_options(
        options,
        model="b",
        name=None,
        local={"cwd": Path("/b"), "custom_tools": {"s": CustomTool(run_tool)}},
        mcp_servers={"y": {"command": "c"}},
        tools=[],
    )
    assert chosen.model == ModelSelection("b")
    assert (chosen.name, chosen.tools) == ("below", ())
    assert isinstance(chosen.local, LocalAgentOptions)
    assert (chosen.local.cwd, chosen.local.auto_review) == ("/b", True)
    assert set(chosen.local.custom_tools or {}) == {"s", "t"}
    assert set(chosen.mcp_servers or {}) == {"x", "y"}
    assert _validate.local_cwd(chosen) == "/b"
    assert options.name == "below"
    assert set(options.mcp_servers or {}) == {"x"}


@pytest.mark.promise("TYP-07")
def test_a_tool_without_a_function_may_get_it_from_the_keyword() -> None:
    options = {"local": {"custom_tools": {"t": {"description": "d"}}}}
    chosen = _validate.agent_options(options, local={"custom_tools": {"t": {"execute": run_tool}}})
    assert isinstance(chosen.local, LocalAgentOptions)
    assert (chosen.local.custom_tools or {})["t"] == CustomTool(run_tool)


@pytest.mark.promise("TYP-07")
def test_the_keyword_key_of_a_prompt_wins() -> None:
    assert _validate.send_options({"idempotencyKey": "a"}, idempotency_key="b").idempotency_key == "b"
    assert _validate.send_options({"idempotencyKey": "a"}).idempotency_key == "a"
    wanted = _validate.agent_list_options({"limit": 5, "prUrl": "p"}, limit=6, cwd=Path("/a"), pr_url=None)
    assert (wanted.limit, wanted.pr_url, wanted.cwd) == (6, "p", "/a")


@pytest.mark.promise("TYP-01")
def test_callbacks_may_stand_in_a_mapping() -> None:
    options = _validate.send_options({"on_delta": print, "onStep": repr})
    assert (options.on_delta, options.on_step) == (print, repr)
    assert FULL_SEND.to_json()["enableSteps"]


@pytest.mark.promise("TYP-01")
@pytest.mark.parametrize(
    ("keywords", "cloud"),
    [
        ({"agent_id": "bc-1"}, True),
        ({"agent_id": "agent-1"}, False),
        ({}, False),
        ({"agent_id": "bc-1", "runtime": "local"}, False),
        ({"agent_id": "x", "runtime": "RUNTIME_CLOUD"}, True),
        ({"agent_id": "bc-1", "runtime": "auto"}, True),
    ],
)
def test_the_id_of_an_agent_decides_where_a_run_is_looked_for(keywords: dict[str, Any], cloud: bool) -> None:
    assert _validate.run_options(**keywords).cloud is cloud
    assert _validate.run_list_options(**keywords).cloud is cloud


@pytest.mark.promise("TYP-05")
@PROPERTY
@given(
    st.sampled_from(
        ["api_key", "cloud", "local", "mcp_servers", "agents", "model", "extra", "tools", "mode"]
    ),
    JUNK,
)
def test_errors_never_show_a_value(name: str, junk: Any) -> None:
    canary = "CANARY-9f3b"
    for value in ([canary, junk], {"env_vars": {"A": [canary]}}, {"x": {"url": [canary], "headers": canary}}):
        with pytest.raises(CursorSDKError) as caught:
            _validate.agent_options({name: value, "name": 1})
        assert canary not in str(caught.value)
        assert canary not in repr(caught.value.__context__)
        assert canary not in repr(caught.value.__cause__)


@pytest.mark.promise("TYP-12")
@PROPERTY
@given(st.dictionaries(st.sampled_from(["model", "local", "cloud", "mcp_servers", "agents", "tools"]), JUNK))
def test_junk_is_refused_with_our_errors_or_can_be_sent(junk: dict[str, Any]) -> None:
    try:
        chosen = _validate.agent_options(junk)
    except CursorSDKError as error:
        assert error.is_safe_to_retry  # noqa: PT017
    else:
        chosen.to_json()


@pytest.mark.promise("TYP-03")
def test_a_type_error_of_options_is_both_ours_and_pythons() -> None:
    with pytest.raises(OptionTypeError) as caught:
        _validate.agent_options(name=1)
    assert isinstance(caught.value, TypeError)
    assert isinstance(caught.value, BadRequestError)
    assert CloudAgentOptions.from_value({}) == CloudAgentOptions()
