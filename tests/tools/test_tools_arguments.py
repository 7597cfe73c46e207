"""Arguments arrive as declared, or the model is told what is wrong with them."""

from __future__ import annotations

import datetime as dt
import enum
import math
import traceback
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict, field_validator
from pydantic_core import to_json

from cursor_sdk_async.errors import ToolError
from cursor_sdk_async.tools import CustomTool, CustomToolContext, tool


@dataclass
class Point:
    x: int
    y: int = 0


class Color(enum.Enum):
    RED = "red"


class Strict(BaseModel):
    model_config = ConfigDict(strict=True)
    when: dt.date
    color: Color


class Picky(BaseModel):
    word: str

    @field_validator("word")
    @classmethod
    def check(cls, value: str) -> str:
        raise ValueError("secret " * 200)


@tool
def integer(value: int) -> Any:
    return [value, type(value).__name__]


@tool
def real(value: float) -> Any:
    return [value, type(value).__name__]


@tool
def flag(value: bool) -> Any:
    return value


@tool
def text(value: str) -> Any:
    return value


@tool
def integers(values: list[int]) -> Any:
    return values


@tool
def search(query: str, limit: int = 10, order: Literal["new", "old"] = "new") -> Any:
    """Search."""
    return [query, limit, order]


@tool
def nested(point: Point, points: list[Point] | None = None) -> Any:
    return isinstance(point, Point), [each.x for each in points or ()]


@tool
def strict(value: Strict) -> Any:
    return isinstance(value.when, dt.date), value.color is Color.RED


@tool
def picky(value: Picky) -> Any: ...


@tool
def nothing() -> Any:
    return "ran"


@tool
def untouched(value: Any) -> Any:
    return value


def run(each: CustomTool, args: Any) -> Any:
    return each.execute(args, CustomToolContext())


def refusal(each: CustomTool, args: Any) -> str:
    with pytest.raises(ToolError) as caught:
        run(each, args)
    error = caught.value
    assert (error.code, error.is_safe_to_retry) == ("invalid_arguments", True)
    assert error.__cause__ is None
    assert "pydantic" not in "".join(traceback.format_exception(error)).split("cursor_sdk_async.errors")[-1]
    return error.message


@pytest.mark.promise("TOL-04")
@pytest.mark.parametrize(
    ("given_value", "arrives"),
    [(1, 1), (1.0, 1), (-0.0, 0), ("1", 1), (" 7 ", 7), (2**53 + 1, 2**53 + 1), (1e15, 10**15), (True, 1)],
)
def test_a_whole_number_arrives_as_an_int(given_value: Any, arrives: int) -> None:
    assert run(integer, {"value": given_value}) == [arrives, "int"]


@pytest.mark.promise("TOL-04", "TOL-05")
@pytest.mark.parametrize("value", [1.5, "1.5", "x", None, [], {}, math.nan, math.inf, 1e300])
def test_what_is_no_whole_number_is_refused(value: Any) -> None:
    assert "\n- value: " in refusal(integer, {"value": value})


@pytest.mark.promise("TOL-04")
@pytest.mark.parametrize(("value", "arrives"), [(1, 1.0), (2.5, 2.5), ("2.5", 2.5), (-0.0, -0.0)])
def test_a_number_arrives_as_a_float(value: Any, arrives: float) -> None:
    assert run(real, {"value": value}) == [arrives, "float"]


@pytest.mark.promise("TOL-04")
@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, "nan", "x", None])
def test_what_is_no_finite_number_is_refused(value: Any) -> None:
    assert "\n- value: " in refusal(real, {"value": value})


@pytest.mark.promise("TOL-04")
def test_texts_are_not_made_of_numbers_and_truth_has_words() -> None:
    assert "should be a valid string" in refusal(text, {"value": 1})
    assert run(flag, {"value": "yes"}) is True
    assert run(flag, {"value": 0}) is False
    refusal(flag, {"value": 2})


@pytest.mark.promise("TOL-04")
def test_nested_values_are_converted_too() -> None:
    assert run(integers, {"values": [1.0, "2"]}) == [1, 2]
    assert run(nested, {"point": {"x": 1.0}, "points": [{"x": "2", "y": 3}]}) == [True, [2]]
    assert run(strict, {"value": {"when": "2024-02-29", "color": "red"}}) == [True, True]


