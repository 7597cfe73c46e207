"""What ``@tool`` makes of which functions."""

from __future__ import annotations

import copy
import functools
import inspect
import pickle
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Optional

import pytest
from typing_extensions import assert_type

import cursor_sdk_async
from cursor_sdk_async import _validate, tools
from cursor_sdk_async.errors import ConfigurationError
from cursor_sdk_async.options import AgentOptions, LocalAgentOptions
from cursor_sdk_async.tools import CustomTool, CustomToolContext, Tool, tool

pytestmark = pytest.mark.anyio


@tool
def add(first: int, second: int = 1) -> int:
    """Add two numbers."""
    return first + second


@tool(name="add-later", description="Adds.", timeout=2.5, max_concurrency=3)
async def add_later(first: int, second: int = 1) -> int:
    return first + second


class Thing:
    def __init__(self, factor: int) -> None:
        self.factor = factor

    def multiply(self, value: int) -> int:
        """Multiply."""
        return value * self.factor

    def __call__(self, value: int) -> int:
        return value * self.factor

    @classmethod
    def build(cls, factor: int) -> int:
        return cls(factor).factor

    @tool
    @staticmethod
    def inner(value: int) -> int:
        """Inside."""
        return value

    @staticmethod
    @tool
    def outer(value: int) -> int:
        return value


class AsyncThing:
    """Does it later."""

    async def __call__(self, value: int) -> int:
        return value


def properties(each: CustomTool) -> list[str]:
    return list((each.input_schema or {})["properties"])


@pytest.mark.promise("TOL-06")
async def test_a_tool_is_still_the_function() -> None:
    assert add(1, second=2) == 3
    assert await add_later(1) == 2
    assert inspect.signature(add) == inspect.signature(add.__wrapped__)
    assert (add.__name__, add.__module__, add.__doc__) == ("add", __name__, "Add two numbers.")
    assert add.__wrapped__(1, 2) == 3


@pytest.mark.promise("TOL-06")
def test_type_checkers_see_the_signature() -> None:
    assert_type(add(1), int)
    assert_type(add.__wrapped__(1, second=1), int)
    with pytest.raises(TypeError):
        add("x")  # type: ignore[arg-type]
    plain: Callable[..., int] = add
    assert isinstance(plain, CustomTool)


@pytest.mark.promise("TOL-06")
async def test_a_tool_is_a_custom_tool_with_name_description_and_limits() -> None:
    assert (add.name, add.description, add.timeout, add.max_concurrency) == (
        "add",
        "Add two numbers.",
        None,
        None,
    )
    assert (add_later.name, add_later.description) == ("add-later", "Adds.")
    assert (add_later.timeout, add_later.max_concurrency) == (2.5, 3)
    assert add.to_json() == {"description": "Add two numbers.", "inputSchema": add.input_schema}
    assert not inspect.iscoroutinefunction(add.execute)
    assert inspect.iscoroutinefunction(add_later.execute)
    assert add.execute({"first": 1}, CustomToolContext()) == 2
    assert await add_later.execute({"first": 1}, CustomToolContext()) == 2


@pytest.mark.promise("TOL-06")
def test_agent_options_take_it_as_it_is() -> None:
    chosen = _validate.agent_options(AgentOptions(local=LocalAgentOptions(custom_tools={add.name: add})))
    assert chosen.local is not None
    assert isinstance(chosen.local, LocalAgentOptions)
    assert (chosen.local.custom_tools or {})["add"] is add


@pytest.mark.promise("TOL-06")
def test_a_tool_cannot_be_changed_and_is_itself_in_every_copy() -> None:
    for name in ("name", "description", "execute", "other"):
        with pytest.raises(AttributeError, match="cannot be changed"):
            setattr(add, name, None)
        with pytest.raises(AttributeError, match="cannot be changed"):
            delattr(add, name)
    assert copy.copy(add) is add
    assert copy.deepcopy([add]) == [add]
    assert pickle.loads(pickle.dumps(add)) is add
    assert add != tool(add.__wrapped__)
    assert {add: 1}[add] == 1
    assert repr(add) == "Tool('add')"


@pytest.mark.promise("TOL-06")
def test_the_package_gives_the_same_names() -> None:
    assert cursor_sdk_async.tool is tools.tool
    assert cursor_sdk_async.Tool is tools.Tool
    assert tools.CustomTool is cursor_sdk_async.CustomTool


@pytest.mark.promise("TOL-08")
def test_a_partial_hides_what_it_gives() -> None:
    def query(database: object, text: str, *, limit: int = 5, table: str) -> list[Any]:
        """Ask the database."""
        return [database, text, limit, table]

    made = tool(functools.partial(query, "db", table="users"))
    assert (made.name, made.description, properties(made)) == (
        "query",
        "Ask the database.",
        ["text", "limit"],
    )
    assert made.execute({"text": "x"}, CustomToolContext()) == ["db", "x", 5, "users"]
    with pytest.raises(cursor_sdk_async.ToolError, match="no such argument"):
        made.execute({"text": "x", "table": "secrets"}, CustomToolContext())


