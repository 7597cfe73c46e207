"""Which bridge is launched, and what is refused."""

from __future__ import annotations

import importlib.util
import json
import os
import stat
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from cursor_sdk_async._bridge._locate import locate
from cursor_sdk_async._bridge._program import check_program, is_wheel_script
from cursor_sdk_async.errors import BridgeNotFoundError, ConfigurationError

pytestmark = pytest.mark.promise("BRG-02")


def script(path: Path, content: str = "#!/bin/sh\nexit 0\n", mode: int = 0o755) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content)
    path.chmod(mode)
    return path


@pytest.fixture
def wheel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A launcher inside what looks like an installed wheel."""
    package = tmp_path / "site" / "cursor_sdk"
    launcher = script(package / "_vendor" / "bridge" / "bin" / "cursor-sdk-bridge")
    (launcher.parent.parent / "manifest.json").write_text('{"protocol": "sdk.v1", "bridgeVersion": "1.2.3"}')
    spec = SimpleNamespace(submodule_search_locations=[str(package)])

    def find_spec(name: str) -> Any:
        return spec if name == "cursor_sdk" else None

    monkeypatch.setattr(importlib.util, "find_spec", find_spec)
    return launcher


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    """An environment in which nothing is found."""
    return {"PATH": str(tmp_path / "path"), "HOME": str(tmp_path / "home")}


class TestOrder:
    def test_an_argument_comes_first(self, tmp_path: Path, wheel: Path, env: dict[str, str]) -> None:
        mine = script(tmp_path / "mine")
        env["CURSOR_SDK_BRIDGE_BIN"] = str(script(tmp_path / "variable"))
        assert locate(mine, env=env).argv == (str(mine),)
        assert locate(str(mine), env=env).source == "the argument command"

    def test_then_the_variable(self, tmp_path: Path, wheel: Path, env: dict[str, str]) -> None:
        env["CURSOR_SDK_BRIDGE_BIN"] = str(script(tmp_path / "variable"))
        assert locate(env=env).argv == (str(tmp_path / "variable"),)

    def test_then_the_wheel(self, tmp_path: Path, wheel: Path, env: dict[str, str]) -> None:
        script(tmp_path / "path" / "cursor-sdk-bridge")
        found = locate(env=env)
        assert found.argv == (str(wheel),)
        assert found.version == "1.2.3"

    def test_then_the_newest_that_we_unpacked(self, tmp_path: Path, wheel: Path, env: dict[str, str]) -> None:
        env["CURSOR_SDK_USE_REMOTE_BRIDGE"] = "yes"
        script(tmp_path / "path" / "cursor-sdk-bridge")
        for version in ("1.9.0", "1.10.0", "0.99.0"):
            script(tmp_path / "home/.cache/cursor-sdk-async/bridge" / version / "bin/cursor-sdk-bridge")
        assert "1.10.0" in locate(env=env).argv[0]

    def test_then_the_path(self, tmp_path: Path, wheel: Path, env: dict[str, str]) -> None:
        env["CURSOR_SDK_USE_REMOTE_BRIDGE"] = "1"
        assert (
            locate(env={**env, "PATH": str(script(tmp_path / "p" / "cursor-sdk-bridge").parent)}).source
            == "PATH"
        )

    def test_without_any_the_error_says_what_to_do(self, env: dict[str, str], wheel: Path) -> None:
        env["CURSOR_SDK_USE_REMOTE_BRIDGE"] = "1"
        with pytest.raises(BridgeNotFoundError, match="pip install") as caught:
            locate(env=env)
        assert caught.value.path is None

    @pytest.mark.parametrize("explicit", ["argument", "variable"])
    def test_an_explicit_choice_never_falls_through(
        self, tmp_path: Path, wheel: Path, env: dict[str, str], explicit: str
    ) -> None:
        missing = str(tmp_path / "missing")
        if explicit == "variable":
            env["CURSOR_SDK_BRIDGE_BIN"] = missing
        with pytest.raises(BridgeNotFoundError) as caught:
            locate(missing if explicit == "argument" else None, env=env)
        assert caught.value.path == missing

    def test_console_scripts_that_only_start_the_wheels_copy_are_passed_over(
        self, tmp_path: Path, wheel: Path, env: dict[str, str]
    ) -> None:
        env["CURSOR_SDK_USE_REMOTE_BRIDGE"] = "1"
        first, second = tmp_path / "first", tmp_path / "second"
        entry = "#!/usr/bin/python3\nimport sys\nfrom cursor_sdk._somewhere import main\nsys.exit(main())\n"
        assert is_wheel_script(script(first / "cursor-sdk-bridge", entry))
        real = script(second / "cursor-sdk-bridge")
        assert not is_wheel_script(real)
        assert locate(env={**env, "PATH": f"{first}{os.pathsep}{second}"}).argv == (str(real),)

    def test_a_list_keeps_its_arguments_and_its_links(self, tmp_path: Path, env: dict[str, str]) -> None:
        link = tmp_path / "python"
        link.symlink_to(os.path.realpath(sys.executable))
        assert locate([link, "-m", "bridge"], env=env).argv == (str(link), "-m", "bridge")
        with pytest.raises(ConfigurationError):
            locate([], env=env)

    def test_a_bare_word_is_looked_up_on_the_path(self, tmp_path: Path, env: dict[str, str]) -> None:
        tool = script(tmp_path / "path" / "my-bridge")
        assert locate("my-bridge", env=env).argv == (str(tool),)
        assert locate(["my-bridge", "--x"], env=env).argv == (str(tool), "--x")

    def test_links_to_a_launcher_are_resolved(self, tmp_path: Path, wheel: Path, env: dict[str, str]) -> None:
        link = tmp_path / "cursor-sdk-bridge"
        link.symlink_to(wheel)
        assert locate(link, env=env).argv == (str(wheel),)
        assert locate([link, "--x"], env=env).argv == (str(wheel), "--x")


@pytest.mark.promise("BRG-03")
class TestRefusals:
    @pytest.mark.parametrize(
        ("content", "mode", "said"),
        [
            ("#!/bin/sh\n", 0o644, "chmod"),
            ("#!/nowhere/interpreter\n", 0o755, "/nowhere/interpreter"),
            ("#!/usr/bin/env no-such-thing\n", 0o755, "no-such-thing"),
            ("#!\n", 0o755, "interpreter"),
            ("hello\n", 0o755, "neither a program"),
            ("MZ\x00\x00", 0o755, "Windows"),
        ],
    )
    def test_a_file_that_cannot_run_is_named_with_the_remedy(
        self, tmp_path: Path, content: str, mode: int, said: str
    ) -> None:
        path = script(tmp_path / "bridge", content, mode)
        with pytest.raises(BridgeNotFoundError, match=said) as caught:
            locate(path)
        assert caught.value.path == str(path)
        assert str(path) in str(caught.value)
        assert stat.S_IMODE(path.stat().st_mode) == mode

    def test_a_directory_is_refused(self, tmp_path: Path) -> None:
        with pytest.raises(BridgeNotFoundError, match="not a file"):
            locate(tmp_path)

    @pytest.mark.parametrize(
        ("head", "platform", "machine", "refused"),
        [
            (b"\x7fELF\x02\x01" + bytes(12) + (183).to_bytes(2, "little"), "linux", "x86_64", True),
            (b"\x7fELF\x02\x01" + bytes(12) + (62).to_bytes(2, "little"), "linux", "x86_64", False),
            (b"\x7fELF\x02\x01" + bytes(12) + (183).to_bytes(2, "little"), "linux", "aarch64", False),
            (b"\x7fELF\x02\x01" + bytes(12) + (62).to_bytes(2, "little"), "linux", "sparc64", False),
            (b"\x7fELF\x02\x01" + bytes(12) + (62).to_bytes(2, "little"), "darwin", "x86_64", True),
            (b"\xcf\xfa\xed\xfe" + bytes(20), "linux", "x86_64", True),
            (b"\xcf\xfa\xed\xfe" + bytes(20), "darwin", "arm64", False),
        ],
    )
    def test_a_program_for_another_machine_is_refused(
        self, tmp_path: Path, head: bytes, platform: str, machine: str, refused: bool
    ) -> None:
        path = tmp_path / "program"
        path.write_bytes(head)
        path.chmod(0o755)
        if refused:
            with pytest.raises(BridgeNotFoundError, match="Install the bridge for"):
                check_program(path, platform=platform, machine=machine)
        else:
            check_program(path, platform=platform, machine=machine)

    def test_a_runtime_without_its_exec_bit_is_refused(self, wheel: Path, env: dict[str, str]) -> None:
        script(wheel.parent / "node", mode=0o644)
        with pytest.raises(BridgeNotFoundError, match="runtime") as caught:
            locate(env=env)
        assert caught.value.path == str(wheel.parent / "node")

    def test_a_bridge_of_another_protocol_is_refused(self, wheel: Path, env: dict[str, str]) -> None:
        (wheel.parent.parent / "manifest.json").write_text(json.dumps({"protocol": "sdk.v2"}))
        with pytest.raises(BridgeNotFoundError, match=r"'sdk\.v2'"):
            locate(env=env)

    def test_a_broken_manifest_does_not_matter(self, wheel: Path, env: dict[str, str]) -> None:
        for content in ("not json", "[]", "{}"):
            (wheel.parent.parent / "manifest.json").write_text(content)
            assert locate(env=env).version is None


@pytest.mark.promise("BRG-20")
class TestWindows:
    def test_a_command_file_becomes_the_program_it_starts(self, tmp_path: Path) -> None:
        shim = script(tmp_path / "bridge" / "bin" / "cursor-sdk-bridge.cmd", "@echo off")
        runtime = script(tmp_path / "bridge" / "bin" / "node.exe", "MZ")
        code = script(tmp_path / "bridge" / "dist" / "bin" / "cursor-sdk-bridge.js", "//")
        assert locate(shim, platform="win32").argv == (str(runtime), str(code))

    def test_a_command_file_without_it_is_refused(self, tmp_path: Path) -> None:
        shim = script(tmp_path / "bin" / "cursor-sdk-bridge.cmd", "@echo off")
        with pytest.raises(BridgeNotFoundError, match="command=") as caught:
            locate(shim, platform="win32")
        assert caught.value.path == str(shim)

    def test_the_path_is_searched_for_programs(self, tmp_path: Path, env: dict[str, str], wheel: Any) -> None:
        env["CURSOR_SDK_USE_REMOTE_BRIDGE"] = "1"
        program = script(tmp_path / "path" / "cursor-sdk-bridge.exe", "MZ")
        assert locate(env=env, platform="win32").argv == (str(program),)
