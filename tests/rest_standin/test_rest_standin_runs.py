"""The stand-in plays runs and streams them as the public API does."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import contextmanager
from typing import Any

import httpx
import pytest

from tests.rest_standin import DEFAULT_USAGE, RestStandin, Script, failing, held
from tests.rest_standin import script as beats
from tests.rest_standin.sse import Event, read_events

pytestmark = pytest.mark.promise("RST-02")


class Started:
    """A run and its addresses."""

    def __init__(self, api: httpx.Client, text: str = "hello", **settings: Any) -> None:
        self.api = api
        answer = api.post("/v1/agents", json={"prompt": {"text": text}, **settings}).json()
        self.agent = f"/v1/agents/{answer['agent']['id']}"
        self.run = f"{self.agent}/runs/{answer['run']['id']}"
        self.id = answer["run"]["id"]

    @contextmanager
    def stream(self, last_event_id: str | None = None) -> Generator[Iterator[Event], None, None]:
        headers = {} if last_event_id is None else {"last-event-id": last_event_id}
        with self.api.stream("GET", f"{self.run}/stream", headers=headers) as response:
            assert response.status_code == 200
            yield read_events(response.iter_lines())

    def events(self, last_event_id: str | None = None) -> list[Event]:
        with self.stream(last_event_id) as events:
            return list(events)

    def get(self) -> dict[str, Any]:
        run: dict[str, Any] = self.api.get(self.run).json()
        return run


def names(events: list[Event]) -> list[str]:
    return [event.name for event in events if event.name != "interaction_update"]


def statuses(events: list[Event]) -> list[str]:
    return [event.data["status"] for event in events if event.name == "status"]


def answer(events: list[Event]) -> str:
    return "".join(event.data["text"] for event in events if event.name == "assistant")


def refused(response: httpx.Response) -> tuple[int, str]:
    return response.status_code, response.json()["error"]["code"]


def test_a_run_without_a_script_thinks_reads_and_answers(api: httpx.Client) -> None:
    started = Started(api)
    events = started.events()
    simple = ["thinking", "thinking", "tool_call", "tool_call", "assistant", "assistant", "assistant"]
    assert names(events) == ["status", "status", *simple, "status", "result", "done"]
    assert statuses(events) == ["CREATING", "RUNNING", "FINISHED"]
    assert answer(events) == started.get()["result"] == "You asked: hello. Done."


def test_both_families_of_events_share_their_ids(api: httpx.Client) -> None:
    events = Started(api).events()
    texts = [event for event in events if event.name == "assistant"]
    deltas = [event for event in events if event.data.get("type") == "text-delta"]
    assert [event.id for event in texts] == [event.id for event in deltas]
    assert len({event.id for event in texts}) == 3
    assert events[0].id is None


def test_one_family_can_be_left_out(rest_standin: RestStandin, api: httpx.Client) -> None:
    rest_standin.script(Script(family="simple"))
    assert "interaction_update" not in {event.name for event in Started(api).events()}
    rest_standin.script(Script(family="updates"))
    assert answer(Started(api).events()) == ""


def test_a_late_reader_gets_the_final_status_and_then_the_history(api: httpx.Client) -> None:
    started = Started(api)
    live, late = started.events(), started.events()
    assert statuses(late) == ["FINISHED"]
    assert late[1:] == [event for event in live if event.name != "status"]


def test_a_reader_resumes_after_the_last_event_that_it_has(api: httpx.Client) -> None:
    started = Started(api)
    events = started.events()
    place = next(i for i, event in enumerate(events) if event.name == "assistant")
    rest = started.events(events[place].id)
    assert statuses(rest) == ["FINISHED"]
    assert rest[1:] == [event for event in events[place + 1 :] if event.name != "status"]
    wrong = api.get(f"{started.run}/stream", headers={"last-event-id": "another"})
    assert refused(wrong) == (400, "invalid_last_event_id")


def test_a_cut_stream_breaks_in_the_middle_and_the_next_one_goes_on(
    rest_standin: RestStandin, api: httpx.Client
) -> None:
    rest_standin.script(Script(beats=(beats.text("one"), beats.cut(), beats.text("two"))))
    started = Started(api)
    got: list[Event] = []
    with pytest.raises(httpx.RemoteProtocolError), started.stream() as events:
        got.extend(events)
    assert answer(got) == "one"
    assert answer(started.events(got[-1].id)) == "two"


def test_a_stream_can_end_early_as_if_all_were_said(rest_standin: RestStandin, api: httpx.Client) -> None:
    rest_standin.script(Script(beats=(beats.text("one"), beats.cut("end", times=2), beats.text("two"))))
    started = Started(api)
    ended = [names(started.events())[-1] for _ in range(3)]
    assert ended == ["assistant", "assistant", "done"]


def test_a_held_run_waits_until_it_is_released(rest_standin: RestStandin, api: httpx.Client) -> None:
    rest_standin.script(held("go"))
    started = Started(api)
    with started.stream() as events:
        got = [next(events) for _ in range(5)]
        assert answer(got) == "Waiting"
        assert started.id in rest_standin.state()["live_runs"]
        assert rest_standin.state()["open_streams"] == 1
        rest_standin.release("go")
        assert names(list(events))[-3:] == ["status", "result", "done"]
    assert started.get()["status"] == "FINISHED"


def test_a_live_run_makes_its_agent_busy_and_can_be_cancelled_once(
    rest_standin: RestStandin, api: httpx.Client
) -> None:
    rest_standin.script(held())
    started = Started(api)
    with started.stream() as events:
        next(events)
        more = {"prompt": {"text": "more"}}
        assert refused(api.post(f"{started.agent}/runs", json=more)) == (409, "agent_busy")
        assert api.get(started.agent).json()["status"] == "ACTIVE"
        assert api.post(f"{started.run}/cancel").json() == {"id": started.id}
        assert list(events)[-2].data["status"] == "CANCELLED"
    assert refused(api.post(f"{started.run}/cancel")) == (409, "run_not_cancellable")
    assert api.get(started.agent).json()["status"] == "IDLE"


def test_an_archived_agent_takes_no_prompt(api: httpx.Client) -> None:
    started = Started(api)
    started.events()
    api.post(f"{started.agent}/archive")
    response = api.post(f"{started.agent}/runs", json={"prompt": {"text": "more"}})
    assert refused(response) == (409, "agent_archived")


def test_a_failing_run_tells_why(rest_standin: RestStandin, api: httpx.Client) -> None:
    rest_standin.script(failing("No luck.", "bad_luck"))
    started = Started(api)
    assert statuses(started.events())[-1] == "ERROR"
    assert started.get()["error"] == {"code": "bad_luck", "message": "No luck."}


def test_runs_and_their_usage_are_listed_newest_first(api: httpx.Client) -> None:
    started = Started(api)
    started.events()
    run = api.post(f"{started.agent}/runs", json={"prompt": {"text": "more"}}).json()["run"]["id"]
    api.get(f"{started.agent}/runs/{run}/stream")
    listed = api.get(f"{started.agent}/runs", params={"limit": 1}).json()
    assert [item["id"] for item in listed["items"]] == [run]
    assert "nextCursor" in listed
    usage = api.get(f"{started.agent}/usage").json()
    assert [row["id"] for row in usage["runs"]] == [run, started.id]
    assert usage["totalUsage"]["totalTokens"] == 2 * sum(DEFAULT_USAGE.values())
    one = api.get(f"{started.agent}/usage", params={"runId": run}).json()
    assert one["totalUsage"]["totalTokens"] == sum(DEFAULT_USAGE.values())


def test_an_idempotency_key_gives_the_first_answer_again(api: httpx.Client) -> None:
    headers = {"idempotency-key": "first"}
    body = {"prompt": {"text": "hello"}}
    first, again = (api.post("/v1/agents", json=body, headers=headers).json() for _ in range(2))
    assert first == again
    runs = f"/v1/agents/{first['agent']['id']}/runs"
    api.get(f"{runs}/{first['run']['id']}/stream")
    one, two = (api.post(runs, json=body, headers=headers).json()["run"]["id"] for _ in range(2))
    assert one == two
    assert len(api.get(runs).json()["items"]) == 2
