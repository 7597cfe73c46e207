"""Markdown of an agent as HTML that can do no harm. Pure.

The text is foreign: raw HTML in it is shown, not used; images are not loaded, since their address alone could
carry what the agent has read to somebody else's server; links go to the web or to mail.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

__all__ = ["chunks", "markdown_html", "parsed", "plain_html"]

#: Where a text may be cut, in characters, and from where on a chunk is too much work: it stands as it is.
CHUNK, CHUNK_LIMIT = 2_000, 20_000
_FENCE = re.compile(r"\s{0,8}(`{3,}|~{3,})")
_CONTINUES = re.compile(r"\s|[-*+>|]|\d+[.)]")
_WEB = re.compile(r"(?:https?://|mailto:)", re.IGNORECASE)
_BLOCK = (
    "overflow:auto;max-height:40em;padding:.6em .8em;margin:.5em 0;border-radius:6px;"
    "background:rgba(127,127,127,.14);color:inherit;line-height:1.4"
)
_CELL = "border:1px solid rgba(127,127,127,.35);padding:.2em .6em;text-align:left"
_STYLES = {
    "paragraph_open": "margin:.5em 0",
    "bullet_list_open": "margin:.5em 0;padding-left:1.6em",
    "ordered_list_open": "margin:.5em 0;padding-left:1.6em",
    "blockquote_open": "margin:.5em 0;padding-left:.8em;border-left:3px solid rgba(127,127,127,.5)",
    "table_open": "border-collapse:collapse;font-size:inherit;color:inherit;margin:.5em 0",
    "th_open": _CELL,
    "td_open": _CELL,
    "code_inline": "padding:.1em .3em;border-radius:4px;background:rgba(127,127,127,.14);color:inherit",
    "hr": "border:0;border-top:1px solid rgba(127,127,127,.35);margin:.8em 0",
}
_SIZES = {"h1": "1.35em", "h2": "1.2em", "h3": "1.1em"}


def markdown_html(text: str) -> str:
    """The text as HTML; without the package markdown-it-py the text as it stands.

    It is drawn chunk by chunk, and chunks are remembered: a text that grows costs only what is new.
    """
    try:
        _markdown()
    except ModuleNotFoundError:
        return plain_html(text)
    return "".join(map(_chunk_html, chunks(text)))


def parsed(text: str) -> list[Token]:
    """The text as tokens, for others who draw it: raw HTML and images are text."""
    return _markdown().parse(text)


def chunks(text: str) -> Iterator[str]:
    """The text in parts that can be drawn one by one: cut at blank lines outside code and lists."""
    chunk: list[str] = []
    size, fence, blank = 0, "", False
    for line in text.splitlines(keepends=True):
        if size > CHUNK and blank and not fence and not _CONTINUES.match(line):
            yield "".join(chunk)
            chunk, size = [], 0
        mark = _FENCE.match(line)
        if mark is not None and (not fence or mark[1].startswith(fence)):
            fence = "" if fence else mark[1]
        chunk.append(line)
        size += len(line)
        blank = not line.strip()
    yield "".join(chunk)


@lru_cache(maxsize=256)
def _chunk_html(text: str) -> str:
    if len(text) > CHUNK_LIMIT:
        return plain_html(text)
    markdown = _markdown()
    tokens = markdown.parse(text)
    _dress(tokens)
    return str(markdown.renderer.render(tokens, markdown.options, {}))


def plain_html(text: str) -> str:
    """The text as it stands, with its line breaks."""
    return f'<div style="white-space:pre-wrap;overflow-wrap:anywhere">{escape(text)}</div>'


@lru_cache(maxsize=1)
def _markdown() -> MarkdownIt:
    from markdown_it import MarkdownIt

    made = MarkdownIt("commonmark", {"html": False, "maxNesting": 20})
    made.enable(["table", "strikethrough"]).disable("image")

    def is_web(url: str) -> bool:
        return _WEB.match(url) is not None

    made.validateLink = is_web  # type: ignore[method-assign]
    made.add_render_rule("fence", _code)
    made.add_render_rule("code_block", _code)
    return made


def _code(_renderer: Any, tokens: Sequence[Token], index: int, _options: Any, _env: Any) -> str:
    code = escape(tokens[index].content.rstrip("\n"))
    return f'<pre style="{_BLOCK}"><code style="background:none;color:inherit">{code}</code></pre>\n'


def _dress(tokens: Sequence[Token]) -> None:
    """Give each element its style, and each link its manners."""
    for token in tokens:
        style = _STYLES.get(token.type)
        if token.type == "heading_open":
            style = f"margin:.7em 0 .3em;font-weight:600;font-size:{_SIZES.get(token.tag, '1em')}"
        if style is not None:
            token.attrSet("style", style)
        if token.type == "link_open":
            token.attrSet("target", "_blank")
            token.attrSet("rel", "noopener noreferrer nofollow")
        _dress(token.children or ())
