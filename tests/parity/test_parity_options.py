"""Each option on its own, sent in both codecs to the scripted bridge, and read back from what it recorded."""

from __future__ import annotations

import dataclasses
from collections.abc import AsyncIterator, Callable
from typing import Any
from uuid import uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cursor_sdk_async import (
    AgentOptions,
    AsyncClient,
    CloudAgentOptions,
    CursorSDKError,
    LocalAgentOptions,
    SDKImage,
    SendOptions,
    UserMessage,
    _convert,
    _validate,
)
from cursor_sdk_async._connect._codec import encode_request
from cursor_sdk_async._connect._methods import METHODS
from cursor_sdk_async.options._input import camel
from cursor_sdk_async.options._read import is_list, is_mapping
from cursor_sdk_async.testing import Script, ScriptedBridge, ScriptedControl
from tests.client.conftest import KEY
from tests.types.samples import PROPERTY
from tests.types.test_types_options import (
    CLOUD_JSON,
    FULL_CLOUD,
    FULL_LOCAL,
    FULL_SEND,
    LOCAL_JSON,
    SEND_JSON,
    as_mapping,
)

pytestmark = [pytest.mark.anyio, pytest.mark.promise("SUR-07")]

#: Field, the options with only that, and what the request must hold.
Row = tuple[str, Any, dict[str, Any]]
WIRE_OF_SEND = {"on_step": "enableSteps", "on_delta": "enableDeltas"}


def rows(full: Any, expected: dict[str, Any], wire: dict[str, str] | None = None) -> list[Row]:
    """One row for each field that ``full`` gives."""
    found: list[Row] = []
    for field in dataclasses.fields(full):
        value, name = getattr(full, field.name), (wire or {}).get(field.name, camel(field.name))
        if value is not None:
            found.append((field.name, type(full)(**{field.name: value}), {name: expected[name]}))
    return found


def names(table: list[Row]) -> list[str]:
    return [row[0] for row in table]


AGENT = [row for row in rows(FULL_LOCAL, LOCAL_JSON) if row[0] != "local"]
LOCAL = rows(FULL_LOCAL.local, LOCAL_JSON["local"])
CLOUD = rows(FULL_CLOUD.cloud, CLOUD_JSON["cloud"])
SEND = [row for row in rows(FULL_SEND, SEND_JSON, WIRE_OF_SEND) if row[0] not in ("local", "cloud")]


@pytest.fixture(params=["proto", "json"])
async def coded(
    shared_bridge: ScriptedBridge, control: ScriptedControl, request: pytest.FixtureRequest
) -> AsyncIterator[AsyncClient]:
    """A client that writes everything in one codec."""
    models = [{"id": "m", "displayName": "M"}, {"id": "scripted", "displayName": "S"}]
    control.set_script(Script(models=models))
    async with AsyncClient.connect(
        shared_bridge.url, shared_bridge.token, api_key=KEY, codec=request.param
    ) as client:
        control.forget()
        yield client


def recorded(control: ScriptedControl, rpc: str) -> dict[str, Any]:
    (row,) = control.requests(rpc)
    body: dict[str, Any] = row["body"]
    return body


def holds(found: Any, expected: Any) -> bool:
    """Whether all that is expected is there; a ``False`` that is the default need not be written."""
    if is_mapping(expected):
        return all(
            holds(found.get(key, False if value is False else None), value) for key, value in expected.items()
        )
    if is_list(expected):
        return len(found) == len(expected) and all(map(holds, found, expected))
    return bool(found == expected)


@pytest.mark.parametrize(("name", "options", "expected"), AGENT, ids=names(AGENT))
async def test_each_option_of_an_agent_arrives(
    coded: AsyncClient, control: ScriptedControl, name: str, options: AgentOptions, expected: dict[str, Any]
) -> None:
    if name == "agent_id":
        expected = {"agentId": f"agent-{uuid4()}"}
        options = AgentOptions(agent_id=expected["agentId"])
    model = None if name == "model" else "scripted"
    async with await coded.agents.create(options, local={}, model=model):
        found = recorded(control, "CreateAgent")["options"]
    assert holds(found, expected), found


