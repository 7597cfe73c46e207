"""A stand-in of the public Cloud Agents REST API on loopback, for the real bridge and for nobody else.

The bridge of the ``cursor-sdk`` wheel takes its base URL from ``CURSOR_BACKEND_URL``. Pointed here, it runs
whole cloud runs without account or network. The stand-in is a process of its own (Starlette on uvicorn), so a
test's loop and the bridge never wait for each other in it: ``python -m tests.rest_standin [--port N]
[--until-stdin-closes]`` prints one line, its URL, when it is ready.

**From a test**: the session fixture ``rest_standin`` (:class:`RestStandin`), which ``tests/real/conftest.py``
has too, beside ``real_bridge_environment``. It is reset before each test that uses it::

    rest_standin.script(held("go"), when="my prompt")     # what the next run with such a prompt does
    ...                                                   # send "my prompt" through the bridge
    await rest_standin.seen("GET", "*/stream")            # wait until the bridge has asked for this
    rest_standin.release("go")
    rest_standin.fail("POST", "/v1/agents", status=429, code="rate_limited", headers={"Retry-After": "7"})

**Keys**: ``ACCEPTED_KEY``; ``SERVICE_KEY`` (no user behind it); another, as ``REJECTED_KEY``, gets 401.

**Runs** do what a :class:`~tests.rest_standin.script.Script` says: a tuple of beats (``text``, ``echo``,
``burst``, ``thinking``, ``tool``, ``turn_ended``, ``pause``, ``hold``, ``cut``, ``heartbeat``, ``event``,
``raw``), the status that the run finishes with, and which family of events tells of it. Without a script it
thinks, reads a file, answers ``You asked: <prompt>. Done.`` and reports ``DEFAULT_USAGE``. ``held()`` and
``failing()`` are ready-made. A run stays in CREATING until its stream has a first reader, or 2 s.

**Agents** have the three files of ``ARTIFACTS`` (``LARGE_ARTIFACT`` is more than 2 MiB), and one pull request
for each repository when created with ``autoCreatePR``. ``Idempotency-Key`` replays the first answer.

**Control API** (JSON; what :class:`RestStandin` speaks):

- ``POST /_control/script`` ``{"script": Script, "when": "part of the prompt", "times": 1 or null}``
- ``POST /_control/fail`` ``{"method", "path", "times", "status", "error", "headers", "body", "drop",
  "hold"}``: ``*`` in a path is any characters; ``drop`` closes without answer; ``hold`` waits for that gate
  first; status 0 handles the request after all
- ``POST /_control/release`` ``{"name": "gate" or null}``: opens a gate (all of them) until the next reset
- ``POST /_control/reset`` ``{"agents": false}``: forgets scripts, failures and requests, releases everybody;
  with ``true`` forgets the agents too
- ``GET /_control/requests?method=&path=&count=&wait=``: requests that match, oldest first, each
  ``{"method", "path", "query", "headers", "key", "body"}``; ``key`` is ``accepted``, ``service`` or
  ``rejected`` (null without one); the key is not recorded; waits ``wait`` seconds (25 at most)
  until there are ``count``
- ``GET /_control/state``: ``{"agents": [ids], "live_runs": [ids], "open_streams": n}``

Not imitated: the key exchange (404, which the bridge tolerates for cloud agents) and all that local runs need
of Cursor's private service; environments, secrets, workers; rate limits other than scripted ones.
"""

from __future__ import annotations

from tests.rest_standin._artifacts import ARTIFACTS, LARGE_ARTIFACT
from tests.rest_standin._catalogue import ACCEPTED_KEY, MODELS, REJECTED_KEY, SERVICE_KEY
from tests.rest_standin.process import RestStandin
from tests.rest_standin.script import DEFAULT_USAGE, Script, failing, held

__all__ = [
    "ACCEPTED_KEY",
    "ARTIFACTS",
    "DEFAULT_USAGE",
    "LARGE_ARTIFACT",
    "MODELS",
    "REJECTED_KEY",
    "SERVICE_KEY",
    "RestStandin",
    "Script",
    "failing",
    "held",
]
