"""Running tools: what they return, what they raise, how long they take, and where they run."""

from __future__ import annotations

import contextvars
import functools
import logging
import sys
import threading
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import anyio
import anyio.lowlevel
import pytest

from cursor_sdk_async import CustomTool, CustomToolContext, SDKImage, ToolError
from cursor_sdk_async._callbacks._executor import THREADS
from tests.callbacks.caller import AGENT, AnyTool, caller_of, endpoint_of, register, until

pytestmark = pytest.mark.anyio


def text(value: str) -> Any:
    return {"content": [{"type": "text", "text": value}]}


RETURNED: list[tuple[Any, Any]] = [
    ("hello", text("hello")),
    ("", text("")),
    ({"sum": 3, "nested": {"a": [1, None]}}, {"sum": 3, "nested": {"a": [1, None]}}),
    ({}, {}),
    (MappingProxyType({"a": (1, 2)}), {"a": [1, 2]}),
    ({1: "one", None: 0}, {"1": "one", "null": 0}),
    ({"content": [{"type": "text", "text": "x"}], "isError": True}, {**text("x"), "isError": True}),
    ({"content": [], "structuredContent": {"a": 1}}, {"content": [], "structuredContent": {"a": 1}}),
    ({"content": "plain"}, {"content": "plain"}),
    (
        {"content": [{"type": "image", "data": b"\x89PNG", "mimeType": "image/png"}]},
        {"content": [{"type": "image", "data": "iVBORw==", "mimeType": "image/png"}]},
    ),
    (
        SDKImage.from_data(b"\x89PNG", "image/png"),
        {"content": [{"type": "image", "data": "iVBORw==", "mimeType": "image/png"}]},
    ),
    (
        {"content": [SDKImage.from_data(b"\x89PNG", "image/png"), {"type": "text", "text": "a"}]},
        {
            "content": [
                {"type": "image", "data": "iVBORw==", "mimeType": "image/png"},
                {"type": "text", "text": "a"},
            ]
        },
    ),
    (None, text("null")),
    (True, text("true")),
    (3, text("3")),
    (1.5, text("1.5")),
    ([1, "é", None], text('[1, "é", null]')),
    ((), text("[]")),
]


@pytest.mark.promise("CBK-11")
async def test_what_a_tool_returns_reaches_the_model_as_documented() -> None:
    def give(args: Mapping[str, Any], context: CustomToolContext) -> Any:
        n: int = args["n"]
        value: Any = RETURNED[n][0]
        return value

    async def give_async(args: Mapping[str, Any], context: CustomToolContext) -> Any:
        return give(args, context)

    with anyio.fail_after(30):
        async with endpoint_of(give=give, give_async=give_async) as endpoint, caller_of(endpoint) as caller:
            for tool in ("give", "give_async"):
                for n, (_, shown) in enumerate(RETURNED):
                    assert (await caller.ask(caller.call(tool, {"n": n}))).result == shown


circle: list[object] = []
circle.append(circle)
UNSENDABLE: list[tuple[Any, str]] = [
    (object(), "result is of type object"),
    (b"raw", "result is of type bytes"),
    ({"a": {"when": {1}}}, "result.a.when is of type set"),
    ({"items": [1, float("nan")]}, "result.items[1] is nan"),
    ([float("inf")], "result[0] is inf"),
    ({"a": 10**400}, "result.a is too large"),
    ({(1, 2): 3}, "result has a key of type tuple"),
    ({"content": [{"type": "text", "text": object()}]}, "result.content[0].text is of type object"),
    ({"content": [SDKImage(url="https://x/y.png")]}, "result.content[0] is a picture without data"),
    (circle, "nested deeper"),
]


