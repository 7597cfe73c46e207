"""Every promise has a test, every test cites a promise."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.requirements import PROMISES

pytestmark = pytest.mark.promise("HSE-02")

TESTS = Path(__file__).parent


def _cited(node: ast.expr) -> Iterator[str]:
    """The ids in ``pytest.mark.promise(...)`` anywhere within an expression."""
    for call in ast.walk(node):
        if (
            isinstance(call, ast.Call)
            and isinstance(call.func, ast.Attribute)
            and call.func.attr == "promise"
        ):
            yield from (str(argument.value) for argument in call.args if isinstance(argument, ast.Constant))


def _tests(path: Path) -> Iterator[tuple[str, frozenset[str]]]:
    """Each test of a file with the promises it cites."""
    tree = ast.parse(path.read_text())
    shared: set[str] = set()
    for node in tree.body:
        if isinstance(node, ast.Assign) and any(
            getattr(target, "id", "") == "pytestmark" for target in node.targets
        ):
            shared.update(_cited(node.value))

    def walk(body: list[ast.stmt], outer: set[str]) -> Iterator[tuple[str, frozenset[str]]]:
        for node in body:
            if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                own = {*outer, *(name for decorator in node.decorator_list for name in _cited(decorator))}
                if isinstance(node, ast.ClassDef):
                    yield from walk(node.body, own)
                elif node.name.startswith("test_"):
                    yield f"{path.relative_to(TESTS)}::{node.name}", frozenset(own)

    yield from walk(tree.body, shared)


ALL = [test for path in sorted(TESTS.rglob("test_*.py")) for test in _tests(path)]


def test_ids_are_unique_and_well_formed() -> None:
    ids = [promise.id for promise in PROMISES]
    assert len(ids) == len(set(ids))
    assert all(promise.sentence.endswith(".") and promise.source for promise in PROMISES)


def test_every_promise_has_a_test() -> None:
    cited = {name for _, names in ALL for name in names}
    missing = [promise.id for promise in PROMISES if promise.id not in cited]
    assert not missing, f"promises without a test: {missing}"


def test_every_test_cites_a_promise() -> None:
    known = {promise.id for promise in PROMISES}
    silent = [test for test, names in ALL if not names]
    unknown = [(test, sorted(names - known)) for test, names in ALL if names - known]
    assert not silent, "tests that cite no promise:\n" + "\n".join(silent)
    assert not unknown, f"tests that cite unknown promises: {unknown}"
