"""Messages folded into what is seen of a run."""

from __future__ import annotations

from typing import Any

import pytest

from cursor_sdk_async._display import RunState
from cursor_sdk_async._display._state import Call, Note, Prose
from cursor_sdk_async.events import RunStreamEvent
from cursor_sdk_async.options import ModelSelection
from cursor_sdk_async.results import RunResult, TokenUsage
from tests.display.samples import call, say, state, text


def seen(run: RunState) -> list[tuple[str, ...]]:
    found: list[tuple[str, ...]] = []
    for part in run.parts:
        if isinstance(part, Prose):
            found.append((part.kind, part.text))
        elif isinstance(part, Call):
            found.append((part.name, part.args, part.status, part.result))
        else:
            found.append(("note", part.text))
    return found


@pytest.mark.promise("DSP-04")
def test_pieces_join_and_stay_in_the_order_of_the_stream() -> None:
    run = state()
    say(run, "thinking", text="let me ")
    say(run, "thinking", text="see")
    text(run, "I ")
    text(run, "look.")
    call(run, args={"command": "ls"})
    text(run, "Done.")
    assert seen(run) == [
        ("thinking", "let me see"),
        ("text", "I look."),
        ("shell", "ls", "running", ""),
        ("text", "Done."),
    ]


@pytest.mark.promise("DSP-04")
@pytest.mark.parametrize(
    ("args", "shown"),
    [
        ({"path": "a.py"}, "a.py"),
        ({"timeout": 5, "command": "ls -la"}, "ls -la timeout=5"),
        ({"first": "x", "second": [1, {"a": None}]}, 'x second=[1, {"a": null}]'),
        ("line\none", "line one"),
        ({}, ""),
        (None, ""),
        (object(), "<object>"),
    ],
)
def test_arguments_are_one_line(args: Any, shown: str) -> None:
    run = state()
    call(run, args=args)
    assert seen(run) == [("shell", shown, "running", "")]


@pytest.mark.promise("DSP-04")
@pytest.mark.parametrize(
    ("result", "shown"),
    [
        ({"status": "success", "value": {"content": "a\nb\n", "lines": 2}}, "content:\na\nb\n\nlines: 2"),
        ({"status": "error", "error": {"message": "no"}}, "message: no"),
        ({"status": "success", "value": "fine", "more": 1}, "status: success\nvalue: fine\nmore: 1"),
        ("text", "text"),
        ([1, "two"], '[1, "two"]'),
        (0, "0"),
    ],
)
def test_a_result_completes_its_call(result: Any, shown: str) -> None:
    run = state()
    call(run, args={"command": "ls"})
    call(run, "c2", name="read", args={"path": "x"})
    call(run, status="completed", result=result)
    assert seen(run) == [("shell", "ls", "completed", shown), ("read", "x", "running", "")]
    assert run.calls == 2
    assert run.activity == "running read"


@pytest.mark.promise("DSP-04")
def test_a_result_without_its_beginning_a_call_without_an_id_and_an_unknown_status_are_shown() -> None:
    run = state()
    call(run, status="completed", result="late")
    call(run, "", args="one")
    call(run, "", args="two", status="paused")
    call(run, "c9", name="")
    call(run, "c9", status="error", result="broke", truncated={"result": True})
    assert seen(run) == [
        ("shell", "", "completed", "late"),
        ("shell", "one", "running", ""),
        ("shell", "two", "paused", ""),
        ("tool", "", "error", "broke\n(cut short by the service)"),
    ]


@pytest.mark.promise("DSP-05")
def test_status_words_do_not_end_a_run_and_a_result_does() -> None:
    run = state()
    assert run.activity == "starting"
    say(run, "status", status="FINISHED")
    text(run, "x")
    assert (run.status, run.activity) == ("running", "writing")
    call(run)
    run.settle(RunResult("run-1", "agent-1", "error", error_message="gave up", duration_ms=65_000))
    assert (run.status, run.activity, run.error) == ("error", "error", "gave up")
    assert seen(run)[-1] == ("shell", "", "unfinished", "")
    assert run.facts(3.0) == ["1 min 05 s", "1 tool call"]


@pytest.mark.promise("DSP-05")
def test_usage_adds_up_and_is_absent_when_nothing_was_reported() -> None:
    run = state()
    assert run.tokens is None
    assert run.facts() == []
    run.take(
        RunStreamEvent.from_json({"interactionUpdate": {"update": {"type": "token-delta", "tokens": 7}}})
    )
    assert run.facts(2.0) == ["7 tokens", "2.0 s"]
    say(run, "usage", usage={"inputTokens": 1000, "outputTokens": 40, "totalTokens": 1040})
    say(run, "usage", usage={"inputTokens": 10, "outputTokens": 4, "totalTokens": 14})
    assert run.facts() == ["1,054 tokens"]
    run.settle(
        RunResult("run-1", "a", "finished", model=ModelSelection("m"), usage=TokenUsage(1, 1, 0, 0, 2))
    )
    assert run.facts() == ["2 tokens", "m"]