@pytest.mark.promise("CBK-12")
async def test_what_json_cannot_hold_is_an_error_result_that_names_the_place() -> None:
    def give(args: Mapping[str, Any], context: CustomToolContext) -> object:
        n: int = args["n"]
        value: object = UNSENDABLE[n][0]
        return value

    with anyio.fail_after(30):
        async with endpoint_of(give=give) as endpoint, caller_of(endpoint) as caller:
            for n, (_, words) in enumerate(UNSENDABLE):
                reply = await caller.ask(caller.call("give", {"n": n}))
                assert reply.is_error
                assert f"The tool give returned what cannot be sent: {words}" in reply.text.replace(
                    "result is nested", "nested"
                )


class Nasty(BaseException):
    def __str__(self) -> str:
        raise RuntimeError


def exit_now(args: Any, context: Any) -> None:
    sys.exit(7)


RAISED: list[tuple[BaseException, str]] = [
    (ValueError("no such city"), "no such city"),
    (ToolError("try a city of France", code="city"), "try a city of France"),
    (KeyError("city"), "KeyError: 'city'"),
    (RuntimeError(), "The tool failed with RuntimeError."),
    (StopIteration(1), "1"),
    (SystemExit(3), "SystemExit: 3"),
    (KeyboardInterrupt(), "The tool failed with KeyboardInterrupt."),
    (Nasty(), "The tool failed with Nasty."),
    (RecursionError("deep"), "deep"),
    (ValueError("x" * 20_000), "x" * 10_000 + "…"),
]


