"""Every form of annotation, with and without postponed annotations: schema and check agree."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from math import inf
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from pydantic import BaseModel, ConfigDict, TypeAdapter
from pydantic.dataclasses import dataclass as with_pydantic

from cursor_sdk_async.errors import ToolError
from cursor_sdk_async.options._read import is_list, is_mapping
from cursor_sdk_async.tools import CustomTool, CustomToolContext, Tool, tool
from tests.tools.forms import ROWS, SOURCE, Row, module

pytestmark = [pytest.mark.promise("TOL-01", "TOL-02"), pytest.mark.anyio]

both = pytest.mark.parametrize("postponed", [False, True], ids=["direct", "postponed"])
rows = pytest.mark.parametrize("row", ROWS, ids=[row.name for row in ROWS])


async def execute(tool: CustomTool, args: Mapping[str, Any]) -> Any:
    answer = tool.execute(args, CustomToolContext("call-1"))
    return await answer if inspect.isawaitable(answer) else answer


def made(row: Row, postponed: bool) -> Tool[..., Any]:
    tool: Tool[..., Any] = getattr(module(postponed), row.name)
    return tool


def judge(tool: CustomTool) -> Any:
    return Draft202012Validator(dict(tool.input_schema or {}))


def test_the_table_has_every_function_of_the_source() -> None:
    assert {row.name for row in ROWS} == {
        name for name, each in vars(module(False)).items() if isinstance(each, Tool)
    }
    assert SOURCE.count("@tool") == len(ROWS)


@both
@rows
def test_the_schema_is_valid_and_refers_to_nothing_that_is_missing(row: Row, postponed: bool) -> None:
    schema = made(row, postponed).input_schema
    assert schema is not None
    Draft202012Validator.check_schema(schema)
    assert schema["type"] == "object"
    assert schema["additionalProperties"] is False
    assert "title" not in schema
    references = [each["$ref"] for each in walk(schema) if "$ref" in each]
    assert {each.removeprefix("#/$defs/") for each in references} == set(schema.get("$defs", {}))


@rows
def test_postponed_annotations_give_the_same_schema(row: Row) -> None:
    assert made(row, True).input_schema == made(row, False).input_schema


@both
@rows
async def test_what_the_schema_allows_the_tool_takes(row: Row, postponed: bool) -> None:
    tool = made(row, postponed)
    validator = judge(tool)
    for args in row.good:
        assert validator.is_valid(args), args
        await execute(tool, args)


@both
@rows
async def test_what_the_schema_forbids_the_tool_refuses(row: Row, postponed: bool) -> None:
    tool = made(row, postponed)
    validator = judge(tool)
    for args in row.bad:
        assert not validator.is_valid(args), args
        with pytest.raises(ToolError):
            await execute(tool, args)


@both
@rows
def test_what_has_no_default_is_required(row: Row, postponed: bool) -> None:
    tool = made(row, postponed)
    schema = tool.input_schema or {}
    parameters = {
        name: each for name, each in inspect.signature(tool).parameters.items() if name != "context"
    }
    needed = [name for name, each in parameters.items() if each.default is inspect.Parameter.empty]
    assert schema.get("required", []) == needed
    assert list(schema["properties"]) == list(parameters)


def walk(schema: Any) -> list[dict[str, Any]]:
    """Every object in it."""
    if is_mapping(schema):
        return [dict(schema), *(found for item in schema.values() for found in walk(item))]
    return [found for item in schema for found in walk(item)] if is_list(schema) else []


@dataclass
class Plain:
    real: float = 0.0


@dataclass
class Open:
    __pydantic_config__ = ConfigDict(extra="allow")
    real: float = 0.0


@with_pydantic
class Loose:
    real: float = 0.0


class Model(BaseModel):
    plain: Plain


@tool
def closing(plain: Plain, opened: Open, loose: Loose, model: Model) -> str:
    return "ran"


def test_unknown_names_are_refused_where_the_class_does_not_decide_itself() -> None:
    none: dict[str, Any] = {}
    more: dict[str, Any] = {"zz": 1}
    fine: dict[str, Any] = {"plain": none, "opened": none, "loose": none, "model": {"plain": none}}
    rows: list[tuple[dict[str, Any], bool]] = [
        (fine, True),
        ({**fine, "opened": more, "loose": more, "model": {"plain": none, **more}}, True),
        ({**fine, "plain": more}, False),
        ({**fine, **more}, False),
    ]
    for args, is_right in rows:
        assert judge(closing).is_valid(args) is is_right
        if is_right:
            assert closing.execute(args, CustomToolContext()) == "ran"
        else:
            with pytest.raises(ToolError, match="zz: there is no"):
                closing.execute(args, CustomToolContext())
    with pytest.raises(ToolError, match=r"plain\.real: should be a finite number"):
        closing.execute({**fine, "plain": {"real": inf}}, CustomToolContext())


def test_the_classes_of_the_user_are_not_changed() -> None:
    assert TypeAdapter(Plain).validate_python({"real": inf, "zz": 1}).real == inf
    assert "__pydantic_config__" not in vars(Plain)
