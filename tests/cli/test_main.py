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


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_ctrl_c_while_modules_are_imported_ends_it_without_a_traceback() -> None:
    command = [sys.executable, "-c", _INTERRUPTED_WHILE_IMPORTING]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (-signal.SIGINT, "", "")
