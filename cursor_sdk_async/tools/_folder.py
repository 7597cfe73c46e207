"""``load_tools``: a folder of Python files as tools, each imported when one of its tools is first called."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Mapping
from hashlib import sha256
from importlib.machinery import ModuleSpec
from importlib.util import module_from_spec
from inspect import isawaitable
from os import PathLike
from pathlib import Path
from types import ModuleType
from typing import Any, cast

from cursor_sdk_async.errors import ConfigurationError, ToolError
from cursor_sdk_async.options import CustomTool, CustomToolContext, CustomToolExecute
from cursor_sdk_async.tools._refuse import refused
from cursor_sdk_async.tools._source import Described, read_source
from cursor_sdk_async.tools._tool import Tool

__all__ = ["load_tools", "toolset"]

SHOWN_WORDS = 200


def toolset(*tools: Tool[..., Any] | Mapping[str, CustomTool]) -> dict[str, CustomTool]:
    """Tools by name, as ``custom_tools`` takes them.

    Args:
        tools: Tools, and mappings of them such as those of :func:`load_tools`.

    Raises:
        ConfigurationError: Two of them have the same name.
    """
    found: dict[str, CustomTool] = {}
    for each in tools:
        for name, tool in ({each.name: each} if isinstance(each, Tool) else each).items():
            if found.setdefault(name, tool) is not tool:
                raise refused(
                    name, "there are two tools of this name. Give one of them another: tool(name='...')."
                )
    return found


def load_tools(folder: str | PathLike[str]) -> dict[str, CustomTool]:
    """The tools of a folder: every ``*.py`` in it whose name does not start with ``_``.

    The files are read now, and run only when one of their tools is first called, once, in a worker thread.
    ``docs/tools.md`` says what has to be known without running them.

    Args:
        folder: The folder; folders in it are not looked at.

    Returns:
        The tools by name, in the order of the file names.

    Raises:
        ConfigurationError: There is no such folder, two tools have the same name, or a file has no tool, is
            not Python, or has one whose arguments cannot be known without running it.
    """
    path = Path(folder).absolute()
    try:
        sources = {each: each.read_bytes() for each in sorted(path.glob("*.py")) if each.is_file()}
        if not path.is_dir():
            raise NotADirectoryError
    except OSError as error:
        raise ConfigurationError(
            f"load_tools: {str(folder)!r} cannot be read as a folder ({type(error).__name__}). A relative "
            "path is looked up from the current directory.",
            code="invalid_tool",
            is_safe_to_retry=True,
        ) from error
    package = _package_name(path, sources)
    found: dict[str, CustomTool] = {}
    homes: dict[str, str] = {}
    for file, source in sources.items():
        if file.name.startswith("_"):
            continue
        for each in read_source(file, source):
            if each.name in homes:
                raise refused(
                    file.name, f"{homes[each.name]} has a tool {each.name!r} already. Give one another name."
                )
            homes[each.name] = file.name
            late = _Late(each, file, package)
            execute: CustomToolExecute = late.execute_async if each.is_async else late.execute
            found[each.name] = CustomTool(execute, **each.facts)
    return found


def _package_name(folder: Path, sources: Mapping[Path, bytes]) -> str:
    """The same for the same files, another one when they have changed, so that no stale module is used."""
    digest = sha256(str(folder).encode("utf-8", "surrogateescape"))
    for file, source in sources.items():
        digest.update(b"\0%s\0%d\0%s" % (file.name.encode("utf-8", "surrogateescape"), len(source), source))
    return f"cursor_tools_{digest.hexdigest()[:16]}"


class _Late:
    """A tool whose file is imported at the first call. Many may call at once; the import lock lets one in."""

    def __init__(self, described: Described, file: Path, package: str) -> None:
        self._described = described
        self._file = file
        self._package = package
        self._ready: CustomToolExecute | None = None

    def execute(self, args: Mapping[str, Any], context: CustomToolContext) -> Any:
        """Import if need be, then call; for a worker thread."""
        return (self._ready or self._imported())(args, context)

    async def execute_async(self, args: Mapping[str, Any], context: CustomToolContext) -> Any:
        """Import in a worker thread if need be, then call."""
        if self._ready is None:
            from anyio import CapacityLimiter, to_thread

            # A limiter of its own: tools that fill the threads do not hold up an import.
            await to_thread.run_sync(self._imported, abandon_on_cancel=True, limiter=CapacityLimiter(1))
        answer = self.execute(args, context)
        return await answer if isawaitable(answer) else answer

    def _imported(self) -> CustomToolExecute:
        name = self._described.function
        function: Any = getattr(_import(self._package, self._file), name, None)
        if self._described.is_plain:
            if not callable(function):
                raise self._failure(f"it has no function {name}")
            self._ready = function
        else:
            if not isinstance(function, Tool):
                raise self._failure(f"{name} in it is no tool")
            made = cast("Tool[..., Any]", function)
            self._compare(made)
            self._ready = made.execute
        return self._ready

    def _compare(self, tool: Tool[..., Any]) -> None:
        """What the model was told has to be what the tool takes."""
        told: Mapping[str, Any] = self._described.facts["input_schema"]
        real: Mapping[str, Any] = tool.input_schema or {}
        if self._described.exact:
            same = told == real
        else:  # a schema written by hand has other words
            same = all(set(told.get(key, ())) == set(real.get(key, ())) for key in ("properties", "required"))
        if not same or tool.name != self._described.name:
            why = (
                "the file has changed" if self._described.exact else "its INPUT_SCHEMA names other arguments"
            )
            raise self._failure(f"{tool.name} takes other arguments than it was announced with ({why})")

    def _failure(self, what: str) -> ToolError:
        return ToolError(
            f"The tool {self._described.name} cannot run: {self._file.name} was imported, but {what}.",
            code="tool_unavailable",
            is_safe_to_retry=True,
        )


def _import(package: str, file: Path) -> ModuleType:
    """The module of a file, in a package, so that files can import neighbours: ``from . import _shared``."""
    if package not in sys.modules:
        spec = ModuleSpec(package, None, is_package=True)
        spec.submodule_search_locations = [str(file.parent)]
        sys.modules.setdefault(package, module_from_spec(spec))
    try:
        importlib.invalidate_caches()
        return importlib.import_module(f"{package}.{file.stem}")
    except (Exception, SystemExit) as error:
        words = f"{type(error).__name__}: {error}"
        raise ToolError(
            f"The tools of {file.name} cannot run: the file cannot be imported. {words[:SHOWN_WORDS]}",
            code="tool_unavailable",
            is_safe_to_retry=True,
            cause=error,
        ) from error
