"""Forked children: old handles are refused at once, new ones work, and the parent notices nothing."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.sync.program import Program

pytestmark = [pytest.mark.promise("SYN-05"), pytest.mark.slow]

Start = Callable[..., Program]

CHILD = """
def in_child(old):
    try:
        old.ping()
    except SyncUsageError as error:
        say("refused", "after the fork" in str(error))
    old.close()
    with attach() as fresh:
        say(fresh.ping())
"""
FORK = (
    CHILD
    + """
client = launch()
agent = local(client)
run = agent.send("go")
next(run.messages())
pid = os.fork()
if pid == 0:
    in_child(client)
    {ending}
_, status = os.waitpid(pid, 0)
say("child", os.waitstatus_to_exitcode(status))
say(run.wait().status, client.ping())
client.close()
"""
)


@pytest.mark.parametrize(
    ("ending", "code"), [("sys.exit(7)", 7), ("os._exit(8)", 8), ("del client, agent, run; sys.exit(9)", 9)]
)
def test_a_forked_child(program: Start, ending: str, code: int) -> None:
    ours = program(FORK.format(ending=ending)).end()
    assert (ours.code, ours.err) == (0, "")
    assert ours.out.splitlines() == ["refused True", "pong", f"child {code}", "finished pong"]
    assert not ours.left()


def test_a_pool_of_forked_workers(program: Start) -> None:
    ours = program(
        """
import multiprocessing
client = launch()
def job(number):
    try:
        client.ping()
    except SyncUsageError:
        pass
    with attach() as fresh:
        return number, fresh.ping()
with multiprocessing.get_context("fork").Pool(2) as pool:
    say(pool.map(job, range(4)))
say(client.ping())
client.close()
"""
    ).end()
    assert (ours.code, ours.err) == (0, "")
    assert ours.out.splitlines() == [str([(number, "pong") for number in range(4)]), "pong"]
    assert not ours.left()


def test_the_default_client_of_a_child_is_its_own(program: Start, shared_bridge: object) -> None:
    ours = program(
        """
os.environ["CURSOR_SDK_BRIDGE_URL"] = os.environ["URL"]
os.environ["CURSOR_SDK_BRIDGE_TOKEN"] = os.environ["TOKEN"]
ours = warm_up()
pid = os.fork()
if pid == 0:
    say(warm_up() is ours, warm_up().ping())
    sys.exit(0)
os.waitpid(pid, 0)
say(warm_up() is ours, ours.ping())
"""
    ).end()
    assert (ours.code, ours.err, ours.out.splitlines()) == (0, "", ["False pong", "True pong"])
