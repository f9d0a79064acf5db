"""`arena run --watch`: the run starts again when what it has read changes, and only then."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers.arena import Arena
from helpers.terminals import Terminal, on_a_terminal
from helpers.time_limit import TIME_LIMIT

from cantstop_arena.cli.watching import FileReport, FilesRead
from cantstop_arena.processes.shutdown import MESSAGE_FROM_PARENT
from cantstop_arena.processes.system import is_ending

BOT = """
def choose_move(turn, moves):
    return 0

def roll_again(turn):
    return turn.rolls < 3
"""
BESIDE = "import os, sys\nsys.path.insert(0, os.path.dirname(__file__))\nimport _beside\n"
FILES = ("mine.yaml", "bots", "results")
CUP = "games: 20\nseed: 1\nbots: all\n"
WAITS, FAILED = "Waiting for changes (Ctrl-C ends).", "ended with exit code 2; waiting for changes"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("bots").mkdir()
    for name in "ab":
        Path(f"bots/{name}.py").write_text(BOT)
    Path("mine.yaml").write_text(CUP)


@pytest.fixture
def terminal() -> Iterator[Terminal]:
    words = ("run", "mine.yaml", "--watch", "--no-page", "--workers", "1")
    with on_a_terminal(*words, TERM="dumb") as terminal:
        yield terminal


# Runs ---------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_each_change_is_a_run(terminal: Terminal) -> None:
    terminal.awaits("mine: playing 1 pairing (20 games).")
    terminal.awaits(WAITS)
    Path("mine.yaml").write_text(f"name: other\n{CUP}")
    terminal.awaits("mine.yaml has changed.")
    terminal.awaits("other: playing 1 pairing (20 games).")
    terminal.awaits("Standings")
    terminal.awaits(WAITS)
    assert "Crosstable" not in terminal.seen
    Path("bots/b.py").write_text(BOT.replace("3", "4"))
    terminal.awaits("          b: ")
    terminal.awaits(" against b@")
    terminal.awaits(" on the same deals.")
    terminal.awaits(WAITS)
    Path("bots/b.py").rename("bots/c.py")
    terminal.awaits("bots/b.py is gone and bots/c.py is new.")
    terminal.type("\x03")
    assert terminal.ends() == 128 + signal.SIGINT
    assert "go on with:\n  arena run mine.yaml --watch" in terminal.seen
    assert terminal.seen.count("Stopped.") == 1


@pytest.mark.slow
def test_errors_are_printed_and_the_watch_goes_on(terminal: Terminal) -> None:
    terminal.awaits(WAITS)
    Path("mine.yaml").write_text("bots: [a, new]\n")
    terminal.awaits("mine.yaml:1:11: unknown bot 'new'")
    terminal.awaits(FAILED)
    Path("bots/new.py").write_text(BESIDE)
    terminal.awaits("bots/new.py is new.")
    terminal.awaits("No module named '_beside'")
    terminal.awaits(FAILED)
    Path("bots/_beside.py").write_text("")
    terminal.awaits("bots/_beside.py is new.")
    terminal.awaits("lacks choose_move and roll_again")
    terminal.awaits(FAILED)
    Path("bots/new.py").write_text(BESIDE + BOT)
    Path("mine.yaml").write_text("name: good\ngames: 4\nbots: [a, new]\n")
    terminal.awaits("good: playing 1 pairing (4 games).")
    terminal.awaits(WAITS)
    Path("bots/_beside.py").write_text("# part of new")
    terminal.awaits("bots/_beside.py has changed.")


@pytest.mark.slow
def test_a_change_ends_the_games_in_play(terminal: Terminal) -> None:
    terminal.awaits(WAITS)
    Path("mine.yaml").write_text("name: long\ngames: 100_000_000\nbots: all\n")
    terminal.awaits("playing 1 pairing (100,000,000 games).")
    Path("mine.yaml").write_text("name: brief\ngames: 4\nbots: all\n")
    terminal.awaits("brief: playing 1 pairing (4 games).")
    terminal.awaits(WAITS)
    assert "Stopped" not in terminal.seen


@pytest.mark.slow
def test_a_bot_that_writes_into_its_folder_is_played_once() -> None:
    writer = (
        "from pathlib import Path\n"
        "own = Path(__file__)\n"
        "own.write_text(own.read_text())\n"
        "own.with_name('log.txt').write_text(str(own.stat().st_mtime_ns))\n"
    )
    Path("bots/a.py").write_text(f"{writer}{BOT}")
    words = ("run", "mine.yaml", "--watch", "--no-page", "--workers", "1")
    with on_a_terminal(*words, TERM="dumb") as terminal:
        terminal.awaits(WAITS)
        Path("bots/b.py").touch()
        with pytest.raises(AssertionError):
            _awaits_briefly(terminal, "has changed")
        assert terminal.seen.count("Standings") == 1


def _awaits_briefly(terminal: Terminal, text: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("helpers.terminals.TIME_LIMIT", 4.0)
        terminal.awaits(text)


def test_the_child_ends_with_its_parent(terminal: Terminal) -> None:
    Path("mine.yaml").write_text("games: 100_000_000\nbots: all\n")
    terminal.awaits("playing 1 pairing (100,000,000 games).")
    parent = terminal.process.pid
    (child,) = Path(f"/proc/{parent}/task/{parent}/children").read_text().split()
    terminal.process.kill()
    deadline = time.monotonic() + TIME_LIMIT
    while not is_ending(int(child)):
        assert time.monotonic() < deadline
        time.sleep(0.1)


def test_a_child_leaves_the_last_message_to_its_parent() -> None:
    ends = "from cantstop_arena.processes import shutdown as s; s.set_end_message('Stopped.')"
    variables = {**os.environ, MESSAGE_FROM_PARENT: "1"}
    for environment, message in ((variables, "\n"), (None, "Stopped.\n")):
        words = [sys.executable, "-c", f"{ends}; print(s.end_message())"]
        done = subprocess.run(words, env=environment, capture_output=True, text=True, check=True)
        assert done.stdout == message


# Wrong use ----------------------------------------------------------------------------------------


def test_fresh_runs_are_not_watched(arena: Arena) -> None:
    done = arena("run mine.yaml --fresh --watch", code=2)
    refusal = "--fresh and --watch cannot be used together: run once with --fresh first"
    assert done.error == f"{refusal}\n"


def test_a_file_must_be_there_first(arena: Arena) -> None:
    arena("run nowhere.yaml --watch", code=2)


# What has been read -------------------------------------------------------------------------------


def test_changes_are_named_by_their_kind() -> None:
    folder = Path.cwd()
    bots = [f"{folder}/bots/{name}.py" for name in "abc"]
    read = FilesRead(dict.fromkeys(bots, ""), [f"{folder}/bots/*.py"])
    Path("bots/new.py").write_text(BOT)
    assert read.changes() == [
        f"{bots[0]} is new",
        f"{bots[1]} is new",
        f"{folder}/bots/new.py is new",
    ]
    again = FilesRead().joined_to(read)
    assert again.changes() == [f"{folder}/bots/new.py is new"]
    Path("bots/a.py").unlink()
    Path("bots/b.py").write_text("")
    assert again.changes()[:2] == [f"{bots[0]} is gone", f"{bots[1]} has changed"]


def test_what_is_ignored_may_change() -> None:
    other = str(Path("bots/b.py").absolute())
    read = FilesRead({}, [str(Path("bots/*.py").absolute())], [other])
    assert [change.rpartition("/")[2] for change in read.changes()] == ["a.py is new"]


def test_what_lies_in_an_ignored_folder_is_ignored() -> None:
    read = FilesRead({}, [str(Path("**/*.py").absolute())], [str(Path("bots").absolute())])
    assert read.changes() == []
    Path("c.py").write_text("")
    assert [change.rpartition("/")[2] for change in read.changes()] == ["c.py is new"]


def test_a_folder_changes_with_its_files() -> None:
    folder = str(Path("bots").absolute())
    read = FilesRead({folder: "digest"})
    before = read.stamps()
    Path("bots/b.py").write_text("x")
    assert read.stamps() != before


def test_files_of_a_complete_tournament_are_those_that_it_names() -> None:
    from cantstop_arena.api.tournaments import from_file

    Path("weights.txt").write_text("1")
    Path("named.yaml").write_text("bots: [rule28, {bot: bots/a.py, needs: weights.txt}]\n")
    report = FileReport(Path("named.yaml"), Path("bots"), Path("results"))
    report.add(from_file("named.yaml").tournament)
    names = {Path(path).name for path in report.files_read().files if str(Path.cwd()) in path}
    assert names == {"named.yaml", "a.py", "weights.txt"}


def test_every_file_that_can_be_a_bot_is_new() -> None:
    from cantstop_arena.api.tournaments import from_file

    report = FileReport(Path("mine.yaml"), Path("bots"), Path("results"))
    report.add(from_file("mine.yaml").tournament)
    read = report.files_read()
    Path("bots/folder").mkdir()
    for name in ("c.py", "net.onnx", "folder/__init__.py"):
        Path("bots", name).write_text(BOT)
    changes = [change for change in read.changes() if str(Path.cwd()) in change]
    new = sorted(change.rpartition("bots/")[2] for change in changes)  # other tests have read more
    assert new == ["c.py is new", "folder/__init__.py is new", "net.onnx is new"]
