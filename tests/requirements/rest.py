"""Promises about the stand-in of the public REST API, on which the real bridge runs in tests."""

from __future__ import annotations

from tests.requirements._promise import Promise

PROMISES = (
    Promise(
        "RST-01", "The stand-in answers for catalogue, agents and artifacts as the public API does.", "issue"
    ),
    Promise(
        "RST-02", "The stand-in plays, streams, resumes and cancels runs as the public API does.", "issue"
    ),
    Promise("RST-03", "A test can script runs and failures, and read what was asked, without keys.", "issue"),
    Promise("RST-04", "The stand-in's process ends with the tests that started it.", "issue"),
    Promise(
        "RST-05",
        "Whole cloud runs work on the real bridge without account or network, to delete and then 404.",
        "issue",
    ),
    Promise(
        "RST-06",
        "Local agents of the real bridge can be made, resumed, listed, archived and deleted without network; "
        "a send ends in an error.",
        "issue",
    ),
)
