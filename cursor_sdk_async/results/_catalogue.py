"""The catalogue: models, repositories, and who the key belongs to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cursor_sdk_async.options import ModelParameterValue, ModelSelection
from cursor_sdk_async.options._read import each, first, integer, object_of, text
from cursor_sdk_async.options._record import Record
from cursor_sdk_async.results._models import ParameterInput, plain_name, select

__all__ = [
    "ModelParameterDefinition",
    "ModelParameterDefinitionValue",
    "ModelVariant",
    "SDKModel",
    "SDKRepository",
    "SDKUser",
]


@dataclass(frozen=True, slots=True, repr=False)
class ModelParameterDefinitionValue(Record):
    """One possible value of a parameter."""

    value: str
    display_name: str = ""

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> ModelParameterDefinitionValue:
        """Read a mapping with keys in either spelling."""
        value = object_of(value, "A parameter value")
        return cls(text(value.get("value")), text(first(value, "displayName", "display_name")))


@dataclass(frozen=True, slots=True, repr=False)
class ModelParameterDefinition(Record):
    """A parameter that a model has, with the values that it may take."""

    id: str
    display_name: str = ""
    values: Sequence[ModelParameterDefinitionValue] = ()

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> ModelParameterDefinition:
        """Read a mapping with keys in either spelling."""
        value = object_of(value, "A parameter")
        return cls(
            text(value.get("id")),
            text(first(value, "displayName", "display_name")),
            each(value.get("values"), ModelParameterDefinitionValue.from_json),
        )


@dataclass(frozen=True, slots=True, repr=False)
class ModelVariant(Record):
    """A named choice of parameters."""

    params: Sequence[ModelParameterValue] = ()
    display_name: str = ""
    description: str = ""
    is_default: bool = False

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> ModelVariant:
        """Read a mapping with keys in either spelling."""
        value = object_of(value, "A variant")
        return cls(
            each(value.get("params"), ModelParameterValue.from_json),
            text(first(value, "displayName", "display_name")),
            text(value.get("description")),
            first(value, "isDefault", "is_default") is True,
        )


@dataclass(frozen=True, slots=True, repr=False)
class SDKModel(Record):
    """A model of the catalogue."""

    id: str
    display_name: str
    description: str = ""
    parameters: Sequence[ModelParameterDefinition] = ()
    variants: Sequence[ModelVariant] = ()

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> SDKModel:
        """Read a mapping with keys in either spelling."""
        value = object_of(value, "A model")
        return cls(
            text(value.get("id")),
            text(first(value, "displayName", "display_name")),
            text(value.get("description")),
            each(value.get("parameters"), ModelParameterDefinition.from_json),
            each(value.get("variants"), ModelVariant.from_json),
        )

    @property
    def default_variant(self) -> ModelVariant | None:
        """The variant that counts when no parameters are given; ``None`` when none is marked."""
        return next((variant for variant in self.variants if variant.is_default), None)

    def parameter(self, name: str) -> ModelParameterDefinition | None:
        """One of its parameters, by its id without regard to case and punctuation; ``None`` without it."""
        wanted = plain_name(name)
        return next((item for item in self.parameters if plain_name(item.id) == wanted), None)

    def parameter_values(self, name: str) -> tuple[str, ...]:
        """The values that a parameter may take; empty when it has none, or takes any."""
        found = self.parameter(name)
        return () if found is None else tuple(item.value for item in found.values)

    def select(self, **parameters: ParameterInput | None) -> ModelSelection:
        """The model with these parameters, such as ``model.select(effort="high")``.

        Raises:
            ConfigurationError: It has no such parameter or value; code ``unknown_model_parameter``.
        """
        return select(self, parameters)


@dataclass(frozen=True, slots=True, repr=False)
class SDKUser(Record):
    """Who an API key belongs to.

    Attributes:
        api_key_name: The name of the key.
        created_at: When the key was made, RFC 3339.
        user_id: The user; ``None`` for the key of a service account.
        user_email: Their address.
        user_first_name: Their first name.
        user_last_name: Their last name.
    """

    api_key_name: str
    created_at: str
    user_id: int | None = None
    user_email: str = ""
    user_first_name: str = ""
    user_last_name: str = ""

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> SDKUser:
        """Read a mapping with keys in either spelling."""
        value = object_of(value, "A user")
        return cls(
            text(first(value, "apiKeyName", "api_key_name")),
            text(first(value, "createdAt", "created_at")),
            integer(first(value, "userId", "user_id")) or None,
            text(first(value, "userEmail", "user_email")),
            text(first(value, "userFirstName", "user_first_name")),
            text(first(value, "userLastName", "user_last_name")),
        )


@dataclass(frozen=True, slots=True, repr=False)
class SDKRepository(Record):
    """A repository that cloud agents may use."""

    url: str

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> SDKRepository:
        """Read a mapping."""
        return cls(text(object_of(value, "A repository").get("url")))
