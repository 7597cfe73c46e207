"""A tool made of a function."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Generic, NoReturn, ParamSpec, TypeVar

from cursor_sdk_async.options import CustomTool
from cursor_sdk_async.tools._call import Call
from cursor_sdk_async.tools._refuse import check_limits, check_name
from cursor_sdk_async.tools._schema import answer_schema, arguments_schema
from cursor_sdk_async.tools._signature import is_async, read_signature

__all__ = ["Tool"]

P = ParamSpec("P")
R = TypeVar("R")


class Tool(CustomTool, Generic[P, R]):
    """A tool made of a function by :func:`tool`; called directly, it is that function.

    It cannot be changed. Make another one of the same function with ``tool(this.__wrapped__, ...)``.

    Args:
        function: What it does.
        name: Its name; that of the function if left out.
        description: What it does, for the model; the docstring if left out.
        timeout: How many seconds a call may take; ``None`` for no limit.
        max_concurrency: How many calls may run at once; ``None`` for no limit of its own.
        namespace: Local names that the annotations use.

    Attributes:
        name: Its name.
        execute: What a call of the bridge runs: it checks the arguments, calls the function, makes JSON of
            the answer.

    Raises:
        ConfigurationError: The function cannot be a tool; function and parameter are named.
    """

    name: str
    __name__: str
    __wrapped__: Callable[P, R]

    def __init__(
        self,
        function: Callable[P, R],
        *,
        name: str | None = None,
        description: str | None = None,
        timeout: float | None = None,
        max_concurrency: int | None = None,
        namespace: Mapping[str, Any] | None = None,
    ) -> None:
        signature = read_signature(function, namespace or {})
        where = signature.where
        name = check_name(where, signature.name if name is None else name)
        check_limits(where, timeout, max_concurrency)
        arguments, schema = arguments_schema(signature)
        answer = answer_schema(signature)
        names = tuple(each.name for each in signature.parameters)
        call = Call(name, function, names, arguments, answer[0] if answer else None, signature.context)
        facts = {
            "__wrapped__": function,
            "__name__": signature.name,
            "__qualname__": where,
            "__module__": getattr(function, "__module__", __name__),
            "__doc__": signature.description,
            "name": name,
            "execute": call.execute_async if is_async(function) else call.execute,
            "description": signature.description if description is None else description,
            "input_schema": schema,
            "output_schema": answer[1] if answer else None,
            "timeout": timeout,
            "max_concurrency": max_concurrency,
        }
        vars(self).update(facts)

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        return self.__wrapped__(*args, **kwargs)

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"A tool cannot be changed; make another one: tool(function, {name}=...).")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError("A tool cannot be changed; make another one.")

    # One function is one tool: two with the same text are not the same.
    def __eq__(self, other: object) -> bool:
        return self is other

    def __hash__(self) -> int:
        return id(self)

    def __copy__(self) -> Tool[P, R]:
        return self

    def __deepcopy__(self, memo: object) -> Tool[P, R]:
        return self

    def __reduce__(self) -> str:
        return str(vars(self)["__qualname__"])  # like a function: by its name

    def __repr__(self) -> str:
        return f"Tool({self.name!r})"
