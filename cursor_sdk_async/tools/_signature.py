"""What a function says about itself: its parameters with their types, and which of them is the context.

Nothing here knows pydantic; annotations are only resolved.
"""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, Union, cast, get_args, get_origin

from cursor_sdk_async.errors import ConfigurationError
from cursor_sdk_async.options import CustomToolContext
from cursor_sdk_async.tools._annotations import names_for, resolve
from cursor_sdk_async.tools._docstring import read_docstring
from cursor_sdk_async.tools._refuse import refused

__all__ = ["Parameter", "Signature", "is_async", "label", "read_signature"]

EMPTY = inspect.Parameter.empty
_KINDS = {
    inspect.Parameter.VAR_POSITIONAL: "*{0} takes any number of values, which has no name in a schema. "
    "Write {0}: list[...] instead.",
    inspect.Parameter.VAR_KEYWORD: "**{0} takes arguments of any name, which no schema can describe. "
    "Name each one, or write {0}: dict[str, ...] instead.",
    inspect.Parameter.POSITIONAL_ONLY: "it can only be given by position, and arguments come by name. "
    "Remove the / behind it.",
}


@dataclass(frozen=True)
class Parameter:
    """One argument that the model gives.

    Attributes:
        name: Its name.
        annotation: Its type, resolved.
        default: What it is when left out; ``inspect.Parameter.empty`` when it is required.
        description: What the docstring says about it.
    """

    name: str
    annotation: Any
    default: Any
    description: str | None

    @property
    def required(self) -> bool:
        """Whether the model has to give it."""
        return self.default is EMPTY


@dataclass(frozen=True)
class Signature:
    """What a function says about itself.

    Attributes:
        where: The function, for messages.
        name: Its name.
        description: Its docstring without the sections about parameters.
        parameters: The arguments that the model gives.
        context: The parameter that takes the context of the call, if there is one.
        returns: The annotation of the answer, resolved; ``inspect.Parameter.empty`` when it has none.
        namespace: Names around the function, for annotations within its types.
    """

    where: str
    name: str
    description: str | None
    parameters: tuple[Parameter, ...]
    context: str | None
    returns: Any
    namespace: Mapping[str, Any]


def label(function: object) -> str:
    """A function, as messages call it."""
    named = _named(function)
    return str(getattr(named, "__qualname__", None) or type(named).__name__)


def is_async(function: Callable[..., Any]) -> bool:
    """Whether calling it gives something to await."""
    return any(map(inspect.iscoroutinefunction, (function, _innermost(function))))


def read_signature(function: Callable[..., Any], around: Mapping[str, Any]) -> Signature:
    """Read a function.

    Args:
        function: What the tool does.
        around: The names of the place where it is made into a tool.

    Raises:
        ConfigurationError: It cannot be a tool.
    """
    where = label(function)
    _check_kind(function, where)
    found = _inspect(function, where)
    namespace = names_for(_innermost(function), around)
    bound = _bound(function)
    kept = {name: each for name, each in found.parameters.items() if name not in bound}
    named = _named(function)
    docstring = read_docstring(getattr(named, "__doc__", None), kept)
    parameters: list[Parameter] = []
    context: str | None = None
    for at, (name, each) in enumerate(kept.items()):
        _check_parameter(each, where, is_first=at == 0)
        annotation = resolve(each.annotation, namespace, where, name)
        if not _takes_context(annotation, where, name):
            parameters.append(Parameter(name, annotation, each.default, docstring.parameters.get(name)))
        elif context is None:
            context = name
        else:
            raise refused(where, f"{context!r} takes the context already; remove one of the two.", name)
    try:
        returns = resolve(found.return_annotation, namespace, where, "return")
    except ConfigurationError:  # an answer needs no type
        returns = EMPTY
    return Signature(
        where,
        str(getattr(named, "__name__", None) or type(named).__name__),
        docstring.text,
        tuple(parameters),
        context,
        returns,
        namespace,
    )


def _bound(function: Any) -> Mapping[str, Any]:
    """What a partial gives by name: its signature still has it, but the model shall not see it."""
    return function.keywords if isinstance(function, partial) else {}


def _named(function: object) -> Any:
    """What has the name and the docstring: the function under partials and methods, or an object."""
    inner: Any = function
    while True:
        if isinstance(inner, partial):
            inner = inner.func
        elif isinstance(inner, types.MethodType | staticmethod):
            inner = cast("types.MethodType", inner).__func__
        else:
            return inner


def _innermost(function: object) -> Any:
    """The function itself, under wrappers and objects that can be called too."""
    inner: Any = function
    while True:
        inner = _named(inner)
        if inspect.isroutine(inner) or isinstance(inner, type):
            wrapped = getattr(inner, "__wrapped__", None)
            if wrapped is None:
                return inner
            inner = wrapped
        else:
            call: object = inspect.getattr_static(cast("Any", type(inner)), "__call__", None)
            if not inspect.isfunction(call):
                return inner
            inner = call


def _check_kind(function: object, where: str) -> None:
    inner = _innermost(function)
    if isinstance(function, type):
        raise refused(where, "a class cannot be a tool. Write a function that makes the object.")
    if isinstance(function, classmethod):
        raise refused(
            where, "a class method has no class yet. Make the tool from the bound one: tool(Class.method)."
        )
    if not callable(function):
        raise refused(where, f"{type(function).__name__} cannot be called. Give a function.")
    if inspect.isgeneratorfunction(inner) or inspect.isasyncgenfunction(inner):
        raise refused(where, "a generator gives many values, a tool gives one answer. Return a list.")


def _inspect(function: Callable[..., Any], where: str) -> inspect.Signature:
    try:
        return inspect.signature(function)
    except NameError as error:  # Python 3.14 evaluates annotations here
        raise refused(where, f"an annotation names {error.name!r}, which is not known here.") from error
    except (TypeError, ValueError) as error:
        raise refused(
            where, "its parameters cannot be read. Write a function in Python around it."
        ) from error


def _check_parameter(each: inspect.Parameter, where: str, *, is_first: bool) -> None:
    if each.kind in _KINDS:
        raise refused(where, _KINDS[each.kind].format(each.name), each.name)
    if each.annotation is not EMPTY:
        return
    if is_first and each.name in ("self", "cls"):
        raise refused(
            where,
            "the object is not known here. Make the tool from the bound method: tool(thing.method).",
            each.name,
        )
    raise refused(where, "it has no annotation. Write its type; Any stands for every JSON value.", each.name)


def _takes_context(annotation: Any, where: str, name: str) -> bool:
    """Whether a parameter takes the context of the call rather than an argument of the model."""
    base = get_args(annotation)[0] if get_origin(annotation) is Annotated else annotation
    options = get_args(base) if get_origin(base) in (Union, types.UnionType) else (base,)
    wanted = [each for each in options if isinstance(each, type) and issubclass(each, CustomToolContext)]
    if wanted and not all(each in (*wanted, type(None)) for each in options):
        raise refused(where, "CustomToolContext can be optional but not one of several types.", name)
    return bool(wanted)