@pytest.mark.promise("TOL-08")
async def test_methods_and_objects_become_tools() -> None:
    thing = Thing(3)
    made = tool(thing.multiply)
    assert (made.name, made.description, properties(made)) == ("multiply", "Multiply.", ["value"])
    assert made.execute({"value": 2}, CustomToolContext()) == 6
    assert tool(thing).name == "Thing"
    assert tool(thing).execute({"value": 2}, CustomToolContext()) == 6
    assert tool(Thing.build).execute({"factor": 4}, CustomToolContext()) == 4
    later = tool(AsyncThing())
    assert (later.name, later.description) == ("AsyncThing", "Does it later.")
    assert inspect.iscoroutinefunction(later.execute)
    assert await later.execute({"value": 2}, CustomToolContext()) == 2


@pytest.mark.promise("TOL-08")
@pytest.mark.parametrize("made", [Thing.inner, Thing.outer, Thing(1).inner, Thing(1).outer])
def test_static_methods_become_tools(made: Tool[..., Any]) -> None:
    assert made.name in ("inner", "outer")
    assert made(2) == 2
    assert made.execute({"value": 2}, CustomToolContext()) == 2


@pytest.mark.promise("TOL-08")
async def test_a_decorated_function_has_the_parameters_of_the_one_inside() -> None:
    def loud(function: Any) -> Any:
        @functools.wraps(function)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            return function(*args, **kwargs)

        return wrapper

    made = tool(loud(add_later.__wrapped__))
    assert properties(made) == ["first", "second"]
    assert await made.execute({"first": 1}, CustomToolContext()) == 2


@pytest.mark.promise("TOL-08")
def test_a_lambda_needs_a_name() -> None:
    assert tool(lambda: "x", name="letter").execute({}, CustomToolContext()) == "x"


@pytest.mark.promise("TOL-07")
async def test_the_context_is_given_and_is_not_in_the_schema() -> None:
    @tool
    def where(value: int, context: CustomToolContext) -> Any:
        return [value, context.tool_call_id]

    @tool
    async def maybe(*, context: Optional[CustomToolContext] = None, value: int = 1) -> Any:  # noqa: UP045
        return [value, context and context.tool_call_id]

    assert properties(where) == properties(maybe) == ["value"]
    assert where.execute({"value": 1}, CustomToolContext("call-1")) == [1, "call-1"]
    assert await maybe.execute({}, CustomToolContext("call-2")) == [1, "call-2"]
    assert await maybe() == [1, None]
    for made in (where, maybe):
        with pytest.raises(cursor_sdk_async.ToolError, match="context: there is no such argument"):
            answer = made.execute({"value": 1, "context": {}}, CustomToolContext())
            await answer


@pytest.mark.promise("TOL-02")
def test_types_of_the_function_around_are_found() -> None:
    @dataclass
    class Leaf:
        size: int
        next: Optional[Leaf] = None  # noqa: UP045
        branch: Optional[Branch] = None  # noqa: UP045

    @dataclass
    class Branch:
        leaves: list[Leaf]

    @tool
    def grow(branch: Branch) -> Branch:
        return branch

    bare: dict[str, list[Any]] = {"leaves": []}
    args = {"branch": {"leaves": [{"size": 1, "next": {"size": 2, "branch": bare}}]}}
    grown = grow.execute(args, CustomToolContext())
    assert grown["leaves"][0]["next"]["branch"] == bare

    def of_an_inner_function() -> Tool[..., Any]:
        def inner(leaf: Leaf) -> int:
            return {Leaf: leaf.size, Branch: 0}[type(leaf)]  # closes over the names

        return tool(inner)

    assert of_an_inner_function().execute({"leaf": {"size": 7}}, CustomToolContext()) == 7


@pytest.mark.promise("TOL-03")
def test_types_that_come_later_are_refused() -> None:
    def early(late: Late) -> None: ...

    with pytest.raises(ConfigurationError, match="'Late'"):
        tool(early)

    @dataclass
    class Late:
        a: int

    assert properties(tool(early)) == ["late"]


@pytest.mark.promise("TOL-11")
def test_importing_the_decorator_imports_nothing_heavy() -> None:
    heavy = ("pydantic", "httpx", "anyio", "betterproto2", "google.protobuf")
    code = (
        "import sys; from cursor_sdk_async import tool, Tool; "
        f"print([name for name in {heavy!r} if name in sys.modules])"
    )
    shown = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=True, timeout=50
    )
    assert shown.stdout.strip() == "[]"
