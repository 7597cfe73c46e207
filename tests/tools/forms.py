"""Every form of annotation, as the source of a module that is run with and without postponed annotations."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any

__all__ = ["ROWS", "Row", "module"]

SOURCE = """
import datetime as dt
import decimal
import enum
import pathlib
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Dict, Generic, List, Literal, NamedTuple, NewType, Optional, Tuple
from typing import TypeVar, Union

from pydantic import AfterValidator, BaseModel, Field
from typing_extensions import Doc, NotRequired, Required, TypeAliasType, TypedDict

from cursor_sdk_async import CustomToolContext, tool

T = TypeVar("T")
UserId = NewType("UserId", int)
Json = TypeAliasType("Json", "Union[None, bool, float, str, List[Json], Dict[str, Json]]")


class Color(enum.Enum):
    RED = "red"
    BLUE = "blue"


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


@dataclass
class Point:
    x: int
    y: int = 0
    tags: list[str] = field(default_factory=list)


@dataclass
class Tree:
    name: str
    children: list["Tree"] = field(default_factory=list)


class Movie(TypedDict):
    title: str
    year: NotRequired[int]


class Partly(TypedDict, total=False):
    needed: Required[str]
    extra: list[Movie]


class Pair(NamedTuple):
    left: int
    right: str = "r"


class Model(BaseModel):
    name: Annotated[str, Field(min_length=1)]
    point: Optional[Point] = None


class Node(BaseModel):
    value: int
    next: "Optional[Node]" = None


class Box(BaseModel, Generic[T]):
    item: T


class Cat(BaseModel):
    kind: Literal["cat"]
    lives: int = 9


class Dog(BaseModel):
    kind: Literal["dog"]
    tricks: list[str] = []


