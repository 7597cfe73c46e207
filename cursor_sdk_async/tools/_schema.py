"""JSON Schema of types, by pydantic, which is imported only when a tool is made.

Arguments become one TypedDict rather than a model: any name of a parameter is possible, and an argument that
is left out stays out, so that the function's own default applies.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import is_dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Annotated, Any, Optional, cast, get_args, get_origin

from typing_extensions import NotRequired, TypedDict, is_typeddict

from cursor_sdk_async.errors import ConfigurationError
from cursor_sdk_async.tools._closed import closed, is_closed
from cursor_sdk_async.tools._refuse import refused
from cursor_sdk_async.tools._signature import Parameter, Signature

if TYPE_CHECKING:
    from pydantic import TypeAdapter
    from pydantic.json_schema import GenerateJsonSchema
    from pydantic_core import SchemaValidator

__all__ = ["answer_schema", "arguments_schema"]

ANSWER = "answer"


def arguments_schema(signature: Signature) -> tuple[SchemaValidator, dict[str, Any]]:
    """What checks the arguments of a function, and their JSON Schema, which has ``type: object`` at the top.

    Raises:
        ConfigurationError: A parameter has a type that pydantic does not know or JSON cannot express.
    """
    items = _items(signature)
    try:
        validator, schema = _checked(items, signature.namespace)
    except Exception as error:  # noqa: BLE001 - types of the user take part in it
        raise _culprit(items, signature, error) from None
    schema.pop("title", None)
    return validator, schema


def answer_schema(signature: Signature) -> tuple[TypeAdapter[dict[str, Any]], dict[str, Any]] | None:
    """What makes JSON of an answer that is a model, a data class or a TypedDict, and its JSON Schema.

    The adapter is for a mapping with the answer under ``ANSWER``. ``None`` for all other types.
    """
    kind = signature.returns
    if get_origin(kind) is Annotated:
        kind = get_args(kind)[0]
    plain = get_origin(kind) or kind  # of a generic class
    if not isinstance(plain, type):
        return None
    from pydantic import BaseModel

    if not (is_typeddict(plain) or is_dataclass(plain) or issubclass(plain, BaseModel)):
        return None
    try:
        adapter = _built({ANSWER: signature.returns}, signature.namespace)
        schema = adapter.json_schema(mode="serialization", schema_generator=_generator())
    except Exception:  # noqa: BLE001 - types of the user take part in it; a tool needs no schema of its answer
        return None
    whole = _inlined(schema["properties"][ANSWER], schema.get("$defs", {}))
    return (adapter, whole) if whole.get("type") == "object" else None


def _inlined(schema: dict[str, Any], definitions: dict[str, Any]) -> dict[str, Any]:
    """The schema with what it refers to in its place, since the top has to say that it is an object."""
    reference = schema.get("$ref", "")
    name = reference.rpartition("/")[2]
    if not name:
        return {**schema, "$defs": definitions} if definitions else schema
    whole = {**definitions[name], **{key: item for key, item in schema.items() if key != "$ref"}}
    others = {key: item for key, item in definitions.items() if key != name}
    if json.dumps(reference) in json.dumps([whole, others]):  # the type contains itself
        others[name] = definitions[name]
    return {**whole, "$defs": others} if others else whole


def _items(signature: Signature) -> dict[str, Any]:
    items: dict[str, Any] = {}
    for each in signature.parameters:
        try:
            items[each.name] = _item(each, signature.where)
        except (TypeError, AttributeError) as error:  # of typing itself
            raise refused(signature.where, "its annotation is not a type.", each.name) from error
    return items


def _item(parameter: Parameter, where: str) -> Any:
    """A parameter as the type of an item: description and default are in it, and whether it is required."""
    from pydantic import Field
    from pydantic.fields import FieldInfo

    annotation = parameter.annotation
    base, *notes = get_args(annotation) if get_origin(annotation) is Annotated else (annotation,)
    fields = [note for note in (*notes, parameter.default) if isinstance(note, FieldInfo)]
    _check_fields(fields, parameter, where)
    if old := _v1_model(parameter.annotation):
        raise refused(
            where, f"{old} is a model of pydantic.v1. Make it a model of pydantic 2.", parameter.name
        )
    said = [note for note in notes if isinstance(note, str)]
    said += [text for note in notes if isinstance(text := getattr(note, "documentation", None), str)]
    words = next(iter(said), parameter.description)
    extra: dict[str, Any] = {}
    if words and not any(field.description for field in fields):
        extra["description"] = words
    if not parameter.required:
        extra["default"] = parameter.default
        if parameter.default is None and base is not Any:
            base = cast("Any", Optional)[base]  # what `x: int = None` is meant to say
    parts = (base, *notes, Field(**extra))
    item = cast("Any", Annotated)[parts]
    return item if parameter.required else cast("Any", NotRequired)[item]


def _v1_model(annotation: Any) -> str | None:
    """The name of a model of the old kind in the annotation; pydantic only warns about those."""
    if isinstance(annotation, type) and any(
        base.__module__ == "pydantic.v1.main" for base in annotation.__mro__
    ):
        return annotation.__name__
    return next(filter(None, map(_v1_model, get_args(annotation))), None)


def _check_fields(fields: Sequence[Any], parameter: Parameter, where: str) -> None:
    """Refuse what pydantic's ``Field`` could say and a function would not know about."""
    for field in fields:
        if field is parameter.default or not field.is_required():
            raise refused(
                where,
                "a default within Field(...) is not seen by a direct call. Write the field in "
                "Annotated[type, Field(...)] and the default behind it: x: Annotated[...] = default.",
                parameter.name,
            )
        if field.alias or field.validation_alias or field.serialization_alias:
            raise refused(
                where, "an argument has the name of its parameter; remove the alias.", parameter.name
            )


