"""A file of tools, read without running it: which tools there are, and what they take.

A function under ``@tool`` is evaluated without its body and its decorators, in a namespace of nothing but
builtins and what the file imports from modules that only define types. Constants are read as literals.
"""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterator, Mapping
from copy import copy
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from cursor_sdk_async.errors import ConfigurationError
from cursor_sdk_async.tools._docstring import read_docstring
from cursor_sdk_async.tools._refuse import check_limits, check_name, refused
from cursor_sdk_async.tools._tool import Tool

__all__ = ["Described", "read_source"]

Function: TypeAlias = "ast.FunctionDef | ast.AsyncFunctionDef"

DECORATORS = ("cursor_sdk_async.tool", "cursor_sdk_async.tools.tool")
#: Importing these runs nothing of the user's.
TYPE_MODULES = frozenset(
    (
        "__future__",
        "annotated_types",
        "collections",
        "cursor_sdk_async",
        "dataclasses",
        "datetime",
        "decimal",
        "enum",
        "fractions",
        "ipaddress",
        "pathlib",
        "pydantic",
        "re",
        "typing",
        "typing_extensions",
        "uuid",
    )
)
CONSTANTS = ("DESCRIPTION", "INPUT_SCHEMA", "OUTPUT_SCHEMA")
PLAIN = "execute"
"""The function of a file that describes its tool with constants."""


@dataclass(frozen=True)
class Described:
    """A tool that is known but not imported.

    Attributes:
        name: Its name.
        function: The name of its function in the file.
        is_async: Whether calling that gives something to await.
        facts: The fields of ``CustomTool`` but ``execute``.
        exact: Whether the schema is the one that the decorator will make of the same function.
        is_plain: Whether the function takes arguments and context, as ``execute`` does.
    """

    name: str
    function: str
    is_async: bool
    facts: Mapping[str, Any]
    exact: bool = True
    is_plain: bool = False


def read_source(path: Path, source: bytes) -> tuple[Described, ...]:
    """The tools of a file.

    Raises:
        ConfigurationError: It is not Python, has no tool, or what it has cannot be known without running it.
    """
    try:
        tree = ast.parse(source, str(path))
    except (SyntaxError, ValueError) as error:
        line = f", line {error.lineno}" if isinstance(error, SyntaxError) else ""
        raise refused(path.name, f"it is not valid Python{line} ({type(error).__name__}).") from error
    constants = dict(_constants(tree, path.name))
    imports = dict(_imports(tree))
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    decorated = [(node, call) for node in functions for call in _decorators(node, imports)]
    if decorated:
        if len(decorated) > 1 and "INPUT_SCHEMA" in constants:
            raise refused(
                path.name, "INPUT_SCHEMA is for one tool, and there are several. Use a file for each."
            )
        return tuple(_decorated(path.name, tree, node, call, constants) for node, call in decorated)
    plain = next((node for node in functions if node.name == PLAIN), None)
    if plain is None or not constants:
        raise refused(
            path.name,
            "there is no tool in it. Write a function under @tool, or DESCRIPTION, INPUT_SCHEMA and "
            "execute(args, context). A file that is not for tools can start its name with _.",
        )
    return (_plain(path, plain, constants),)


def _constants(tree: ast.Module, where: str) -> Iterator[tuple[str, Any]]:
    for node in tree.body:
        target = node.targets[0] if isinstance(node, ast.Assign) else getattr(node, "target", None)
        if not isinstance(node, ast.Assign | ast.AnnAssign) or not isinstance(target, ast.Name):
            continue
        if target.id not in CONSTANTS or node.value is None:
            continue
        value = _literal(node.value, where, target.id)
        wanted = str if target.id == "DESCRIPTION" else dict
        if not isinstance(value, wanted):
            raise refused(where, f"{target.id} must be a literal {wanted.__name__}.")
        yield target.id, value


def _literal(node: ast.expr, where: str, name: str) -> Any:
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError) as error:
        raise refused(
            where, f"{name} must be a literal, since the file is read without running it."
        ) from error