@tool
def nothing(): return "ok"
@tool
def plain(text: str, number: int, real: float, flag: bool): return text, number, real, flag
@tool
def defaults(a: int = 1, b: str = "x", c: bool = False, d: Optional[float] = None): return a, b, c, d
@tool
def implicit(a: int = None): return a
@tool
def keyword_only(a: int, *, b: int, c: int = 3): return a, b, c
@tool
def optional(a: Optional[int]): return a
@tool
def bar(a: int | None = None, b: int | str = 1): return a, b
@tool
def union(a: Union[int, list[str]]): return a
@tool
def literal(a: Literal["one", "two", 3]): return a
@tool
def enums(color: Color, level: Level = Level.LOW): return color, level
@tool
def annotated(a: Annotated[int, "how many", Field(ge=1, le=9)] = 3): return a
@tool
def documented(a: Annotated[int, Doc("how many")]): return a
@tool
def checked(a: Annotated[int, AfterValidator(lambda value: value * 2)]): return a
@tool
def lists(a: list[int], b: List[str] = (), c: Sequence[float] = ()): return a, b, c
@tool
def dicts(a: dict[str, int], b: Dict[str, Any] = {}, c: Mapping[str, bool] = {}): return a, b, c
@tool
def bare(a: list, b: dict): return a, b
@tool
def tuples(a: tuple[int, str], b: Tuple[int, ...] = ()): return a, b
@tool
def sets(a: set[int], b: frozenset[str] = frozenset()): return a, b
@tool
def anything(a: Any): return a
@tool
def none(a: None = None): return a
@tool
def point(a: Point): return a
@tool
def points(a: list[Point]): return a
@tool
def tree(a: Tree): return a
@tool
def movie(a: Movie): return a
@tool
def partly(a: Partly): return a
@tool
def pair(a: Pair): return a
@tool
def model(a: Model, b: list[Model] = []): return a, b
@tool
def node(a: Node): return a
@tool
def generic(a: Box[int], b: Box[Point]): return a, b
@tool
def tagged(a: Annotated[Union[Cat, Dog], Field(discriminator="kind")]): return a
@tool
def json_value(a: Json): return a
@tool
def new_type(a: UserId): return a
@tool
def scalars(a: dt.date, b: dt.datetime, c: uuid.UUID, d: decimal.Decimal, e: pathlib.Path): return a
@tool
def forward(a: "Later"): return a
@tool
def forward_inside(a: list["Point"], b: "Optional[Point]" = None): return a, b
@tool
def shadowing(json: int, copy: int, schema: int, model_config: int, _hidden: int, self: int, cls: int): ...
@tool
async def asynchronous(a: int): return a
@tool
def with_context(a: int, context: CustomToolContext): return a, context
@tool
def with_maybe_context(a: int, context: Optional[CustomToolContext] = None): return a, context
""".replace("@tool\ndef forward(", "class Later(BaseModel):\n    z: int\n\n\n@tool\ndef forward(")


@dataclass(frozen=True)
class Row:
    """One form: arguments that its schema allows, and arguments that it does not allow."""

    name: str
    good: Sequence[Mapping[str, Any]]
    bad: Sequence[Mapping[str, Any]]


UUID = "12345678-1234-5678-1234-567812345678"
SCALARS = {"a": "2024-02-29", "b": "2024-02-29T10:00:00Z", "c": UUID, "d": "1.5", "e": "/tmp"}
NAMES: dict[str, int] = dict.fromkeys(("json", "copy", "schema", "model_config", "_hidden", "self", "cls"), 1)
ROWS = (
    Row("nothing", [{}], [{"a": 1}]),
    Row(
        "plain",
        [
            {"text": "", "number": -1, "real": 1.5, "flag": True},
            {"text": "é", "number": 2**60, "real": 1, "flag": False},
        ],
        [
            {"text": "x", "number": 1, "real": 1.5},
            {"text": 1, "number": 1, "real": 1, "flag": True},
            {"text": "x", "number": 1.5, "real": 1, "flag": True},
        ],
    ),
    Row("defaults", [{}, {"a": 2}, {"d": None}, {"d": 2, "c": True}], [{"a": None}, {"b": 3}, {"e": 1}]),
    Row("implicit", [{}, {"a": 1}, {"a": None}], [{"a": "x"}]),
    Row("keyword_only", [{"a": 1, "b": 2}, {"a": 1, "b": 2, "c": 4}], [{"a": 1}, {"b": 1}]),
    Row("optional", [{"a": None}, {"a": 1}], [{}, {"a": "x"}]),
    Row("bar", [{}, {"a": None, "b": "x"}, {"a": 1, "b": 2}], [{"b": None}, {"b": []}]),
    Row("union", [{"a": 1}, {"a": ["x"]}, {"a": []}], [{"a": "x"}, {"a": [1]}, {"a": None}]),
    Row("literal", [{"a": "one"}, {"a": 3}], [{"a": "three"}, {"a": 4}, {"a": None}]),
    Row(
        "enums",
        [{"color": "red"}, {"color": "blue", "level": 2}],
        [{"color": "RED"}, {"color": "red", "level": 3}, {}],
    ),
    Row("annotated", [{}, {"a": 1}, {"a": 9}], [{"a": 0}, {"a": 10}]),
    Row("documented", [{"a": 1}], [{}]),
    Row("checked", [{"a": 1}], [{"a": "x"}]),
    Row(
        "lists",
        [{"a": []}, {"a": [1], "b": ["x"], "c": [1.5]}],
        [{"a": ["x"]}, {"a": {}}, {"a": [1], "b": [1]}],
    ),
    Row(
        "dicts",
        [{"a": {}}, {"a": {"x": 1}, "b": {"y": [None]}, "c": {"z": True}}],
        [{"a": {"x": "y"}}, {"a": []}],
    ),
    Row("bare", [{"a": [1, None], "b": {"x": []}}], [{"a": {}, "b": {}}, {"a": [], "b": []}]),
    Row(
        "tuples",
        [{"a": [1, "x"]}, {"a": [1, "x"], "b": [1, 2, 3]}],
        [{"a": [1]}, {"a": ["x", "y"]}, {"a": [1, "x", 2]}],
    ),
    Row("sets", [{"a": [1, 2]}, {"a": [], "b": ["x"]}], [{"a": ["x"]}, {"a": 1}]),
    Row("anything", [{"a": None}, {"a": {"x": [1, "y", 1.5, True]}}], [{}]),
    Row("none", [{}, {"a": None}], [{"a": 1}]),
    Row(
        "point",
        [{"a": {"x": 1}}, {"a": {"x": 1, "y": 2, "tags": ["t"]}}],
        [{"a": {}}, {"a": {"x": 1, "z": 1}}, {"a": 1}],
    ),
    Row("points", [{"a": []}, {"a": [{"x": 1}, {"x": 2}]}], [{"a": [{}]}, {"a": {"x": 1}}]),
    Row(
        "tree",
        [{"a": {"name": "r", "children": [{"name": "c", "children": []}]}}],
        [{"a": {"name": "r", "children": [{}]}}],
    ),
    Row(
        "movie",
        [{"a": {"title": "t"}}, {"a": {"title": "t", "year": 1}}],
        [{"a": {}}, {"a": {"title": "t", "yeer": 1}}],
    ),
    Row(
        "partly",
        [{"a": {"needed": "n"}}, {"a": {"needed": "n", "extra": [{"title": "t"}]}}],
        [{"a": {}}, {"a": {"needed": "n", "extra": [{}]}}],
    ),
    Row("pair", [{"a": [1]}, {"a": [1, "x"]}], [{"a": []}, {"a": [1, 2]}]),
    Row(
        "model",
        [{"a": {"name": "n"}}, {"a": {"name": "n", "point": {"x": 1}}, "b": [{"name": "m"}]}],
        [{"a": {"name": ""}}, {"a": {"name": "n", "point": {}}}],
    ),
    Row(
        "node",
        [{"a": {"value": 1}}, {"a": {"value": 1, "next": {"value": 2, "next": None}}}],
        [{"a": {"value": 1, "next": {}}}],
    ),
    Row(
        "generic",
        [{"a": {"item": 1}, "b": {"item": {"x": 1}}}],
        [{"a": {"item": "x"}, "b": {"item": {"x": 1}}}],
    ),
    Row(
        "tagged",
        [{"a": {"kind": "cat"}}, {"a": {"kind": "dog", "tricks": ["sit"]}}],
        [{"a": {"kind": "cow"}}, {"a": {}}],
    ),
    Row("json_value", [{"a": None}, {"a": [1.5, {"x": [True, "s"]}]}], [{}]),
    Row("new_type", [{"a": 1}], [{"a": "x"}]),
    Row("scalars", [SCALARS], [{**SCALARS, "a": 1.5}, {**SCALARS, "c": 1}, {**SCALARS, "e": 1}]),
    Row("forward", [{"a": {"z": 1}}], [{"a": {}}]),
    Row("forward_inside", [{"a": [{"x": 1}]}, {"a": [], "b": {"x": 1}}], [{"a": [1]}]),
    Row("shadowing", [NAMES], [{**NAMES, "self": "x"}, {**NAMES, "_other": 1}]),
    Row("asynchronous", [{"a": 1}], [{}, {"a": 1.5}]),
    Row("with_context", [{"a": 1}], [{"a": 1, "context": {}}]),
    Row("with_maybe_context", [{"a": 1}], [{"a": 1, "context": None}]),
)

_MODULES: dict[bool, ModuleType] = {}


def module(postponed: bool) -> ModuleType:
    """The module of all forms, made once."""
    if postponed not in _MODULES:
        made = ModuleType(f"tests.tools.forms_{'postponed' if postponed else 'direct'}")
        sys.modules[made.__name__] = made
        head = "from __future__ import annotations\n" if postponed else ""
        exec(compile(head + SOURCE, f"<{made.__name__}>", "exec", dont_inherit=True), vars(made))
        _MODULES[postponed] = made
    return _MODULES[postponed]
