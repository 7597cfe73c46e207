"""Every public name, parameter, field and default of the official package is here, or has a reason."""

from __future__ import annotations

import re

import pytest

from tests.parity.reasons import REASONS
from tests.parity.walk import Difference, differences

pytestmark = [pytest.mark.real_bridge, pytest.mark.promise("SUR-01")]


@pytest.fixture(scope="module")
def found() -> list[Difference]:
    pytest.importorskip("cursor_sdk")
    return differences("cursor_sdk", "cursor_sdk_async")


def test_what_differs_from_the_official_package_stands_in_the_list_of_reasons(
    found: list[Difference],
) -> None:
    unexplained = [
        str(difference)
        for difference in found
        if not any(re.fullmatch(pattern, difference.name) for pattern, _ in REASONS)
    ]
    assert not unexplained, "\n".join(unexplained)


def test_no_reason_outlives_its_difference(found: list[Difference]) -> None:
    names = [difference.name for difference in found]
    stale = [pattern for pattern, _ in REASONS if not any(re.fullmatch(pattern, name) for name in names)]
    assert not stale
