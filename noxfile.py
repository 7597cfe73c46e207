"""Every check of this project, cheapest first. ``nox`` runs the default ones, ``nox -l`` lists all."""

from __future__ import annotations

import re
from pathlib import Path

import nox

nox.needs_version = ">=2025.2.9"
nox.options.default_venv_backend = "venv"
nox.options.reuse_existing_virtualenvs = True
nox.options.stop_on_first_error = True
nox.options.sessions = [
    "lint",
    "generate_check",
    "typing",
    "build",
    "docs",
    "tests",
    "tests_lowest",
    "real_bridge",
]

PYPROJECT = nox.project.load_toml("pyproject.toml")
PACKAGES = ("cursor_sdk_async", "cursor_sdk_sync")
EXTRAS = ".[cli,notebook,trio]"


def group(*names: str) -> list[str]:
    """The requirements of dependency groups."""
    return list(nox.project.dependency_groups(PYPROJECT, *names))


def lowest() -> list[str]:
    """The lowest version that we promise to work with, for each direct dependency."""
    project = PYPROJECT["project"]
    rows = [
        *project["dependencies"],
        *project["optional-dependencies"]["cli"],
        *project["optional-dependencies"]["notebook"],
        *project["optional-dependencies"]["trio"],
    ]
    return [re.sub(r">=([^,]+),.*", r"==\1", row) for row in rows]


@nox.session
def lint(session: nox.Session) -> None:
    """Style and formatting."""
    session.install(*group("lint"))
    session.run("ruff", "check", ".")
    session.run("ruff", "format", "--check", ".")


@nox.session
def typing(session: nox.Session) -> None:
    """Both type checkers, strict, tests and examples included; Python 3.10 is the oldest that must pass."""
    session.install("-e", EXTRAS, *group("test", "typing", "generate"), "nox")
    session.run("mypy")
    session.run("mypy", "--python-version", "3.13")
    session.run("pyright")
    session.run("pyright", "--pythonversion", "3.13", "cursor_sdk_async", "cursor_sdk_sync", "docs/examples")
    for package in PACKAGES:
        session.run("pyright", "--verifytypes", package, "--ignoreexternal")


@nox.session
def generate(session: nox.Session) -> None:
    """Write cursor_sdk_async/_gen from protos/."""
    session.install("-e", ".", *group("generate"))
    session.run("python", "protos/generate.py")


@nox.session
def generate_check(session: nox.Session) -> None:
    """Fail when cursor_sdk_async/_gen is not what protos/ gives."""
    session.install("-e", ".", *group("generate"))
    session.run("python", "protos/generate.py", "--check")


@nox.session
def tests(session: nox.Session) -> None:
    """Everything that needs no bridge from elsewhere."""
    session.install("-e", EXTRAS, *group("test", "generate"))
    session.run("pytest", "-m", "not real_bridge", "-n", "2", "--dist", "loadfile", *session.posargs)


@nox.session
def tests_lowest(session: nox.Session) -> None:
    """The same with the lowest versions that pyproject.toml allows, without the slow ones."""
    session.install("-e", EXTRAS, *lowest(), *group("test", "generate"))
    session.run(
        "pytest", "-m", "not real_bridge and not slow", "-n", "2", "--dist", "loadfile", *session.posargs
    )


@nox.session
def real_bridge(session: nox.Session) -> None:
    """The contract suite and the process tests on the bridge of the cursor-sdk wheel, without network."""
    session.install("-e", ".[cli,notebook,trio,bridge]", *group("test", "generate"))
    session.run("pytest", "-m", "real_bridge", "-n", "2", "--dist", "loadfile", *session.posargs)
    if not session.posargs:
        session.run("python", "-m", "tests.benchmarks", "--smoke", silent=True)


@nox.session
def docs(session: nox.Session) -> None:
    """Build the documentation; a broken link or reference fails."""
    session.install("-e", EXTRAS, *group("docs"))
    session.run("mkdocs", "build", "--strict", "--site-dir", str(Path(session.create_tmp()) / "site"))


@nox.session
def build(session: nox.Session) -> None:
    """Build the wheel, install it clean, import it from elsewhere."""
    session.install("build>=1.2,<2")
    out = Path(session.create_tmp()) / "dist"
    for old in out.glob("*"):
        old.unlink()
    session.run("python", "-m", "build", "--outdir", str(out), silent=True)
    wheel = next(out.glob("*.whl"))
    session.install("--force-reinstall", "--no-deps", str(wheel))
    session.install(str(wheel))
    with session.chdir(session.create_tmp()):
        session.run("python", "-W", "error", "-c", "import cursor_sdk_async, cursor_sdk_sync")


@nox.session
def bench(session: nox.Session) -> None:
    """The benchmarks; results are printed and written as JSON."""
    session.install("-e", ".[cli,notebook,trio,bridge]", *group("test"))
    session.run("python", "-m", "tests.benchmarks", *session.posargs)