@pytest.mark.promise("CBK-13")
@pytest.mark.parametrize("asynchronous", [True, False])
async def test_what_a_tool_raises_is_an_error_result_without_traceback(
    asynchronous: bool, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(args: Mapping[str, Any], context: CustomToolContext) -> None:
        raise RAISED[args["n"]][0]

    async def fail_async(args: Mapping[str, Any], context: CustomToolContext) -> None:
        await anyio.lowlevel.checkpoint()
        fail(args, context)

    with anyio.fail_after(30):
        async with (
            endpoint_of(fail=fail_async if asynchronous else fail, exit=exit_now) as endpoint,
            caller_of(endpoint) as caller,
        ):
            for n, (error, shown) in enumerate(RAISED):
                reply = await caller.ask(caller.call("fail", {"n": n}))
                assert reply.is_error
                if isinstance(error, StopIteration) and asynchronous:
                    assert "StopIteration" in reply.text  # Python's own doing
                else:
                    assert reply.text == shown
                assert b"Traceback" not in reply.body
                assert __file__.encode() not in reply.body
            assert (await caller.ask(caller.call("exit"))).text == "SystemExit: 7"
    levels = [record.levelno for record in caplog.records]
    assert levels.count(logging.ERROR) == len(RAISED)  # a ToolError is no accident, but the exit is one
    first = caplog.records[0]
    assert (getattr(first, "agent_id"), getattr(first, "tool_name")) == (AGENT, "fail")  # noqa: B009


@pytest.mark.promise("CBK-13")
async def test_a_tool_that_cancels_itself_ends_its_own_call_only() -> None:
    async def cancelled_work(args: Any, context: CustomToolContext) -> Any:
        raise anyio.get_cancelled_exc_class() if args.get("raise") else ValueError

    async def own_scope(args: Any, context: CustomToolContext) -> str:
        with anyio.CancelScope() as scope:
            scope.cancel()
            await anyio.sleep_forever()
        return "went on"

    with anyio.fail_after(30):
        async with (
            endpoint_of(work=cancelled_work, own=own_scope, t=lambda a, c: "ok") as endpoint,
            caller_of(endpoint) as caller,
        ):
            if anyio.get_cancelled_exc_class().__module__.startswith("asyncio"):
                # As by awaiting a future that was cancelled; trio's Cancelled cannot be made by hand.
                reply = await caller.ask(caller.call("work", {"raise": True}))
                assert (reply.is_error, reply.text) == (True, "The tool failed with CancelledError.")
            assert (await caller.ask(caller.call("own"))).text == "went on"
            assert (await caller.ask(caller.call("t"))).text == "ok"


@pytest.mark.promise("CBK-14")
async def test_a_tool_that_takes_longer_than_its_timeout_is_answered_for_and_told() -> None:
    contexts: list[CustomToolContext] = []
    released = threading.Event()
    ended: list[str] = []

    async def forever(args: Any, context: CustomToolContext) -> None:
        contexts.append(context)
        try:
            await anyio.sleep_forever()
        finally:
            ended.append("async")

    async def stubborn(args: Any, context: CustomToolContext) -> None:
        contexts.append(context)
        with anyio.CancelScope(shield=True):
            await until(lambda: released.is_set())
        ended.append("stubborn")

    def blocking(args: Any, context: CustomToolContext) -> None:
        contexts.append(context)
        released.wait(30)
        try:
            context.check_cancelled()
        except ToolError as error:
            ended.append(f"thread {error.code}")
            raise

    tools = {
        name: CustomTool(tool, timeout=0.05)
        for name, tool in (("forever", forever), ("stubborn", stubborn), ("blocking", blocking))
    }
    with anyio.fail_after(30):
        async with endpoint_of(many=tools, t=lambda a, c: "ok") as endpoint, caller_of(endpoint) as caller:
            for name in tools:
                reply = await caller.ask(caller.call(name))
                assert (reply.is_error, reply.text) == (
                    True,
                    f"The tool {name} did not answer within 0.05 s.",
                )
            assert [context.cancelled for context in contexts] == [True] * 3
            assert (await caller.ask(caller.call("t"))).text == "ok"
            released.set()
            await until(lambda: len(ended) == 3)
    assert sorted(ended) == ["async", "stubborn", "thread tool_call_cancelled"]


@pytest.mark.promise("CBK-15")
async def test_four_calls_of_a_blocking_tool_run_at_once_while_the_loop_goes_on() -> None:
    barrier = threading.Barrier(5)
    variable: contextvars.ContextVar[str] = contextvars.ContextVar("variable", default="unset")

    def meet(args: Any, context: CustomToolContext) -> str:
        barrier.wait(20)  # four calls, and the heartbeat that lets them go
        return f"{variable.get()} {threading.current_thread() is threading.main_thread()}"

    beats = 0
    results: list[str] = []
    with anyio.fail_after(30):
        variable.set("of the agent")
        async with endpoint_of(meet=meet) as endpoint:
            variable.set("of nobody")

            async def one() -> None:
                async with caller_of(endpoint) as caller:
                    results.append((await caller.ask(caller.call("meet"))).text)

            async with anyio.create_task_group() as group:
                for _ in range(4):
                    group.start_soon(one)
                while barrier.n_waiting < 4:
                    await anyio.sleep(0.005)
                for _ in range(20):  # all four block, and the loop still turns
                    await anyio.sleep(0.001)
                    beats += 1
                barrier.wait(0)
    assert results == ["of the agent False"] * 4
    assert beats == 20


@pytest.mark.promise("CBK-15")
async def test_our_own_threads_are_not_those_of_the_tools() -> None:
    release = threading.Event()
    try:
        with anyio.fail_after(60):
            async with endpoint_of(block=lambda a, c: release.wait(50)) as endpoint:

                async def one() -> None:
                    async with caller_of(endpoint) as caller:
                        await caller.send(caller.call("block"))
                        await caller.closed()

                async with anyio.create_task_group() as group:
                    for _ in range(THREADS + 10):
                        group.start_soon(one)
                    await until(lambda: endpoint.service.agents[AGENT].running == THREADS + 10)
                    assert endpoint.service.executor is not None
                    threads = endpoint.service.executor._threads
                    await until(lambda: threads.borrowed_tokens == THREADS)
                    assert await anyio.to_thread.run_sync(lambda: "free") == "free"
                    # And whoever cancels is not held up.
                    endpoint.service.agents[AGENT].cancel_calls("the run was cancelled")
                    await until(lambda: endpoint.service.agents[AGENT].running == 0)
                    assert not release.is_set()
                    release.set()
                    group.cancel_scope.cancel()
    finally:
        release.set()


@pytest.mark.promise("CBK-16")
async def test_cancelled_calls_are_answered_at_once_as_cancelled() -> None:
    gate = anyio.Event()
    started = cancelled = 0

    async def wait(args: Any, context: CustomToolContext) -> None:
        nonlocal started, cancelled
        started += 1
        try:
            await gate.wait()
        finally:
            cancelled += context.cancelled

    with anyio.fail_after(30):
        async with endpoint_of(wait=wait) as endpoint:
            replies: list[str] = []

            async def one() -> None:
                async with caller_of(endpoint) as caller:
                    reply = await caller.ask(caller.call("wait"))
                    replies.append(f"{reply.status} {reply.code}")

            async with anyio.create_task_group() as group:
                for _ in range(100):
                    group.start_soon(one)
                await until(lambda: started == 100)
                endpoint.service.agents[AGENT].cancel_calls("the run was cancelled")
            assert not gate.is_set()
            assert replies == ["499 canceled"] * 100
            assert cancelled == 100


@pytest.mark.promise("CBK-17")
async def test_a_tool_with_max_concurrency_runs_only_so_often_and_the_others_wait() -> None:
    now = most = 0
    gate = anyio.Event()

    async def work(args: Any, context: CustomToolContext) -> str:
        nonlocal now, most
        now += 1
        most = max(most, now)
        await gate.wait()
        now -= 1
        return "done"

    results: list[str] = []
    with anyio.fail_after(30):
        async with endpoint_of(work=CustomTool(work, max_concurrency=3)) as endpoint:

            async def one() -> None:
                async with caller_of(endpoint) as caller:
                    reply = await caller.ask(caller.call("work"))
                    results.append(reply.text if reply.status == 200 else reply.code)

            registration = endpoint.service.agents[AGENT]
            async with anyio.create_task_group() as group:
                for _ in range(10):
                    group.start_soon(one)
                await until(lambda: registration.running == 10 and now == 3)
                registration.cancel_calls("the run was cancelled")  # those that wait, too
            assert results == ["canceled"] * 10
            results.clear()
            now = 0
            async with anyio.create_task_group() as group:
                for _ in range(10):
                    group.start_soon(one)
                await until(lambda: registration.running == 10 and now == 3)
                gate.set()
            assert results == ["done"] * 10
            assert most == 3


@pytest.mark.promise("CBK-18")
async def test_fifty_calls_at_once_on_ten_connections_each_run_once_with_their_agents_tool() -> None:
    ran: list[tuple[str, int]] = []

    async def first(args: Any, context: CustomToolContext) -> Any:
        await anyio.lowlevel.checkpoint()
        ran.append(("first", args["n"]))
        return {"by": "first", "n": args["n"], "id": context.tool_call_id, "agent": context.agent_id}

    def second(args: Any, context: CustomToolContext) -> Any:
        ran.append(("second", args["n"]))
        return {"by": "second", "n": args["n"], "id": context.tool_call_id, "agent": context.agent_id}

    with anyio.fail_after(30):
        async with endpoint_of(same=first) as endpoint:
            register(endpoint, "agent-2", same=second)
            gone = register(endpoint, "agent-3", same=second)
            endpoint.service.remove(gone)

            async def connection(index: int) -> None:
                async with caller_of(endpoint) as caller:
                    for _ in range(2):
                        for n in range(index * 5, index * 5 + 5):
                            agent = "agent-1" if n % 2 else "agent-2"
                            call = caller.call("same", {"n": n}, agent=agent, id=f"call-{n % 7}")
                            reply = await caller.ask(call)
                            by = "first" if n % 2 else "second"
                            assert reply.result == {"by": by, "n": n, "id": f"call-{n % 7}", "agent": agent}
                        assert (
                            await caller.ask(caller.call("same", agent="agent-3"))
                        ).code == "invalid_argument"
                        assert (await caller.ask(caller.call("other"))).code == "invalid_argument"

            async with anyio.create_task_group() as group:
                for index in range(10):
                    group.start_soon(connection, index)
    assert sorted(n for _, n in ran) == sorted([*range(50), *range(50)])
    assert all((by == "first") == bool(n % 2) for by, n in ran)


@pytest.mark.promise("CBK-19")
@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b"{", "not JSON"),
        (b"", "not JSON"),
        (b"[]", "not a JSON object"),
        (b"[" * 100_000, "not JSON"),
        ({"agentId": AGENT}, "toolName is missing"),
        ({"toolName": "t"}, "agentId is missing"),
        ({"toolName": 1, "agentId": AGENT}, "toolName is missing"),
        ({"toolName": "t", "agentId": AGENT, "args": [1]}, "args is not an object"),
        ({"toolName": "t", "agentId": "other"}, "No tools are registered here for agent 'other'"),
        ({"toolName": "u", "agentId": AGENT}, "has no tool 'u' here"),
    ],
)
async def test_a_call_that_cannot_be_meant_is_an_invalid_argument(body: Any, words: str) -> None:
    with anyio.fail_after(30):
        async with endpoint_of(t=lambda a, c: "ok") as endpoint, caller_of(endpoint) as caller:
            reply = await caller.ask(caller.request(body))
            assert (reply.status, reply.code) == (400, "invalid_argument")
            assert words in reply.json["message"]
            assert (await caller.ask(caller.request({"tool_name": "t", "agent_id": AGENT}))).text == "ok"