def _imports(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """Each name that an import binds, with what it stands for."""
    for node, alias in _aliases(tree):
        if isinstance(node, ast.ImportFrom):
            yield alias.asname or alias.name, f"{node.module}.{alias.name}"
        elif alias.asname:
            yield alias.asname, alias.name
        else:
            yield alias.name.partition(".")[0], alias.name.partition(".")[0]


def _aliases(tree: ast.Module) -> Iterator[tuple[ast.Import | ast.ImportFrom, ast.alias]]:
    """The imports at the top, and those for type checkers."""
    body = [*tree.body, *(each for node in tree.body if isinstance(node, ast.If) for each in node.body)]
    for node in body:
        if isinstance(node, ast.Import) or (isinstance(node, ast.ImportFrom) and not node.level):
            yield from ((node, alias) for alias in node.names)


def _decorators(node: Function, imports: Mapping[str, str]) -> Iterator[ast.Call | None]:
    """The use of ``@tool`` above a function, with its arguments if it has any."""
    for each in node.decorator_list:
        call = each if isinstance(each, ast.Call) else None
        head, _, rest = ast.unparse(call.func if call else each).partition(".")
        if ".".join(filter(None, (imports.get(head), rest))) in DECORATORS:
            yield call


def _decorated(
    where: str, tree: ast.Module, node: Function, call: ast.Call | None, constants: Mapping[str, Any]
) -> Described:
    place = f"{node.name} in {where}"
    given = _keywords(call, place)
    is_async = isinstance(node, ast.AsyncFunctionDef)
    if "INPUT_SCHEMA" not in constants:
        made = _evaluated(tree, node, place, given)
        fields = ("description", "input_schema", "output_schema", "timeout", "max_concurrency")
        return Described(made.name, node.name, is_async, {name: getattr(made, name) for name in fields})
    names = [each.arg for each in (*node.args.args, *node.args.kwonlyargs)]
    name = check_name(place, given.pop("name", None) or node.name)
    check_limits(place, given.get("timeout"), given.get("max_concurrency"))
    described = given.pop("description", None) or constants.get("DESCRIPTION")
    facts = {
        **given,
        "description": described or read_docstring(ast.get_docstring(node), names).text,
        "input_schema": constants["INPUT_SCHEMA"],
        "output_schema": constants.get("OUTPUT_SCHEMA"),
    }
    return Described(name, node.name, is_async, facts, exact=False)


def _plain(path: Path, node: Function, constants: Mapping[str, Any]) -> Described:
    facts = {name.lower(): value for name, value in constants.items()}
    is_async = isinstance(node, ast.AsyncFunctionDef)
    return Described(check_name(path.name, path.stem), PLAIN, is_async, facts, exact=False, is_plain=True)


def _keywords(call: ast.Call | None, place: str) -> dict[str, Any]:
    if call is None:
        return {}
    given: dict[str, Any] = {}
    for each in call.keywords:
        if each.arg not in ("name", "description", "timeout", "max_concurrency"):
            raise refused(
                place, f"@tool has no argument {each.arg or '**'!r} that can be read from the file."
            )
        given[each.arg] = _literal(each.value, place, f"{each.arg} of @tool")
    return given


def _evaluated(tree: ast.Module, node: Function, place: str, given: Mapping[str, Any]) -> Tool[..., Any]:
    """The tool as the decorator would make it, of a function with the same signature and nothing to do."""
    bare = copy(node)
    docstring = [node.body[0]] if ast.get_docstring(node) is not None else []
    bare.decorator_list = []
    bare.body = [*docstring, ast.Expr(ast.Constant(...))]
    used = set(re.findall(r"\w+", f"{ast.unparse(node.args)} {ast.unparse(node.returns or node.args)}"))
    module = ast.Module([*_type_imports(tree, used), bare], [])
    namespace: dict[str, Any] = {"__name__": place, "__builtins__": vars(builtins)}
    try:
        exec(compile(ast.fix_missing_locations(module), place, "exec"), namespace)  # noqa: S102 - signatures only
        return Tool(namespace[node.name], **given)
    except NameError as error:
        raise _unknown_name(place, error) from error
    except ConfigurationError as error:
        if isinstance(error.__cause__, NameError):
            raise _unknown_name(place, error.__cause__) from error
        rest = error.message.removeprefix(f"tool {node.name}")
        raise ConfigurationError(f"tool {place}{rest}", code=error.code, is_safe_to_retry=True) from error
    except Exception as error:  # defaults and annotations of the user
        raise refused(place, f"its signature cannot be evaluated ({type(error).__name__}).") from error


def _type_imports(tree: ast.Module, used: set[str]) -> Iterator[ast.stmt]:
    for node, alias in _aliases(tree):
        module = node.module if isinstance(node, ast.ImportFrom) else alias.name
        bound = alias.asname or alias.name.partition(".")[0]
        if module == "__future__" or (
            (module or "").partition(".")[0] in TYPE_MODULES and (bound in used or alias.name == "*")
        ):
            yield (
                ast.ImportFrom(module, [alias], 0)
                if isinstance(node, ast.ImportFrom)
                else ast.Import([alias])
            )


def _unknown_name(place: str, error: NameError) -> ConfigurationError:
    return refused(
        place,
        f"its signature needs {error.name!r}, which only running the file would give. Give the schema as a "
        "literal, INPUT_SCHEMA = {...}, or use only builtins and names imported from typing, enum, datetime "
        "and the like.",
    )
