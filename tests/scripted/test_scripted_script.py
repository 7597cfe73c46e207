"""Scripts and faults as JSON."""

from __future__ import annotations

import pytest

import cursor_sdk_async.testing as published
from cursor_sdk_async.testing import (
    Artifact,
    CallFault,
    Faults,
    Fill,
    ProcessFaults,
    RawFrame,
    Script,
    StreamFault,
    Text,
    ToolCall,
    Turn,
    scripted_bridge_command,
)

pytestmark = pytest.mark.promise("DBL-04")


def test_a_script_survives_the_way_to_the_process() -> None:
    steps = (
        Text("ä"),
        RawFrame(b"\x00\xff", 1),
        ToolCall("t", {"do": "Nothing", "n": [1, {}]}, result=0),
        Fill(9),
    )
    turn = Turn(steps, status="ERROR", branches=({"branch": "b"},))
    script = Script((turn,), {"part": turn}, artifacts=(Artifact("a", b"\x01"),), accepted_keys=())
    read = Script.from_json(script.to_json())
    assert read.turns[0].steps[1:2] == steps[1:2]
    assert read.turns[0].steps[2].args["n"] == [1, {}]  # type: ignore[attr-defined]
    assert (read.accepted_keys, read.artifacts, read.by_prompt["part"].status) == (
        (),
        script.artifacts,
        "ERROR",
    )
    assert Script.from_json(Script().to_json()) == Script()


def test_faults_survive_the_way_to_the_process() -> None:
    faults = Faults(
        ProcessFaults(exit_before_ready=0, cleanup_marker="x"),
        (CallFault("Me", details={"retryAfter": "1s"}, debug=False),),
        (StreamFault("cut", 3),),
    )
    assert Faults.from_json(faults.to_json()) == faults


@pytest.mark.parametrize("text", ["{", "[]", '{"do":"Script","zzz":1}', '{"do":"Turn"}'])
def test_what_is_no_script_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r".+"):
        Script.from_json(text)


def test_a_script_that_is_too_long_for_a_command_line_is_refused_early() -> None:
    with pytest.raises(ValueError, match="120000"):
        scripted_bridge_command(Script([Turn([Text("x" * 130_000)])]))


def test_every_published_name_is_there() -> None:
    assert all(getattr(published, name) is not None for name in published.__all__)
    with pytest.raises(AttributeError):
        published.nothing  # noqa: B018
