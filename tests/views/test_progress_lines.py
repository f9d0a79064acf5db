"""Progress in scripts and in notebooks."""

import sys
from types import ModuleType

import pytest

from cantstop_arena.tournaments.run_observer import RunObserver
from cantstop_arena.views.progress_lines import observer_for


@pytest.mark.parametrize("is_notebook", [False, True])
def test_a_notebook_shows_a_bar(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], is_notebook: bool
) -> None:
    pytest.importorskip("IPython", reason="needs pip install -e '.[dev]'")
    monkeypatch.delitem(sys.modules, "ipykernel", raising=False)
    if is_notebook:
        monkeypatch.setitem(sys.modules, "ipykernel", ModuleType("ipykernel"))
    observer = observer_for(True, "cup")
    observer.on_start(10, 40)
    observer.on_progress(20)
    observer.close()
    printed = capsys.readouterr()  # without a kernel IPython prints what it shows
    assert "cup: 30 of 40 games" in printed.err
    assert ("30/40" in printed.out) == is_notebook
    assert type(observer_for(False, "cup")) is RunObserver
