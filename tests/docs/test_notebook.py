"""The notebook runs and has the code of its page; what the page about Python names exists."""

import json
import os
import re
import sys
from pathlib import Path

import pytest
from helpers.documents import EXTENSIONS, blocks
from helpers.paths import ROOT
from helpers.time_limit import TIME_LIMIT

import cantstop_arena as ca
from cantstop_arena.extension_registry import built_in

PAGE, NOTEBOOK = ROOT / "docs" / "reference" / "python.md", ROOT / "docs" / "notebook.ipynb"
TUTORIAL = ROOT / "docs" / "tutorial-python.md"


def test_the_notebook_has_the_code_of_its_page() -> None:
    cells = json.loads(NOTEBOOK.read_text("utf-8"))["cells"]
    code = ["".join(cell["source"]) + "\n" for cell in cells if cell["cell_type"] == "code"]
    assert code == blocks(TUTORIAL, "python")


def names_in(page: Path) -> set[str]:
    """What a page calls of the package; ca.pem is a certificate."""
    return {*re.findall(r"\bca\.(\w+)", page.read_text("utf-8"))} - {"pem"}


def test_what_the_pages_of_extensions_call_exists() -> None:
    called = {name for page in built_in() for name in names_in(EXTENSIONS / f"{page}.md")}
    assert called <= set(ca.__all__)


def test_what_the_page_calls_exists() -> None:
    called = names_in(PAGE)
    of_extensions = {name for page in EXTENSIONS.glob("*.md") for name in names_in(page)}
    assert called and called <= {*ca.__all__, *of_extensions}
    results = set(re.findall(r"\br\.(\w+)", PAGE.read_text("utf-8")))
    assert all(hasattr(ca.Results, name) for name in results - {"folder"})


@pytest.mark.slow
def test_the_notebook_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a kernel, which has threads, a running event loop, and a `__main__` without a file."""
    import nbformat
    from nbclient import NotebookClient

    monkeypatch.setenv("JUPYTER_PLATFORM_DIRS", "1")
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    notebook = nbformat.read(NOTEBOOK, as_version=4)  # type: ignore[no-untyped-call]
    assert not any(cell.get("outputs") for cell in notebook.cells), "kept without its output"
    NotebookClient(
        notebook,
        timeout=TIME_LIMIT,
        kernel_name="python3",
        resources={"metadata": {"path": str(tmp_path)}},
    ).execute()
    shown = [str(output) for cell in notebook.cells for output in cell.get("outputs", ())]
    assert any("<table>" in one for one in shown)
    assert not any("stderr" in one for one in shown)
