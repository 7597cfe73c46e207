"""Results, usage, agents, the catalogue, and pages."""

from __future__ import annotations

import copy
import dataclasses
import json
import pickle
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cursor_sdk_async.errors import ConfigurationError, CursorSDKError, ProtocolError
from cursor_sdk_async.options import CloudEnvironment
from cursor_sdk_async.results import (
    AgentMessage,
    AgentUsage,
    AsyncListResult,
    ListResult,
    RunResult,
    RunSnapshot,
    SDKAgentInfo,
    SDKArtifact,
    SDKModel,
    SDKRepository,
    SDKUser,
    TokenUsage,
    UsageCost,
    sum_token_usage,
    to_token_usage,
)
from tests.types.samples import COUNTS, PROPERTY, RESULT
from tests.types.test_types_messages import JUNK

MODEL: dict[str, Any] = {
    "id": "m",
    "displayName": "M",
    "parameters": [
        {"id": "effort", "displayName": "Effort", "values": [{"value": "high", "displayName": "High"}]}
    ],
    "variants": [
        {"params": [{"id": "effort", "value": "low"}]},
        {"params": [{"id": "effort", "value": "high"}], "displayName": "Deep", "isDefault": True},
    ],
}
USAGE: dict[str, Any] = {
    "usage": COUNTS,
    "cost": {"rawCostCents": 1.5},
    "runs": [{"runId": "run-1", "usage": {"inputTokens": "1"}, "cost": {}}, {"runId": "run-2", "usage": {}}],
}
CLOUD: dict[str, Any] = {
    "agentId": "bc-1",
    "name": "n",
    "summary": "n",
    "lastModified": "2026-04-13T18:30:00Z",
    "archived": True,
    "cloud": {
        "env": {"type": "CLOUD_ENVIRONMENT_TYPE_POOL", "name": "p"},
        "repos": ["r"],
        "metadata": {"a": ""},
    },
}
SAMPLES: list[tuple[Callable[[Any], Any], dict[str, Any]]] = [
    (RunResult.from_json, RESULT),
    (RunSnapshot.from_json, {"runId": "r", "status": "RUN_LIFECYCLE_STATUS_RUNNING", "errorMessage": "m"}),
    (AgentUsage.from_json, USAGE),
    (SDKAgentInfo.from_json, CLOUD),
    (
        SDKAgentInfo.from_json,
        {"agentId": "a", "status": "AGENT_INFO_STATUS_RUNNING", "local": {"cwd": "/tmp"}},
    ),
    (AgentMessage.from_json, {"type": "user", "uuid": "u", "agentId": "a", "message": {"n": 1}}),
    (SDKArtifact.from_json, {"path": "p", "sizeBytes": "12", "updatedAt": "2026"}),
    (SDKModel.from_json, MODEL),
    (SDKUser.from_json, {"apiKeyName": "k", "createdAt": "c", "userId": "42", "userEmail": "e"}),
    (SDKRepository.from_json, {"url": "u"}),
    (TokenUsage.from_json, {**COUNTS, "reasoningTokens": "3"}),
]


@pytest.mark.promise("TYP-11")
@pytest.mark.parametrize(("read", "sample"), SAMPLES)
def test_results_survive_pickle_copy_and_their_own_dictionary(
    read: Callable[[Any], Any], sample: Any
) -> None:
    value = read(sample)
    assert pickle.loads(pickle.dumps(value)) == copy.deepcopy(value) == copy.copy(value) == value
    assert read(json.loads(json.dumps(value.to_dict()))) == value
    assert isinstance(hash(value), int)
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(value, dataclasses.fields(value)[0].name, "x")


@pytest.mark.promise("TYP-12")
@PROPERTY
@given(st.sampled_from(SAMPLES), JUNK, st.data())
def test_results_of_damaged_answers_are_values_or_typed_errors(
    sample: tuple[Callable[[Any], Any], dict[str, Any]], junk: Any, data: st.DataObject
) -> None:
    read, good = sample
    read({**good, data.draw(st.sampled_from(sorted(good))): junk}).to_dict()
    with suppress(CursorSDKError):
        repr(read(junk))


