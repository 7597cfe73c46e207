"""Which failed calls are repeated, how often, and after which pauses."""

from __future__ import annotations

import pickle
from datetime import datetime, timedelta, timezone
from email.utils import format_datetime
from typing import Any

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cursor_sdk_async import BridgeStartError, ClosedError, ConfigurationError, CursorSDKError, RetryPolicy
from cursor_sdk_async._connect._methods import METHODS
from cursor_sdk_async._connect._retry import repeat
from tests.connect.opening import Wiring, ping
from tests.connect.server import PING, Reply

pytestmark = [pytest.mark.anyio, pytest.mark.promise("CHN-22")]

QUICK = RetryPolicy(attempts=3, first_pause=0.001)
passing = CursorSDKError("busy", is_retryable=True)


async def later(reply: Reply) -> None:
    await reply.answer(b'{"code":"unavailable","message":"later"}', 503, "application/json")


@pytest.mark.promise("CHN-23")
@given(
    attempt=st.integers(1, 10**6),
    chance=st.floats(0, 1),
    longest=st.floats(0, 100),
    jitter=st.floats(0, 1),
    hint=st.none() | st.floats(0, 1000).map(str),
)
def test_no_pause_is_longer_than_allowed(
    attempt: int, chance: float, longest: float, jitter: float, hint: str | None
) -> None:
    policy = RetryPolicy(attempts=attempt + 1, longest_pause=longest, jitter=jitter, budget=None)
    error = CursorSDKError("busy", is_retryable=True, retry_after=hint)
    pause = policy.pause(attempt, error, spent=0.0, chance=chance)
    if hint is not None and float(hint) > longest:
        assert pause is None
    else:
        assert pause is not None
        assert 0 <= pause <= longest
        assert hint is None or pause == float(hint)


def test_pauses_grow_and_end_with_the_attempts_or_the_budget() -> None:
    policy = RetryPolicy(attempts=6, jitter=0, longest_pause=1.5, budget=10)
    pauses = [policy.pause(attempt, passing, spent=0, chance=1) for attempt in range(1, 7)]
    assert pauses == [0.25, 0.5, 1.0, 1.5, 1.5, None]
    assert policy.pause(1, passing, spent=9.75, chance=1) == 0.25
    assert policy.pause(1, passing, spent=9.8, chance=1) is None
    assert RetryPolicy.never().pause(1, passing, spent=0, chance=0) is None


def test_a_wait_that_was_asked_for_may_be_a_date() -> None:
    soon = format_datetime(datetime.now(timezone.utc) + timedelta(seconds=5), usegmt=True)
    pause = QUICK.pause(1, CursorSDKError("x", is_retryable=True, retry_after=soon), spent=0, chance=1)
    assert pause is not None
    assert 2 < pause <= 5


def test_which_errors_are_repeated_can_be_said() -> None:
    lasting = CursorSDKError("no such thing", code="not_found")
    assert QUICK.pause(1, lasting, spent=0, chance=0) is None
    policy = RetryPolicy(should_retry=lambda error: error.code == "not_found")
    assert policy.pause(1, lasting, spent=0, chance=0) == 0.25
    assert policy.pause(1, passing, spent=0, chance=0) is None


def test_a_bridge_that_ended_before_it_was_ready_is_started_again() -> None:
    policy = RetryPolicy().for_launches()
    assert policy.pause(1, BridgeStartError("died", exit_code=1), spent=0, chance=0) is not None
    assert policy.pause(1, BridgeStartError("died", signal=9), spent=0, chance=0) is not None
    assert policy.pause(1, BridgeStartError("never ready"), spent=0, chance=0) is None


@pytest.mark.parametrize(
    ("options", "name"),
    [
        ({"attempts": 0}, "attempts"),
        ({"attempts": True}, "attempts"),
        ({"first_pause": -1}, "first_pause"),
        ({"factor": 0.5}, "factor"),
        ({"longest_pause": float("nan")}, "longest_pause"),
        ({"jitter": 1.5}, "jitter"),
        ({"budget": "10"}, "budget"),
        ({"should_retry": 1}, "should_retry"),
    ],
)
def test_a_wrong_value_is_refused(options: dict[str, Any], name: str) -> None:
    with pytest.raises(ConfigurationError, match=f"RetryPolicy.{name} must be"):
        RetryPolicy(**options)


def test_a_policy_is_a_value() -> None:
    assert pickle.loads(pickle.dumps(QUICK)) == QUICK
    assert QUICK.with_retries(0).attempts == 1
    assert hash(QUICK) == hash(RetryPolicy(attempts=3, first_pause=0.001))


async def test_only_reads_are_repeated(wiring: Wiring) -> None:
    async with wiring.served(later, retry=QUICK) as (channel, server):
        for rpc, method in METHODS.items():
            if method.side == "adapter" or method.streams:
                continue
            server.requests.clear()
            with pytest.raises(CursorSDKError, match="later"):
                await channel.unary(rpc, method.request())
            assert len(server.requests) == (3 if method.safe_to_retry else 1), rpc


async def test_a_call_that_is_repeated_succeeds(wiring: Wiring) -> None:
    async def handle(reply: Reply) -> None:
        if len(server.requests) < 3:
            await later(reply)
        else:
            await reply.message({"message": "pong"})

    async with wiring.served(handle, retry=QUICK) as (channel, server):
        assert await ping(channel) == "pong"
        assert len(server.requests) == 3
        server.requests.clear()
        with pytest.raises(CursorSDKError, match="later"):
            await ping(channel.with_options(retry=RetryPolicy.never()))


async def test_a_lasting_failure_is_not_repeated(wiring: Wiring) -> None:
    async def handle(reply: Reply) -> None:
        await reply.answer(b'{"code":"not_found","message":"nothing here"}', 404, "application/json")

    async with wiring.served(handle, retry=QUICK) as (channel, server):
        with pytest.raises(CursorSDKError, match="nothing here"):
            await ping(channel)
        assert len(server.requests) == 1


@pytest.mark.promise("CHN-23")
async def test_closing_ends_a_pause(wiring: Wiring) -> None:
    slow = RetryPolicy(first_pause=600, longest_pause=600, jitter=0, budget=None)
    async with wiring.served(later, retry=slow) as (channel, server), anyio.create_task_group() as group:

        async def call() -> None:
            with pytest.raises(ClosedError):
                await ping(channel)

        group.start_soon(call)
        while not server.requests:
            await anyio.sleep(0.01)
        await anyio.wait_all_tasks_blocked()
        await channel.aclose()


@pytest.mark.promise("CHN-23")
async def test_a_cancelled_caller_ends_its_pause() -> None:
    attempts = 0

    async def fail() -> None:
        nonlocal attempts
        attempts += 1
        raise CursorSDKError("later", is_retryable=True)

    slow = RetryPolicy(first_pause=600, longest_pause=600, jitter=0, budget=None)
    with anyio.fail_after(30), anyio.move_on_after(0.05) as scope:
        await repeat(slow, PING, fail)
    assert scope.cancelled_caught
    assert attempts == 1
