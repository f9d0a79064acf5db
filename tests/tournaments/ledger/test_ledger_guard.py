"""The ledger of a finished run outlives bots that would ruin it while their games are recorded."""

import errno
import fcntl
import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from helpers.arena import Arena

from cantstop_arena.errors import LedgerError
from cantstop_arena.tournaments.ledger.ledger import LEDGER
from cantstop_arena.tournaments.ledger.open_ledger import (
    locked_folder,
    open_ledger,
    protected_ledger,
)
from cantstop_arena.tournaments.ledger.read_ledger import load_results


def filled(folder: Path) -> bytes:
    with closing(sqlite3.connect(folder / LEDGER)) as connection, connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("CREATE TABLE deals (deal)")
    return (folder / LEDGER).read_bytes()


def write_beside(path: Path) -> None:
    """Leave an entry that SQLite would take over when it opens the file."""
    connection = sqlite3.connect(path)
    connection.execute("INSERT INTO deals VALUES (1)")
    connection.commit()
    latest = Path(f"{path}-wal").read_bytes()
    connection.close()
    Path(f"{path}-wal").write_bytes(latest)


def replace_by_folder(path: Path) -> None:
    path.unlink()
    path.symlink_to("/dev/null")


def replace_by_pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


@pytest.mark.parametrize(
    "ruin",
    [
        lambda path: path.write_bytes(b"junk"),
        lambda path: os.truncate(path, 5000),
        Path.unlink,
        lambda path: path.write_bytes(path.read_bytes()[:-1] + b"x"),
        replace_by_folder,
        replace_by_pipe,
        write_beside,
    ],
    ids=["overwritten", "cut off", "gone", "a byte", "a link", "a pipe", "added to"],
)
def test_what_is_done_to_a_guarded_ledger_is_undone(
    tmp_path: Path, ruin: Callable[[Path], object]
) -> None:
    before = filled(tmp_path)
    with protected_ledger(tmp_path):
        ruin(tmp_path / LEDGER)
    assert (tmp_path / LEDGER).read_bytes() == before
    assert not (tmp_path / LEDGER).is_symlink()
    assert {path.name for path in tmp_path.iterdir()} <= {LEDGER, ".lock"}


def test_it_is_said_where_it_cannot_be_undone(tmp_path: Path) -> None:
    filled(tmp_path)
    told = pytest.raises(LedgerError, match="a bot has changed it")
    with told, protected_ledger(tmp_path):
        (tmp_path / LEDGER).unlink()
        (tmp_path / LEDGER).mkdir()
        (tmp_path / LEDGER / "x").touch()


def test_a_lock_waits_for_no_pipe(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / ".lock")
    with locked_folder(tmp_path):
        pass


def test_a_lock_that_is_a_link_is_refused_and_what_it_leads_to_is_as_it_was(tmp_path: Path) -> None:
    (tmp_path / "dear").write_text("dear")
    (tmp_path / ".lock").symlink_to("dear")
    with pytest.raises(LedgerError, match="cannot be written"), locked_folder(tmp_path):
        pass
    assert (tmp_path / "dear").read_text() == "dear"


NO_LOCKS = "ENOLCK", "ENOSYS", "EOPNOTSUPP", "EINVAL", "EIO", "EPERM"


@pytest.mark.parametrize(
    ("code", "message"),
    [
        *((code, "another run is writing") for code in ("EACCES", "EAGAIN")),
        *((code, "cannot be locked .* --results") for code in NO_LOCKS),
    ],
)
def test_only_a_lock_that_is_held_is_said_to_be_another_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: str, message: str
) -> None:
    number = getattr(errno, code)

    def fails(*_: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(fcntl, "lockf", fails)
    with pytest.raises(LedgerError, match=message), locked_folder(tmp_path):
        pass


@pytest.mark.parametrize("content", ["new", "written elsewhere", "cut off elsewhere"])
def test_without_memory_that_processes_share_a_ledger_has_a_journal(
    tmp_path: Path, content: str
) -> None:
    path = tmp_path / LEDGER
    if content != "new":
        with open_ledger(path):
            log = Path(f"{path}-wal").read_bytes()
        if content == "cut off elsewhere":
            Path(f"{path}-wal").write_bytes(log)
    Path(f"{path}-shm").symlink_to("/proc/nowhere")
    with open_ledger(path) as ledger:
        assert [*ledger.select("PRAGMA journal_mode")] == [("delete",)]
        ledger.connection.execute("CREATE TABLE more (x)")
        with closing(sqlite3.connect(path)) as reader:
            assert [*reader.execute("SELECT COUNT(*) FROM about")]


RUINS = """
import glob, os, sys
def choose_move(turn, moves):
    for place in glob.glob('results/*/ledger.sqlite') if os.path.exists('ARMED') else ():
        os.truncate(place, 10)
    return 0
def roll_again(turn):
    return False
"""


@pytest.mark.slow
def test_a_bot_that_ruins_the_ledger_while_its_games_are_recorded_changes_nothing(
    arena: Arena, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mine.py").write_text(RUINS)
    Path("cup.yaml").write_text("seed: 3\ngames: 4\nbots: [rule28, mine]\n")
    monkeypatch.setattr("cantstop_arena.reports.tournament_files.write_reports", armed)
    words = ["run", "cup.yaml", "--bots", ".", "--workers", "1", "--no-page"]
    arena(*words)
    assert load_results([Path("results/cup")], {}).bots == ("rule28", "mine")


def armed(*words: object) -> list[Path]:
    """What happens when all is played, and before games are recorded."""
    Path("ARMED").touch()
    return []