@pytest.mark.promise("TYP-16")
@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("RUN_LIFECYCLE_STATUS_CREATING", "running"),
        ("RUN_LIFECYCLE_STATUS_RUNNING", "running"),
        ("RUN_LIFECYCLE_STATUS_FINISHED", "finished"),
        ("RUN_LIFECYCLE_STATUS_ERROR", "error"),
        ("RUN_LIFECYCLE_STATUS_CANCELLED", "cancelled"),
        ("RUN_LIFECYCLE_STATUS_EXPIRED", "expired"),
        ("finished", "finished"),
        ("RUN_LIFECYCLE_STATUS_UNSPECIFIED", "error"),
        ("SOMETHING_NEW", "error"),
        (99, "error"),
        (None, "error"),
    ],
)
def test_status_words_of_results(word: object, expected: str) -> None:
    assert RunResult.from_json({"status": word}).status == expected


@pytest.mark.promise("TYP-18")
def test_a_failed_result_says_why_and_raises_when_asked() -> None:
    good = RunResult("r", "a", "finished", "text")
    assert good.ok
    assert good.error is None
    assert good.raise_for_status() is good
    bad = RunResult("r", "a", "error", error_code="unauthorized", error_message="no key")
    assert not bad.ok
    assert bad.error == ("unauthorized", "no key")
    with pytest.raises(CursorSDKError, match="no key") as caught:
        bad.raise_for_status()
    assert caught.value.code == "unauthorized"
    assert RunResult("r", "a", "cancelled").error is not None
    assert RunSnapshot("r", "a", "running").error is None
    with pytest.raises(CursorSDKError, match="still going on"):
        RunSnapshot("r", "a", "running").raise_for_status()


@pytest.mark.promise("TYP-18")
def test_the_old_name_of_the_run_id_warns() -> None:
    with pytest.warns(DeprecationWarning, match="use id"):
        assert RunResult("r", "a", "finished").run_id == "r"


@pytest.mark.promise("TYP-14")
def test_usage_totals_are_taken_as_reported_and_computed_only_when_absent() -> None:
    assert TokenUsage.from_json(COUNTS).total_tokens == 12
    assert (
        TokenUsage.from_json({"input_tokens": 1, "outputTokens": "2", "cacheReadTokens": 3}).total_tokens == 6
    )
    total = sum_token_usage([COUNTS, TokenUsage(1, 1, 1, 1, 4, 2), None, {}])
    assert total == TokenUsage(11, 3, 4, 5, 16, 2)


@pytest.mark.promise("TYP-14")
def test_absent_usage_is_none_and_zero_usage_is_zero() -> None:
    assert to_token_usage(None) is None
    assert to_token_usage({}) is None
    assert to_token_usage({"totalTokens": 5}) is None
    assert sum_token_usage([None, {}]) is None
    assert RunResult.from_json({"status": "finished"}).usage is None
    assert RunResult.from_json({"status": "finished", "usage": {}}).usage == TokenUsage(0, 0, 0, 0, 0)
    usage = AgentUsage.from_json(USAGE)
    assert usage.cost == UsageCost(1.5, 0.0)
    assert [run.cost for run in usage.runs] == [UsageCost(0.0, 0.0), None]
    assert usage.to_json()["runs"][1] == {"runId": "run-2", "usage": TokenUsage(0, 0, 0, 0, 0).to_json()}
    assert "reasoningTokens" not in usage.to_json()["usage"]


@pytest.mark.promise("TYP-13")
def test_64_bit_integers_come_as_text_and_are_integers() -> None:
    assert RunResult.from_json(RESULT).duration_ms == 1234
    assert SDKUser.from_json({"userId": str(2**53 + 1)}).user_id == 2**53 + 1
    assert SDKUser.from_json({"userId": 0}).user_id is None
    assert repr(AgentMessage.from_json({"message": {"n": [1.0, 1.5]}}).message) == "{'n': [1, 1.5]}"