@pytest.mark.promise("TOL-04")
def test_objects_of_python_are_taken_as_the_json_they_stand_for() -> None:
    assert run(nested, {"point": Point(1), "points": (Point(2),)}) == [True, [2]]
    assert run(strict, {"value": {"when": dt.date(2024, 2, 29), "color": Color.RED}}) == [True, True]


@pytest.mark.promise("TOL-04")
def test_the_arguments_of_the_caller_are_not_changed() -> None:
    args: dict[str, Any] = {"point": {"x": 1.0}}
    run(nested, args)
    assert args == {"point": {"x": 1.0}}


@pytest.mark.promise("TOL-04")
def test_a_default_stays_the_very_object_of_the_function() -> None:
    default: list[int] = []

    @tool
    def same(values: list[int] = default, amount: Decimal = Decimal(1)) -> bool:
        return values is default

    assert run(same, {}) is True
    assert run(same, {"values": []}) is False
    assert (same.input_schema or {})["properties"]["values"]["default"] == []


@pytest.mark.promise("TOL-05")
def test_each_wrong_argument_is_named_with_the_nearest_right_one() -> None:
    assert refusal(search, {"qury": "x", "limit": 1.5, "order": "newest"}).splitlines() == [
        "The arguments of search are wrong; the tool did not run.",
        "- query: it is missing and has no default.",
        "- limit: should be a valid integer, got a number with a fractional part (given: 1.5).",
        "- order: should be 'new' or 'old' (given: 'newest').",
        "- qury: there is no such argument. Did you mean query? There are: query, limit, order.",
    ]


@pytest.mark.promise("TOL-05")
def test_a_place_within_an_argument_is_named() -> None:
    message = refusal(nested, {"point": {"y": 1}, "points": [{"x": 1}, {"x": 1, "zz": 2}]})
    assert "- point.x: it is missing and has no default." in message
    assert "- points[1].zz: there is nothing of this name." in message


@pytest.mark.promise("TOL-05")
def test_a_tool_without_arguments_says_so() -> None:
    assert refusal(nothing, {"a": 1}).endswith("- a: there is no such argument. It takes no arguments.")


@pytest.mark.promise("TOL-05")
@pytest.mark.parametrize("args", [None, [], "x", 1])
def test_arguments_that_are_no_object_are_refused(args: Any) -> None:
    assert "have to be an object" in refusal(search, args)


@pytest.mark.promise("TOL-05")
@pytest.mark.parametrize("value", ["\ud800", object(), {1, object()}], ids=["surrogate", "object", "set"])
def test_what_json_cannot_hold_is_refused(value: Any) -> None:
    assert "JSON cannot hold" in refusal(text, {"value": value})


@pytest.mark.promise("TOL-05")
def test_a_value_that_holds_itself_is_refused() -> None:
    circle: list[Any] = []
    circle.append(circle)
    refusal(untouched, {"value": circle})


@pytest.mark.promise("TOL-05")
@pytest.mark.parametrize("value", ["v" * 1000, 10**900, 1.0e300, {"v" * 1000: "v" * 1000}, ["v" * 1000] * 50])
def test_long_values_are_not_repeated(value: Any) -> None:
    for each in (nested, integers):
        message = refusal(each, {"point" if each is nested else "values": value})
        assert "v" * 80 not in message
        assert "0" * 80 not in message
        assert len(message) < 2000


@pytest.mark.promise("TOL-05")
def test_many_errors_and_long_words_are_cut() -> None:
    assert refusal(integers, {"values": ["x"] * 1000}).endswith("- and 990 more")
    assert len(refusal(picky, {"value": {"word": "x"}})) < 500
    assert len(refusal(search, {"n" * 5000: 1, "query": "x"})) < 500


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@pytest.mark.promise("TOL-05")
@given(args=st.dictionaries(st.sampled_from(["query", "limit", "order", "point", "x"]) | st.text(), JSON))
def test_whatever_a_model_sends_the_tool_runs_or_says_what_is_wrong(args: Mapping[str, Any]) -> None:
    for each in (search, nested, integers):
        try:
            run(each, args)
            message = ""
        except ToolError as error:
            message = error.message
        assert "https://" not in message
        assert len(message) < 4000


@pytest.mark.promise("TOL-04")
@given(value=JSON)
def test_any_takes_every_json_value_as_it_is(value: Any) -> None:
    assert to_json(run(untouched, {"value": value})) == to_json(value)
