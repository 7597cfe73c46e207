"""The command line and the environment of the child."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from cursor_sdk_async._bridge._command import (
    BridgeFlags,
    SpawnCommand,
    child_environment,
    guarded,
    local_store,
    platform_options,
    secrets_of,
)
from cursor_sdk_async._settings import (
    find_on_path,
    read_api_key,
    read_bridge_bin,
    read_cache_dir,
    read_endpoint,
    read_log_level,
    read_startup_timeout,
    read_use_remote_bridge,
)
from cursor_sdk_async.errors import ConfigurationError
from tests.bridge.helpers import launch, until

PARENT = {
    "PATH": "/bin",
    "HOME": "/home/me",
    "NODE_OPTIONS": "--inspect",
    "CURSOR_SDK_TOOL_CALLBACK_TOKEN": "t",
}
LABELS = {"CURSOR_SDK_CLIENT_LANGUAGE": "python", "CURSOR_SDK_PYTHON_VERSION": "9"}


def child(env: Any = None, inherit: Any = True) -> dict[str, str]:
    return child_environment(PARENT, env, inherit, version="9")


@pytest.mark.promise("BRG-16")
class TestEnvironment:
    def test_ours_is_passed_on_but_for_what_would_change_a_node_program(self) -> None:
        assert child() == {"PATH": "/bin", "HOME": "/home/me", **LABELS}

    def test_it_can_be_extended_and_reduced(self) -> None:
        assert child({"A": "1", "HOME": None}) == {"PATH": "/bin", "A": "1", **LABELS}

    def test_it_can_be_replaced(self) -> None:
        assert child({"A": "1"}, False) == {"A": "1", **LABELS}

    def test_it_can_be_filtered_by_name(self) -> None:
        assert child(None, ["PATH", "NODE_OPTIONS", "MISSING"]) == {
            "PATH": "/bin",
            "NODE_OPTIONS": "--inspect",
            **LABELS,
        }

    def test_what_is_named_passes(self) -> None:
        assert child({"NODE_OPTIONS": "--mine"})["NODE_OPTIONS"] == "--mine"
        assert child({"CURSOR_SDK_CLIENT_LANGUAGE": "other"})["CURSOR_SDK_CLIENT_LANGUAGE"] == "other"
        assert child({"A": Path("/x")})["A"] == "/x"

    @pytest.mark.parametrize("env", [{"A": 1}, {"A=B": "1"}, {"": "1"}, {1: "1"}, {"A": "a\0secret"}])
    def test_what_cannot_be_a_variable_is_refused_without_showing_it(self, env: Any) -> None:
        with pytest.raises(ConfigurationError) as caught:
            child(env)
        assert "secret" not in str(caught.value)

    def test_a_single_string_of_names_is_refused(self) -> None:
        with pytest.raises(ConfigurationError, match="collection"):
            child(None, "PATH")

    def test_secrets_are_known_by_their_names(self) -> None:
        env = {"CURSOR_API_KEY": "a", "GITHUB_TOKEN": "b", "DB_PASSWORD": "c", "PATH": "d", "KEYBOARD": "e"}
        assert secrets_of(env) == ("a", "b", "c")

    def test_no_environment_shows_in_a_repr(self) -> None:
        assert "hidden" not in repr(SpawnCommand(("x",), {"A": "hidden"}, secrets=("hidden",)))


@pytest.mark.promise("BRG-18")
class TestFlags:
    def test_each_option_has_its_flag(self) -> None:
        flags = BridgeFlags("/w", "/s", "::1", 0, '{"type":"sqlite"}', 3, 1000, True)
        assert " ".join(flags.argv()) == (
            '--workspace /w --state-root /s --host ::1 --port 0 --local-store {"type":"sqlite"} '
            "--max-concurrent-agents 3 --max-message-bytes 1000 --verbose"
        )
        assert BridgeFlags().argv() == []

    def test_a_local_store_is_taken_from_objects_and_mappings(self) -> None:
        @dataclass
        class Store:
            type: str
            root_dir: str | None = None

        @dataclass
        class Local:
            store: Store | None = None

        assert local_store(None) is None
        assert local_store(Local()) is None
        assert json.loads(local_store(Local(Store("sqlite"))) or "") == {"type": "sqlite"}
        wanted = {"type": "jsonl", "rootDir": os.path.abspath("x")}
        assert json.loads(local_store({"store": {"type": "jsonl", "root_dir": "x"}}) or "") == wanted
        assert json.loads(local_store({"store": {"type": "jsonl", "rootDir": "x"}}) or "") == wanted

    @pytest.mark.anyio
    async def test_the_child_gets_directory_environment_arguments_and_nothing_more(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        record = tmp_path / "record"
        monkeypatch.setenv("CURSOR_API_KEY", "crsr_canary_key")
        async with launch(
            {"record": str(record)},
            workspace=tmp_path,
            state_root=tmp_path / "state",
            inherit_env=["PATH", "TMPDIR"],
            env={"MY_TOKEN": "canary-of-mine"},
        ):
            await until(record.exists)
        seen = json.loads(record.read_text())
        assert seen["cwd"] == str(tmp_path)
        assert seen["argv"][1:] == ["--workspace", str(tmp_path), "--state-root", str(tmp_path / "state")]
        assert "canary" not in " ".join(seen["argv"])
        assert seen["env"]["MY_TOKEN"] == "canary-of-mine"
        assert "CURSOR_API_KEY" not in seen["env"]
        assert seen["fds"] == ["0", "1", "2", "3"]  # 3 is the listing of the directory itself


@pytest.mark.promise("BRG-20")
class TestWindows:
    def test_there_is_no_console_window_and_nothing_of_posix(self) -> None:
        options = platform_options("win32")
        assert options == {"creationflags": 0x08000000 | 0x00000200}

    def test_there_is_no_shell(self) -> None:
        assert guarded(("x",), "win32") is None

    def test_posix_leads_a_session(self) -> None:
        assert platform_options("linux") == {"start_new_session": True}


@pytest.mark.promise("BRG-12")
class TestGuard:
    """The guard script by itself."""

    def run(self, *argv: str) -> subprocess.Popen[bytes]:
        command = guarded(argv, "linux")
        assert command is not None
        return subprocess.Popen(
            command, stdin=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
        )

    @pytest.mark.parametrize("status", [0, 3, 255])
    def test_it_passes_on_the_exit_status_at_once(self, status: int) -> None:
        guard = self.run("/bin/sh", "-c", f"exit {status}")
        assert guard.wait(30) == status
        assert guard.communicate()[1] == b""

    @pytest.mark.parametrize("name", ["TERM", "KILL", "SEGV", "HUP"])
    def test_it_reports_a_signal_as_a_shell_does_and_is_silent(self, name: str) -> None:
        guard = self.run("/bin/sh", "-c", f"kill -{name} $$")
        assert guard.wait(30) == 128 + signal.Signals[f"SIG{name}"]
        assert guard.communicate()[1] == b""

    def test_it_passes_on_arguments_as_they_are(self) -> None:
        guard = self.run("/bin/sh", "-c", 'printf "%s|" "$@" >&2', "x", "a b", "", "$HOME", "'\"")
        assert guard.wait(30) == 0  # communicate() closes the pipe first, which would end it early
        assert guard.communicate()[1] == b"a b||$HOME|'\"|"

    def test_it_ends_everything_when_its_pipe_ends(self) -> None:
        guard = self.run("/bin/sh", "-c", "trap '' TERM; echo up >&2; while :; do sleep 1; done")
        assert guard.stderr is not None
        assert guard.stdin is not None
        assert guard.stderr.readline() == b"up\n"
        guard.stdin.close()
        assert guard.wait(30) == -9
        guard.stderr.close()


@pytest.mark.promise("BRG-19")
class TestSettings:
    def test_blank_is_unset(self) -> None:
        assert read_api_key({"CURSOR_API_KEY": "  "}) is None
        assert read_api_key({}) is None
        assert read_api_key({"CURSOR_API_KEY": " k\n"}) == "k"
        assert read_bridge_bin({"CURSOR_SDK_BRIDGE_BIN": " /x "}) == "/x"

    def test_an_endpoint_needs_both_and_hides_its_token(self) -> None:
        url, token = {"CURSOR_SDK_BRIDGE_URL": "http://127.0.0.1:1"}, {"CURSOR_SDK_BRIDGE_TOKEN": "hidden"}
        found = read_endpoint({**url, **token})
        assert found is not None
        assert (found.url, found.token) == ("http://127.0.0.1:1", "hidden")
        assert "hidden" not in repr(found)
        assert read_endpoint({**url, "CURSOR_SDK_BRIDGE_AUTH_TOKEN": "old"}) is not None
        assert read_endpoint({}) is None
        for half in (url, token):
            with pytest.raises(ConfigurationError) as caught:
                read_endpoint(half)
            assert "hidden" not in str(caught.value)

    @pytest.mark.parametrize("value", ["1", "true", "YES", "on"])
    def test_switches(self, value: str) -> None:
        assert read_use_remote_bridge({"CURSOR_SDK_USE_REMOTE_BRIDGE": value})
        assert not read_use_remote_bridge({"CURSOR_SDK_USE_REMOTE_BRIDGE": "0"})

    def test_the_timeout_is_a_positive_number(self) -> None:
        assert read_startup_timeout({}) is None
        assert read_startup_timeout({"CURSOR_SDK_BRIDGE_STARTUP_TIMEOUT": "2.5"}) == 2.5
        for wrong in ("0", "-1", "soon", "inf", "nan"):
            with pytest.raises(ConfigurationError):
                read_startup_timeout({"CURSOR_SDK_BRIDGE_STARTUP_TIMEOUT": wrong})

    def test_the_log_level_is_one_of_two(self) -> None:
        assert read_log_level({"CURSOR_SDK_LOG": "DEBUG"}) == "debug"
        assert read_log_level({"CURSOR_SDK_LOG": "loud"}) is None

    def test_the_cache_directory(self) -> None:
        assert read_cache_dir({"XDG_CACHE_HOME": "/c"}) == Path("/c/cursor-sdk-async")
        assert read_cache_dir({"XDG_CACHE_HOME": "relative", "HOME": "/h"}) == Path(
            "/h/.cache/cursor-sdk-async"
        )
        assert read_cache_dir({}) is None

    def test_the_path_is_searched_in_order(self, tmp_path: Path) -> None:
        for name in ("b", "a"):
            (tmp_path / name).mkdir()
            (tmp_path / name / "tool").touch()
        env = {
            "PATH": os.pathsep.join(["", str(tmp_path / "b"), str(tmp_path / "a"), str(tmp_path / "none")])
        }
        assert find_on_path("tool", env) == [tmp_path / "b" / "tool", tmp_path / "a" / "tool"]
