"""``load_tools``: what is known before a file runs, and what happens when it does."""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import anyio
import anyio.to_thread
import pytest
from jsonschema import Draft202012Validator

from cursor_sdk_async._callbacks._executor import Executor, Registration
from cursor_sdk_async.errors import ConfigurationError, ToolError
from cursor_sdk_async.tools import CustomTool, CustomToolContext, Tool, load_tools, tool, toolset

pytestmark = pytest.mark.anyio

Write = Callable[..., Path]

WEATHER = """
    from __future__ import annotations
    import os  # not for the signature
    from pathlib import Path
    from typing import Annotated, Literal
    from cursor_sdk_async import CustomToolContext, tool

    with Path(__file__).with_suffix(".ran").open("a") as file:
        file.write("x")

    @tool(name="get-weather", timeout=2.5, max_concurrency=2)
    def get(city: Annotated[str, "Which city."], unit: Literal["C", "F"] = "C",
            context: CustomToolContext | None = None) -> dict[str, str]:
        '''The weather.

        Args:
            unit: Which unit.
        '''
        return {"city": city, "unit": unit, "cwd": os.path.basename(__file__)}

    @tool
    async def later(days: int = 1):
        return days + 1
    """


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Write files into a folder, which is given back."""

    def files(**sources: str) -> Path:
        folder = tmp_path / "tools"
        folder.mkdir(exist_ok=True)
        for name, source in sources.items():
            (folder / f"{name}.py").write_text(textwrap.dedent(source))
        return folder

    return files


async def call(each: CustomTool, args: Mapping[str, Any]) -> Any:
    """As the executor does it: asynchronous ones on the loop, others in a thread."""
    from inspect import iscoroutinefunction

    if iscoroutinefunction(each.execute):
        return await each.execute(args, CustomToolContext())
    return await anyio.to_thread.run_sync(each.execute, args, CustomToolContext())


def ran(folder: Path, name: str) -> int:
    file = folder / f"{name}.ran"
    return len(file.read_text()) if file.exists() else 0


@pytest.mark.promise("TOL-12")
async def test_all_is_known_before_a_file_runs_and_it_runs_once(write: Write) -> None:
    folder = write(weather=WEATHER)
    found = load_tools(str(folder))
    assert list(found) == ["get-weather", "later"]
    weather = found["get-weather"]
    assert (weather.description, weather.timeout, weather.max_concurrency) == ("The weather.", 2.5, 2)
    schema = weather.input_schema or {}
    Draft202012Validator.check_schema(schema)
    assert schema["properties"] == {
        "city": {"description": "Which city.", "type": "string"},
        "unit": {"default": "C", "description": "Which unit.", "enum": ["C", "F"], "type": "string"},
    }
    assert schema["required"] == ["city"]
    assert ran(folder, "weather") == 0
    assert await call(found["later"], {}) == 2
    assert await call(weather, {"city": "Rome"}) == {"city": "Rome", "unit": "C", "cwd": "weather.py"}
    assert await call(found["later"], {"days": 2.0}) == 3
    with pytest.raises(ToolError, match="no such argument"):
        await call(weather, {"town": "Rome"})
    assert ran(folder, "weather") == 1


@pytest.mark.promise("TOL-12")
async def test_many_first_calls_at_once_import_the_file_once(write: Write) -> None:
    folder = write(weather=WEATHER.replace("file.write", "import time; time.sleep(0.2); file.write"))
    found = load_tools(folder)
    with anyio.fail_after(30):
        async with anyio.create_task_group() as group:
            for _ in range(10):
                group.start_soon(call, found["get-weather"], {"city": "Rome"})
                group.start_soon(call, found["later"], {"days": 1})
    assert ran(folder, "weather") == 1


@pytest.mark.promise("TOL-12")
async def test_the_loop_goes_on_while_a_file_is_imported(write: Write) -> None:
    folder = write(
        slow="""
        import pathlib, time
        from cursor_sdk_async import tool
        go = pathlib.Path(__file__).with_suffix(".go")
        while not go.exists():
            time.sleep(0.005)
        @tool
        async def slow(): return "done"
        """
    )
    found = load_tools(folder)
    answers: list[Any] = []

    async def run() -> None:
        answers.append(await call(found["slow"], {}))

    with anyio.fail_after(30):
        async with anyio.create_task_group() as group:
            group.start_soon(run)
            await anyio.sleep(0.02)
            assert answers == []
            (folder / "slow.go").touch()
    assert answers == ["done"]


@pytest.mark.promise("TOL-12")
async def test_the_executor_runs_them(write: Write) -> None:
    found = load_tools(write(weather=WEATHER))
    registration = Registration("agent-1", found)
    with anyio.fail_after(30):
        async with anyio.create_task_group() as group:
            executor = Executor(group)
            for name, args in (("get-weather", {"city": "Rome"}), ("later", {}), ("later", {"days": "x"})):
                answer = await executor.answer(registration, name, args, "call-1")
                assert (b'"isError":true' in answer.body) is (args == {"days": "x"})


@pytest.mark.promise("TOL-12")
async def test_files_may_use_private_neighbours_and_are_unloaded_with_their_contents(write: Write) -> None:
    source = """
        from cursor_sdk_async import tool
        from ._shared import ANSWER
        @tool
        def answer() -> int: return ANSWER
        """
    folder = write(answer=source, _shared="ANSWER = 1", __init__="raise SystemExit")
    found = load_tools(folder)
    assert list(found) == ["answer"]
    assert await call(found["answer"], {}) == 1
    write(_shared="ANSWER = 22")
    assert await call(load_tools(folder)["answer"], {}) == 22
    assert await call(found["answer"], {}) == 1


@pytest.mark.promise("TOL-12")
async def test_a_file_may_describe_its_tool_with_constants(write: Write) -> None:
    folder = write(
        **{
            "word-count": """
            from nowhere_to_be_found_until_called import nothing
            DESCRIPTION = "Counts words."
            INPUT_SCHEMA: dict = {"type": "object", "properties": {"text": {"type": "string"}}}
            OUTPUT_SCHEMA = {"type": "object"}
            async def execute(args, context): return {"words": len(args["text"].split())}
            """
        }
    )
    found = load_tools(folder)
    counter = found["word-count"]
    assert counter.description == "Counts words."
    assert (counter.input_schema or {})["properties"] == {"text": {"type": "string"}}
    assert counter.output_schema == {"type": "object"}
    with pytest.raises(ToolError, match=r"word-count\.py cannot run.*ModuleNotFoundError"):
        await call(counter, {"text": "a b"})
    file = folder / "word-count.py"
    file.write_text("\n".join(file.read_text().splitlines()[2:]))
    assert await call(load_tools(folder)["word-count"], {"text": "a b"}) == {"words": 2}


@pytest.mark.promise("TOL-12")
async def test_a_literal_schema_serves_a_signature_that_needs_the_file(write: Write) -> None:
    source = """
        from dataclasses import dataclass
        import cursor_sdk_async.tools as made
        INPUT_SCHEMA = {"type": "object", "properties": {"place": {"type": "object"}}, "required": ["place"]}
        @dataclass
        class Place:
            name: str
        @made.tool(description="Goes.")
        def go(place: Place) -> Place:
            return place
        """
    found = load_tools(write(go=source))
    assert found["go"].description == "Goes."
    assert await call(found["go"], {"place": {"name": "x"}}) == {"name": "x"}
    found = load_tools(write(go=source.replace('"place": {"t', '"where": {"t')))
    with pytest.raises(ToolError, match="INPUT_SCHEMA names other arguments"):
        await call(found["go"], {"place": {"name": "x"}})


@pytest.mark.promise("TOL-13")
@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("def broken(:", "not valid Python, line 2"),
        ("x = 1", "there is no tool in it"),
        ("def execute(args, context): ...", "there is no tool in it"),
        ("INPUT_SCHEMA = {}", "there is no tool in it"),
        ("INPUT_SCHEMA = dict()\ndef execute(a, c): ...", "INPUT_SCHEMA must be a literal"),
        ("INPUT_SCHEMA = []\ndef execute(a, c): ...", "INPUT_SCHEMA must be a literal dict"),
        ("DESCRIPTION = 3\ndef execute(a, c): ...", "DESCRIPTION must be a literal str"),
        ("@tool\ndef f(a: Model): ...", "needs 'Model'"),
        ("from __future__ import annotations\n@tool\ndef f(a: Model): ...", "needs 'Model'"),
        ("@tool\ndef f(a: int = LIMIT): ...", "needs 'LIMIT'"),
        ("@tool\ndef f(a: int = 1 // 0): ...", "cannot be evaluated"),
        ("@tool\ndef f(a, b: int): ...", "f in bad.py, parameter 'a': it has no annotation"),
        ("@tool\ndef f(*a: int): ...", "parameter 'a'"),
        ("@tool(name=NAME)\ndef f(): ...", "name of @tool must be a literal"),
        ("@tool(**OPTIONS)\ndef f(): ...", "has no argument '**'"),
        ("@tool(nam='x')\ndef f(): ...", "has no argument 'nam'"),
        ("@tool(name='a b')\ndef f(): ...", "cannot be the name"),
        ("@tool(timeout=-1)\ndef f(): ...", "timeout"),
        ("INPUT_SCHEMA = {}\n@tool(timeout=-1)\ndef f(): ...", "timeout"),
        ("@tool\ndef f(): ...\n@tool(name='f')\ndef g(): ...", "has a tool 'f' already"),
        ("INPUT_SCHEMA = {}\n@tool\ndef f(): ...\n@tool\ndef g(): ...", "for one tool"),
    ],
)
def test_what_cannot_be_known_without_running_the_file_is_refused(
    write: Write, source: str, words: str
) -> None:
    head = "from __future__ import annotations\n" if source.startswith("from __future__") else ""
    body = source.removeprefix(head)
    folder = write(bad=f"{head}from cursor_sdk_async import tool\n{body}", _private="1 +")
    with pytest.raises(ConfigurationError) as caught:
        load_tools(folder)
    assert words in caught.value.message
    assert "bad.py" in caught.value.message
    assert caught.value.code == "invalid_tool"


@pytest.mark.promise("TOL-13")
def test_two_files_with_the_same_tool_are_refused(write: Write) -> None:
    source = "from cursor_sdk_async.tools import tool as t\n@t\ndef same(): ..."
    with pytest.raises(ConfigurationError, match=r"second\.py.*first\.py has a tool 'same'"):
        load_tools(write(first=source, second=source))


@pytest.mark.promise("TOL-13")
def test_a_folder_that_is_none_is_refused_and_an_empty_one_is_empty(tmp_path: Path) -> None:
    for path in (tmp_path / "none", Path(__file__)):
        with pytest.raises(ConfigurationError, match="cannot be read as a folder"):
            load_tools(path)
    assert load_tools(tmp_path) == {}


@pytest.mark.promise("TOL-13")
@pytest.mark.parametrize("kind", ["", "async "])
@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("raise ValueError('no key ' + 'x' * 1000)", "ValueError: no key"),
        ("raise SystemExit(3)", "SystemExit: 3"),
        ("import nothing_of_this_name", "ModuleNotFoundError"),
        ("def tool(function): return function", "f in it is no tool"),
    ],
)
async def test_a_file_that_cannot_be_imported_is_an_error_for_the_model_each_time(
    write: Write, kind: str, line: str, words: str
) -> None:
    found = load_tools(
        write(bad=f"from cursor_sdk_async import tool\n{line}\n@tool\n{kind}def f(): return 1")
    )
    for _ in range(2):
        with pytest.raises(ToolError) as caught:
            await call(found["f"], {})
        message = caught.value.message
        assert "bad.py" in message
        assert words in message
        assert "Traceback" not in message
        assert len(message) < 400
        assert caught.value.code == "tool_unavailable"


@pytest.mark.promise("TOL-13")
async def test_a_file_that_was_changed_under_way_is_not_run_with_other_arguments(write: Write) -> None:
    source = "from cursor_sdk_async import tool\n@tool\ndef f(a: int): return a\n"
    found = load_tools(write(changing=source))
    write(changing=source.replace("a: int", "a: str, b: int = 1"))
    with pytest.raises(ToolError, match="the file has changed"):
        await call(found["f"], {"a": 1})
    again = load_tools(write(changing=source.replace("a: int", "a: str, b: int = 1")))
    assert await call(again["f"], {"a": "x"}) == "x"


@pytest.mark.promise("TOL-12")
def test_loading_leaves_no_module_and_no_path_behind(write: Write) -> None:
    modules, path = set(sys.modules), list(sys.path)
    load_tools(write(weather=WEATHER))
    assert [name for name in set(sys.modules) - modules if name.startswith("cursor_tools")] == []
    assert sys.path == path


@pytest.mark.promise("TOL-13")
def test_a_set_of_tools_refuses_two_of_the_same_name(write: Write) -> None:
    @tool
    def first() -> None: ...

    @tool
    def later() -> None: ...

    folder = load_tools(write(weather=WEATHER))
    whole = toolset(first, folder)
    assert list(whole) == ["first", "get-weather", "later"]
    assert whole["first"] is first
    assert toolset(first, first) == {"first": first}
    assert isinstance(whole["first"], Tool)
    for pair in ((first, tool(first.__wrapped__)), (later, folder), (folder, {"later": later})):
        with pytest.raises(ConfigurationError, match="two tools of this name"):
            toolset(*pair)
