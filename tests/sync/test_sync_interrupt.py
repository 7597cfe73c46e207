"""Ctrl-C in every kind of call: it reaches the caller once, and what the caller waited for is given up."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest

from cursor_sdk_async.testing import (
    CallFault,
    CallTool,
    Faults,
    Hold,
    ProcessFaults,
    Script,
    ScriptedControl,
    StreamFault,
    Text,
    Turn,
)
from tests.sync.program import Program, until

pytestmark = [pytest.mark.promise("SYN-03"), pytest.mark.slow]

Start = Callable[..., Program]
HELD = Script([Turn([Text("started"), Hold()])])
CAUGHT = """
except KeyboardInterrupt:
    say("caught")
say("still here")
"""


@pytest.fixture
def program(program: Start) -> Start:
    """Programs in a terminal."""
    return partial(program, terminal=True)


def asked(control: ScriptedControl, rpc: str) -> bool:
    return any(row["rpc"].rpartition("/")[2] == rpc for row in control.requests())


def interrupted(program: Program) -> None:
    program.interrupt()
    program.end()
    assert (program.code, program.out.splitlines()[-2:], program.err) == (0, ["caught", "still here"], "")
    assert not program.left()


def test_during_the_start_of_a_bridge(program: Start) -> None:
    ours = program(
        """
command = ["sh", "-c", "echo up >&2; sleep 600"]
try:
    CursorClient.launch_bridge(command, on_stderr=say, timeout=600)"""
        + CAUGHT
    )
    ours.line("up")
    interrupted(ours)


@pytest.mark.parametrize("lane", ["", "http_client=DefaultHttpxClient()"])
def test_during_a_call(program: Start, control: ScriptedControl, lane: str) -> None:
    control.set_faults(Faults(calls=[CallFault("ListModels", "silence")]))
    ours = program(f"client = attach({lane})\ntry:\n  client.models.list()" + CAUGHT + "say(client.ping())")
    until(lambda: asked(control, "ListModels"))
    ours.interrupt()
    ours.end()
    assert (ours.code, ours.out.split(), ours.err) == (0, ["caught", "still", "here", "pong"], "")


@pytest.mark.parametrize("wait", ["list(run.events())", "run.wait()", "run.text()", "list(run.iter_text())"])
def test_while_reading_a_run_it_is_cancelled_and_its_siblings_go_on(
    program: Start, control: ScriptedControl, wait: str
) -> None:
    control.set_script(HELD)
    ours = program(
        f"""
client = attach()
other = local(client).send("go")
run = local(client).send("go")
next(run.messages())
try:
  say_soon("waiting")
  {wait}
except KeyboardInterrupt:
  say("caught")
say(run.wait().status, other.status)
other.cancel()
"""
    )
    ours.line("waiting")
    until(lambda: len(control.state()["live_runs"]) == 2)
    ours.interrupt()
    ours.end()
    assert (ours.code, ours.out.split()[1:], ours.err) == (0, ["caught", "cancelled", "running"], "")
    until(lambda: not control.state()["live_runs"])


def test_while_sending_no_run_is_left(program: Start, control: ScriptedControl) -> None:
    control.set_script(HELD)
    control.set_faults(Faults(streams=[StreamFault("delay", seconds=0.3)]))
    ours = program("client = attach()\nagent = local(client)\ntry:\n  agent.send('go')" + CAUGHT)
    until(lambda: asked(control, "Send"))
    interrupted(ours)
    until(lambda: asked(control, "CancelRun"))
    until(lambda: not control.state()["live_runs"])


def test_during_a_prompt_its_run_is_cancelled(program: Start, control: ScriptedControl) -> None:
    control.set_script(HELD)
    ours = program(
        "client = attach()\ntry:\n  Agent.prompt('go', {'model': 'scripted', 'local': {}}, client=client)"
        + CAUGHT
    )
    until(lambda: control.state()["waiting"])
    interrupted(ours)
    until(lambda: asked(control, "CancelRun") and not control.state()["live_runs"])


def test_in_a_callback_of_a_run(program: Start, control: ScriptedControl) -> None:
    control.set_script(HELD)
    ours = program(
        """
client = attach()
def block(_):
    say("in callback")
    time.sleep(600)
run = local(client).send("go", {"on_delta": block})
try:
    run.wait()"""
        + CAUGHT
    )
    ours.line("in callback")
    interrupted(ours)
    until(lambda: not control.state()["live_runs"])


def test_in_a_blocking_tool(program: Start, control: ScriptedControl) -> None:
    control.set_script(Script([Turn([CallTool("slow")])]))
    ours = program(
        """
client = attach()
def slow(args, context):
    say("in tool", client.ping())
    time.sleep(600)
tools = {"slow": {"description": "Takes long.", "execute": slow}}
agent = client.agents.create(model="scripted", local={"custom_tools": tools})
run = agent.send("go")
try:
    run.wait()"""
        + CAUGHT
    )
    ours.line("in tool pong")
    interrupted(ours)
    until(lambda: not control.state()["live_runs"])


def test_while_closing_a_bridge_that_does_not_want_to_end(program: Start) -> None:
    ours = program(
        """
client = launch()
def watch():
    while not client.closed:
        time.sleep(0.001)
    say("closing")
threading.Thread(target=watch).start()
try:
    client.close()"""
        + CAUGHT,
        faults=Faults(ProcessFaults(ignore_sigterm=True, ignore_shutdown=True)),
    )
    ours.line("closing")
    interrupted(ours)


@pytest.mark.parametrize(
    "body", ["client.models.list()", "Agent.prompt('go', {'model': 'm', 'local': {}}, client=client)"]
)
def test_uncaught_it_ends_the_program_as_python_does_and_no_bridge_is_left(program: Start, body: str) -> None:
    ours = program(
        f"""
with launch(on_stderr=lambda line: say("call")) as client:
    client.ping()
    say_soon("waiting")
    {body}
""",
        HELD,
        Faults(calls=[CallFault("ListModels", "silence"), CallFault("CreateAgent", "silence")]),
    )
    ours.line("waiting")
    ours.interrupt()
    ours.end()
    assert ours.code == -2  # a shell shows 130
    assert ours.err.count("KeyboardInterrupt") == 1
    assert not ours.left()
