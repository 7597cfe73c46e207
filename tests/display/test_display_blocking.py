"""The blocking shim, and a real IPython."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

from cursor_sdk_async import ConfigurationError
from cursor_sdk_async.testing import Script, ScriptedBridge, ScriptedControl, Text, ToolCall, Turn
from cursor_sdk_sync import CursorClient, Run
from tests.client.conftest import KEY
from tests.display.samples import Page

TURN = Turn((Text("I look."), ToolCall("shell", {"command": "ls"}, "a.py"), Text("It is **done**.")))


@pytest.fixture
def run(shared_bridge: ScriptedBridge, control: ScriptedControl) -> Iterator[Run]:
    control.set_script(Script([TURN]))
    with CursorClient.connect(shared_bridge.url, shared_bridge.token, api_key=KEY) as client:
        yield client.agents.create(model="scripted", local={}).send("go")


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """A real IPython shell that records what is displayed."""
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    kind: Any = InteractiveShell
    kind.clear_instance()
    shell = kind.instance(config=Config({"HistoryManager": {"enabled": False}}))
    published: list[Any] = []

    def publish(data: dict[str, str], metadata: object = None, **more: Any) -> None:
        published.append((data, more))

    shell.display_pub.publish = publish
    shell.published = published
    yield shell
    kind.clear_instance()


@pytest.mark.promise("DSP-07")
def test_the_blocking_run_has_the_same_display(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    result = run.display(how="plain")
    assert (result.status, result) == ("finished", run.wait())
    assert capsys.readouterr().out.splitlines()[:3] == ["I look.", "[shell] ls", "It is **done**."]


@pytest.mark.promise("DSP-06")
def test_blocking_runs_and_their_pages_draw_themselves(run: Run) -> None:
    run.wait()
    assert "It is done." in Page(run._repr_html_()).text
    page: Any = run.client.agents.list_runs(run.agent_id)
    assert run.id in Page(page._repr_html_()).text


@pytest.mark.promise("DSP-07")
def test_ipython_is_given_three_outputs_that_are_replaced(run: Run, shell: Any) -> None:
    assert run.display(how="notebook").ok
    last: dict[str, str] = {}
    for data, more in shell.published:
        name = more["transient"]["display_id"]
        assert (name in last) == more.get("update", False)
        last[name] = data["text/html"]
    header, past, now = (Page(html).text for html in last.values())
    assert "finished" in header
    assert "I look." in past
    assert "a.py" in past
    assert now.strip() == "It is done."


@pytest.mark.promise("DSP-06")
def test_ipython_draws_lists_with_the_formatters_that_it_has(run: Run, shell: Any) -> None:
    models = run.client.models.list()
    data, _ = shell.display_formatter.format(models)
    assert "composer-2.5" in Page(data["text/html"]).text
    assert data["text/plain"].startswith("[SDKModel(id='composer-2.5'")


@pytest.mark.promise("DSP-07")
def test_an_ipython_without_a_kernel_is_a_terminal(
    run: Run, shell: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    run.display()
    assert not shell.published
    assert "It is **done**." in capsys.readouterr().out
    with pytest.raises(ConfigurationError, match="not one of"):
        run.display(how="browser")  # type: ignore[arg-type] # pyright: ignore[reportArgumentType]
