"""Each blocking class beside its twin: names, parameters, defaults, annotations, descriptions."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from typing import Any

import pytest

import cursor_sdk_async as theirs
import cursor_sdk_async.resources as their_resources
import cursor_sdk_sync as ours
import cursor_sdk_sync.resources as our_resources
from cursor_sdk_async.blocking import Both
from cursor_sdk_sync._twin import blocking_words

pytestmark = pytest.mark.promise("SYN-02")

TWINS: list[tuple[type[Any], type[Any]]] = [
    (ours.CursorClient, theirs.AsyncClient),
    (ours.Agent, theirs.AsyncAgent),
    (type(ours.Agent.messages), type(theirs.AsyncAgent.messages)),
    (type(ours.Agent.lifecycle), type(theirs.AsyncAgent.lifecycle)),
    (ours.Run, theirs.AsyncRun),
    (ours.Bridge, theirs.AsyncBridge),
    (ours.Cursor, theirs.AsyncCursor),
    (type(ours.Cursor.models), type(theirs.AsyncCursor.models)),
    (type(ours.Cursor.repositories), type(theirs.AsyncCursor.repositories)),
    (our_resources.AgentsResource, their_resources.AgentsResource),
    (our_resources.ModelsResource, their_resources.ModelsResource),
    (our_resources.RepositoriesResource, their_resources.RepositoriesResource),
]
#: What is not the same, and why.
EXCEPTIONS = (
    (r"\w+\.(portal|\w+\(portal\))", "where a client works is a question of the blocking side alone"),
    (r"\w+\.\w+\(client\)", "without one, the default client is used; the async package has none"),
    (r"\w+\.(aclose|close)", "close() by both names there; a run has only close() here"),
    (r"AsyncRun\.interrupt|AsyncClient\.settle", "what Ctrl-C does here; see cursor_sdk_async.blocking"),
    (r"AsyncBridge\.(owner|watch|set_farewell|set_tools|on_exit|exited_error)", "for code in the event loop"),
)
WORDS = (
    (r"Opening\[(\w+)\]", r"\1"),
    (r"\bos\.PathLike\b", "PathLike"),
    (r"\bMessages\b", "list[AgentMessage]"),
    (r"\bArtifacts\b", "list[SDKArtifact]"),
    (r"\bPath\b", "str | PathLike[str]"),
)


def words(annotation: object) -> str:
    text = blocking_words(str(annotation))
    for pattern, word in WORDS:
        text = re.sub(pattern, word, text)
    return text


def members(cls: type[Any]) -> dict[str, object]:
    names = {*dir(cls), *(name for base in cls.__mro__ for name in getattr(base, "__annotations__", {}))}
    return {
        name: inspect.getattr_static(cls, name, None) for name in sorted(names) if not name.startswith("_")
    }


def functions(cls: type[Any], name: str, member: object) -> Iterator[Any]:
    """What there is to call by a name: two functions where it works on the class and on an instance."""
    if isinstance(member, property):
        yield member.fget
    elif isinstance(member, Both):
        yield getattr(cls, name)
        yield getattr(object.__new__(cls), name).__func__
    elif inspect.isroutine(member):
        yield getattr(member, "__func__", member)


def described(member: object) -> str:
    return getattr(member, "__func__", member).__doc__ or "" if hasattr(member, "__get__") else ""


def compared(our: type[Any], their: type[Any]) -> Iterator[str]:
    name = their.__name__
    our_members, their_members = members(our), members(their)
    for only, where in ((our_members, our), (their_members, their)):
        other = their_members if only is our_members else our_members
        yield from (f"{where.__name__}.{one} only here" for one in only if one not in other)
    for one in our_members.keys() & their_members.keys():
        if described(our_members[one]) != blocking_words(described(their_members[one])):
            yield f"{name}.{one} description"
        pairs = zip(
            functions(our, one, our_members[one]),
            functions(their, one, their_members[one]),
            strict=True,
        )
        for ours_, theirs_ in pairs:
            yield from (f"{name}.{one}{what}" for what in signatures(ours_, theirs_))
    yield from (f"{name}.init{what}" for what in signatures(our.__init__, their.__init__))


def signatures(our: Any, their: Any) -> Iterator[str]:
    left, right = inspect.signature(our), inspect.signature(their)
    for parameter in left.parameters.keys() | right.parameters.keys():
        one, other = left.parameters.get(parameter), right.parameters.get(parameter)
        if one is None or other is None:
            yield f"({parameter}) only on one side"
        elif (one.kind, one.default, words(one.annotation)) != (
            other.kind,
            other.default,
            words(other.annotation),
        ):
            yield f"({parameter}) {one} here, {other} there"
    common = [parameter for parameter in left.parameters if parameter in right.parameters]
    if common != [parameter for parameter in right.parameters if parameter in left.parameters]:
        yield " order of parameters"
    if words(left.return_annotation) != words(right.return_annotation):
        yield f" returns {left.return_annotation} here, {right.return_annotation} there"


def differences() -> list[str]:
    made_by_hand = (ours.CursorClient,)  # the other handles come from calls, and are made from a twin
    return [
        difference
        for our, their in TWINS
        for difference in compared(our, their)
        if our in made_by_hand or ".init" not in difference
    ]


def test_what_differs_stands_in_the_short_list() -> None:
    found = [
        difference
        for difference in differences()
        if not any(re.match(rf"({pattern})\b|({pattern}) ", difference) for pattern, _ in EXCEPTIONS)
    ]
    assert not found, "\n".join(found)
    assert len(EXCEPTIONS) <= 5


@pytest.mark.parametrize("pattern", [pattern for pattern, _ in EXCEPTIONS])
def test_no_exception_outlives_its_reason(pattern: str) -> None:
    assert any(re.match(pattern, difference) for difference in differences())


@pytest.mark.parametrize(("our", "their"), TWINS[:7:2])
def test_classes_are_described_as_their_twins(our: type[Any], their: type[Any]) -> None:
    assert our.__doc__
    assert their.__doc__


@pytest.mark.parametrize(
    ("text", "blocking"),
    [
        ("Use 'async with', or await its aclose().", "Use 'with', or its close()."),
        ("``async with await AsyncAgent.create()``", "``with Agent.create()``"),
        ("``AsyncClient`` waits.", "``CursorClient`` waits."),
    ],
)
def test_descriptions_lose_their_await(text: str, blocking: str) -> None:
    assert blocking_words(text) == blocking
