"""The walls of the sandbox, tried from inside, as the user who tests and as another account."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from helpers.finished import alone_with
from helpers.paths import ROOT
from helpers.wall_probes import PROBES

_ACCOUNT = "12345"
_PYTHONS = (sys.executable, "/usr/bin/python3")  # the first one may lie in a home folder
_TRIAL = "import numpy; from cantstop_arena.processes.sandbox import Sandbox; Sandbox.here()"
Results = dict[str, str]


@pytest.fixture(scope="module", params=["own account", "another account"])
def achieved(request: pytest.FixtureRequest, sandbox_path: str, shared: Path) -> Results:
    """What each probe has achieved, tried once for all workers of a test run."""
    prefix: list[str] = []
    python = sys.executable
    if request.param == "another account":
        prefix, python = _as_another_account(sandbox_path)
    kept = shared / "walls" / request.param
    with alone_with(kept.with_suffix(".lock")):
        if not kept.exists():
            kept.write_text(_achieved(prefix, python, sandbox_path))
    results: Results = json.loads(kept.read_text())
    return results


def _achieved(prefix: list[str], python: str, path: str) -> str:
    with TemporaryDirectory(prefix="walls") as folder:
        if prefix:
            os.chown(folder, int(_ACCOUNT), int(_ACCOUNT))
        done = subprocess.run(
            [*prefix, python, "-P", "-m", "helpers.walls"],
            cwd=folder,
            env={**_environment(path), "CANTSTOP_ARENA_CACHE": f"{folder}/cache"},
            capture_output=True,
            text=True,
        )
    assert done.returncode == 0, done.stderr
    return done.stdout


def _as_another_account(path: str) -> tuple[list[str], str]:
    """What starts a program as another account, and a Python that this account can run."""
    if os.getuid() != 0 or not shutil.which("setpriv"):
        pytest.skip("only root can become another account, by setpriv")
    prefix = ["setpriv", "--reuid", _ACCOUNT, "--regid", _ACCOUNT, "--clear-groups"]
    for python in _PYTHONS:
        command = [*prefix, python, "-P", "-c", _TRIAL]
        try:
            if subprocess.run(command, env=_environment(path), capture_output=True).returncode == 0:
                return prefix, python
        except OSError:
            continue
    pytest.skip("another account has no Python with the arena's packages here")


def _environment(path: str) -> dict[str, str]:
    packages = [str(folder) for folder in map(Path, sys.path) if folder.name == "site-packages"]
    folders: Sequence[str] = (str(ROOT), str(ROOT / "tests"), *packages)
    return {"PATH": path, "PYTHONPATH": os.pathsep.join(folders), "PYTHONDONTWRITEBYTECODE": "1"}


@pytest.mark.parametrize("name", [*PROBES, "keeps_many_files"])
def test_the_wall_holds(achieved: Results, name: str) -> None:
    assert achieved[name] == ""


def test_what_a_bot_needs_is_there(achieved: Results) -> None:
    assert len(achieved) == len(PROBES) + 1