@pytest.mark.parametrize(("name", "local", "expected"), LOCAL, ids=names(LOCAL))
async def test_each_option_of_a_local_agent_arrives(
    coded: AsyncClient,
    control: ScriptedControl,
    name: str,
    local: LocalAgentOptions,
    expected: dict[str, Any],
) -> None:
    try:
        await (await coded.agents.create(model="scripted", local=local)).close()
    except CursorSDKError:
        assert name == "custom_tools"  # the bridge has nobody to call them here; it was told all the same
    found = recorded(control, "CreateAgent")["options"]["local"]
    assert holds(found, expected), found


@pytest.mark.parametrize(("name", "cloud", "expected"), CLOUD, ids=names(CLOUD))
async def test_each_option_of_a_cloud_agent_arrives(
    coded: AsyncClient,
    control: ScriptedControl,
    name: str,
    cloud: CloudAgentOptions,
    expected: dict[str, Any],
) -> None:
    key = str(uuid4())
    async with await coded.agents.create(cloud=cloud, idempotency_key=key):
        body = recorded(control, "CreateAgent")
    assert holds(body["options"]["cloud"], expected), body
    assert body["idempotencyKey"] == key


@pytest.mark.parametrize(("name", "options", "expected"), SEND, ids=names(SEND))
async def test_each_option_of_a_prompt_arrives(
    coded: AsyncClient, control: ScriptedControl, name: str, options: SendOptions, expected: dict[str, Any]
) -> None:
    async with await coded.agents.create(model="scripted", local={}) as agent:
        await agent.prompt(UserMessage("look", [SDKImage.from_data(b"png", "image/png")]), options)
    body = recorded(control, "Send")
    assert holds(body["options"], expected), body
    image = {"data": {"data": "cG5n", "mimeType": "image/png"}}
    assert body["message"] == {"text": "look", "images": [image]}


async def test_the_options_of_a_cloud_and_of_a_local_prompt_arrive(
    coded: AsyncClient, control: ScriptedControl
) -> None:
    key = str(uuid4())
    async with await coded.agents.create(cloud={}) as agent:
        await agent.prompt("hi", {"cloud": {"envVars": {"A": ""}}}, idempotency_key=key)
    body = recorded(control, "Send")
    assert (body["options"]["cloud"], body["idempotencyKey"]) == ({"envVars": {"A": ""}}, key)
    control.forget()
    async with await coded.agents.create(model="scripted", local={}) as agent:
        await agent.prompt("hi", {"local": {"force": True}})
    assert recorded(control, "Send")["options"]["local"] == {"force": True}


def shuffled(value: Any, order: Callable[[list[Any]], list[Any]]) -> Any:
    if is_mapping(value):
        return {key: shuffled(item, order) for key, item in order(list(value.items()))}
    return [shuffled(item, order) for item in value] if is_list(value) else value


@given(st.sampled_from([FULL_LOCAL, FULL_CLOUD]), st.data())
@PROPERTY
def test_a_mapping_in_either_spelling_and_any_order_gives_the_bytes_of_the_data_class(
    options: AgentOptions, data: st.DataObject
) -> None:
    def spell(name: str) -> str:
        return data.draw(st.sampled_from([name, camel(name)]))

    mapping = shuffled(as_mapping(options, spell), lambda items: data.draw(st.permutations(items)))
    assert sent(mapping) == sent(options)


def sent(options: Any) -> list[bytes]:
    """The request in both codecs; the order of names in a table is the caller's, so it is sorted away."""
    chosen = _validate.agent_options(options)
    request = _convert.resume_agent_request(
        "bc-1" if chosen.cloud else "agent-1", chosen, api_key="k"
    ).message()
    method = METHODS["SdkAgentService/ResumeAgent"]
    return [bytes(sorted(encode_request(method, request, codec))) for codec in ("proto", "json")]


@given(st.data())
@PROPERTY
def test_the_same_holds_for_the_options_of_a_prompt(data: st.DataObject) -> None:
    def spell(name: str) -> str:
        return data.draw(st.sampled_from([name, camel(name)]))

    mapping = shuffled(as_mapping(FULL_SEND, spell), lambda items: data.draw(st.permutations(items)))
    requests = [
        _convert.send_request("bc-1", _validate.user_message("hi"), _validate.send_options(options)).message()
        for options in (mapping, FULL_SEND)
    ]
    assert bytes(requests[0]) == bytes(requests[1])
