"""From the frames of a run stream to public types. The hot path: no generated classes here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cursor_sdk_async.events import full_result, run_stream_event
from cursor_sdk_async.results import RunResult

__all__ = ["result_payload", "run_result_from_json", "stream_event"]

#: The event of one frame: its kind, its payload in JSON form, its offset. Never raises.
stream_event = run_stream_event


def run_result_from_json(payload: Mapping[str, Any]) -> RunResult:
    """The result in a ``result`` frame, in JSON form; what it lacks is filled from the envelope around it."""
    return RunResult.from_json(full_result(payload))


def result_payload(answer: Mapping[str, Any]) -> dict[str, Any]:
    """What a ``result`` frame would carry, from the answer to ``WaitLiveRun`` in JSON form."""
    inner: Mapping[str, Any] = answer.get("result") or {}
    ids = {name: inner[name] for name in ("agentId", "runId", "status", "errorCode") if name in inner}
    return {**ids, "result": inner}