@pytest.mark.promise("TYP-16")
def test_the_runtime_of_an_agent_is_known_though_its_place_is_empty() -> None:
    assert SDKAgentInfo.from_json({"agentId": "a", "local": {}}).runtime == "local"
    assert SDKAgentInfo.from_json({"agentId": "a", "cloud": {}}).runtime == "cloud"
    assert SDKAgentInfo.from_json({"agentId": "a"}).runtime is None
    info = SDKAgentInfo.from_json(CLOUD)
    assert (info.env, info.repos, info.metadata) == (CloudEnvironment("pool", "p"), ("r",), {"a": ""})
    assert (info.status, info.archived) == (None, True)


@pytest.mark.promise("TYP-16")
def test_a_model_knows_its_default_variant() -> None:
    model = SDKModel.from_json(MODEL)
    assert model.default_variant is model.variants[1]
    assert SDKModel("m", "M").default_variant is None


@pytest.mark.promise("TYP-15")
def test_a_page_is_a_sequence_and_plain_data() -> None:
    page = ListResult([SDKRepository("a"), SDKRepository("b")], "2")
    assert [item.url for item in page] == ["a", "b"]
    assert (len(page), page[0].url, [item.url for item in page[1:]]) == (2, "a", ["b"])
    assert page.has_next_page()
    assert page.next_page_info() == {"cursor": "2"}
    assert page.to_dict() == {"items": [{"url": "a"}, {"url": "b"}], "next_cursor": "2"}
    assert ListResult[int]([]).next_page_info() == {}
    with pytest.raises(ConfigurationError) as caught:
        page.get_next_page()
    assert caught.value.code == "pagination_unavailable"
    assert len(ListResult[int]([1]).get_next_page()) == 0
    assert pickle.loads(pickle.dumps(page)) == page


@pytest.mark.promise("TYP-15")
def test_pages_go_on_to_the_end() -> None:
    def page(cursor: str) -> ListResult[int]:
        start = int(cursor)
        return ListResult([start, start + 1] if start != 4 else [], str(start + 2) if start < 8 else "", page)

    assert list(page("0").auto_paging_iter()) == [0, 1, 2, 3, 6, 7, 8, 9]
    assert list(page("6").get_next_page()) == [8, 9]


@pytest.mark.promise("TYP-15")
def test_a_list_that_would_never_end_is_an_error() -> None:
    def page(cursor: str) -> ListResult[int]:
        return ListResult([1], "same", page)

    with pytest.raises(ProtocolError):
        list(page("").auto_paging_iter())


@pytest.mark.anyio
@pytest.mark.promise("TYP-15")
async def test_pages_that_are_awaited_go_on_to_the_end() -> None:
    async def page(cursor: str) -> AsyncListResult[int]:
        await anyio.lowlevel.checkpoint()
        start = int(cursor)
        return AsyncListResult(
            [start, start + 1] if start != 4 else [], str(start + 2) if start < 8 else "", page
        )

    first = await page("0")
    assert [item async for item in first] == list(first) == first[:] == [0, 1]
    assert [item async for item in first.auto_paging_iter()] == [0, 1, 2, 3, 6, 7, 8, 9]
    assert list(await first.get_next_page()) == [2, 3]
    assert len(await AsyncListResult([1]).get_next_page()) == 0
    with pytest.raises(ConfigurationError) as caught:
        await AsyncListResult([1], "x").get_next_page()
    assert caught.value.code == "pagination_unavailable"
    assert pickle.loads(pickle.dumps(first)) == AsyncListResult([0, 1], "2")


@pytest.mark.anyio
@pytest.mark.promise("TYP-15")
async def test_a_page_that_could_not_be_read_can_be_asked_for_again() -> None:
    failures = [ConnectionError("once")]

    async def page(cursor: str) -> AsyncListResult[int]:
        await anyio.lowlevel.checkpoint()
        if failures:
            raise failures.pop()
        return AsyncListResult([2])

    items = AsyncListResult([1], "x", page).auto_paging_iter()
    assert await items.__anext__() == 1
    with pytest.raises(ConnectionError):
        await items.__anext__()
    assert await items.__anext__() == 2
    with pytest.raises(StopAsyncIteration):
        await items.__anext__()
