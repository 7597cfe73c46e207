"""What a tool answers: as JSON, with a schema where the type says what it is."""

from __future__ import annotations

import datetime as dt
import enum
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import pytest
from jsonschema import Draft202012Validator
from pydantic import BaseModel, Field, RootModel
from typing_extensions import NotRequired, TypedDict

from cursor_sdk_async._callbacks._results import result_body
from cursor_sdk_async.errors import ToolError
from cursor_sdk_async.options import SDKImage
from cursor_sdk_async.tools import CustomToolContext, Tool, tool

pytestmark = pytest.mark.promise("TOL-09")


class Color(enum.Enum):
    RED = "red"


@dataclass
class Place:
    name: str
    seen: dt.date
    color: Color = Color.RED


@dataclass
class Tree:
    name: str
    children: list[Tree] = field(default_factory=list[Any])


class Movie(TypedDict):
    title: str
    year: NotRequired[int]


class Page(BaseModel):
    content: list[str]
    next_page: int | None = Field(None, alias="nextPage")


class Numbers(RootModel[list[int]]): ...


class Pair(NamedTuple):
    left: int
    right: dt.date


DAY = dt.date(2024, 2, 29)


@tool
def place() -> Place:
    return Place("x", DAY)


@tool
def tree() -> Tree:
    return Tree("r", [Tree("c")])


@tool
def movie() -> Movie:
    return {"title": "t"}


@tool
def page() -> Page:
    return Page(content=["a"], nextPage=2)


@tool
async def place_later() -> Place:
    return Place("x", DAY)


def judge(schema: Any) -> Any:
    return Draft202012Validator(dict(schema))


def answer(value: object) -> Any:
    def give() -> Any:
        return value

    return tool(give).execute({}, CustomToolContext())


PLACE = {"name": "x", "seen": "2024-02-29", "color": "red"}


ANSWERS: list[tuple[Tool[..., Any], Any]] = [
    (place, PLACE),
    (tree, {"name": "r", "children": [{"name": "c", "children": []}]}),
    (movie, {"title": "t"}),
]


@pytest.mark.parametrize(("made", "expected"), ANSWERS)
def test_the_answer_is_json_and_fits_its_schema(made: Tool[..., Any], expected: Any) -> None:
    schema = made.output_schema
    assert schema is not None
    assert schema["type"] == "object"
    Draft202012Validator.check_schema(schema)
    given = made.execute({}, CustomToolContext())
    assert given == expected
    judge(schema).validate(given)
    assert made.to_json()["outputSchema"] == schema
    result_body(given)


@pytest.mark.anyio
async def test_an_asynchronous_tool_does_the_same() -> None:
    assert place_later.output_schema == place.output_schema
    assert await place_later.execute({}, CustomToolContext()) == PLACE


def test_an_answer_that_looks_like_an_envelope_gets_one() -> None:
    given = page.execute({}, CustomToolContext())
    assert given["structuredContent"] == {"content": ["a"], "nextPage": 2}
    assert given["content"] == [{"type": "text", "text": '{"content":["a"],"nextPage":2}'}]
    judge(page.output_schema).validate(given["structuredContent"])


def test_an_answer_that_does_not_fit_its_type_is_an_error() -> None:
    for wrong in (None, {"name": "x"}, 3, Place(1, DAY)):  # type: ignore[arg-type]

        def give(value: object = wrong) -> Any:
            return value

        give.__annotations__ = {"value": Any, "return": Place}
        with pytest.raises(ToolError, match="does not fit") as caught:
            tool(give).execute({}, CustomToolContext())
        assert caught.value.code == "invalid_answer"


@pytest.mark.parametrize(
    "kind", [Any, str, dict[str, int], Mapping[str, Any], list[Place], None, Numbers, Pair]
)
def test_other_types_have_no_schema(kind: Any) -> None:
    def give() -> Any: ...

    give.__annotations__ = {"return": kind}
    assert tool(give).output_schema is None


@pytest.mark.parametrize("kind", ["Nowhere", "list[", 3, "Tool"])
def test_an_annotation_of_the_answer_that_says_nothing_is_no_error(kind: Any) -> None:
    def give() -> Any:
        return "x"

    give.__annotations__ = {"return": kind}
    assert tool(give).output_schema is None
    assert tool(give).execute({}, CustomToolContext()) == "x"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, None),
        ("x", "x"),
        (1.5, 1.5),
        (True, True),
        (b"raw", b"raw"),
        ([1, (2,)], [1, [2]]),
        (Place("x", DAY), PLACE),
        ([Place("x", DAY)], [PLACE]),
        ({"at": DAY, "colors": {Color.RED}}, {"at": "2024-02-29", "colors": ["red"]}),
        (Numbers([1]), [1]),
        (Pair(1, DAY), [1, "2024-02-29"]),
        (Page(content=[], nextPage=1), {"content": [], "nextPage": 1}),
    ],
)
def test_without_a_type_the_answer_is_made_json_all_the_same(value: object, expected: object) -> None:
    assert answer(value) == expected


def test_pictures_and_what_json_cannot_hold_are_left_to_the_sender() -> None:
    picture = (
        SDKImage.from_data(b"x", "image/png") if hasattr(SDKImage, "from_data") else SDKImage(data="eA==")
    )
    assert answer(picture) is picture
    assert answer({"content": [picture]})["content"][0] is picture
    thing = object()
    assert answer(thing) is thing
    circle: list[Any] = []
    circle.append(circle)
    assert answer(circle) is circle or isinstance(answer(circle), list)
