"""The stand-in serves the catalogue, the agents and their artifacts as the public API does."""

from __future__ import annotations

import uuid
from typing import Any

import httpx
import pytest

from tests.rest_standin import ACCEPTED_KEY, ARTIFACTS, LARGE_ARTIFACT, REJECTED_KEY, SERVICE_KEY, RestStandin

pytestmark = pytest.mark.promise("RST-01")


def make(api: httpx.Client, text: str = "hello", **settings: Any) -> dict[str, Any]:
    response = api.post("/v1/agents", json={"prompt": {"text": text}, **settings})
    assert response.status_code == 201, response.text
    agent: dict[str, Any] = response.json()["agent"]
    return agent


def refused(response: httpx.Response) -> tuple[int, str]:
    return response.status_code, response.json()["error"]["code"]


def test_basic_and_bearer_keys_are_the_same_key(api: httpx.Client) -> None:
    bearer = api.get("/v1/me", auth=None, headers={"authorization": f"Bearer {ACCEPTED_KEY}"})
    assert api.get("/v1/me").json() == bearer.json()
    assert bearer.json()["userId"] == 42


def test_a_service_key_has_no_user(api: httpx.Client) -> None:
    assert set(api.get("/v1/me", auth=(SERVICE_KEY, "")).json()) == {"apiKeyName", "createdAt"}


def test_another_key_is_refused(api: httpx.Client) -> None:
    for path in ("/v1/me", "/v1/models", "/v1/repositories", "/v1/agents", "/v1/agents/bc-none"):
        assert refused(api.get(path, auth=(REJECTED_KEY, ""))) == (401, "unauthorized")


def test_the_client_may_choose_the_agents_id_once(api: httpx.Client) -> None:
    chosen = f"bc-{uuid.uuid4()}"
    body = {"prompt": {"text": "hello"}, "agentId": chosen}
    assert make(api, agentId=chosen)["id"] == chosen
    assert refused(api.post("/v1/agents", json=body)) == (409, "agent_id_conflict")
    assert refused(api.post("/v1/agents", json={**body, "envVars": {"A": "1"}})) == (400, "validation_error")
    assert make(api, envVars={"A": "1"})["id"] != chosen


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({}, "validation_error"),
        ({"prompt": {"text": ""}}, "validation_error"),
        ({"prompt": {"text": "x", "images": [{"data": "AA=="}]}}, "validation_error"),
        ({"prompt": {"text": "x"}, "agentId": "mine"}, "validation_error"),
        ({"prompt": {"text": "x"}, "repos": [{"startingRef": "main"}]}, "validation_error"),
        ({"prompt": {"text": "x"}, "envVars": {"CURSOR_A": "1"}}, "validation_error"),
        ({"prompt": {"text": "x"}, "model": {"id": "unheard-of"}}, "invalid_model"),
    ],
)
def test_a_request_that_does_not_fit_is_refused(api: httpx.Client, body: dict[str, Any], code: str) -> None:
    assert refused(api.post("/v1/agents", json=body)) == (400, code)


def test_lists_are_newest_first_in_pages_of_the_asked_size(
    rest_standin: RestStandin, api: httpx.Client
) -> None:
    rest_standin.reset(agents=True)
    made = [make(api, f"prompt {number}")["id"] for number in range(5)]
    seen: list[str] = []
    params: dict[str, Any] = {"limit": 2}
    while True:
        page = api.get("/v1/agents", params=params).json()
        seen += [item["id"] for item in page["items"]]
        if "nextCursor" not in page:
            break
        params["cursor"] = page["nextCursor"]
    assert seen == made[::-1]
    assert refused(api.get("/v1/agents", params={"limit": 101})) == (400, "validation_error")
    assert refused(api.get("/v1/agents", params={"cursor": "junk"})) == (400, "validation_error")


def test_lists_can_be_filtered(rest_standin: RestStandin, api: httpx.Client) -> None:
    rest_standin.reset(agents=True)
    plain = make(api)["id"]
    other = make(api, repos=[{"url": "https://github.com/acme/rocket"}], autoCreatePR=True)["id"]
    run = api.get(f"/v1/agents/{other}/runs").json()["items"][0]
    pull_request = run["git"]["branches"][0]["prUrl"]
    assert api.post(f"/v1/agents/{plain}/archive").json() == {"id": plain}

    def ids(**params: str) -> list[str]:
        return [item["id"] for item in api.get("/v1/agents", params=params).json()["items"]]

    assert ids() == [other, plain]
    assert ids(includeArchived="false") == [other]
    assert ids(prUrl=pull_request) == [other]
    api.post(f"/v1/agents/{plain}/unarchive")
    assert ids(includeArchived="false") == [other, plain]


def test_list_items_carry_less_than_the_agent_itself(api: httpx.Client) -> None:
    made = make(api, name="Named", repos=[{"url": "https://github.com/acme/rocket"}], metadata={"a": "b"})
    item = api.get("/v1/agents", params={"limit": 1}).json()["items"][0]
    assert item["name"] == "Named"
    assert set(made) - set(item) == {"repos", "metadata"}


def test_a_deleted_agent_is_gone(api: httpx.Client) -> None:
    agent = make(api)["id"]
    assert api.delete(f"/v1/agents/{agent}").json() == {"id": agent}
    assert refused(api.get(f"/v1/agents/{agent}")) == (404, "agent_not_found")
    assert refused(api.delete(f"/v1/agents/{agent}")) == (404, "agent_not_found")


def test_artifacts_are_downloaded_from_a_signed_address_without_a_key(api: httpx.Client) -> None:
    agent = make(api)["id"]
    items = api.get(f"/v1/agents/{agent}/artifacts").json()["items"]
    assert {item["path"]: item["sizeBytes"] for item in items} == {p: len(c) for p, c in ARTIFACTS.items()}
    assert len(ARTIFACTS[LARGE_ARTIFACT]) > 2 * 1024 * 1024
    for path, content in ARTIFACTS.items():
        url = api.get(f"/v1/agents/{agent}/artifacts/download", params={"path": path}).json()["url"]
        assert api.get(url, auth=None).content == content
        assert api.get(url.split("?")[0], auth=None).status_code == 403
    absent = api.get(f"/v1/agents/{agent}/artifacts/download", params={"path": "artifacts/none"})
    assert refused(absent) == (404, "artifact_not_found")
