"""The choice of a model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cursor_sdk_async.options._input import Option, items_of, pruned, read_fields
from cursor_sdk_async.options._read import each, object_of, text
from cursor_sdk_async.options._record import Record
from cursor_sdk_async.options._refuse import missing
from cursor_sdk_async.options._words import JsonObject

__all__ = ["ModelParameterValue", "ModelSelection"]


@dataclass(frozen=True, slots=True, repr=False)
class ModelParameterValue(Record, Option):
    """One parameter of a model, such as ``effort`` with value ``high``.

    Attributes:
        id: The parameter.
        value: Its value, always text.
    """

    id: str
    value: str

    @classmethod
    def from_value(cls, value: object, where: str = "parameter") -> ModelParameterValue:
        """Read an instance or a mapping with ``id`` and ``value``."""
        return cls(**read_fields(cls, value, where))

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> ModelParameterValue:
        """Read what the bridge sent."""
        return cls(text(value.get("id")), text(value.get("value")))

    def to_json(self) -> JsonObject:
        """The form on the wire."""
        return {"id": self.id, "value": self.value}


@dataclass(frozen=True, slots=True, repr=False)
class ModelSelection(Record, Option):
    """A model and its parameters.

    Attributes:
        id: The model's id, as ``client.models.list()`` gives it.
        params: Its parameters; those left out have the model's defaults.
    """

    id: str
    params: Sequence[ModelParameterValue] = ()

    @classmethod
    def from_value(cls, value: object, where: str = "model") -> ModelSelection:
        """Read an id, an instance, or a mapping with ``id`` and ``params``.

        Raises:
            ConfigurationError: The id is empty, or an option is unknown.
            OptionTypeError: It is something else.
        """
        if isinstance(value, str):
            found: dict[str, Any] = {"id": value.strip()}
        else:
            found = read_fields(cls, value, where)
        if found["id"] == "":
            raise missing(f"{where}.id", "name a model, for example one that client.models.list() gives")
        return cls(
            found["id"],
            items_of(found.get("params"), f"{where}.params", ModelParameterValue.from_value) or (),
        )

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> ModelSelection:
        """Read what the bridge sent."""
        value = object_of(value, "A model selection")
        return cls(text(value.get("id")), each(value.get("params"), ModelParameterValue.from_json))

    def to_json(self) -> JsonObject:
        """The form on the wire."""
        exact = ModelSelection.from_value(self)
        return pruned({"id": exact.id, "params": [param.to_json() for param in exact.params]})
