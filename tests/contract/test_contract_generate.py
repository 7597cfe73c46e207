"""The generated files are what ``protos/`` gives; the check names each file that is not."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

pytestmark = pytest.mark.promise("CON-07")

SCRIPT = Path(__file__).parents[2] / "protos" / "generate.py"


def load() -> ModuleType:
    spec = importlib.util.spec_from_file_location("protos_generate", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_generated_files_are_up_to_date() -> None:
    done = subprocess.run([sys.executable, str(SCRIPT), "--check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert not done.stdout


def test_the_check_names_every_file_that_differs() -> None:
    differences = load().differences
    wanted = {"a.py": b"1", "b.py": b"2", "c.py": b"3"}
    found = {"a.py": b"1", "b.py": b"x", "old.py": b"4"}
    assert list(differences(wanted, found)) == ["differs: b.py", "missing: c.py", "not generated: old.py"]


def test_importing_the_package_of_generated_code_imports_no_message_class() -> None:
    code = (
        "import sys, cursor_sdk_async._connect._methods, cursor_sdk_async._gen.descriptor\n"
        "heavy = {'betterproto2', 'google.protobuf', 'cursor_sdk_async._gen.sdk.v1'} & set(sys.modules)\n"
        "sys.exit(str(heavy) if heavy else 0)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=SCRIPT.parents[1])
    assert done.returncode == 0, done.stderr
