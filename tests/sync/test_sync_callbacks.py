"""Where callbacks run, in which order, and what they may do."""

from __future__ import annotations

import threading
from itertools import pairwise
from typing import Any

import pytest

from cursor_sdk_async.testing import Burst, Script, ScriptedControl, StepFrame, Text, Turn, Usage
from cursor_sdk_sync import Agent, CursorClient, InteractionUpdate

# How many changes of threads there are shows nowhere else.
from cursor_sdk_sync._work import Work

pytestmark = pytest.mark.promise("SYN-07")

STEP = StepFrame("assistant_message", {"message": {"text": "ab"}})
SCRIPT = Script([Turn([Text("a"), STEP, Text("b"), Usage()])])


@pytest.fixture
def agent(client: CursorClient, control: ScriptedControl) -> Agent:
    control.set_script(SCRIPT)
    return client.agents.create(model="scripted", local={})


@pytest.mark.parametrize("how", ["events", "wait", "text"])
def test_they_run_in_the_thread_of_whoever_waits(agent: Agent, how: str) -> None:
    threads: list[threading.Thread] = []

    def note(_: Any) -> None:
        threads.append(threading.current_thread())

    run = agent.send("go", {"on_delta": note, "on_step": note})
    run.on_did_change_status(note)
    reader = threading.Thread(target=lambda: list(run.events()) if how == "events" else getattr(run, how)())
    reader.start()
    reader.join()
    assert len(threads) > 3
    assert set(threads) == {reader}


def test_each_is_called_before_its_event_is_handed_out_and_after_the_one_before(agent: Agent) -> None:
    told: list[str] = []

    def on_delta(update: InteractionUpdate) -> None:
        told.append(f"delta {update.type}")

    run = agent.send("go", {"on_delta": on_delta})
    run.on_did_change_status(lambda status: told.append(f"status {status}"))
    for event in run.events():
        if event.interaction_update is not None:
            assert told[-1] == f"delta {event.interaction_update.type}"
        told.append(event.kind)
    for before, after in pairwise(told):
        if after == "interaction_update":
            assert before.startswith("delta ")
        if before.startswith("delta "):
            assert after == "interaction_update"
    assert "status finished" in told


def test_they_may_call_the_client(agent: Agent, client: CursorClient) -> None:
    answers: list[str] = []

    def ask(_: object) -> None:
        answers.append(client.ping())

    run = agent.send("go", {"on_delta": ask})
    run.on_did_change_status(ask)
    run.wait()
    assert set(answers) == {"pong"}


def test_what_one_raises_reaches_the_reader_once_and_the_event_is_not_lost(agent: Agent) -> None:
    failing = [ZeroDivisionError("mine")]

    def fail(_: Any) -> None:
        if failing:
            raise failing.pop()

    run = agent.send("go", {"on_delta": fail})
    steps = run.events()
    kinds: list[str] = []
    with pytest.raises(ZeroDivisionError, match="mine"):
        kinds.extend(event.kind for event in steps)
    kinds = [event.kind for event in steps]
    assert kinds[0] == "interaction_update"
    assert run.wait().status == "finished"


def test_asynchronous_ones_are_awaited(agent: Agent) -> None:
    told: list[str] = []

    async def on_delta(update: InteractionUpdate) -> None:
        told.append(update.type)

    agent.send("go", {"on_delta": on_delta}).wait()
    assert told


@pytest.mark.promise("SYN-08")
def test_events_that_arrive_together_cost_one_change_of_threads(
    client: CursorClient, control: ScriptedControl, monkeypatch: pytest.MonkeyPatch
) -> None:
    control.set_script(Script([Turn([Burst(20_000)])]))
    run = client.agents.create(model="scripted", local={}).send("go")
    hops = 0

    outcome = Work[Any].outcome

    def counted(work: Work[Any]) -> Any:
        nonlocal hops
        hops += 1
        return outcome(work)

    monkeypatch.setattr(Work, "outcome", counted)
    texts = list(run.iter_text())
    assert len(texts) == 20_000
    assert hops < 400


@pytest.mark.promise("SYN-08")
def test_an_iterator_that_is_dropped_loses_nothing_and_shows_nothing_early(
    client: CursorClient, control: ScriptedControl
) -> None:
    control.set_script(Script([Turn([Text(str(number)) for number in range(50)])]))
    run = client.agents.create(model="scripted", local={}).send("go")
    first = [next(run.iter_text()) for _ in range(5)]
    assert run.status == "running"
    events = run.events()
    middle = [next(events) for _ in range(5)]
    assert run.status == "running"
    rest = list(run.iter_text())
    assert first == list("01234")
    assert [event.kind for event in middle] == ["sdk_message"] * 5
    assert rest == [str(number) for number in range(10, 50)]
    assert run.status == "finished"
