"""RetryPolicy: which failed calls are repeated, how often, and after which pause.

Which calls may be repeated is settled by the contract (``docs/protocol.md``, "Retries"), not by the policy:
those that only read and, when asked for, those that carry an idempotency key. Nothing hangs: attempts, each
pause and the time that all of them take are bounded, and a pause ends when its caller is cancelled.
"""

from __future__ import annotations

import logging
import math
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import anyio

from cursor_sdk_async.errors import BridgeStartError, ConfigurationError, CursorSDKError

__all__ = ["DEFAULT_RETRY", "RetryPolicy", "repeat"]

logger = logging.getLogger("cursor_sdk_async")

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How calls that fail for a passing reason are repeated.

    The pause before attempt n + 1 is ``first_pause * factor ** (n - 1)`` seconds, at most ``longest_pause``,
    less a random part of up to ``jitter``. When the service says how long to wait, that is waited instead if
    it is not longer than ``longest_pause``; a longer wait is left to the caller: the error is raised at once,
    with ``retry_after_seconds``.

    Attributes:
        attempts: How often a call is sent at most, the first time included; 1 switches repeating off.
        first_pause: The pause after the first failure, in seconds.
        factor: How much longer each further pause is.
        longest_pause: The longest pause, in seconds.
        jitter: The part of a pause that is left to chance, from 0 to 1.
        budget: No attempt begins later than this many seconds after the first one; ``None`` for no limit.
        keyed_calls: Repeat also what changes something but carries an ``idempotency_key`` of yours: creating
            a cloud agent under an ``agent_id`` of yours, and prompts to cloud agents. The key stays the same.
        should_retry: Says whether a call that failed with this error is repeated; by default
            ``error.is_retryable`` decides.
    """

    attempts: int = 3
    first_pause: float = 0.25
    factor: float = 2.0
    longest_pause: float = 8.0
    jitter: float = 0.5
    budget: float | None = 30.0
    keyed_calls: bool = False
    should_retry: Callable[[CursorSDKError], bool] | None = None

    def __post_init__(self) -> None:
        """Check the values.

        Raises:
            ConfigurationError: One of them is not what it must be.
        """
        if not _whole(self.attempts) or self.attempts < 1:
            raise _wrong("attempts", "a whole number from 1 on", self.attempts)
        for name, least in (("first_pause", 0.0), ("factor", 1.0), ("longest_pause", 0.0)):
            _check_number(name, getattr(self, name), least, math.inf)
        _check_number("jitter", self.jitter, 0.0, 1.0)
        if self.budget is not None:
            _check_number("budget", self.budget, 0.0, math.inf)
        if self.should_retry is not None and not callable(self.should_retry):
            raise _wrong("should_retry", "a function of an error, or None", self.should_retry)

    @classmethod
    def never(cls) -> RetryPolicy:
        """The policy that repeats nothing."""
        return cls(attempts=1)

    def with_retries(self, max_retries: int) -> RetryPolicy:
        """The same policy with this number of attempts after the first."""
        return replace(self, attempts=max_retries + 1)

    def for_launches(self) -> RetryPolicy:
        """For starting a bridge: by default one that ended before it was ready is started again."""
        return self if self.should_retry else replace(self, should_retry=_ended_early)

    def pause(self, attempt: int, error: CursorSDKError, *, spent: float, chance: float) -> float | None:
        """How long to wait before the next attempt.

        Args:
            attempt: How many attempts were made.
            error: What the last one failed with.
            spent: Seconds since the first one began.
            chance: A random number from 0 to 1.

        Returns:
            Seconds; ``None`` when the error is to be raised.
        """
        wanted = error.is_retryable if self.should_retry is None else self.should_retry(error)
        if attempt >= self.attempts or not wanted:
            return None
        hint = error.retry_after_seconds
        if hint is None:
            growth = self.factor ** min(attempt - 1, 64)
            wait = min(self.first_pause * growth, self.longest_pause) * (1 - self.jitter * chance)
        elif hint > self.longest_pause:
            return None
        else:
            wait = hint
        return wait if self.budget is None or spent + wait <= self.budget else None


async def repeat(
    policy: RetryPolicy,
    what: str,
    attempt: Callable[[], Awaitable[T]],
    sleep: Callable[[float], Awaitable[object]] = anyio.sleep,
) -> T:
    """Make attempts until one succeeds or the policy has enough.

    Args:
        policy: The policy.
        what: The call, for the log.
        attempt: One attempt.
        sleep: Waits that many seconds, or less when waiting has become pointless.
    """
    began = anyio.current_time()
    count = 0
    while True:
        count += 1
        try:
            return await attempt()
        except CursorSDKError as error:
            spent = anyio.current_time() - began
            pause = policy.pause(count, error, spent=spent, chance=random.random())  # noqa: S311
            if pause is None:
                raise
            reason = f"{type(error).__name__}{f' [{error.code}]' if error.code else ''}"
        logger.info("%s: %s; attempt %d of %d in %.2f s", what, reason, count + 1, policy.attempts, pause)
        await sleep(pause)


def _ended_early(error: CursorSDKError) -> bool:
    return isinstance(error, BridgeStartError) and (error.exit_code is not None or error.signal is not None)


def _whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _check_number(name: str, value: Any, least: float, most: float) -> None:
    number = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    if not number or not least <= value <= most:
        bounds = f"a number from {least:g} {'on' if most == math.inf else f'to {most:g}'}"
        raise _wrong(name, bounds, value)


def _wrong(name: str, wanted: str, value: object) -> ConfigurationError:
    return ConfigurationError(
        f"RetryPolicy.{name} must be {wanted}, not {value!r}.", code="bad_retry_policy", is_safe_to_retry=True
    )


#: What holds when a user says nothing.
DEFAULT_RETRY = RetryPolicy()
