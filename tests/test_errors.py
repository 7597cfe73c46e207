"""Public errors keep their facts wherever they travel."""

from __future__ import annotations

import copy
import multiprocessing
import pickle
from concurrent.futures import ProcessPoolExecutor
from typing import Any

import pytest

from cursor_sdk_async import errors
from cursor_sdk_async.results import TokenUsage

pytestmark = pytest.mark.promise("HSE-04")

CLASSES: list[type[errors.CursorAgentError]] = [getattr(errors, name) for name in errors.__all__]


def make(cls: type[errors.CursorAgentError]) -> errors.CursorAgentError:
    facts: dict[str, Any] = {"code": "word", "status": 418, "request_id": "req_1", "details": [{"a": 1}]}
    if cls is errors.IntegrationNotConnectedError:
        facts.update(provider="github", help_url="https://help")
    if cls is errors.RunTimeoutError:
        facts.update(run_id="run-1", text="so far", usage=TokenUsage(1, 2, 0, 0, 3))
    return cls("what happened", **facts)


def raise_it(name: str) -> None:
    raise make(getattr(errors, name))


@pytest.mark.parametrize("cls", CLASSES)
@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_an_error_survives_pickle(cls: type[errors.CursorAgentError], protocol: int) -> None:
    error = make(cls)
    twin = pickle.loads(pickle.dumps(error, protocol))
    assert type(twin) is cls
    assert str(twin) == str(error)
    assert vars(twin) == vars(error)


@pytest.mark.parametrize("cls", CLASSES)
def test_an_error_survives_copy(cls: type[errors.CursorAgentError]) -> None:
    error = make(cls)
    assert vars(copy.copy(error)) == vars(error)
    assert vars(copy.deepcopy(error)) == vars(error)


def test_an_error_reaches_the_parent_of_a_process_pool() -> None:
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=context) as pool, pytest.raises(errors.AgentBusyError) as caught:
        pool.submit(raise_it, "AgentBusyError").result(timeout=30)
    assert (caught.value.code, caught.value.request_id) == ("word", "req_1")


def test_a_traceback_names_the_public_class() -> None:
    assert {cls.__module__ for cls in CLASSES} == {"cursor_sdk_async.errors"}


def test_a_run_that_took_too_long_is_caught_as_a_time_out_and_keeps_what_there_was() -> None:
    error = make(errors.RunTimeoutError)
    assert isinstance(error, errors.RunTimeoutError)
    assert issubclass(errors.RunTimeoutError, TimeoutError)
    assert (error.run_id, error.text) == ("run-1", "so far")
    assert error.usage is not None
    assert error.usage.output_tokens == 2
    assert errors.RunTimeoutError("late").usage is None


def test_a_pickle_leaves_the_cause_behind() -> None:
    error = errors.NetworkError("lost", cause=OSError("socket"))
    assert pickle.loads(pickle.dumps(error)).cause is None


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("7", 7.0), ("1.5", 1.5), ("7s", 7.0), ("-3", 0.0), ("soon", None), (None, None)],
)
def test_retry_after_is_given_in_seconds(text: str | None, seconds: float | None) -> None:
    assert errors.RateLimitError("slow down", retry_after=text).retry_after_seconds == seconds


def test_retry_after_reads_a_date() -> None:
    assert errors.RateLimitError(
        "x", retry_after="Fri, 01 Jan 2100 00:00:00 GMT"
    ).retry_after_seconds == pytest.approx(2.3e9, rel=0.2)


def test_every_error_is_caught_by_the_root_and_drawn_in_the_tree() -> None:
    assert all(issubclass(cls, errors.CursorAgentError) for cls in CLASSES)
    assert all(cls.__name__ in (errors.__doc__ or "") for cls in CLASSES)


@pytest.mark.parametrize(
    ("cls", "status"),
    [
        (errors.CursorSDKError, 500),
        (errors.AuthenticationError, 401),
        (errors.PermissionDeniedError, 403),
        (errors.RateLimitError, 429),
        (errors.BadRequestError, 400),
        (errors.LocalAgentBusyError, 409),
        (errors.AgentNotFoundError, 404),
        (errors.RunTimeoutError, 504),
        (errors.BridgeExitedError, 503),
        (errors.BridgeNotFoundError, 503),
        (errors.InternalServerError, 502),
    ],
)
def test_an_error_tells_which_status_a_web_service_may_answer_with(
    cls: type[errors.CursorAgentError], status: int
) -> None:
    assert cls.http_status == status
