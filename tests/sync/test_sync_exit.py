"""However a program ends: at once, with its own exit code, without noise, without a bridge left."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from cursor_sdk_async.testing import Hold, Script, ScriptedControl, Text, Turn
from tests.sync.program import Program, until

pytestmark = [pytest.mark.promise("SYN-04"), pytest.mark.slow]

Start = Callable[..., Program]
HELD = Script([Turn([Text("started"), Hold()])])
BODY = """
client = launch()
agent = local(client)
run = agent.send("go")
steps = run.messages()
next(steps)
say(client.bridge.pid)
"""
BLOCKED = """
def wait():
    try:
        run.wait()
    except CursorSDKError:
        pass
reader = threading.Thread(target=wait, daemon=True)
reader.start()
"""
FORGOTTEN = """
import gc
pid = client.bridge.pid
del client, agent, run, steps
gc.collect()
while os.path.exists(f"/proc/{pid}"):
    time.sleep(0.01)
"""


@pytest.mark.parametrize(
    ("ending", "code"),
    [
        ("", 0),
        ("sys.exit(3)", 3),
        ("raise ZeroDivisionError", 1),
        ("os._exit(4)", 4),
        (BLOCKED, 0),
        (FORGOTTEN, 0),
        ("client.close()", 0),
        ("os.kill(os.getpid(), signal.SIGTERM)\ntime.sleep(60)", -15),
    ],
    ids=["falling-off", "sys-exit", "error", "os-exit", "blocked-thread", "forgotten", "closed", "sigterm"],
)
def test_it_ends_cleanly(program: Start, ending: str, code: int) -> None:
    ours = program(BODY + ending, HELD, options=("-X", "dev", "-W", "error")).end()
    assert ours.code == code, ours.err
    until(lambda: not ours.left())
    if "ZeroDivisionError" in ending:
        assert ours.err.count("Traceback") == 1
    elif "del client" in ending:
        assert ours.err.count("was not closed") == 1
    else:
        assert ours.err == ""


def test_a_live_run_of_an_attached_bridge_goes_on_when_the_program_just_ends(
    program: Start, control: ScriptedControl
) -> None:
    control.set_script(HELD)
    ours = program("client = attach()\nrun = local(client).send('go')\nnext(run.messages())").end()
    assert (ours.code, ours.err) == (0, "")
    assert len(control.state()["live_runs"]) == 1
    until(lambda: control.state()["open_streams"] == 0)


def test_a_blocking_job_that_never_ends_does_not_keep_the_program(program: Start) -> None:
    ours = program(
        """
import anyio.to_thread
client = launch()
job = lambda: client.portal.call(anyio.to_thread.run_sync, lambda: (say("stuck"), time.sleep(600)))
threading.Thread(target=job, daemon=True).start()
say(client.ping())
"""
    )
    ours.line("stuck")
    ours.end()
    assert ours.code == 0
    until(lambda: not ours.left())


def test_importing_starts_nothing(program: Start) -> None:
    ours = program("say(threading.active_count(), len(os.listdir('/proc/self/fd')))").end()
    threads, _ = ours.out.split()
    assert (ours.code, threads, ours.err) == (0, "1", "")
