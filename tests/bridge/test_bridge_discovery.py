"""The ready line and the endpoint."""

from __future__ import annotations

import copy
import dataclasses
import json
import pickle
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cursor_sdk_async._bridge._discovery import remove_token_file
from cursor_sdk_async.bridge import READY_LINE_PREFIX, BridgeEndpoint, parse_discovery_line
from cursor_sdk_async.errors import ProtocolError

pytestmark = pytest.mark.promise("BRG-04")

FACTS: dict[str, Any] = {
    "schemaVersion": 1,
    "serverVersion": "1.0.0",
    "pid": 42,
    "transport": "tcp",
    "protocol": "connect",
    "url": "http://127.0.0.1:5000/",
    "authToken": "the-token",
    "workspaceRef": "/w",
    "stateRoot": "/s",
}


def test_other_lines_are_none() -> None:
    assert parse_discovery_line("hello") is None
    assert parse_discovery_line(f" {READY_LINE_PREFIX}{{}}") is None


def test_the_facts_come_out() -> None:
    line = READY_LINE_PREFIX + json.dumps({**FACTS, "somethingNew": [1]}) + " and noise"
    facts = parse_discovery_line(line)
    assert facts is not None
    endpoint = BridgeEndpoint.from_discovery(facts)
    assert endpoint == BridgeEndpoint("http://127.0.0.1:5000", "the-token", 1, "1.0.0", 42, "/w", "/s")


@pytest.mark.parametrize(
    ("host", "url"),
    [("127.0.0.1", "http://127.0.0.1:80"), ("::1", "http://[::1]:80"), ("[::1]", "http://[::1]:80")],
)
def test_host_and_port_stand_in_for_the_url(host: str, url: str) -> None:
    assert BridgeEndpoint.from_discovery({**FACTS, "url": "", "host": host, "port": 80}).url == url


@pytest.mark.parametrize("pid", [0, -1, True, "1", None, 1.5])
def test_a_strange_pid_is_none(pid: object) -> None:
    assert BridgeEndpoint.from_discovery({**FACTS, "pid": pid}).pid is None


@pytest.mark.parametrize(
    "change",
    [
        {"schemaVersion": 2},
        {"schemaVersion": None},
        {"transport": "pipe"},
        {"protocol": "grpc"},
        {"url": "", "host": "h"},
        {"url": None},
        {"authToken": "", "authTokenFile": ""},
        {"authToken": None, "authTokenFile": "/nowhere/auth-token"},
    ],
)
def test_what_is_wrong_is_a_typed_error(change: dict[str, Any]) -> None:
    with pytest.raises(ProtocolError):
        BridgeEndpoint.from_discovery({**FACTS, **change})


@given(
    st.text() | st.recursive(st.none() | st.booleans() | st.integers() | st.text(), st.lists).map(json.dumps)
)
def test_random_ready_lines_are_typed_errors_or_valid(rest: str) -> None:
    with suppress(ProtocolError):
        facts = parse_discovery_line(READY_LINE_PREFIX + rest)
        assert facts is not None


class TestTokenFile:
    def test_it_is_read_without_white_space(self, tmp_path: Path) -> None:
        file = tmp_path / "auth-token"
        file.write_text(" from-file \n")
        facts = {**FACTS, "authToken": None, "authTokenFile": str(file)}
        assert BridgeEndpoint.from_discovery(facts).auth_token == "from-file"

    def test_only_the_bridges_own_is_removed(self, tmp_path: Path) -> None:
        ours = tmp_path / "cursor-sdk-bridge-Ab12" / "auth-token"
        others = [
            tmp_path / "cursor-sdk-bridge-x" / "token",
            tmp_path / "mine" / "auth-token",
        ]
        target = tmp_path / "target"
        target.mkdir()
        (target / "auth-token").write_text("t")
        (tmp_path / "cursor-sdk-bridge-link").symlink_to(target)
        for file in (ours, *others):
            file.parent.mkdir()
            file.write_text("t")
        for file in (
            ours,
            *others,
            tmp_path / "cursor-sdk-bridge-link" / "auth-token",
            tmp_path / "gone" / "auth-token",
        ):
            remove_token_file({"authTokenFile": str(file)})
        assert not ours.parent.exists()
        assert all(file.exists() for file in others)
        assert (target / "auth-token").exists()


@pytest.mark.promise("BRG-15")
def test_the_token_shows_in_no_copy_of_the_endpoint() -> None:
    endpoint = BridgeEndpoint.from_discovery(FACTS)
    assert "the-token" not in repr(endpoint)
    assert copy.copy(endpoint) is endpoint
    assert dataclasses.replace(endpoint, pid=1).auth_token == "the-token"
    with pytest.raises(TypeError, match="token"):
        pickle.dumps(endpoint)
