"""Finding a model by its name: what the catalogue allows, and what an error says otherwise."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cursor_sdk_async import (
    AsyncClient,
    ConfigurationError,
    ModelParameterDefinition,
    ModelParameterDefinitionValue,
    ModelParameterValue,
    ModelSelection,
    ModelVariant,
    SDKModel,
)
from cursor_sdk_async.results._models import resolve_model
from cursor_sdk_async.testing import Script, ScriptedControl

pytestmark = pytest.mark.promise("SUR-04")

EFFORT = ModelParameterDefinition(
    "effort",
    "Effort",
    (ModelParameterDefinitionValue("low", "Low"), ModelParameterDefinitionValue("high", "Very high")),
)
FAST = ModelParameterDefinition(
    "fastMode", "Fast", (ModelParameterDefinitionValue("true"), ModelParameterDefinitionValue("false"))
)
FREE = ModelParameterDefinition("seed")
HIGH = ModelParameterValue("effort", "high")
MODELS = (
    SDKModel(
        "deep-4.5",
        "Deep 4.5",
        parameters=(EFFORT, FAST, FREE),
        variants=(
            ModelVariant((ModelParameterValue("effort", "low"),), "Deep 4.5 Light", is_default=True),
            ModelVariant((HIGH,), "Deep 4.5 Max"),
        ),
    ),
    SDKModel("plain-1", "Plain"),
    SDKModel("plain-2", "Plain"),
)


@pytest.mark.parametrize(
    ("name", "parameters", "expected"),
    [
        ("deep-4.5", {}, ModelSelection("deep-4.5")),
        ("DEEP 4.5", {"effort": "high"}, ModelSelection("deep-4.5", (HIGH,))),
        ("deep45", {"effort": "Very High"}, ModelSelection("deep-4.5", (HIGH,))),
        ("deep 4.5 max", {}, ModelSelection("deep-4.5", (HIGH,))),
        (
            "Deep 4.5 Max",
            {"effort": "low"},
            ModelSelection("deep-4.5", (ModelParameterValue("effort", "low"),)),
        ),
        (
            "deep-4.5",
            {"fast_mode": True, "effort": None},
            ModelSelection("deep-4.5", (ModelParameterValue("fastMode", "true"),)),
        ),
        ("deep-4.5", {"seed": 7}, ModelSelection("deep-4.5", (ModelParameterValue("seed", "7"),))),
        ("plain-2", {}, ModelSelection("plain-2")),
    ],
)
def test_a_name_and_parameters_give_a_selection(
    name: str, parameters: dict[str, Any], expected: ModelSelection
) -> None:
    assert resolve_model(MODELS, name, parameters) == expected


@pytest.mark.parametrize(
    ("name", "parameters", "code", "words"),
    [
        ("deap-4.5", {}, "unknown_model", "Did you mean 'deep-4.5'"),
        ("", {}, "unknown_model", "plain-1, plain-2"),
        ("Plain", {}, "ambiguous_model", "'plain-1', 'plain-2'"),
        ("deep-4.5", {"efort": "low"}, "unknown_model_parameter", "Did you mean 'effort'"),
        ("deep-4.5", {"effort": "hihg"}, "unknown_model_parameter", "'low', 'high'"),
        ("plain-1", {"effort": "low"}, "unknown_model_parameter", "it has none"),
    ],
)
def test_an_error_names_what_comes_near(name: str, parameters: dict[str, Any], code: str, words: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        resolve_model(MODELS, name, parameters)
    assert caught.value.code == code
    assert words in str(caught.value)


def test_an_empty_catalogue_says_so() -> None:
    with pytest.raises(ConfigurationError, match="empty"):
        resolve_model((), "deep", {})


@given(st.text(max_size=12), st.dictionaries(st.text(max_size=8), st.text(max_size=8), max_size=2))
def test_any_name_gives_a_selection_of_the_catalogue_or_a_typed_error(
    name: str, parameters: dict[str, str]
) -> None:
    try:
        selection = resolve_model(MODELS, name, parameters)
    except ConfigurationError:
        return
    assert selection.id in {model.id for model in MODELS}


def test_a_model_tells_its_default_and_its_values() -> None:
    model = MODELS[0]
    assert model.default_variant is model.variants[0]
    assert MODELS[1].default_variant is None
    assert model.parameter_values("Effort") == ("low", "high")
    assert model.parameter_values("seed") == model.parameter_values("nothing") == ()
    assert model.select(effort="high") == ModelSelection("deep-4.5", (HIGH,))


@pytest.mark.anyio
async def test_the_client_resolves_from_the_catalogue_of_its_key(
    client: AsyncClient, control: ScriptedControl
) -> None:
    control.set_script(Script(models=[{"id": "solo-1", "displayName": "Solo"}]))
    model = await client.models.resolve("solo")
    assert model == ModelSelection("solo-1")
    async with await client.agents.create(model=model, local={}) as agent:
        assert agent.model == model
    with pytest.raises(ConfigurationError, match="solo-1"):
        await client.models.resolve("sole", effort="high")
