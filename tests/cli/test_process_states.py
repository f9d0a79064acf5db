"""The state of the arena's own process changes no game, and no bot is charged with it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from helpers.parameters import slow_but

BOT = """
import sys
sys.setprofile(None)
def choose_move(turn, moves):
    return 0
def roll_again(turn):
    return turn.rolls < 3
"""
STATES = {
    "no standard files": "os.closerange(0, 3)",
    "no standard input": "os.close(0)",
    "no standard output": "os.close(1)",
    "no standard error": "os.close(2)",
    "an empty environment": "os.environ.clear(); os.environ.update(kept)",
    "a umask that denies everything": "os.umask(0o777)",
    "blocked signals": "signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())",
    "ignored signals": "[signal.signal(number, signal.SIG_IGN) for number in catchable]",
    "another niceness": "os.nice(5)",
    "one processor": "os.sched_setaffinity(0, [min(os.sched_getaffinity(0))])",
    "few open files": "resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))",
    "a small stack": "resource.setrlimit(resource.RLIMIT_STACK, (1 << 20, 1 << 20))",
    "small files": "resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 24, 1 << 24))",
    "an open file": "os.dup2(os.open('/dev/null', os.O_RDONLY), 17)",
    "a child": "os.fork() or os._exit(0)",
    "a wrong PWD": "os.environ['PWD'] = '/nowhere'",
    "warnings as errors": "os.environ['PYTHONWARNINGS'] = 'error'",
    "threads of libraries": "os.environ['OPENBLAS_NUM_THREADS'] = '2'",
}
START = """
import os, resource, signal, sys
kept = {name: os.environ[name] for name in ("CANTSTOP_ARENA_CACHE", "CANTSTOP_ARENA_PAGE")}
catchable = signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}
STATE
os.execv(sys.executable, [sys.executable, "-m", "cantstop_arena", *sys.argv[1:]])
"""


# Profilers and debuggers observe this process alone.
HOOKS = {
    "one that knows its process": (
        "parent = os.getpid()\n"
        "def observe(*_): assert os.getpid() == parent\n"
        "sys.setprofile(observe); sys.settrace(observe)"
    ),
    "cProfile": "import cProfile; profile = cProfile.Profile(); profile.enable()",
    "a debugger": "def trace(*_): return trace\nsys.settrace(trace); threading.settrace(trace)",
}
OBSERVED = """
import os, sys, threading
HOOK
from cantstop_arena.__main__ import main
main()
"""


def run(folder: Path, state: str, script: str = START) -> dict[str, bytes]:
    """The results of a run that is started in this state, and what it prints to say it."""
    (folder / "bots").mkdir(parents=True)
    for name in ("one", "two"):
        (folder / "bots" / f"{name}.py").write_text(BOT)
    script = script.replace("STATE", state).replace("HOOK", state)
    command = [sys.executable, "-c", script, "match", "one", "two"]
    done = subprocess.run(
        [*command, "--games", "40", "--seed", "1", "--quiet", "--workers", "1"],
        cwd=folder,
        capture_output=True,
        env={**os.environ, "PYTHONSAFEPATH": "1"},
    )
    assert done.returncode == 0, done.stderr.decode()
    results = folder / "results" / "one-vs-two"
    written = [results / name for name in ("standings.csv", "tournament.yaml", "summary.json")]
    return {path.name: path.read_bytes() for path in written}


@pytest.fixture(scope="module")
def usual(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The results of a run that is started as usual."""
    return run(tmp_path_factory.mktemp("usual"), "")


@pytest.mark.skipif(sys.platform != "linux", reason="the states are those of Linux")
@pytest.mark.parametrize("state", slow_but([0], STATES))
def test_the_state_of_the_arena_itself_changes_nothing(
    usual: dict[str, bytes], tmp_path: Path, state: str
) -> None:
    assert run(tmp_path, STATES[state]) == usual


@pytest.mark.parametrize("hook", slow_but([0], HOOKS))
def test_profilers_and_debuggers_work(usual: dict[str, bytes], tmp_path: Path, hook: str) -> None:
    assert run(tmp_path, HOOKS[hook], OBSERVED) == usual
