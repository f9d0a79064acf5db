"""The command itself, before its command line has been imported."""

import signal
import subprocess
import sys

import pytest

_INTERRUPTED_WHILE_IMPORTING = """
import os, signal, sys
from cantstop_arena.__main__ import main

class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == "cantstop_arena.cli":
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Finder())
sys.argv[1:] = ["--version"]
main()
"""


@pytest.mark.parametrize(
    ("program", "code", "end"),
    [
        ("import runpy; runpy.run_module('cantstop_arena', run_name='__main__')", 2, ""),
        ("from cantstop_arena import run", 1, "ImportError: "),
    ],
)
def test_on_windows_a_sentence_says_where_it_runs(program: str, code: int, end: str) -> None:
    command = [sys.executable, "-c", f"import sys; sys.platform = 'win32'; {program}"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == code
    assert done.stderr.splitlines()[-1].startswith(f"{end}arena runs on Linux and macOS;")
    assert ("Traceback" in done.stderr) == bool(end)


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_ctrl_c_while_modules_are_imported_ends_it_without_a_traceback() -> None:
    command = [sys.executable, "-c", _INTERRUPTED_WHILE_IMPORTING]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (-signal.SIGINT, "", "")
