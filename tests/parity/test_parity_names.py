"""Every public name, parameter, field and default of the official package is here, or has a reason."""

from __future__ import annotations

import re

import pytest

from cursor_sdk_async import (
    AsyncAgent,
    AsyncClient,
    AsyncRun,
    CursorAgentError,
    IntegrationNotConnectedError,
    UnsupportedRunOperationError,
)
from cursor_sdk_sync import Agent, CursorClient, Run
from tests.parity.reasons import BLOCKING, REASONS
from tests.parity.walk import Difference, differences

pytestmark = [pytest.mark.real_bridge, pytest.mark.promise("SUR-01")]


@pytest.fixture(scope="module", params=["cursor_sdk_async", "cursor_sdk_sync"])
def found(request: pytest.FixtureRequest) -> list[Difference]:
    return differences("cursor_sdk", request.param)


def test_what_differs_from_the_official_package_stands_in_the_list_of_reasons(
    found: list[Difference], request: pytest.FixtureRequest
) -> None:
    blocking = "cursor_sdk_async" in request.node.name
    unexplained = [
        str(difference)
        for difference in found
        if not any(
            re.fullmatch(pattern, difference.name)
            for pattern, _ in (*REASONS, *([BLOCKING] if blocking else []))
        )
    ]
    assert not unexplained, "\n".join(unexplained)


@pytest.mark.parametrize(
    ("cls", "names"),
    [
        (AsyncAgent, "agent_id client model"),
        (Agent, "agent_id client model"),
        (Run, "id agent_id status result model duration_ms git created_at usage client"),
        (CursorClient, "agents models repositories"),
        (AsyncRun, "id agent_id status result model duration_ms git created_at usage client"),
        (AsyncClient, "agents models repositories"),
        (CursorAgentError("x"), "message code status status_code details is_retryable cause"),
        (CursorAgentError("x"), "proto_error_code request_id headers retry_after"),
        (IntegrationNotConnectedError("x", provider="p", help_url="u"), "provider help_url"),
        (UnsupportedRunOperationError("wait"), "operation"),
    ],
)
def test_documented_attributes_that_only_instances_have_are_there(cls: object, names: str) -> None:
    known = {name for base in getattr(cls, "__mro__", ()) for name in getattr(base, "__annotations__", {})}
    assert [name for name in names.split() if not hasattr(cls, name) and name not in known] == []


def test_no_reason_outlives_its_difference() -> None:
    packages = ("cursor_sdk_async", "cursor_sdk_sync")
    names = [found.name for package in packages for found in differences("cursor_sdk", package)]
    stale = [
        pattern
        for pattern, _ in (BLOCKING, *REASONS)
        if not any(re.fullmatch(pattern, name) for name in names)
    ]
    assert not stale
