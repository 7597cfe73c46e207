"""Runs to draw, and readers of what was drawn."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import Any

from cursor_sdk_async._display import RunState
from cursor_sdk_async.messages import sdk_message_from_json

VOID = {"br", "hr", "img", "input", "meta", "link"}
WORDS = (
    "div span b details summary pre code p h1 h2 h3 h4 h5 h6 em strong s a ul ol li blockquote table thead "
    "tbody tr th td br hr"
)
ALLOWED = frozenset(WORDS.split())


def say(state: RunState, kind: str, **body: Any) -> None:
    """Take one message, as the stream carries it."""
    state.take_message(
        sdk_message_from_json({"type": kind, "agent_id": "agent-1", "run_id": "run-1", **body})
    )


def text(state: RunState, piece: str) -> None:
    say(state, "assistant", message={"role": "assistant", "content": [{"type": "text", "text": piece}]})


def call(state: RunState, call_id: str = "c1", status: str = "running", **body: Any) -> None:
    say(state, "tool_call", **{"call_id": call_id, "name": "shell", "status": status, **body})


def state() -> RunState:
    return RunState("run-1", "agent-1")


class Page(HTMLParser):
    """Reads HTML strictly: known elements only, each closed in its turn.

    Attributes:
        text: The text of the page.
        attributes: All of them, as (element, name, value).
    """

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.pieces: list[str] = []
        self.attributes: list[tuple[str, str, str]] = []
        self.feed(html)
        self.close()
        assert not self.open, f"not closed: {self.open}"

    @property
    def text(self) -> str:
        return "".join(self.pieces)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in ALLOWED, f"<{tag}> is not for pictures"
        for name, value in attrs:
            assert name in ("style", "class", "target", "rel", "href", "title", "start"), f"{tag} has {name}"
            self.attributes.append((tag, name, value or ""))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag in VOID:
            return
        assert self.open, f"</{tag}> closes nothing"
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.pieces.append(data)

    def handle_comment(self, data: str) -> None:
        raise AssertionError("a comment")

    def handle_decl(self, decl: str) -> None:
        raise AssertionError("a declaration")

    def handle_pi(self, data: str) -> None:
        raise AssertionError("an instruction")
