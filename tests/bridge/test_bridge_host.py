"""Our own process ends, in all the ways there are: no bridge stays, and nothing is said that needs not be."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import anyio
import pytest

from cursor_sdk_async.errors import ClosedError
from tests.bridge.helpers import launch, session, until

pytestmark = pytest.mark.anyio

ROOT = Path(__file__).parents[2]
#: The promise is 5 s after the death; the machine of a test may be busy.
GONE_SECONDS = 15


def start_host(backend: str, ending: str, *options: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, *options, "-m", "tests.bridge.host", backend, ending],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


async def bridge_of(host: subprocess.Popen[str]) -> int:
    """The session of the bridge that a host launched."""
    assert host.stdout is not None
    line = await anyio.to_thread.run_sync(host.stdout.readline)
    assert line, host.communicate()[1]
    return int(line.split()[0])


async def ended(host: subprocess.Popen[str]) -> tuple[int, str]:
    """The exit status of a host and what it wrote to stderr."""
    _, stderr = await anyio.to_thread.run_sync(host.communicate)
    return host.returncode, stderr


@pytest.mark.promise("BRG-12")
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGHUP])
async def test_a_signal_to_our_process_ends_the_bridge(anyio_backend_name: str, number: int) -> None:
    host = start_host(anyio_backend_name, "wait")
    sid = await bridge_of(host)
    assert session(sid)
    host.send_signal(number)
    assert (await ended(host))[0] == -number
    await until(lambda: not session(sid), GONE_SECONDS)


@pytest.mark.promise("BRG-12")
@pytest.mark.parametrize("ending", ["os._exit", "segfault"])
async def test_a_sudden_end_of_our_process_ends_the_bridge(anyio_backend_name: str, ending: str) -> None:
    host = start_host(anyio_backend_name, ending)
    sid = await bridge_of(host)
    await ended(host)
    await until(lambda: not session(sid), GONE_SECONDS)


@pytest.mark.promise("BRG-12")
async def test_a_forked_child_does_not_keep_the_bridge_alive(anyio_backend_name: str) -> None:
    script = (
        "import anyio, os, time\n"
        "from tests.bridge.helpers import launch\n"
        "async def main():\n"
        "    bridge = await launch()\n"
        "    print(bridge.process.pid, flush=True)\n"
        "    if os.fork() == 0:\n"
        "        os.close(1); os.close(2); time.sleep(1000)\n"
        "    os._exit(0)\n"
        f"anyio.run(main, backend={anyio_backend_name!r})\n"
    )
    host = subprocess.Popen(
        [sys.executable, "-W", "ignore", "-c", script],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    sid = await bridge_of(host)
    await ended(host)
    try:
        assert session(host.pid)  # the forked child lives on
        await until(lambda: not session(sid), GONE_SECONDS)
    finally:
        os.killpg(host.pid, signal.SIGKILL)


@pytest.mark.promise("BRG-13")
@pytest.mark.parametrize(
    ("ending", "status"), [("fall off", 0), ("keep", 0), ("sys.exit", 3), ("error", 1), ("interrupt", 130)]
)
async def test_a_program_that_ends_without_closing_is_quiet(
    anyio_backend_name: str, ending: str, status: int
) -> None:
    if ending == "interrupt" and anyio_backend_name == "asyncio" and sys.version_info < (3, 11):
        pytest.skip("anyio's own runner, used before 3.11, ends with CancelledError here")
    host = start_host(anyio_backend_name, ending, "-X", "dev", "-W", "error")
    sid = await bridge_of(host)
    returncode, stderr = await ended(host)
    assert returncode in (status, -signal.SIGINT if status == 130 else status)
    said = {"error": "RuntimeError: uncaught", "interrupt": "KeyboardInterrupt"}.get(ending)
    if said is None:
        assert stderr == ""
    else:
        assert said in stderr
        assert "ignored" not in stderr
        assert "Warning" not in stderr
        assert "never" not in stderr
    await until(lambda: not session(sid), GONE_SECONDS)


@pytest.mark.promise("BRG-13")
async def test_a_loop_that_is_closed_over_its_tasks_leaves_no_bridge() -> None:
    host = start_host("asyncio", "loop closed")
    sid = await bridge_of(host)
    assert (await ended(host))[0] == 0
    await until(lambda: not session(sid), GONE_SECONDS)


@pytest.mark.promise("BRG-17")
async def test_a_forked_child_cannot_use_or_end_our_bridge() -> None:
    async with launch() as bridge:
        read, write = os.pipe()
        child = os.fork()
        if child == 0:  # pragma: no cover - in another process
            said = b"used"
            try:
                bridge.owner.check("a call")
            except ClosedError as error:
                said = type(error).__name__.encode()
            del bridge
            os.write(write, said)
            os._exit(0)
        os.close(write)
        with os.fdopen(read, "rb") as pipe:
            assert await anyio.to_thread.run_sync(pipe.read) == b"ClosedError"
        await anyio.to_thread.run_sync(os.waitpid, child, 0)
        assert bridge.is_alive()
        assert session(bridge.process.pid)
