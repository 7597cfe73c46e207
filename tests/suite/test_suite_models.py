"""Models that are named wrongly, and the next call that names a right one."""

from __future__ import annotations

from typing import Any

import anyio
import pytest

from cursor_sdk_async import AsyncClient
from cursor_sdk_async.errors import BadRequestError, ConfigurationError, CursorSDKError
from tests.suite.steps import cloud_agent
from tests.suite.world import HELLO, HELLO_TEXT

pytestmark = [pytest.mark.anyio, pytest.mark.promise("CLT-41")]

#: A label of a list, another case, a name that nobody has.
WRONG = ["Plain One", "PLAIN-1", "no-such-model"]


@pytest.mark.parametrize("model", WRONG)
async def test_a_local_agent_lists_the_models_that_it_takes(client: AsyncClient, model: str) -> None:
    with pytest.raises(BadRequestError) as caught:
        await client.agents.create(model=model, local={})
    assert model in caught.value.message
    assert "plain-1" in caught.value.message
    assert caught.value.is_safe_to_retry
    assert not caught.value.is_retryable
    made = await client.agents.create(model="plain-1", local={})
    assert made.model is not None
    assert made.model.id == "plain-1"


@pytest.mark.promise("CTR-13")
@pytest.mark.parametrize("model", WRONG)
async def test_a_cloud_agent_refuses_and_takes_the_next_right_one(client: AsyncClient, model: str) -> None:
    with pytest.raises(CursorSDKError) as caught:
        await (await cloud_agent(client, model=model)).send(HELLO)
    assert caught.value.proto_error_code == "SDK_ERROR_CODE_INVALID_MODEL"
    assert isinstance(caught.value, BadRequestError | ConfigurationError)
    assert model in caught.value.message
    assert not caught.value.is_retryable
    agent = await cloud_agent(client, model="plain-1")
    with anyio.fail_after(30):
        assert await (await agent.send(HELLO)).text() == HELLO_TEXT


@pytest.mark.parametrize("model", ["", "  ", 7, {"name": "plain-1"}, {"id": ""}])
async def test_what_cannot_be_a_model_is_refused_before_anything_is_sent(
    client: AsyncClient, model: Any
) -> None:
    for kind in ("local", "cloud"):
        with pytest.raises((ConfigurationError, TypeError), match="model"):
            await client.agents.create({"model": model, kind: {}})
    assert await client.ping() == "pong"


async def test_a_wrong_parameter_is_named_with_those_that_there_are(client: AsyncClient) -> None:
    (choice,) = [model for model in await client.models.list() if model.parameters][:1]
    with pytest.raises(ConfigurationError, match="effrot"):
        choice.select(effrot="high")