@pytest.mark.promise("DSP-05")
def test_the_text_of_the_result_counts_only_where_none_was_seen() -> None:
    result = RunResult("run-1", "agent-1", "finished", "the answer")
    run = state()
    run.settle(result)
    assert seen(run) == [("text", "the answer")]
    run = state()
    text(run, "streamed")
    run.settle(result)
    assert seen(run) == [("text", "streamed")]


@pytest.mark.promise("DSP-03")
def test_of_a_long_text_the_end_is_kept_and_the_rest_is_counted() -> None:
    run = state()
    for number in range(60_000):
        text(run, f"{number:09} ")
    (part,) = run.parts
    assert isinstance(part, Prose)
    assert part.end == 600_000
    assert 40_000 <= len(part.text) <= 80_000
    assert part.dropped == 600_000 - len(part.text)
    assert part.text.endswith("000059999 ")
    assert part.since(599_990) == "000059999 "
    assert part.since(0).startswith(f"({part.dropped:,} characters not shown)\n")


@pytest.mark.promise("DSP-03")
def test_of_many_parts_the_last_are_kept_and_the_rest_is_counted() -> None:
    run = state()
    for number in range(1_000):
        call(run, f"c{number}", args={"command": f"echo {number}"})
        call(run, f"c{number}", status="completed", result="x" * 100_000)
    assert run.dropped + len(run.parts) == 1_000
    assert sum(len(part) for part in run.parts) <= 300_000
    assert run.calls == 1_000
    assert seen(run)[-1][1] == "echo 999"
    call(run, "c0", status="completed", result="a second report of a call that is gone")


@pytest.mark.promise("DSP-03")
def test_huge_and_deep_arguments_are_cut() -> None:
    deep: Any = "end"
    for _ in range(200):
        deep = {"deeper": deep}
    run = state()
    call(run, args={"content": "y" * 10_000_000, "many": list(range(100_000)), "deep": deep})
    call(run, status="completed", result={str(key): "z" * 10_000 for key in range(10_000)})
    (part,) = run.parts
    assert isinstance(part, Call)
    assert len(part.args) < 300
    assert len(part.result) < 2_100
    assert "more characters" in part.args


@pytest.mark.promise("DSP-02")
@pytest.mark.parametrize(
    "name",
    [
        *("api_key", "apiKey", "API-KEY", "CURSOR_API_KEY", "password", "authorization", "Set-Cookie"),
        *("accessToken", "client_secret", "token", "authToken", "AWS_SECRET_ACCESS_KEY", "aws_credentials"),
    ],
)
def test_values_under_names_of_secrets_are_hidden(name: str) -> None:
    run = state()
    call(run, args={"env": {name: "S3CRET"}})
    call(run, status="completed", result={"status": "success", "value": {name: {"nested": "S3CRET"}}})
    assert "S3CRET" not in str(seen(run))
    assert str(seen(run)).count("***") == 2


@pytest.mark.promise("DSP-02")
@pytest.mark.parametrize("name", ["max_tokens", "inputTokens", "path", "keyboard", "tokens"])
def test_values_under_other_names_are_shown(name: str) -> None:
    run = state()
    call(run, args={"x": {name: "12"}})
    assert "12" in str(seen(run))


@pytest.mark.promise("DSP-02")
@pytest.mark.parametrize(
    "secret",
    [
        "crsr_0123456789abcdef0123",
        "key_0123456789abcdef0123",
        "ghp_0123456789abcdef0123",
        "sk-0123456789abcdefgh",
    ],
)
def test_known_kinds_of_keys_are_hidden_in_texts_too(secret: str) -> None:
    run = state()
    text(run, f"the key is {secret[:9]}")
    text(run, f"{secret[9:]}, and Authorization: Bearer abcdefghij")
    call(run, args={"command": f"curl -H 'X: {secret}'"})
    say(run, "task", text=f"uses {secret}")
    run.fail(f"bad key {secret}")
    for shown in (str(seen(run)), run.error):
        assert secret not in shown
        assert "***" in shown
    assert "abcdefghij" not in str(seen(run))


@pytest.mark.promise("DSP-01")
def test_control_characters_and_escapes_do_not_survive() -> None:
    run = state()
    text(run, "\x1b[31mred\x1b[0m \x1b]0;title\x07bell\x07 \x9b1m a\rb\x00\ud800 tab\t")
    call(run, name="\x1b[2Jsh", args={"\x1bkey": "\x1b[H"}, status="\x1b[1mrunning")
    (prose, tool) = seen(run)
    assert prose[1] == "red bell\ufffd \ufffd1m a\nb\ufffd\ufffd tab\t"
    assert "\x1b" not in str(tool)
    assert tool[0] == "sh"


@pytest.mark.promise("DSP-05")
def test_tasks_models_and_unknown_messages() -> None:
    run = state()
    say(run, "system", model="composer-2.5", tools=["read"])
    say(run, "task", status="x", text="indexing")
    say(run, "task", text="  ")
    say(run, "something-new", body=1)
    say(run, "request", request_id="r")
    assert [type(part) for part in run.parts] == [Note]
    assert run.facts() == ["composer-2.5"]
    assert run.activity == "working"
