"""Whatever the official protobuf package writes, our generated classes read, and back."""

from __future__ import annotations

import pytest
from google.protobuf import json_format
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cursor_sdk_async._gen.descriptor import google_class
from tests.contract.catalogue import NAMES, ours, reparse
from tests.contract.values import messages

EXAMPLES = settings(
    max_examples=25,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


@pytest.mark.promise("CON-02")
@pytest.mark.parametrize("name", NAMES)
def test_binary_messages_survive_the_way_through_our_classes(name: str) -> None:
    @EXAMPLES
    @given(st.data())
    def check(data: st.DataObject) -> None:
        theirs = data.draw(messages(name))
        parsed = ours(name).parse(theirs.SerializeToString())
        assert reparse(name, bytes(parsed)) == theirs
        assert ours(name).parse(bytes(parsed)) == parsed

    check()


@pytest.mark.promise("CON-03")
@pytest.mark.parametrize("name", NAMES)
def test_json_messages_are_the_same_in_both_implementations(name: str) -> None:
    @EXAMPLES
    @given(st.data())
    def check(data: st.DataObject) -> None:
        theirs = data.draw(messages(name))
        parsed = ours(name).parse(theirs.SerializeToString())
        as_json = json_format.MessageToDict(theirs)
        assert parsed.to_dict() == as_json
        assert ours(name).from_dict(as_json) == parsed
        assert json_format.ParseDict(parsed.to_dict(), google_class(name)()) == theirs

    check()


@pytest.mark.promise("CON-03")
@pytest.mark.parametrize("name", NAMES)
def test_original_field_names_are_accepted_as_json_too(name: str) -> None:
    @EXAMPLES
    @given(st.data())
    def check(data: st.DataObject) -> None:
        theirs = data.draw(messages(name))
        original = json_format.MessageToDict(theirs, preserving_proto_field_name=True)
        assert ours(name).from_dict(original) == ours(name).parse(theirs.SerializeToString())

    check()
