"""From the name of a model, as people write it, to a selection that the catalogue allows. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from typing import TYPE_CHECKING

from cursor_sdk_async.errors import ConfigurationError
from cursor_sdk_async.options import ModelParameterValue, ModelSelection

if TYPE_CHECKING:
    from cursor_sdk_async.results._catalogue import ModelParameterDefinition, SDKModel

__all__ = ["ParameterInput", "plain_name", "resolve_model", "select"]

#: A value as people write it; ``True`` and ``False`` are ``"true"`` and ``"false"``.
ParameterInput = str | bool | int | float


def resolve_model(
    models: Sequence[SDKModel], name: str, parameters: Mapping[str, ParameterInput | None]
) -> ModelSelection:
    """The selection that ``name`` and ``parameters`` mean.

    Looked for, in this order, without regard to case and punctuation: the id of a model, its display name,
    the display name of one of its variants.

    Raises:
        ConfigurationError: There is no such model, parameter or value (codes ``unknown_model``,
            ``unknown_model_parameter``), or several models are meant (``ambiguous_model``).
    """
    exact = [model for model in models if model.id == name]
    wanted = plain_name(name)
    candidates: tuple[list[tuple[SDKModel, Sequence[ModelParameterValue]]], ...] = (
        [(model, ()) for model in exact],
        [(model, ()) for model in models if plain_name(model.id) == wanted],
        [(model, ()) for model in models if plain_name(model.display_name) == wanted],
        [
            (model, variant.params)
            for model in models
            for variant in model.variants
            if plain_name(variant.display_name) == wanted
        ],
    )
    for found in candidates:
        if len(found) == 1 and wanted:
            model, params = found[0]
            return select(model, parameters, params)
        if found and wanted:
            raise ConfigurationError(
                f"The name {name!r} could mean several models: "
                f"{', '.join(repr(model.id) for model, _ in found)}. Name one by its id.",
                code="ambiguous_model",
                is_safe_to_retry=True,
            )
    raise _unknown(models, name)


def select(
    model: SDKModel,
    parameters: Mapping[str, ParameterInput | None],
    base: Iterable[ModelParameterValue] = (),
) -> ModelSelection:
    """The model with these parameters, which are checked against its own; ``None`` leaves one out.

    Raises:
        ConfigurationError: There is no such parameter or value; code ``unknown_model_parameter``.
    """
    chosen = {param.id: param.value for param in base}
    for name, value in parameters.items():
        if value is not None:
            definition = _definition(model, name)
            chosen[definition.id] = _value(model, definition, value)
    return ModelSelection(model.id, tuple(ModelParameterValue(*item) for item in chosen.items()))


def _definition(model: SDKModel, name: str) -> ModelParameterDefinition:
    found = model.parameter(name)
    if found is not None:
        return found
    ids = [definition.id for definition in model.parameters]
    has = f"it has {', '.join(ids)}" if ids else "it has none"
    raise _bad_parameter(f"The model {model.id!r} has no parameter {name!r}; {has}.", name, ids)


def _value(model: SDKModel, definition: ModelParameterDefinition, value: ParameterInput) -> str:
    text = str(value).lower() if isinstance(value, bool) else str(value)
    if not definition.values:
        return text
    for possible in definition.values:
        if possible.value == text:
            return text
    for possible in definition.values:
        if plain_name(text) in (plain_name(possible.value), plain_name(possible.display_name)):
            return possible.value
    values = [possible.value for possible in definition.values]
    raise _bad_parameter(
        f"The parameter {definition.id!r} of {model.id!r} cannot be {text!r}; "
        f"it can be {', '.join(map(repr, values))}.",
        text,
        values,
    )


def _bad_parameter(message: str, word: str, words: Sequence[str]) -> ConfigurationError:
    return ConfigurationError(
        message + _near(word, words), code="unknown_model_parameter", is_safe_to_retry=True
    )


def _unknown(models: Sequence[SDKModel], name: str) -> ConfigurationError:
    words = [word for model in models for word in (model.id, model.display_name) if word]
    ids = ", ".join(model.id for model in models)
    listed = f"The catalogue has: {ids}." if ids else "The catalogue of this key is empty."
    return ConfigurationError(
        f"There is no model {name!r} for this key.{_near(name, words)} {listed}",
        code="unknown_model",
        is_safe_to_retry=True,
    )


def _near(word: str, words: Sequence[str]) -> str:
    folded = {candidate.lower(): candidate for candidate in words}
    near = get_close_matches(word.lower(), folded, n=3, cutoff=0.6)
    return f" Did you mean {' or '.join(repr(folded[match]) for match in near)}?" if near else ""


def plain_name(name: str) -> str:
    """A name without case and punctuation."""
    return "".join(letter for letter in name.casefold() if letter.isalnum())
