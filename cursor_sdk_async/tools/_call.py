"""One tool at work: from arguments as they came to a call of the function, from its answer to JSON."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from inspect import isawaitable
from typing import TYPE_CHECKING, Any

from cursor_sdk_async.errors import ToolError
from cursor_sdk_async.options import CustomToolContext
from cursor_sdk_async.options._input import Option
from cursor_sdk_async.options._read import is_list, is_mapping
from cursor_sdk_async.tools._complaint import complaint, invalid_arguments
from cursor_sdk_async.tools._schema import ANSWER

if TYPE_CHECKING:
    from pydantic import TypeAdapter
    from pydantic_core import SchemaValidator

__all__ = ["Call"]


class Call:
    """What ``execute`` of a tool does; it holds no state of a call, so that many may run at once.

    Args:
        name: The name of the tool.
        function: What it does.
        names: The names of its arguments.
        arguments: What checks them.
        answer: What makes JSON of the answer, if the type of it is known.
        context: The parameter that takes the context.
    """

    __slots__ = ("_answer", "_arguments", "_context", "_function", "_name", "_names")

    def __init__(
        self,
        name: str,
        function: Callable[..., Any],
        names: tuple[str, ...],
        arguments: SchemaValidator,
        answer: TypeAdapter[dict[str, Any]] | None,
        context: str | None,
    ) -> None:
        self._name = name
        self._function = function
        self._names = names
        self._arguments = arguments
        self._answer = answer
        self._context = context

    def execute(self, args: Mapping[str, Any], context: CustomToolContext | None = None) -> Any:
        """Check the arguments, call the function, make JSON of its answer.

        Raises:
            ToolError: The arguments are wrong, or the answer does not fit its annotation. What the function
                raises passes through.
        """
        return self._answered(self._function(**self._checked(args, context)))

    async def execute_async(self, args: Mapping[str, Any], context: CustomToolContext | None = None) -> Any:
        """The same for a function whose call is awaited."""
        answer = self._function(**self._checked(args, context))
        return self._answered(await answer if isawaitable(answer) else answer)

    def _checked(self, args: Mapping[str, Any], context: CustomToolContext | None) -> dict[str, Any]:
        from pydantic import ValidationError
        from pydantic_core import to_json

        if not is_mapping(args):
            raise invalid_arguments(self._name, "- arguments: they have to be an object with named values.")
        try:
            # By way of JSON, since strict types take texts for dates, enums and the like only from there.
            checked: dict[str, Any] = self._arguments.validate_json(to_json(dict(args)))
            # What was left out is left to the function, whose default is the very object.
            checked = {name: value for name, value in checked.items() if name in args}
        except ValidationError as error:
            raise complaint(self._name, error.errors(include_url=False), self._names) from None
        except (ValueError, RecursionError):
            raise invalid_arguments(
                self._name, "- arguments: there is something in them that JSON cannot hold."
            ) from None
        if self._context is not None:
            checked[self._context] = CustomToolContext() if context is None else context
        return checked

    def _answered(self, answer: Any) -> Any:
        if self._answer is None:
            return _plain(answer)
        try:
            plain = self._answer.dump_python({ANSWER: answer}, mode="json", by_alias=True, warnings="error")
        except (ValueError, RecursionError) as error:
            raise self._misfit(error) from error
        if not is_mapping(plain[ANSWER]):  # nothing warns of None
            raise self._misfit()
        return _enveloped(plain[ANSWER])

    def _misfit(self, cause: Exception | None = None) -> ToolError:
        return ToolError(
            f"{self._name} ran, but its answer does not fit the type that it is declared with.",
            code="invalid_answer",
            cause=cause,
        )


def _plain(answer: Any) -> Any:
    """An answer with JSON in place of models, data classes, dates and the like.

    Pictures stay what they are, and so does what JSON cannot hold: whoever sends the answer knows better.
    """
    if answer is None or isinstance(answer, str | bool | int | float | bytes | Option):
        return answer
    try:
        if is_mapping(answer):
            return {key: _plain(item) for key, item in answer.items()}
        if is_list(answer):
            return [_plain(item) for item in answer]
        from pydantic_core import to_jsonable_python

        return to_jsonable_python(answer, by_alias=True)
    except (ValueError, RecursionError):
        return answer


def _enveloped(answer: Any) -> Any:
    """An answer that has a list named ``content`` would be taken for the envelope itself, so it gets one.

    ``docs/protocol.md``: Custom tools.
    """
    if not isinstance(answer.get("content"), list):
        return answer
    from pydantic_core import to_json

    text = to_json(answer).decode()
    return {"content": [{"type": "text", "text": text}], "structuredContent": answer}
