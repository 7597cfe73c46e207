"""What cannot be a tool is refused when it is made."""

from __future__ import annotations

import inspect
import sys
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypedDict, cast

import pytest
from pydantic import BaseModel, Field

from cursor_sdk_async.errors import ConfigurationError
from cursor_sdk_async.tools import CustomToolContext, tool

if TYPE_CHECKING:
    from decimal import Decimal

pytestmark = pytest.mark.promise("TOL-03")


class Thing:
    def method(self, a: int) -> None: ...

    @classmethod
    def build(cls, a: int) -> None: ...


class OldTypedDict(TypedDict):
    a: int


class WithCallback(BaseModel):
    call: Callable[[], int]


@dataclass
class WithThing:
    thing: Thing


def any_number(*numbers: int) -> None: ...
def any_name(**names: int) -> None: ...
def by_position(first: int, /, second: int) -> None: ...
def untyped(first: int, second) -> None: ...  # type: ignore[no-untyped-def]
def callback(then: Callable[[], int]) -> None: ...
def own_class(thing: Thing) -> None: ...
def nested_class(thing: list[Thing]) -> None: ...
def in_dataclass(thing: WithThing) -> None: ...
def in_model(thing: WithCallback) -> None: ...
def one_of(thing: int | Callable[[], int]) -> None: ...
def a_class(kind: type[int]) -> None: ...
def iterable(items: Iterable[int]) -> None: ...
def iterator(items: Iterator[int]) -> None: ...
def unknown(a: Nowhere) -> None: ...  # type: ignore[name-defined]  # noqa: F821
def unknown_inside(a: list[Nowhere]) -> None: ...  # type: ignore[name-defined]  # noqa: F821
def for_checkers_only(a: Decimal) -> None: ...
def no_type(a: 3) -> None: ...  # type: ignore[valid-type]
def two_contexts(a: CustomToolContext, b: CustomToolContext) -> None: ...
def mixed_context(a: CustomToolContext | int) -> None: ...
def field_default(a: int = Field(3)) -> None: ...
def field_default_inside(a: Annotated[int, Field(default=3)]) -> None: ...
def aliased(a: Annotated[int, Field(alias="b")]) -> None: ...
def odd_literal(a: Literal[Thing]) -> None: ...  # type: ignore[valid-type]


def numbers(a: int) -> Iterator[int]:
    yield a


async def numbers_later(a: int) -> AsyncIterator[int]:
    yield a


FUNCTIONS = (
    ("any_number", "numbers", "list"),
    ("any_name", "names", "dict"),
    ("by_position", "first", "Remove the /"),
    ("untyped", "second", "Any"),
    ("callback", "then", "no JSON Schema"),
    ("own_class", "thing", "no JSON Schema"),
    ("nested_class", "thing", "no JSON Schema"),
    ("in_dataclass", "thing", "no JSON Schema"),
    ("in_model", "thing", "no JSON Schema"),
    ("one_of", "thing", "no JSON Schema"),
    ("a_class", "kind", "no JSON Schema"),
    ("iterable", "items", "no JSON Schema"),
    ("iterator", "items", "no JSON Schema"),
    ("unknown", "a", "'Nowhere'"),
    ("unknown_inside", "a", "'Nowhere'"),
    ("for_checkers_only", "a", "TYPE_CHECKING"),
    ("no_type", "a", ""),
    ("two_contexts", "b", "'a' takes the context"),
    ("mixed_context", "a", "optional"),
    ("field_default", "a", "Annotated"),
    ("field_default_inside", "a", "Annotated"),
    ("aliased", "a", "alias"),
    ("odd_literal", "a", "no JSON Schema"),
    ("method", "self", "bound method"),
)


@pytest.mark.parametrize(("name", "parameter", "remedy"), FUNCTIONS, ids=[row[0] for row in FUNCTIONS])
def test_the_error_names_the_function_the_parameter_and_the_remedy(
    name: str, parameter: str, remedy: str
) -> None:
    function: Any = globals().get(name, Thing.method)
    with pytest.raises(ConfigurationError) as caught:
        tool(function)
    message = caught.value.message
    assert message.startswith(f"tool {function.__qualname__}, parameter {parameter!r}: ")
    assert remedy in message
    assert "pydantic.dev" not in message
    assert len(message) < 500
    assert caught.value.code == "invalid_tool"


@pytest.mark.parametrize(
    ("function", "remedy"),
    [
        (numbers, "Return a list"),
        (numbers_later, "Return a list"),
        (partial(numbers, 1), "Return a list"),
        (lambda: 1, "name='...'"),
        (Thing, "Write a function"),
        (vars(Thing)["build"], "tool(Class.method)"),
        (3, "Give a function"),
        (dict.fromkeys, ""),
    ],
)
def test_what_is_no_plain_function_is_refused(function: Any, remedy: str) -> None:
    with pytest.raises(ConfigurationError, match="tool ") as caught:
        tool(function)
    assert remedy in caught.value.message


@pytest.mark.parametrize("name", ["", "a b", "a.b", "ä", "x" * 65, "a\n", "a/b", 3, "<lambda>"])
def test_a_name_that_is_not_allowed_is_refused(name: Any) -> None:
    def fine() -> None: ...

    with pytest.raises(ConfigurationError, match="name"):
        tool(fine, name=name)


@pytest.mark.parametrize("timeout", [0, -1, float("inf"), float("nan"), "1", True])
def test_a_timeout_that_is_none_is_refused(timeout: Any) -> None:
    with pytest.raises(ConfigurationError, match="seconds"):
        tool(lambda: 1, name="x", timeout=timeout)


@pytest.mark.parametrize("limit", [0, -1, 1.5, "1", True])
def test_a_limit_that_is_none_is_refused(limit: Any) -> None:
    with pytest.raises(ConfigurationError, match="whole number"):
        tool(lambda: 1, name="x", max_concurrency=limit)


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="complete from 3.12 on")
def test_a_typed_dict_that_is_not_complete_is_refused() -> None:
    def movie(a: OldTypedDict) -> None: ...

    with pytest.raises(ConfigurationError, match="typing_extensions"):
        tool(movie)


@pytest.mark.skipif(sys.version_info >= (3, 14), reason="pydantic.v1 is not for 3.14")
@pytest.mark.parametrize("inside", [False, True])
def test_a_model_of_the_old_kind_is_refused(inside: bool) -> None:
    from pydantic import v1

    class Old(v1.BaseModel):
        a: int

    def old(a: Annotated[Old, "x"]) -> None: ...
    def olds(a: list[Old] | None) -> None: ...

    with pytest.raises(ConfigurationError, match=r"Old is a model of pydantic\.v1"):
        tool(cast("Any", olds if inside else old))


def test_a_type_that_contains_itself_without_a_name_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="TypeAliasType"):
        exec(RECURSIVE, {"tool": tool, "__name__": __name__})


RECURSIVE = inspect.cleandoc(
    """
    from typing import List, Union
    Json = Union[int, List["Json"]]
    @tool
    def json(a: Json): ...
    """
)