def _built(items: Mapping[str, Any], namespace: Mapping[str, Any]) -> TypeAdapter[dict[str, Any]]:
    """An adapter for the items; types within may name what only the namespace knows."""
    from pydantic import TypeAdapter

    kind: Any = cast("Any", TypedDict)("Arguments", dict(items))
    kind.__pydantic_config__ = {"defer_build": True}
    adapter: TypeAdapter[dict[str, Any]] = TypeAdapter(kind)
    adapter.rebuild(force=True, raise_errors=True, _types_namespace=namespace)
    return adapter


def _checked(
    items: Mapping[str, Any], namespace: Mapping[str, Any]
) -> tuple[SchemaValidator, dict[str, Any]]:
    """A validator for the items that lets nothing unknown in, and its schema."""
    from pydantic_core import SchemaValidator

    core = closed(_built(items, namespace).core_schema)
    return SchemaValidator(core), _generator()().generate(core)


def _culprit(items: Mapping[str, Any], signature: Signature, error: Exception) -> ConfigurationError:
    """The error of a type that has no schema, with the parameter that has it."""
    for name, item in items.items():
        try:
            _checked({name: item}, signature.namespace)
        except Exception as found:  # noqa: BLE001 - types of the user take part in it
            return refused(signature.where, _reason(found), name)
    return refused(signature.where, _reason(error))


def _reason(error: Exception) -> str:
    """Why a type has no schema, and what to do."""
    if getattr(error, "code", None) == "typed-dict-version":
        return "a TypedDict of typing is not complete before Python 3.12. Use typing_extensions.TypedDict."
    if isinstance(error, RecursionError):
        return "its type contains itself. Give it a name with TypeAliasType, or use a class."
    if isinstance(error, NameError):
        return (
            f"its type names {error.name!r}, which is not known here. Define it above the tool, in the "
            "module or in the same function."
        )
    words = str(error).partition("\n")[0].partition(" Set `")[0][:200]
    return (
        f"its type has no JSON Schema ({words.rstrip('.')}). Use plain types, Literal, Enum, data classes, "
        "TypedDicts or pydantic models."
    )


@lru_cache(maxsize=1)
def _generator() -> type[GenerateJsonSchema]:
    """Pydantic's generator, without titles made of names, and strict about what JSON cannot express."""
    from pydantic.json_schema import GenerateJsonSchema as Base
    from pydantic.json_schema import JsonSchemaValue, JsonSchemaWarningKind

    class GenerateJsonSchema(Base):
        def field_title_should_be_set(self, schema: Any) -> bool:
            return False

        def emit_warning(self, kind: JsonSchemaWarningKind, detail: str) -> None:
            if kind == "skipped-choice":  # one of several types would be left out without a word
                self.handle_invalid_for_json_schema({"type": "any"}, detail)

        def dataclass_args_schema(self, schema: Any) -> JsonSchemaValue:
            made = super().dataclass_args_schema(schema)
            return {**made, "additionalProperties": False} if is_closed(schema) else made

        def typed_dict_schema(self, schema: Any) -> JsonSchemaValue:
            made = super().typed_dict_schema(schema)
            return {**made, "additionalProperties": False} if is_closed(schema) else made

        def generator_schema(self, schema: Any) -> JsonSchemaValue:
            return self.handle_invalid_for_json_schema(schema, "Iterable: it is checked too late")

        def is_subclass_schema(self, schema: Any) -> JsonSchemaValue:
            return self.handle_invalid_for_json_schema(schema, "type[...]: it is a class")

    return GenerateJsonSchema
