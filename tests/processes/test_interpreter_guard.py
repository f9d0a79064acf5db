"""What a bot's file does to the interpreter when it is imported, in a process that it shares."""

import cProfile
import os
import sys
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest
from helpers.arena import Arena
from helpers.hostile import HEAD, rolling
from helpers.hostile_deeds import CHANGES
from helpers.parameters import slow_but

from cantstop_arena.processes.interpreter_guard import InterpreterGuard

# The timers ring after the test: a busy machine would let them ring in the import itself.
AT_IMPORT = {
    **CHANGES,
    "alarm": "signal.signal(signal.SIGALRM, lambda *_: 1 / 0); signal.setitimer(0, 60, 60)",
    "timer": "signal.signal(signal.SIGVTALRM, lambda *_: 1 / 0); signal.setitimer(1, 60, 60)",
    "callbacks": "gc.callbacks.append(lambda *_: 1 / 0)",
}
INNOCENT = f"""{HEAD}
import locale
def state():
    return (
        sorted(item for item in os.environ.items() if 'PYTEST' not in item[0]),
        sys.getrecursionlimit(), sys.getswitchinterval(), os.getcwd(),
        sys.get_int_max_str_digits(), sys.gettrace(), sys.getprofile(), threading.gettrace(),
        threading.getprofile(), sys.excepthook, sys.unraisablehook, threading.excepthook,
        sys.displayhook, [signal.getsignal(n) for n in signal.valid_signals() if n != 14],
        signal.getitimer(0), signal.getitimer(1), signal.pthread_sigmask(0, ()), gc.isenabled(),
        gc.get_threshold(), len(gc.callbacks), list(warnings.filters), os.umask(0o22),
        locale.setlocale(locale.LC_ALL), np.geterr(), sys.stdout is None,
    )
def fibonacci(n):
    return n if n < 2 else fibonacci(n - 1) + n
def choose_move(turn, moves):
    fibonacci(150)
    warnings.warn("nothing")
    np.float64(1) / np.float64(0)
    with open(os.path.join("bots", "innocent.py")), open("written", "w"):
        return 0
def roll_again(turn):
    now = re.sub(" at 0x[0-9a-f]+", "", repr(state()))
    is_trial = os.readlink("/proc/self/fd/1") == os.devnull  # whose process has other handlers
    file = "trial.txt" if is_trial else "state.txt"
    if not os.path.exists(file):
        open(file, "w").write(now)
    assert open(file).read() == now, now
    return turn.rolls < 3
"""


def played(arena: Arena, acts: Mapping[str, str]) -> set[tuple[int, tuple[float, ...]]]:
    """How much an innocent bot won in each seat, beside bots whose files do this at import."""
    bots = {name: rolling("turn.rolls < 3", act) for name, act in acts.items()}
    done = arena(
        "run cup.yaml --quiet --fresh --no-page",
        bots={"innocent": INNOCENT, **bots},
        yaml=f"seed: 1\ngames: 4\ngauntlet: innocent\nbots: [innocent, {', '.join(bots)}]\n",
    )
    assert "faults" not in done.json and "not_reproducible" not in done.json, done.output
    pairs = [one for one in done.json["lineups"] if "innocent" in one["seats"]]
    return {(one["seats"].index("innocent"), tuple(one["wins"])) for one in pairs}


@pytest.mark.parametrize("names", slow_but((0,), [["environment", "alarm"], [*AT_IMPORT]]), ids=len)
def test_what_files_change_at_import_changes_nothing_for_others(
    arena: Arena, names: list[str]
) -> None:
    """An innocent bot notes the state of the first game, and compares; the others play alike."""
    calm = played(arena, dict.fromkeys(names, ""))
    assert played(arena, {name: AT_IMPORT[name] for name in names}) == calm


def test_a_guard_restores_what_was_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("KEPT", "ä")
    limit, mask = sys.getrecursionlimit(), os.umask(0o022)
    with InterpreterGuard():
        os.environ["KEPT"], os.environ["ALIEN"] = "other", "1"
        sys.setrecursionlimit(limit + 1)
        os.umask(0)
        os.chdir("/")
        np.seterr(all="raise")
    assert (os.environ["KEPT"], os.getenv("ALIEN"), os.getenvb(b"ALIEN")) == ("ä", None, None)
    assert (sys.getrecursionlimit(), Path.cwd()) == (limit, tmp_path)
    assert np.geterr()["divide"] == "warn" and os.umask(mask) == 0o022


def test_a_profiler_that_was_running_goes_on() -> None:
    profile, guard = cProfile.Profile(), InterpreterGuard()
    profile.enable()
    try:
        guard.note()
        sys.setprofile(None)
        guard.restore()
        running: object = sys.getprofile()
        assert running is profile
        len([])  # which it observes: a function that is none would raise here
    finally:
        profile.disable()