@pytest.mark.promise("CBK-19")
async def test_a_call_for_nobody_is_logged_with_its_ids(caplog: pytest.LogCaptureFixture) -> None:
    with anyio.fail_after(30):
        async with endpoint_of(t=lambda a, c: "ok") as endpoint, caller_of(endpoint) as caller:
            await caller.ask(caller.call("t", {"secret": "hidden"}, agent="a" * 5000))
    (record,) = [record for record in caplog.records if record.name == "cursor_sdk_async.tools"]
    assert record.levelno == logging.WARNING
    assert (getattr(record, "tool_name"), getattr(record, "tool_call_id")) == ("t", "call-1")  # noqa: B009
    assert len(record.getMessage()) < 500
    assert "hidden" not in caplog.text


@pytest.mark.promise("CBK-20")
async def test_every_kind_of_function_can_be_a_tool() -> None:
    class Tool:
        async def __call__(self, args: Any, context: CustomToolContext) -> str:
            return "object"

        async def method(self, args: Any, context: CustomToolContext) -> str:
            return "method"

    async def with_prefix(prefix: str, args: Any, context: CustomToolContext) -> str:
        return prefix

    async def plain(args: Any, context: CustomToolContext) -> str:
        return "awaited"

    tools: dict[str, AnyTool] = {
        "object": Tool(),
        "method": Tool().method,
        "partial": functools.partial(with_prefix, "partial"),
        "awaited": lambda args, context: plain(args, context),
    }
    with anyio.fail_after(30):
        async with endpoint_of(many=tools) as endpoint, caller_of(endpoint) as caller:
            for name in tools:
                assert (await caller.ask(caller.call(name))).text == name


@pytest.mark.promise("CBK-20")
def test_a_context_can_be_made_by_hand_and_logs_with_its_ids(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "cursor_sdk_async.tools")
    context = CustomToolContext("call-9", agent_id="agent-9", tool_name="build")
    assert CustomToolContext(tool_call_id="x") == CustomToolContext("x")
    context.progress(1, 4, "compiling")
    context.progress(2.5)
    context.log("found %d", 3, level=logging.WARNING)
    context.logger.info("by hand", extra={"mine": 1})
    assert [record.getMessage() for record in caplog.records] == [
        "1 of 4 done: compiling",
        "2.5 done",
        "found 3",
        "by hand",
    ]
    for record in caplog.records:
        assert (getattr(record, "tool_call_id"), getattr(record, "agent_id")) == ("call-9", "agent-9")  # noqa: B009
    assert (getattr(caplog.records[0], "progress_done"), getattr(caplog.records[3], "mine")) == (1, 1)  # noqa: B009
    assert not context.cancelled
    context.check_cancelled()
    context.cancel()
    with pytest.raises(ToolError, match="cancelled"):
        context.check_cancelled()
