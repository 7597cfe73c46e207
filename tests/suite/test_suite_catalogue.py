"""Handshake, account, models, repositories, and the keys that they need."""

from __future__ import annotations

import pytest

from cursor_sdk_async import AsyncClient
from cursor_sdk_async.errors import AuthenticationError, ConfigurationError
from tests.rest_standin import ACCEPTED_KEY, REJECTED_KEY, SERVICE_KEY
from tests.suite.steps import cloud_agent
from tests.suite.world import HELLO, World

pytestmark = pytest.mark.anyio


@pytest.mark.promise("CTR-01")
async def test_the_bridge_answers_ping_and_version(client: AsyncClient) -> None:
    assert await client.ping() == "pong"
    version = await client.get_version()
    assert version["protocol_version"] == "sdk.v1"
    assert version["bridge_version"]
    assert {"agent.create", "agent.send", "run.observe", "run.cancel"} <= set(version["capabilities"])


@pytest.mark.promise("CTR-01")
async def test_a_client_knows_whose_key_it_has(client: AsyncClient) -> None:
    user = await client.me()
    assert (user.user_id, user.user_email, user.api_key_name) == (42, "ada@example.com", "test key")


@pytest.mark.promise("CTR-01")
async def test_a_service_key_has_no_user(client: AsyncClient, world: World) -> None:
    world.expect_service_key()
    user = await client.me(api_key=SERVICE_KEY)
    assert (user.api_key_name, user.user_id, user.user_email) == ("service", None, "")


@pytest.mark.promise("CTR-01")
async def test_models_come_with_their_parameters_and_variants(client: AsyncClient) -> None:
    rich, plain = await client.models.list()
    assert (rich.id, rich.display_name, rich.description) == (
        "composer-2.5",
        "Composer 2.5",
        "Fast and good at edits",
    )
    (effort,) = rich.parameters
    assert (effort.id, [value.value for value in effort.values]) == ("effort", ["low", "high"])
    assert rich.default_variant is not None
    assert [(param.id, param.value) for param in rich.default_variant.params] == [("effort", "low")]
    assert (plain.id, plain.parameters, plain.variants) == ("plain-1", (), ())


@pytest.mark.promise("CTR-01")
async def test_repositories_are_listed(client: AsyncClient) -> None:
    assert [repository.url for repository in await client.repositories.list()] == [
        "https://github.com/acme/rocket",
        "https://github.com/acme/anvil",
    ]


@pytest.mark.promise("CTR-02")
async def test_a_refused_key_is_an_authentication_error(client: AsyncClient) -> None:
    for call in (client.me, client.models.list, client.repositories.list):
        with pytest.raises(AuthenticationError) as caught:
            await call(api_key=REJECTED_KEY)
        assert (caught.value.code, caught.value.status) == ("unauthenticated", 401)
        assert REJECTED_KEY not in f"{caught.value!r} {caught.value} {caught.value.__dict__}"


@pytest.mark.promise("CTR-02")
async def test_a_missing_key_is_noticed_at_the_call_that_needs_it(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CURSOR_API_KEY", ACCEPTED_KEY)  # not read for a bridge that we did not launch
    async with AsyncClient.connect(world.url, world.token) as client:
        assert await client.ping() == "pong"
        for call in (client.me, client.models.list, client.repositories.list, client.agents.create):
            with pytest.raises(ConfigurationError) as caught:
                await call()
            assert caught.value.code == "missing_api_key"
    async with AsyncClient.connect(world.url, world.token, allow_api_key_env_fallback=True) as client:
        assert (await client.me()).user_id == 42


@pytest.mark.promise("CTR-02")
async def test_a_blank_key_is_refused_at_once(world: World, client: AsyncClient) -> None:
    with pytest.raises(ConfigurationError) as caught:
        AsyncClient.connect(world.url, world.token, api_key="  ")
    assert caught.value.code == "missing_api_key"
    with pytest.raises(ConfigurationError) as caught:
        await client.me(api_key="\n")
    assert caught.value.code == "missing_api_key"


@pytest.mark.promise("CTR-02")
async def test_a_function_is_asked_for_the_key_each_time(world: World) -> None:
    keys = iter([f" {ACCEPTED_KEY}\n", REJECTED_KEY])

    async def ask() -> str:
        return next(keys)

    async with AsyncClient.connect(world.url, world.token, api_key=ask) as client:
        assert (await client.me()).user_id == 42
        with pytest.raises(AuthenticationError):
            await client.me()


@pytest.mark.promise("CTR-02")
async def test_a_refused_key_shows_at_the_first_prompt_of_a_cloud_agent(client: AsyncClient) -> None:
    agent = await cloud_agent(client, api_key=REJECTED_KEY)
    with pytest.raises(AuthenticationError):
        await agent.send(HELLO)
    await agent.close()
