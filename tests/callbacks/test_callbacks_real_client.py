"""The listener under the callback client of the real bridge: its own JavaScript, run by its own runtime."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import anyio
import pytest

from cursor_sdk_async import CustomTool, CustomToolContext
from cursor_sdk_async._callbacks._endpoint import ToolEndpoint
from tests.callbacks.caller import AGENT, AnyTool, endpoint_of
from tests.real.raw_bridge import find_launcher

pytestmark = [pytest.mark.anyio, pytest.mark.real_bridge, pytest.mark.promise("CBK-31")]

SCRIPT = Path(__file__).with_name("real_client.mjs")


@pytest.fixture(scope="module")
def bridge_root() -> Path:
    """Where the wheel keeps the bridge."""
    launcher = find_launcher()
    if launcher is None:
        pytest.fail("needs the bridge of the cursor-sdk wheel: pip install cursor-sdk")
    root = launcher.resolve().parent.parent
    if not (root / "dist" / "bridge-custom-tools.js").exists():
        pytest.skip("this build of the bridge is laid out otherwise")
    return root


def call(tool: str, args: Mapping[str, Any] | None = None, *, agent: str = AGENT, id: str = "call-1") -> Any:  # noqa: A002
    return {"agent": agent, "tool": tool, "args": args or {}, "id": id}


async def ask(
    root: Path, endpoint: ToolEndpoint, calls: list[Any], *, parallel: int = 1, token: str | None = None
) -> list[Any]:
    """What the client made of the answers."""
    task = {
        "root": str(root),
        "url": endpoint.url,
        "token": token or endpoint.token,
        "calls": calls,
        "parallel": parallel,
    }
    node = str(root / "bin" / "node")
    done = await anyio.run_process([node, str(SCRIPT)], input=json.dumps(task).encode(), stderr=None)
    outcomes: list[Any] = json.loads(done.stdout)
    return outcomes


async def echo(args: Mapping[str, Any], context: CustomToolContext) -> Any:
    return {"args": args, "id": context.tool_call_id, "agent": context.agent_id}


@pytest.mark.slow
async def test_five_hundred_calls_fifty_at_once_are_all_answered(bridge_root: Path) -> None:
    threads: set[str] = set()

    def blocking(args: Mapping[str, Any], context: CustomToolContext) -> Any:
        threads.add(threading.current_thread().name)
        return {"args": args, "id": context.tool_call_id, "agent": context.agent_id}

    calls = [
        call(
            "blocking" if n % 2 else "echo",
            {"n": n, "none": None, "text": "ü" * (70_000 if n % 50 == 0 else 10), "list": [1.5, {"a": []}]},
            id=f"call-{n % 400}",
        )
        for n in range(500)
    ]
    with anyio.fail_after(60):
        async with endpoint_of(echo=echo, blocking=blocking) as endpoint:
            outcomes = await ask(bridge_root, endpoint, calls, parallel=50)
    assert len(outcomes) == 500
    for one, outcome in zip(calls, outcomes, strict=True):
        assert outcome == {"result": {"args": one["args"], "id": one["id"], "agent": AGENT}}
    assert threads


async def test_results_and_errors_arrive_as_they_are_meant(bridge_root: Path) -> None:
    async def forever(args: Any, context: Any) -> None:
        await anyio.sleep_forever()

    async def fail(args: Any, context: Any) -> None:
        raise ValueError("no such city")

    async def slow(args: Any, context: Any) -> str:
        await anyio.sleep(0.5)
        return "slow"

    def text(words: str, **more: Any) -> Any:
        return {"result": {"content": [{"type": "text", "text": words}], **more}}

    tools: dict[str, tuple[AnyTool, Any]] = {
        "text": (lambda args, context: "hello", text("hello")),
        "empty": (lambda args, context: {}, {"result": {}}),
        "none": (lambda args, context: None, text("null")),
        "nan": (
            lambda args, context: float("nan"),
            text(
                "The tool nan returned what cannot be sent: result is nan, which JSON cannot hold.",
                isError=True,
            ),
        ),
        "fail": (fail, text("no such city", isError=True)),
        "slow": (slow, text("slow")),
        "forever": (
            CustomTool(forever, timeout=0.1),
            text("The tool forever did not answer within 0.1 s.", isError=True),
        ),
        "image": (
            lambda args, context: {"content": [{"type": "image", "data": b"\x89PNG"}]},
            {"result": {"content": [{"type": "image", "data": "iVBORw=="}]}},
        ),
    }
    with anyio.fail_after(60):
        async with endpoint_of(many={name: each for name, (each, _) in tools.items()}) as endpoint:
            outcomes = await ask(bridge_root, endpoint, [call(name) for name in tools], parallel=4)
    assert dict(zip(tools, outcomes, strict=True)) == {name: shown for name, (_, shown) in tools.items()}


async def test_refusals_keep_their_codes(bridge_root: Path) -> None:
    invalid_argument, unauthenticated = 3, 16
    with anyio.fail_after(60):
        async with endpoint_of(echo=echo) as endpoint:
            unknown = [call("other"), call("echo", agent="agent-2"), call("echo")]
            outcomes = await ask(bridge_root, endpoint, unknown)
            assert [outcome.get("code") for outcome in outcomes] == [invalid_argument, invalid_argument, None]
            assert "has no tool 'other' here" in outcomes[0]["message"]
            outcomes = await ask(bridge_root, endpoint, [call("echo")] * 3, token="wrong")
            assert [outcome.get("code") for outcome in outcomes] == [unauthenticated] * 3


async def test_a_cancelled_call_is_cancelled_there_too(bridge_root: Path) -> None:
    started = anyio.Event()
    cancelled = 1

    async def wait(args: Any, context: Any) -> None:
        started.set()
        await anyio.sleep_forever()

    with anyio.fail_after(60):
        async with endpoint_of(wait=wait) as endpoint, anyio.create_task_group() as group:

            async def cancel() -> None:
                await started.wait()
                endpoint.service.agents[AGENT].cancel_calls("its run was cancelled")

            group.start_soon(cancel)
            (outcome,) = await ask(bridge_root, endpoint, [call("wait")])
            assert outcome["code"] == cancelled
            assert "its run was cancelled" in outcome["message"]
