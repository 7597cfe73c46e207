"""Tests can tell the stand-in what to do, and it leaves nothing behind."""

from __future__ import annotations

import httpx
import pytest

from tests.rest_standin import ACCEPTED_KEY, RestStandin, Script
from tests.rest_standin import script as beats
from tests.rest_standin.conftest import connect

BODY = {"prompt": {"text": "hello"}}


@pytest.mark.promise("RST-03")
def test_a_scripted_failure_has_the_apis_shape_and_happens_as_often_as_asked(
    rest_standin: RestStandin, api: httpx.Client
) -> None:
    rest_standin.fail(
        "POST",
        "/v1/agents",
        status=403,
        code="integration_not_connected",
        message="Connect GitHub.",
        help_url="https://example.com/help",
        provider="github",
        headers={"Retry-After": "7"},
        times=2,
    )
    assert api.get("/v1/agents").status_code == 200
    first, second, third = (api.post("/v1/agents", json=BODY) for _ in range(3))
    assert first.json() == {
        "error": {
            "code": "integration_not_connected",
            "message": "Connect GitHub.",
            "helpUrl": "https://example.com/help",
            "provider": "github",
        }
    }
    assert first.headers["retry-after"] == "7"
    assert first.headers["x-request-id"] != second.headers["x-request-id"]
    assert [second.status_code, third.status_code] == [403, 201]


@pytest.mark.promise("RST-03")
def test_an_answer_can_be_something_else_or_nothing(rest_standin: RestStandin, api: httpx.Client) -> None:
    rest_standin.fail("GET", "/v1/me", status=502, body="<html>bad gateway</html>")
    assert api.get("/v1/me").text == "<html>bad gateway</html>"
    rest_standin.fail("GET", "/v1/me", drop=True)
    with pytest.raises(httpx.RemoteProtocolError, match="without sending a response"):
        api.get("/v1/me")
    assert api.get("/v1/me").status_code == 200


@pytest.mark.promise("RST-03")
def test_a_request_can_be_held(rest_standin: RestStandin, api: httpx.Client) -> None:
    rest_standin.delay("GET", "/v1/me", gate="later")
    with pytest.raises(httpx.ReadTimeout):
        api.get("/v1/me", timeout=0.1)
    rest_standin.delay("GET", "/v1/me", gate="later")
    rest_standin.release("later")
    assert api.get("/v1/me").json()["userId"] == 42


@pytest.mark.promise("RST-03")
def test_a_script_waits_for_the_prompt_that_it_is_for(rest_standin: RestStandin, api: httpx.Client) -> None:
    rest_standin.script(Script(beats=(beats.burst(3, 4),)), when="numbers")
    texts: list[str] = []
    for prompt in ("words", "numbers please", "numbers please"):
        answer = api.post("/v1/agents", json={"prompt": {"text": prompt}}).json()
        run = f"/v1/agents/{answer['agent']['id']}/runs/{answer['run']['id']}"
        api.get(f"{run}/stream")
        texts.append(api.get(run).json()["result"])
    assert texts == ["You asked: words. Done.", "0 ..1 ..2 ..", "You asked: numbers please. Done."]


@pytest.mark.promise("RST-03")
def test_requests_are_recorded_without_their_keys(rest_standin: RestStandin, api: httpx.Client) -> None:
    api.post("/v1/agents", json=BODY, headers={"idempotency-key": "once"})
    api.get("/v1/agents", params={"limit": 3}, auth=("someone", ""))
    created, listed = rest_standin.requests(path="/v1/agents")
    assert (created["method"], created["key"], created["body"]) == ("POST", "accepted", BODY)
    assert created["headers"]["idempotency-key"] == "once"
    assert (listed["method"], listed["key"], listed["query"]) == ("GET", "rejected", {"limit": "3"})
    assert ACCEPTED_KEY not in repr(rest_standin.requests())
    assert "authorization" not in {name for request in (created, listed) for name in request["headers"]}


@pytest.mark.anyio
@pytest.mark.promise("RST-03")
async def test_a_test_can_wait_for_a_request(rest_standin: RestStandin, api: httpx.Client) -> None:
    api.get("/v1/me")
    assert len(await rest_standin.seen("GET", "/v1/m*")) == 1


@pytest.mark.promise("RST-04")
def test_the_process_ends_with_those_who_started_it() -> None:
    with RestStandin() as standin, connect(standin) as api:
        assert api.get("/v1/models").status_code == 200
        assert standin.process.stdin is not None
        standin.process.stdin.close()
        standin.process.wait(30)
        with pytest.raises(httpx.ConnectError):
            api.get("/v1/models")


@pytest.mark.promise("RST-04")
def test_an_open_stream_does_not_hold_the_process_up() -> None:
    standin = RestStandin()
    standin.script(beats.held())
    with connect(standin) as api:
        answer = api.post("/v1/agents", json=BODY).json()
        run = f"/v1/agents/{answer['agent']['id']}/runs/{answer['run']['id']}"
        with api.stream("GET", f"{run}/stream"):
            standin.stop()
    assert standin.process.returncode is not None
    assert standin.process.returncode != -9
