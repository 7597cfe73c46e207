"""Methods that work on the class and on an instance, each with a signature of its own.

``AsyncAgent.archive(agent_id, client=client)`` and ``agent.archive()`` are both documented. A plain method
can be only one of them, so these are descriptors; type checkers see the right signature for each.
"""

from __future__ import annotations

from collections.abc import Callable
from types import MethodType
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar, cast, overload

__all__ = ["Both", "on_both"]

P = ParamSpec("P")
Q = ParamSpec("Q")
R = TypeVar("R")
S = TypeVar("S")


class Both(Generic[P, R, Q, S]):
    """A method that is one function on the class and another one on an instance; made by :func:`on_both`."""

    def __init__(self, on_class: Callable[P, R], on_instance: Callable[Concatenate[Any, Q], S]) -> None:
        # Within a class body a static method is an object around its function.
        self._on_class = cast("Callable[P, R]", getattr(on_class, "__func__", on_class))
        self._on_instance = on_instance
        self.__doc__ = on_instance.__doc__

    def describe(self, text: str | None) -> None:
        """Set the docstring of both."""
        self.__doc__ = self._on_class.__doc__ = self._on_instance.__doc__ = text

    def __set_name__(self, owner: type[object], name: str) -> None:
        for function in (self._on_class, self._on_instance):
            function.__name__ = name
            function.__qualname__ = f"{owner.__name__}.{name}"
            function.__doc__ = self.__doc__

    @overload
    def __get__(self, instance: None, owner: type[object]) -> Callable[P, R]: ...
    @overload
    def __get__(self, instance: object, owner: type[object]) -> Callable[Q, S]: ...
    def __get__(self, instance: object | None, owner: type[object]) -> Callable[..., Any]:
        return self._on_class if instance is None else MethodType(self._on_instance, instance)


def on_both(on_class: Callable[P, R]) -> Callable[[Callable[Concatenate[Any, Q], S]], Both[P, R, Q, S]]:
    """Make the decorated method the one of instances.

    Args:
        on_class: What the same name is on the class, called as it is, without the class.
    """

    def decorate(on_instance: Callable[Concatenate[Any, Q], S]) -> Both[P, R, Q, S]:
        return Both(on_class, on_instance)

    return decorate
