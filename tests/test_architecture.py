"""The import law: which room may import whom. The table is the law; every import is read with ``ast``."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

pytestmark = pytest.mark.promise("HSE-01")

ROOT = Path(__file__).parent.parent
ASYNC = "cursor_sdk_async"
SYNC = "cursor_sdk_sync"

TYPES = ("messages", "events", "conversation", "results", "options", "pages", "_shown")
WIRE_PURE = tuple(
    f"_connect.{name}"
    for name in (
        "_methods",
        "_envelope",
        "_wire_error",
        "_error_table",
        "_codec",
        "_frames",
        "_deep",
        "_http1",
        "_seam",
        "_url",
    )
)


@dataclass(frozen=True)
class Row:
    """One row of the law.

    Attributes:
        own: Rooms of ours that may be imported (a prefix of the dotted path below the package).
        third: Third-party packages that may be imported.
    """

    own: tuple[str, ...] = ()
    third: tuple[str, ...] = ()


COMMON = ("errors", "_lifecycle")
LAW: dict[str, Row] = {
    "errors": Row(("errors",)),
    "_lifecycle": Row(("errors", "_lifecycle"), ("anyio", "asyncio", "trio", "sniffio")),
    "_settings": Row(("errors",)),
    "_version": Row(),
    "_logging": Row(("_settings",)),
    "pages": Row((*TYPES, "errors")),
    "messages": Row((*TYPES, "errors")),
    "events": Row((*TYPES, "errors")),
    "conversation": Row((*TYPES, "errors")),
    "results": Row((*TYPES, "errors", "_display")),
    "options": Row((*TYPES, "errors")),
    "tools": Row((*TYPES, "errors", "tools"), ("anyio", "pydantic", "pydantic_core")),
    "_validate": Row((*TYPES, "errors", "_validate"), ("pydantic", "pydantic_core")),
    "_gen": Row(("_gen",), ("betterproto2", "google")),
    "_convert": Row((*TYPES, "errors", "_gen", "_connect._draft", "_convert"), ("betterproto2",)),
    "blocking": Row(("_both",)),
    "_runs": Row((*TYPES, "errors", "blocking", "_lifecycle", "_convert", "_runs", *WIRE_PURE), ("anyio",)),
    "_bridge": Row(("errors", "_bridge", "_settings", "_lifecycle"), ("anyio",)),
    "bridge": Row(("_bridge", "_logging", "_settings", "_version", *COMMON), ("anyio",)),
    "_connect": Row(("_connect", "_gen", *COMMON), ("anyio", "httpx", "httptools", "betterproto2", "google")),
    "_callbacks": Row((*TYPES, *COMMON, "_convert", "_callbacks", *WIRE_PURE), ("anyio", "httptools")),
    "callbacks": Row((*TYPES, *COMMON, "_callbacks")),
    "agent": Row(
        (
            *TYPES,
            *COMMON,
            *("_settings", "_connect", "_runs", "_convert", "_validate", "_core", "_keys"),
            *("_agent_calls", "_both", "_legacy", "_warm", "run", "agent"),
        ),
        ("anyio",),
    ),
    "run": Row(
        (
            *TYPES,
            *COMMON,
            "_connect",
            "_runs",
            "_convert",
            "_validate",
            "_core",
            "_legacy",
            "_reading",
            "_display",
        ),
        ("anyio",),
    ),
    "_agent_calls": Row((*TYPES, *COMMON, "_convert", "_validate", "_core")),
    "_both": Row(),
    "_homes": Row(),
    "_catalogue": Row((*TYPES, *COMMON, "_convert", "_core")),
    "_flat": Row((*TYPES, *COMMON, "_core")),
    "_control": Row((*TYPES, *COMMON, "_convert", "_core")),
    "_front": Row((*COMMON, "_core", "_settings", "_runs"), ("anyio",)),
    "retry": Row(("_connect",)),
    "_tool_methods": Row((*COMMON, "_core")),
    "http": Row(third=("httpx",)),
    "transport": Row((*COMMON, "_connect", "_open"), ("anyio",)),
    "_legacy": Row(),
    "_reading": Row((*TYPES, *COMMON, "_runs")),
    "cursor": Row((*TYPES, *COMMON, "_connect", "_convert", "_validate", "_core")),
    "_keys": Row(("errors", "_settings")),
    "_warm": Row((*COMMON, "_connect", "_validate"), ("anyio",)),
    "_open": Row((*COMMON, "_connect")),
    "_core": Row(
        (*TYPES, *COMMON, "_keys", "_connect", "_runs", "_convert", "_validate", "_warm", "_callbacks"),
        ("anyio",),
    ),
    "_shown": Row(("_display",)),
    "_display": Row(("", "_display"), ("anyio", "rich", "markdown_it", "IPython")),
    "_cli": Row(("", "_settings", "_version", "_display", "_cli"), ("rich", "typer", "anyio")),
    "testing": Row(
        ("", "_gen", *WIRE_PURE, "testing"), ("anyio", "google", "httptools", "pytest", "betterproto2")
    ),
}
PURE_WIRE_THIRD = {
    "_codec": ("betterproto2", "google"),
    "_frames": ("betterproto2", "google"),
    "_http1": ("httptools",),
}
FREE = ("client", "resources", "__init__", "__main__", "types", "asyncio")


def imports(path: Path) -> Iterator[tuple[str, int]]:
    """Every imported module with its line, deferred imports included."""
    package = path.relative_to(ROOT).with_suffix("").parts[:-1]
    tree = ast.parse(path.read_text())
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and getattr(node.test, "id", "") == "TYPE_CHECKING":
            node.body = []  # what only the type checkers see is never imported
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name, node.lineno
        elif isinstance(node, ast.ImportFrom):
            base = ".".join(package[: len(package) - node.level + 1]) if node.level else ""
            module = ".".join(part for part in (base, node.module or "") if part)
            yield module, node.lineno
            if module in (ASYNC, SYNC):
                yield from ((f"{module}.{alias.name}", node.lineno) for alias in node.names)


def modules(package: str) -> list[Path]:
    return [path for path in sorted((ROOT / package).rglob("*.py")) if "_gen" not in path.parts]


def room(path: Path) -> str:
    return path.relative_to(ROOT / ASYNC).with_suffix("").parts[0]


def breaches(path: Path) -> Iterator[str]:
    name = room(path)
    if name in FREE:
        return
    row = LAW.get(name)
    where = path.relative_to(ROOT)
    if row is None:
        yield f"{where}: the room {name!r} has no row in the law"
        return
    for module, line in imports(path):
        top, _, rest = module.partition(".")
        if top == SYNC:
            yield f"{where}:{line} imports the blocking shim"
        elif top == ASYNC:
            head = rest.split(".")[0]
            public = not head.startswith("_")
            allowed = any(rest == own or rest.startswith(own + ".") for own in row.own if own)
            if rest and not allowed and not ("" in row.own and public):
                yield f"{where}:{line} imports {module}"
        elif top in ("asyncio", "trio", "threading", "sniffio"):
            if name not in ("_lifecycle", "testing"):
                yield f"{where}:{line} names {top}"
        elif top not in {*sys.stdlib_module_names, "typing_extensions", *row.third}:
            yield f"{where}:{line} imports {top}"


def test_every_room_keeps_the_import_law() -> None:
    found = [breach for path in modules(ASYNC) for breach in breaches(path)]
    assert not found, "\n".join(found)


def test_pure_wire_files_import_no_io() -> None:
    found = [
        f"{path.name}:{line} imports {module}"
        for path in sorted((ROOT / ASYNC / "_connect").glob("*.py"))
        if f"_connect.{path.stem}" in WIRE_PURE
        for module, line in imports(path)
        if module.split(".")[0] in ("anyio", "httpx", "httptools", "betterproto2", "google", "socket")
        and module.split(".")[0] not in PURE_WIRE_THIRD.get(path.stem, ())
    ]
    assert not found, "\n".join(found)


def test_only_the_httpx_lane_the_installer_and_the_public_clients_use_httpx() -> None:
    users = {
        str(path.relative_to(ROOT / ASYNC))
        for path in modules(ASYNC)
        for module, _ in imports(path)
        if module.split(".")[0] == "httpx"
    }
    assert users <= {
        "_connect/_httpx_lane.py",
        "_connect/_httpx_errors.py",
        "_bridge/_install.py",
        "client.py",
        "http.py",
    }


def test_only_one_file_reads_the_environment() -> None:
    users = {
        str(path.relative_to(ROOT / ASYNC))
        for path in modules(ASYNC)
        if room(path) != "testing"
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Attribute)
        and node.attr in ("environ", "getenv")
        and isinstance(node.value, ast.Name)
        and node.value.id == "os"
    }
    assert users <= {"_settings.py"}


def test_the_shim_uses_only_public_names() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{line} imports {module}"
        for path in modules(SYNC)
        for module, line in imports(path)
        if module.split(".")[0] in ("asyncio", "trio", "httpx")
        or (module.startswith(f"{ASYNC}.") and any(part.startswith("_") for part in module.split(".")[1:]))
    ]
    assert not found, "\n".join(found)


def test_no_file_grows_past_four_hundred_lines() -> None:
    found = [
        f"{path.relative_to(ROOT)}: {lines} lines"
        for package in (ASYNC, SYNC)
        for path in modules(package)
        if (lines := len(path.read_text().splitlines())) > 400
    ]
    assert not found, "\n".join(found)
