"""Pictures of runs for rich."""

from __future__ import annotations

import io

import pytest
from rich.console import Console, RenderableType

from cursor_sdk_async._display import html, renderable
from cursor_sdk_async._display._rich import Tail
from cursor_sdk_async._display._state import RunState
from cursor_sdk_async.results import RunResult, TokenUsage
from tests.display.samples import call, say, state, text


def drawn(value: RenderableType) -> str:
    console = Console(record=True, width=80, file=io.StringIO())
    console.print(value)
    return console.export_text()


def full() -> RunState:
    run = state()
    say(run, "thinking", text="let me see")
    text(run, "I look at [bold]it[/bold], a list<int>.")
    call(run, args={"command": "ls [red]x"})
    call(run, status="completed", result="\n".join(map(str, range(20))))
    call(run, "c2", name="read", args={"path": "a.py"}, status="error", result="no such file")
    text(run, "## Done\n\n- one\n- two 🚀")
    run.settle(RunResult("run-1", "agent-1", "finished", duration_ms=4200, usage=TokenUsage(1, 1, 0, 0, 2)))
    return run


@pytest.mark.promise("DSP-04", "DSP-05")
def test_the_picture_shows_the_parts_and_the_status() -> None:
    shown = drawn(renderable(full()))
    for words in (
        "let me see",
        "I look at [bold]it[/bold], a list<int>.",
        "✓ shell  ls [red]x",
        "… (14 more lines)",
        "✗ read  a.py  error",
        "no such file",
        "Done",
        "• two 🚀",
        "● finished  2 tokens  4.2 s  2 tool calls  run-1",
    ):
        assert words in shown


@pytest.mark.promise("DSP-01")
def test_no_terminal_control_of_the_agent_gets_through() -> None:
    run = state()
    evil = "\x1b[2J\x1b]0;owned\x07\x9b31m"
    text(run, evil)
    say(run, "thinking", text=evil)
    call(run, name=evil, args={evil: evil}, result=evil)
    say(run, "task", text=evil)
    run.fail(evil)
    console = Console(width=80, file=io.StringIO())
    console.print(renderable(run))
    assert isinstance(console.file, io.StringIO)
    assert "\x1b" not in console.file.getvalue()
    assert "\x9b" not in console.file.getvalue()


@pytest.mark.promise("DSP-03")
def test_dropped_parts_and_errors_are_told() -> None:
    run = state()
    for number in range(310):
        call(run, f"c{number}")
    text(run, "x" * 250_000)
    run.fail("It broke.")
    shown = drawn(renderable(run))
    assert "11 earlier steps not shown" in shown
    assert "earlier characters not shown" in shown
    assert "interrupted" in shown
    assert "It broke." in shown


@pytest.mark.promise("DSP-06")
def test_a_result_prints_itself() -> None:
    result = RunResult("run-1", "agent-1", "cancelled", "half **a** thing")
    assert "half a thing" in drawn(renderable(result))
    assert "half" in html(result)


@pytest.mark.promise("DSP-03")
def test_the_tail_of_something_is_its_last_lines() -> None:
    assert drawn(Tail("a\nb\nc", 2)).split() == ["b", "c"]
