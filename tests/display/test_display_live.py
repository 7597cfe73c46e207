"""display() through the whole client."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from itertools import pairwise
from types import ModuleType, SimpleNamespace
from typing import Any

import anyio
import pytest

from cursor_sdk_async import (
    AsyncClient,
    AsyncRun,
    BridgeExitedError,
    ConfigurationError,
    RunResult,
)
from cursor_sdk_async._display import _choose, _show
from cursor_sdk_async._display._state import RunState
from cursor_sdk_async._display._views import PlainView, View
from cursor_sdk_async._lifecycle import Opening
from cursor_sdk_async.testing import (
    Burst,
    Fail,
    Faults,
    Hold,
    Script,
    ScriptedControl,
    StreamFault,
    Text,
    Thinking,
    ToolCall,
    Turn,
    Usage,
)
from tests.client.conftest import local_agent
from tests.display.samples import Page

pytestmark = pytest.mark.anyio

TURN = Turn(
    (
        Thinking("let me see"),
        Text("I look"),
        Text(" at *it*."),
        ToolCall("shell", {"command": "ls"}, {"status": "success", "value": "a.py"}),
        ToolCall("read", {"path": "b.py"}, error="no such file"),
        Text("Done <b>\n"),
        Usage(),
    )
)


async def start(client: AsyncClient, control: ScriptedControl, turn: Turn = TURN) -> AsyncRun:
    control.set_script(Script([turn]))
    return await (await local_agent(client)).send("go")


class Terminal(io.StringIO):
    """A file that is a terminal."""

    encoding = "utf-8"

    def isatty(self) -> bool:
        return True


class Notebook:
    """Stands in for IPython in a kernel: the outputs of a cell, each as it was drawn last.

    Attributes:
        outputs: By display id, in the order of the page.
        drawings: How often anything was drawn.
    """

    def __init__(self) -> None:
        self.outputs: dict[str, dict[str, str]] = {}
        self.drawings = 0

    def display(self, data: dict[str, str], *, raw: bool, display_id: bool) -> SimpleNamespace:
        assert raw
        assert display_id
        name = f"id-{len(self.outputs)}"
        self.update_display(data, display_id=name, raw=True, new=True)
        return SimpleNamespace(display_id=name)

    def update_display(self, data: dict[str, str], *, display_id: str, raw: bool, new: bool = False) -> None:
        assert raw
        assert new or display_id in self.outputs
        assert set(data) == {"text/html", "text/plain"}
        Page(data["text/html"])
        self.outputs[display_id] = data
        self.drawings += 1

    @property
    def text(self) -> str:
        return "\n".join(Page(data["text/html"]).text for data in self.outputs.values())

    @property
    def plain(self) -> str:
        return "\n".join(data["text/plain"] for data in self.outputs.values())


@pytest.fixture
def notebook(monkeypatch: pytest.MonkeyPatch) -> Notebook:
    made = Notebook()
    package, inner = ModuleType("IPython"), ModuleType("IPython.display")
    package.get_ipython = lambda: SimpleNamespace(kernel=object())  # type: ignore[attr-defined]
    inner.display, inner.update_display = made.display, made.update_display  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "IPython", package)
    monkeypatch.setitem(sys.modules, "IPython.display", inner)
    return made


@pytest.mark.promise("DSP-07", "DSP-13")
async def test_without_a_terminal_the_text_is_written_as_it_streams(
    client: AsyncClient, control: ScriptedControl, capsys: pytest.CaptureFixture[str]
) -> None:
    run = await start(client, control)
    with anyio.fail_after(30):
        result = await run.display()
    assert isinstance(result, RunResult)
    assert result.status == "finished"
    assert result == await run.wait()
    lines = capsys.readouterr().out.splitlines()
    assert lines[:4] == ["I look at *it*.", "[shell] ls", "[read] b.py", "Done <b>"]
    assert lines[4].startswith("finished: 1,540 tokens, ")
    assert lines[4].endswith(f"2 tool calls, scripted (run {run.id})")
    assert len(lines) == 5


@pytest.mark.promise("DSP-07", "DSP-12")
async def test_what_was_read_before_is_shown_too_and_drawing_reads_nothing(
    client: AsyncClient, control: ScriptedControl, capsys: pytest.CaptureFixture[str]
) -> None:
    run = await start(client, control)
    with anyio.fail_after(30):
        async for piece in run.iter_text():
            assert piece == "I look"
            break
        drawn = Page(run._repr_html_()).text
        assert "I look" in drawn
        assert "at it" not in drawn
        assert "writing" in drawn
        await run.display(how="plain")
        await run.display(how="plain")
    once = capsys.readouterr().out
    assert once.count("I look at *it*.") == 1 + 1  # the second time from what is known
    assert "finished" in Page(run._repr_html_()).text


@pytest.mark.promise("DSP-07", "DSP-08")
async def test_a_notebook_shows_the_run_and_its_end(
    client: AsyncClient, control: ScriptedControl, notebook: Notebook
) -> None:
    run = await start(client, control, Turn((*TURN.steps, Hold(), ToolCall("grep"), Burst(5_000))))
    results: list[RunResult] = []
    before: list[int] = []

    async def watch() -> None:
        results.append(await run.display())

    with anyio.fail_after(60):
        async with anyio.create_task_group() as group:
            group.start_soon(watch)
            while "Done <b>" not in notebook.text:
                await anyio.sleep(0.01)
            assert "writing" in notebook.text
            before.append(notebook.drawings)
            control.release()
    assert results[0].status == "finished"
    assert notebook.drawings - before[0] < 1_000  # of 5,000 pieces
    assert len(notebook.outputs) == 3
    for words in ("finished", "let me see", "I look at it.", "shell", "a.py", "no such file", "Done <b>"):
        assert words in notebook.text
    assert notebook.text.rstrip().endswith(
        Page(list(notebook.outputs.values())[-1]["text/html"]).text.rstrip()
    )
    assert "4999" in notebook.text
    assert "[shell] ls (completed)" in notebook.plain


@pytest.mark.promise("DSP-07", "DSP-09")
async def test_a_terminal_shows_the_run_and_is_given_back(
    client: AsyncClient, control: ScriptedControl, monkeypatch: pytest.MonkeyPatch
) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stdout", terminal)
    monkeypatch.setenv("TERM", "xterm-256color")
    run = await start(client, control, Turn((*TURN.steps, Hold())))
    with anyio.fail_after(30):
        async with anyio.create_task_group() as group:
            group.start_soon(run.display)
            while "writing" not in terminal.getvalue():
                await anyio.sleep(0.01)
            control.release()
    assert sys.stdout is terminal
    shown = terminal.getvalue()
    assert shown.count("\x1b[?25l") == shown.count("\x1b[?25h") > 0  # the cursor is back
    end = shown[shown.rindex("\x1b[?25h") :]
    assert "finished" in end
    assert "2 tool calls" in end
    assert "no such file" in shown


@pytest.mark.promise("DSP-09")
@pytest.mark.parametrize("how", ["plain", "terminal", "notebook"])
async def test_a_display_that_is_cancelled_leaves_the_run(
    client: AsyncClient,
    control: ScriptedControl,
    notebook: Notebook,
    how: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stdout", terminal)
    monkeypatch.setenv("TERM", "xterm")
    run = await start(client, control, Turn((Text("before"), Hold(), Text(" and after"))))

    def shown() -> str:
        return terminal.getvalue() + notebook.text

    with anyio.fail_after(30):
        async with anyio.create_task_group() as group:
            group.start_soon(lambda: run.display(how=how))
            while "before" not in shown():
                await anyio.sleep(0.01)
            group.cancel_scope.cancel()
        assert "no longer watched" in shown()
        assert terminal.getvalue().count("\x1b[?25l") == terminal.getvalue().count("\x1b[?25h")
        assert (await client.agents.get_run(run.id)).status == "running"
        control.release()
        result = await run.display(how=how)
    assert result.result == "before and after"
    assert "before and after" in shown()


@pytest.mark.promise("DSP-10")
async def test_a_run_that_is_lost_is_shown_and_raised(
    launch: Callable[..., Opening[AsyncClient]], capsys: pytest.CaptureFixture[str]
) -> None:
    with anyio.fail_after(30):
        async with launch(Script([TURN]), Faults(streams=(StreamFault("crash", frame=4),))) as client:
            run = await (await local_agent(client)).send("go")
            with pytest.raises(BridgeExitedError):
                await run.display(how="plain")
    status, reason = capsys.readouterr().out.splitlines()[-2:]
    assert status.startswith("interrupted: ")
    assert reason.startswith("BridgeExitedError: ")


@pytest.mark.promise("DSP-10")
async def test_a_stream_that_is_resumed_is_shown_once(
    client: AsyncClient, control: ScriptedControl, capsys: pytest.CaptureFixture[str]
) -> None:
    control.set_faults(Faults(streams=(StreamFault("cut", frame=4, times=1),)))
    run = await start(client, control)
    with anyio.fail_after(30):
        await run.display(how="plain")
    assert capsys.readouterr().out.splitlines()[0] == "I look at *it*."


@pytest.mark.promise("DSP-05")
async def test_a_run_that_fails_is_a_result_with_its_reason(
    client: AsyncClient, control: ScriptedControl, capsys: pytest.CaptureFixture[str]
) -> None:
    run = await start(client, control, Turn((Text("half"), Fail("The agent gave up."))))
    with anyio.fail_after(30):
        assert (await run.display()).status == "error"
    assert capsys.readouterr().out.splitlines()[-1] == "The agent gave up."


@pytest.mark.promise("DSP-06")
async def test_lists_of_a_client_draw_themselves(client: AsyncClient, control: ScriptedControl) -> None:
    run = await start(client, control)
    with anyio.fail_after(30):
        await run.wait()
        agents = await client.agents.list()
        runs = await client.agents.list_runs(run.agent_id)
        models = await client.models.list()
        repositories = await client.repositories.list()
    for value, words in (
        (agents, run.agent_id),
        (runs, run.id),
        (models, "composer-2.5"),
        (repositories, "https://github.com/acme/rocket"),
    ):
        drawn: Any = value
        assert words in Page(drawn._repr_html_()).text


@pytest.mark.promise("DSP-08")
async def test_drawing_takes_at_most_a_tenth_of_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    drawn: list[float] = []

    class Slow:
        interval = 0.1

        def draw(self, state: RunState, elapsed: float) -> None:
            nonlocal now
            drawn.append(now)
            now += 2.0

        def close(self, state: RunState, elapsed: float) -> None:
            drawn.append(now)

    class Busy:
        def __init__(self) -> None:
            self.left = 600

        def __aiter__(self) -> Busy:
            return self

        async def __anext__(self) -> Any:
            nonlocal now
            self.left -= 1
            now += 0.1
            if not self.left:
                raise StopAsyncIteration
            return SimpleNamespace(sdk_message=None, interaction_update=None)

        events = __aiter__

        async def wait(self) -> RunResult:
            return RunResult("run-1", "agent-1", "finished")

    monkeypatch.setattr(_show, "monotonic", lambda: now)

    def choose(how: str) -> View:
        return Slow()

    monkeypatch.setattr(_show, "choose", choose)
    await _show.show(Busy(), RunState(), "auto")
    assert drawn == [0.0, *drawn[1:]]
    assert [after - before > 20.0 for before, after in pairwise(drawn)] == [True] * 3
    assert len(drawn) == 4


@pytest.mark.promise("DSP-11")
@pytest.mark.parametrize(
    ("how", "missing", "words"),
    [
        ("terminal", "rich", 'pip install "cursor-sdk-async[cli]"'),
        ("notebook", "IPython", 'pip install "cursor-sdk-async[notebook]"'),
        ("notebook", "markdown_it", 'pip install "cursor-sdk-async[notebook]"'),
        ("notebook", "", "this is not IPython"),
        ("notebok", "", "Did you mean 'notebook'?"),
        ("html", "", "'auto', 'notebook', 'terminal', 'plain'"),
    ],
)
def test_what_cannot_be_had_is_said(
    how: str, missing: str, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    there = _choose._is_there

    def is_there(package: str) -> bool:
        return package != missing and there(package)

    monkeypatch.setattr(_choose, "_is_there", is_there)
    monkeypatch.setitem(sys.modules, "IPython", ModuleType("IPython"))
    with pytest.raises(ConfigurationError, match="display") as caught:
        _choose.choose(how)
    assert words in str(caught.value)


@pytest.mark.promise("DSP-13")
@pytest.mark.parametrize(
    ("missing", "encoding", "term"),
    [("rich", "utf-8", "xterm"), ("", "ascii", "xterm"), ("", "utf-8", "dumb")],
)
def test_a_terminal_that_cannot_be_drawn_in_gets_plain_text(
    missing: str, encoding: str, term: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    there, terminal = _choose._is_there, Terminal()

    def is_there(package: str) -> bool:
        return package != missing and there(package)

    monkeypatch.setattr(Terminal, "encoding", encoding)
    monkeypatch.setattr(_choose, "_is_there", is_there)
    monkeypatch.setattr(sys, "stdout", terminal)
    monkeypatch.setenv("TERM", term)
    view = _choose.choose("auto")
    assert isinstance(view, PlainView)
    view.close(RunState("run-ü"), 1.0)
    shown = "ü" if encoding == "utf-8" else "?"
    assert terminal.getvalue() == f"starting: 1.0 s (run run-{shown})\n"
    if encoding == "ascii":
        with pytest.raises(ConfigurationError, match="PYTHONIOENCODING"):
            _choose.choose("terminal")
