"""Where descriptions come from."""

from __future__ import annotations

import inspect
from typing import Annotated, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import Field
from typing_extensions import Doc

from cursor_sdk_async.tools import CustomTool, CustomToolContext, tool
from cursor_sdk_async.tools._docstring import read_docstring

pytestmark = pytest.mark.promise("TOL-10")

GOOGLE = """
    Search the index.

    Example::

        Args are words.

    Args:
        query: What to look for: words,
            or a phrase.

        limit (int, optional): How many.
        context: Of the call.
        **rest: Nothing.

    Returns:
        The hits.
    """
NUMPY = """
    Search the index.

    Parameters
    ----------
    query : str
        What to look for: words,
        or a phrase.
    limit : int, optional
        How many.

    Returns
    -------
    list
        The hits.
    """
SPHINX = """
    Search the index.

    :param str query: What to look for: words,
        or a phrase.
    :type query: str
    :param limit: How many.
    :returns: The hits.
    """
FOUND = {"query": "What to look for: words, or a phrase.", "limit": "How many."}
RESTS = {
    "google": "Search the index.\n\nExample::\n\n    Args are words.\n\nReturns:\n    The hits.",
    "numpy": "Search the index.\n\nReturns\n-------\nlist\n    The hits.",
    "sphinx": "Search the index.\n\n:returns: The hits.",
}


def descriptions(each: CustomTool) -> dict[str, Any]:
    return {name: item.get("description") for name, item in (each.input_schema or {})["properties"].items()}


@pytest.mark.parametrize(
    ("text", "style"), [(GOOGLE, "google"), (NUMPY, "numpy"), (SPHINX, "sphinx")], ids=list(RESTS)
)
def test_a_docstring_describes_the_tool_and_its_parameters(text: str, style: str) -> None:
    def search(query: str, limit: int = 3, context: CustomToolContext | None = None) -> None: ...

    search.__doc__ = text
    made = tool(search)
    assert made.description == RESTS[style]
    assert descriptions(made) == FOUND


def test_annotations_win_over_the_docstring_and_field_over_all() -> None:
    @tool
    def search(
        text: Annotated[str, "From the text."],
        doc: Annotated[str, Doc("From the Doc.")],
        field: Annotated[str, "Not this.", Field(description="From the Field.")],
        docstring: str,
        nothing: int = 1,
    ) -> None:
        """Search.

        Args:
            text: No.
            doc: No.
            field: No.
            docstring: From the docstring.
        """

    assert descriptions(search) == {
        "text": "From the text.",
        "doc": "From the Doc.",
        "field": "From the Field.",
        "docstring": "From the docstring.",
        "nothing": None,
    }
    assert search.description == "Search."


def test_without_a_docstring_there_is_no_description() -> None:
    def bare(a: int) -> None: ...

    assert tool(bare).description is None
    assert "description" not in tool(bare).to_json()
    assert tool(bare, description="Given.").description == "Given."


@pytest.mark.parametrize(
    "text",
    [
        "Args:\n    other: Something else.",
        "Args are: query: x",
        "Parameters of the thing\n\nquery : str",
        "Parameters\n----------",
        "Args:",
        "Args:\n\n",
        ":param other: Something.",
        ":param",
    ],
)
def test_a_section_about_no_parameter_stays_where_it_is(text: str) -> None:
    found = read_docstring(text, ["query"])
    assert found.parameters == {}
    assert found.text == inspect.cleandoc(text).strip()


@given(text=st.text(alphabet=st.sampled_from("Args:Parameters-\n  :param query(x)\t*")))
def test_any_text_can_be_read(text: str) -> None:
    found = read_docstring(text, ["query", "x"])
    assert set(found.parameters) <= {"query", "x"}
