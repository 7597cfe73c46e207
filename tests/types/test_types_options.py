"""What users pass in: every spelling, every form, no secrets shown."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from base64 import b64encode
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cursor_sdk_async.errors import BadRequestError, ConfigurationError, CursorSDKError
from cursor_sdk_async.options import (
    AgentDefinition,
    AgentDefinitionMcpServer,
    AgentOptions,
    CloudAgentOptions,
    CloudEnvironment,
    CloudRepository,
    CloudSendOptions,
    CustomTool,
    HttpMcpServerConfig,
    LocalAgentOptions,
    LocalAgentStoreConfig,
    LocalSendOptions,
    McpAuth,
    ModelParameterValue,
    ModelSelection,
    SandboxOptions,
    SDKImage,
    SDKImageDimension,
    SendOptions,
    SseMcpServerConfig,
    StdioMcpServerConfig,
    UserMessage,
)
from cursor_sdk_async.options._input import Option, camel
from cursor_sdk_async.options._read import is_list, is_mapping
from tests.types.samples import PROPERTY
from tests.types.test_types_messages import JUNK


def run_tool(arguments: Mapping[str, Any], context: object) -> str:
    return "ran"


FULL_LOCAL = AgentOptions(
    model=ModelSelection("m", (ModelParameterValue("effort", "high"),)),
    api_key="k",
    name="n",
    local=LocalAgentOptions(
        cwd=Path("/work"),
        dirs=["/a", Path("/b")],
        setting_sources=["project", "ALL"],
        sandbox_options=SandboxOptions(enabled=False),
        store=LocalAgentStoreConfig("jsonl", "/store"),
        auto_review=False,
        custom_tools={"t": CustomTool(run_tool, "does it", {"type": "object"})},
    ),
    mcp_servers={
        "web": HttpMcpServerConfig(
            "https://a", headers={"X": ""}, auth=McpAuth("id", "secret", ("read", "write"))
        ),
        "old": SseMcpServerConfig("https://b"),
        "own": StdioMcpServerConfig("npx", ["-y", "x"], {"A": ""}, Path("/c")),
    },
    agents={
        "one": AgentDefinition("d", "p", "inherit", ["web", HttpMcpServerConfig("https://c")]),
        "two": AgentDefinition(
            "d", "p", "m2", [AgentDefinitionMcpServer.inline(HttpMcpServerConfig("https://c"))]
        ),
    },
    agent_id="agent-x",
    mode="plan",
    tools=["shell"],
    disallowed_tools=["task"],
)
LOCAL_JSON: dict[str, Any] = {
    "model": {"id": "m", "params": [{"id": "effort", "value": "high"}]},
    "apiKey": "k",
    "name": "n",
    "local": {
        "cwd": ["/work"],
        "dirs": ["/a", "/b"],
        "settingSources": ["SETTING_SOURCE_PROJECT", "SETTING_SOURCE_ALL"],
        "sandboxOptions": {"enabled": False},
        "store": {"type": "jsonl", "rootDir": "/store"},
        "autoReview": False,
        "customTools": {"t": {"description": "does it", "inputSchema": {"type": "object"}}},
    },
    "mcpServers": {
        "web": {
            "http": {
                "type": "HTTP_MCP_TRANSPORT_TYPE_HTTP",
                "url": "https://a",
                "headers": {"X": ""},
                "auth": {"clientId": "id", "clientSecret": "secret", "scopes": ["read", "write"]},
            }
        },
        "old": {"http": {"type": "HTTP_MCP_TRANSPORT_TYPE_SSE", "url": "https://b"}},
        "own": {"stdio": {"command": "npx", "args": ["-y", "x"], "env": {"A": ""}, "cwd": "/c"}},
    },
    "agents": {
        "one": {
            "description": "d",
            "prompt": "p",
            "inheritModel": True,
            "mcpServers": [
                {"name": "web"},
                {"inlineConfig": {"http": {"type": "HTTP_MCP_TRANSPORT_TYPE_HTTP", "url": "https://c"}}},
            ],
        },
        "two": {
            "description": "d",
            "prompt": "p",
            "model": {"id": "m2"},
            "inheritModel": False,
            "mcpServers": [
                {"inlineConfig": {"http": {"type": "HTTP_MCP_TRANSPORT_TYPE_HTTP", "url": "https://c"}}}
            ],
        },
    },
    "agentId": "agent-x",
    "mode": "AGENT_MODE_OPTION_PLAN",
    "tools": {"names": ["shell"]},
    "disallowedTools": ["task"],
}
FULL_CLOUD = AgentOptions(
    cloud=CloudAgentOptions(
        env=CloudEnvironment("pool", "big"),
        repos=[CloudRepository("https://github.com/o/n", "main", "https://pr"), "o/m"],
        work_on_current_branch=True,
        auto_create_pr=False,
        open_as_cursor_github_app=False,
        skip_reviewer_request=True,
        env_vars={"A": "", "B": "b"},
        metadata={"k": ""},
    )
)
CLOUD_JSON: dict[str, Any] = {
    "cloud": {
        "env": {"type": "CLOUD_ENVIRONMENT_TYPE_POOL", "name": "big"},
        "repos": [
            {"url": "https://github.com/o/n", "startingRef": "main", "prUrl": "https://pr"},
            {"url": "https://github.com/o/m"},
        ],
        "workOnCurrentBranch": True,
        "autoCreatePr": False,
        "openAsCursorGithubApp": False,
        "skipReviewerRequest": True,
        "envVars": {"A": "", "B": "b"},
        "metadata": {"k": ""},
    }
}
FULL_SEND = SendOptions(
    model="m",
    mcp_servers={"own": StdioMcpServerConfig("npx")},
    local=LocalSendOptions(force=True),
    on_step=print,
    on_delta=print,
    mode="agent",
    cloud=CloudSendOptions({"A": ""}),
)
SEND_JSON: dict[str, Any] = {
    "model": {"id": "m"},
    "mcpServers": {"own": {"stdio": {"command": "npx"}}},
    "local": {"force": True},
    "enableDeltas": True,
    "enableSteps": True,
    "mode": "AGENT_MODE_OPTION_AGENT",
    "cloud": {"envVars": {"A": ""}},
}


def as_mapping(value: Any, spell: Callable[[str], str]) -> Any:
    """The mapping form of options, each key spelled as ``spell`` says."""
    if isinstance(value, Option):
        names = [field.name for field in dataclasses.fields(cast("Any", value))]
        given_ = {name: getattr(value, name) for name in names}
        return {spell(name): as_mapping(item, spell) for name, item in given_.items() if item is not None}
    if is_mapping(value):
        return {key: as_mapping(item, spell) for key, item in value.items()}
    return [as_mapping(item, spell) for item in value] if is_list(value) else value


@pytest.mark.promise("TYP-01")
@pytest.mark.parametrize(
    ("options", "expected"),
    [(FULL_LOCAL, LOCAL_JSON), (FULL_CLOUD, CLOUD_JSON), (FULL_SEND, SEND_JSON)],
    ids=["local", "cloud", "send"],
)
def test_every_option_reaches_the_wire(options: Any, expected: dict[str, Any]) -> None:
    assert options.to_json() == expected


@pytest.mark.promise("TYP-01")
@PROPERTY
@given(st.sampled_from([FULL_LOCAL, FULL_CLOUD, FULL_SEND]), st.data())
def test_mappings_in_any_spelling_and_order_are_the_same_options(options: Any, data: st.DataObject) -> None:
    def spell(name: str) -> str:
        return data.draw(st.sampled_from([name, camel(name)]))

    mapping = as_mapping(options, spell)
    order = data.draw(st.permutations(list(mapping)))
    given_ = {key: mapping[key] for key in order}
    before = copy.deepcopy(given_)
    cls = cast("Any", type(options))
    assert cls.from_value(given_).to_json() == options.to_json()
    assert given_ == before


@pytest.mark.promise("TYP-01")
@pytest.mark.parametrize("options", [FULL_LOCAL, FULL_CLOUD, FULL_SEND], ids=["local", "cloud", "send"])
def test_canonical_options_stay_as_they_are(options: Any) -> None:
    cls = cast("Any", type(options))
    assert cls.from_value(cls.from_value(options)) == cls.from_value(options)


@pytest.mark.promise("TYP-01")
@pytest.mark.parametrize(
    ("given_", "expected"),
    [
        ({"api_key": "a", "apiKey": "b"}, {"apiKey": "b"}),
        ({"apiKey": "b", "api_key": "a"}, {"apiKey": "b"}),
        ({"mode": "Plan"}, {"mode": "AGENT_MODE_OPTION_PLAN"}),
        ({"mode": "AGENT_MODE_OPTION_PLAN"}, {"mode": "AGENT_MODE_OPTION_PLAN"}),
        ({"cloud": {"autoCreatePR": True}}, {"cloud": {"autoCreatePr": True}}),
        ({"local": {"dirs": "/a"}}, {"local": {"dirs": ["/a"]}}),
        ({"tools": {"names": ["read"]}}, {"tools": {"names": ["read"]}}),
        ({"model": {"id": "m", "params": []}, "name": "", "agents": {}}, {"model": {"id": "m"}}),
        ({"local": {"custom_tools": []}}, {}),
    ],
)
def test_forms_that_mappings_may_have(given_: dict[str, Any], expected: dict[str, Any]) -> None:
    assert AgentOptions.from_value(given_).to_json() == expected


@pytest.mark.promise("TYP-01")
@pytest.mark.parametrize(
    ("given_", "expected"),
    [
        ({"url": "u"}, {"http": {"type": "HTTP_MCP_TRANSPORT_TYPE_HTTP", "url": "u"}}),
        ({"type": "sse", "url": "u"}, {"http": {"type": "HTTP_MCP_TRANSPORT_TYPE_SSE", "url": "u"}}),
        ({"http": {"url": "u"}}, {"http": {"type": "HTTP_MCP_TRANSPORT_TYPE_HTTP", "url": "u"}}),
        ({"type": "stdio", "command": "c"}, {"stdio": {"command": "c"}}),
        ({"stdio": {"command": "c", "args": []}}, {"stdio": {"command": "c"}}),
    ],
)
def test_forms_that_mcp_servers_may_have(given_: dict[str, Any], expected: dict[str, Any]) -> None:
    assert AgentOptions(mcp_servers={"x": given_}).to_json()["mcpServers"] == {"x": expected}


@pytest.mark.promise("TYP-01")
@pytest.mark.parametrize(
    "auth",
    [
        {"clientId": "i", "clientSecret": "s", "scopes": "a b"},
        {"CLIENT_ID": "i", "CLIENT_SECRET": "s", "SCOPES": ["a", "b"]},
        {"client_id": "i", "client_secret": "s", "scopes": ("a", "b")},
        McpAuth("i", "s", ["a", "b"]),
    ],
)
def test_auth_mappings_in_all_spellings(auth: Any) -> None:
    expected = {"clientId": "i", "clientSecret": "s", "scopes": ["a", "b"]}
    assert HttpMcpServerConfig("u", auth=auth).to_json()["http"]["auth"] == expected


@pytest.mark.promise("TYP-01")
def test_a_sub_agent_given_as_a_mapping_is_the_same_as_the_data_class() -> None:
    mapping = {
        "description": "d",
        "prompt": "p",
        "model": "inherit",
        "mcpServers": [{"name": "x"}, {"url": "u"}],
    }
    data = AgentDefinition(
        "d", "p", mcp_servers=["x", AgentDefinitionMcpServer.inline(HttpMcpServerConfig("u"))]
    )
    assert AgentOptions(agents={"a": mapping}).to_json() == AgentOptions(agents={"a": data}).to_json()


@pytest.mark.promise("TYP-06")
def test_what_is_given_though_empty_stays_given() -> None:
    empty: list[CloudAgentOptions | dict[str, Any]] = [CloudAgentOptions(), {}, CloudAgentOptions(repos=[])]
    for cloud in empty:
        assert AgentOptions(cloud=cloud).to_json() == {"cloud": {}}
    assert AgentOptions(tools=[]).to_json() == {"tools": {"names": []}}
    assert AgentOptions(disallowed_tools=[], mcp_servers={}, local={}).to_json() == {}
    assert CloudAgentOptions(env_vars={"A": ""}).to_json() == {"envVars": {"A": ""}}
    assert LocalAgentOptions(auto_review=False).to_json() == {"autoReview": False}


@pytest.mark.promise("TYP-05")
def test_no_secret_shows_in_a_repr() -> None:
    secret = "CANARY"
    options = AgentOptions(
        api_key=secret,
        cloud=CloudAgentOptions(
            env_vars={"A": secret}, repos=[f"https://x:{secret}@github.com/o/n?t={secret}"]
        ),
        local={"custom_tools": {"t": {"description": secret}}},
        mcp_servers={
            "a": HttpMcpServerConfig(f"https://u:{secret}@h/p?key={secret}", headers={"A": secret}),
            "b": {"command": "c", "env": {"A": secret}},
        },
        extra={"newSecret": secret},
    )
    shown: list[Any] = [
        options,
        AgentOptions.from_value(options),
        options.cloud,
        *(options.mcp_servers or {}).values(),
    ]
    shown += [
        McpAuth("id", secret),
        StdioMcpServerConfig("c", [secret], {"A": secret}),
        CloudSendOptions({"A": secret}),
    ]
    shown += [
        AgentDefinition("d", "p", mcp_servers=[AgentDefinitionMcpServer.inline({"headers": {"A": secret}})])
    ]
    for value in shown:
        if not isinstance(value, dict):
            assert secret not in repr(value)
            assert secret not in str(value)
    assert "cloud=" in repr(options)
    assert len(repr(UserMessage("x" * 10**6, [SDKImage(data="y" * 10**6, mime_type="image/png")]))) < 300
    assert len(repr(SDKImage(data="y" * 10**6, mime_type="image/png"))) < 300


@pytest.mark.promise("TYP-11")
@pytest.mark.parametrize("options", [FULL_LOCAL, FULL_CLOUD, FULL_SEND], ids=["local", "cloud", "send"])
def test_options_are_standard_data_classes(options: Any) -> None:
    assert dataclasses.replace(options, mode="agent").mode == "agent"
    assert dataclasses.asdict(options)["mode"] == options.mode
    assert pickle.loads(pickle.dumps(options)) == copy.deepcopy(options) == options
    with pytest.raises(dataclasses.FrozenInstanceError):
        options.mode = "agent"


@pytest.mark.promise("TYP-02")
@pytest.mark.parametrize(
    ("cls", "given_", "hint"),
    [
        (AgentOptions, {"modle": "m"}, "'model'"),
        (AgentOptions, {"local": {"settingsources": []}}, "Did you mean 'setting_sources'?"),
        (AgentOptions, {"local": {"setting_sources": ["projct"]}}, "Did you mean 'project'?"),
        (AgentOptions, {"cloud": {"env": {"type": "poool"}}}, "Did you mean 'pool'"),
        (AgentOptions, {"mcp_servers": {"x": {"url": "u", "header": {}}}}, "Did you mean 'headers'?"),
        (AgentOptions, {"agents": {"a": {"description": "d", "promt": "p"}}}, "Did you mean 'prompt'?"),
        (SendOptions, {"idempotencykey": "k"}, "Did you mean 'idempotency_key'?"),
        (UserMessage, {"txt": "hi"}, "Did you mean 'text'?"),
    ],
)
def test_the_nearest_name_is_named(cls: Any, given_: dict[str, Any], hint: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        cls.from_value(given_)
    assert hint in str(caught.value)
    assert caught.value.is_safe_to_retry


@pytest.mark.promise("TYP-17")
def test_pictures_come_from_files_bytes_base64_and_urls(tmp_path: Path) -> None:
    data = b"\x89PNG\r\n\x1a\nrest"
    text = b64encode(data).decode()
    expected = {"data": {"data": text, "mimeType": "image/png"}}
    file = tmp_path / "a.png"
    file.write_bytes(data)
    forms: list[Any] = [
        SDKImage.from_file(file),
        SDKImage.from_data(data, "image/png"),
        SDKImage.from_data(text, "image/png"),
        SDKImage.data_image(text, "image/png"),
        {"data": text, "mime_type": "image/png"},
        {"data": text, "mimeType": "image/png"},
        {"data": data},
        {"data": {"data": text, "mimeType": "image/png"}},
    ]
    message = UserMessage("look", forms)
    assert message.to_json() == {"text": "look", "images": [expected] * len(forms)}
    assert SDKImage.from_file(tmp_path / "a.png", mime_type="x/y").mime_type == "x/y"
    odd = tmp_path / "odd"
    odd.write_bytes(b"?")
    assert SDKImage.from_file(odd).mime_type == "application/octet-stream"
    by_url = {"url": {"url": "http://x"}, "dimension": {"width": 1, "height": 2}}
    size = SDKImageDimension(1, 2)
    urls: list[Any] = [
        SDKImage.from_url("http://x", size),
        SDKImage.url_image("http://x", {"width": 1, "height": 2}),
    ]
    urls += [{"url": "http://x", "data": text, "dimension": size}, by_url]
    assert UserMessage("look", urls).to_json()["images"] == [by_url] * 4


@pytest.mark.promise("TYP-17")
@pytest.mark.parametrize(
    "image",
    [
        {},
        {"data": "AAAA"},
        {"url": 5},
        {"data": "AAAA", "mime_type": "x", "dimension": {"width": -1, "height": 1}},
    ],
)
def test_pictures_that_cannot_be_sent_are_refused(image: dict[str, Any]) -> None:
    with pytest.raises((ConfigurationError, BadRequestError)):
        UserMessage.from_value({"text": "", "images": [image]})


@pytest.mark.promise("TYP-12")
@PROPERTY
@given(st.sampled_from([AgentOptions, SendOptions, UserMessage, ModelSelection, LocalAgentOptions]), JUNK)
def test_junk_options_are_refused_with_our_errors(cls: Any, junk: Any) -> None:
    try:
        repr(cls.from_value(junk))
    except CursorSDKError as error:
        message = str(error)
        assert message


@pytest.mark.promise("TYP-12")
@PROPERTY
@given(
    st.dictionaries(
        st.sampled_from([field.name for field in dataclasses.fields(AgentOptions)]),
        JUNK,
        min_size=1,
        max_size=3,
    )
)
def test_junk_in_known_options_is_refused_with_our_errors(junk: dict[str, Any]) -> None:
    try:
        AgentOptions.from_value(junk).to_json()
    except CursorSDKError as error:
        message = str(error)
        assert message
