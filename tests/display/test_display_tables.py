"""Lists, results and usage draw themselves."""

from __future__ import annotations

import io
import json
import pickle
from typing import Any

import pytest
from rich.console import Console

from cursor_sdk_async._display._tables import Bar, list_table, token_table
from cursor_sdk_async._shown import ShownList
from cursor_sdk_async.options import ModelSelection
from cursor_sdk_async.results import (
    AgentMessage,
    AgentUsage,
    AsyncListResult,
    ListResult,
    ModelParameterDefinition,
    RunResult,
    RunSnapshot,
    RunUsage,
    SDKAgentInfo,
    SDKArtifact,
    SDKModel,
    SDKRepository,
    TokenUsage,
    UsageCost,
)
from tests.display.samples import Page

pytestmark = pytest.mark.promise("DSP-06")

USAGE = TokenUsage(1200, 340, 800, 50, 1540, 100)
LOCAL = SDKAgentInfo("agent-1", "Fix", "", "2026-01-15T09:30:00.000Z", "finished", runtime="local", cwd="/w")
CLOUD = SDKAgentInfo("bc-1", "<b>Up</b>", "", runtime="cloud", repos=("github.com/a/b",), archived=True)


@pytest.mark.parametrize(
    ("item", "row"),
    [
        (LOCAL, ["agent-1", "Fix", "finished", "local", "/w", "2026-01-15 09:30"]),
        (CLOUD, ["bc-1", "<b>Up</b>", "archived", "cloud", "github.com/a/b", ""]),
        (
            RunSnapshot("run-1", "a", "finished", model=ModelSelection("m"), duration_ms=4200, usage=USAGE),
            ["run-1", "finished", "m", "4.2 s", "1,540", ""],
        ),
        (RunResult("run-1", "a", "error"), ["run-1", "error", "", "", "", ""]),
        (
            SDKModel("m", "Model", "good", (ModelParameterDefinition("effort"),)),
            ["m", "Model", "effort", "", "good"],
        ),
        (SDKRepository("https://github.com/a/b"), ["https://github.com/a/b"]),
        (SDKArtifact("a.bin", 2_621_444, "2026-01-15T09:30:00Z"), ["a.bin", "2.6 MB", "2026-01-15 09:30"]),
        (AgentMessage("user", "u1", "a", {"text": "hello"}), ["user", "u1", "hello"]),
        (RunUsage("run-1", USAGE), ["run-1", "1,200", "340", "850", "1,540"]),
        (3, ["3"]),
    ],
)
def test_each_kind_of_item_has_its_row(item: Any, row: list[str]) -> None:
    table = list_table([item])
    assert [list(cells) for cells in table.rows] == [row]
    assert len(table.columns) == len(row)


def test_mixed_and_long_lists_are_drawn_and_say_what_is_missing() -> None:
    table = list_table([LOCAL, 1, *[CLOUD] * 1000], more=True)
    assert len(table.rows) == 200
    assert list(table.rows[1]) == ["1", "", "", "", "", ""]
    assert table.note.startswith("1,002 agents; the first 200 shown; more pages follow")
    assert list_table([]).note == "0 items"
    assert len(str(list_table([SDKRepository("x" * 1_000_000)]).rows)) < 200


def test_the_bars_of_usage_are_shares_of_the_longest() -> None:
    table = token_table(USAGE)
    assert [row[-1] for row in table.rows] == [Bar(n / 1200) for n in (1200, 340, 100, 800, 50)]
    assert token_table(TokenUsage(0, 0, 0, 0, 0)).rows[0][-1] == Bar(0.0)
    assert token_table(TokenUsage(-5, 10, 0, 0, 5)).rows[0][-1] == Bar(0.0)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (USAGE, ["tokens", "1,200", "total 1,540"]),
        (AgentUsage(USAGE, (RunUsage("run-2", USAGE),), UsageCost(3.2, 4.1)), ["run-2", "4.10 cents"]),
        (AgentUsage(USAGE), ["Usage of the agent", "cache read"]),
        (RunResult("run-9", "a", "finished", "It **works**."), ["finished", "run-9", "works"]),
        (AsyncListResult([LOCAL, CLOUD], "next"), ["agent-1", "<b>Up</b>", "2 agents", "more pages"]),
        (ListResult([LOCAL]), ["agent-1", "1 agent"]),
        (ShownList([SDKRepository("https://github.com/a/b")]), ["1 repository", "github.com/a/b"]),
    ],
)
def test_values_draw_themselves_in_notebooks_and_in_rich(value: Any, words: list[str]) -> None:
    page = Page(value._repr_html_())
    console = Console(record=True, width=80, file=io.StringIO())
    console.print(value)
    drawn = console.export_text()
    for word in words:
        assert word in page.text
        assert word in drawn


def test_a_drawn_list_is_a_list() -> None:
    made = ShownList([1, 2])
    assert made == [1, 2]
    assert isinstance(made, list)
    assert repr(made) == "[1, 2]"
    assert json.dumps(made) == "[1, 2]"
    assert pickle.loads(pickle.dumps(made)) == [1, 2]


def test_values_still_compare_pickle_and_print_as_before() -> None:
    page = AsyncListResult([LOCAL], "next")
    assert pickle.loads(pickle.dumps(USAGE)) == USAGE
    assert repr(page) == "AsyncListResult(<1 items>, next_cursor='next')"
    assert not hasattr(USAGE, "__dict__")
