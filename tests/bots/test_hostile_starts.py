"""Bots that are harmless when they are looked at, and do their worst while a worker starts."""

import re
from pathlib import Path
from typing import Any

import pytest
from helpers.arena import Arena
from msgspec.structs import replace

from cantstop_arena.bots.bot_files import BotSource
from cantstop_arena.bots.catalogue import Catalogue
from cantstop_arena.errors import BotError
from cantstop_arena.processes.channel import ProtocolError
from cantstop_arena.tournaments.file.tournament_file import read
from cantstop_arena.tournaments.pool.bot_logs import BotLogs
from cantstop_arena.tournaments.pool.worker import BotBuilding
from cantstop_arena.tournaments.pool.worker_messages import Building
from cantstop_arena.tournaments.preparation import BotFacts, prepare_bots
from cantstop_arena.tournaments.table_spec import table_spec_for
from cantstop_arena.tournaments.tournament import FaultPolicy

PLAYS = """
def choose_move(turn, moves):
    return 0
def roll_again(turn):
    return False
"""
LATER = """
import os
mark = os.path.splitext(os.path.abspath(__file__))[0] + '.count'
others = set(open(mark).read().split() if os.path.exists(mark) else ()) - {str(os.getpid())}
count = len(others)  # of processes that have imported it before
open(mark, 'a').write(f'{os.getpid()} ')
"""
LOOPS = "while count {}:\n    pass\n"
SWALLOWS = """
while count {}:
    try:
        while True:
            pass
    except BaseException:
        pass
"""
SLEEPS = "import time\nwhile count {}:\n    time.sleep(1)\n"


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """An import has a second, here and in all that is forked from here."""
    monkeypatch.setattr("cantstop_arena.bots.bot_files.MAX_IMPORT_SECONDS", 1.0)
    monkeypatch.setattr("cantstop_arena.tournaments.pool.worker_slot._TO_STOP", 0.2)
    monkeypatch.chdir(tmp_path)


def played(arena: Arena, *bots: str) -> Any:
    Path("cup.yaml").write_text(f"seed: 3\ngames: 4\nbots: [rule28, {', '.join(bots)}]\n")
    words = ["run", "cup.yaml", "--bots", ".", "--workers", "1", "--no-page"]
    result = arena(*words, code=None)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


@pytest.mark.slow
@pytest.mark.parametrize("body", [LOOPS, SWALLOWS, SLEEPS], ids=["loops", "swallows", "sleeps"])
def test_a_bot_that_never_ends_its_third_import_is_named(arena: Arena, body: str) -> None:
    Path("mine.py").write_text(LATER + body.format(">= 2") + PLAYS)
    result = played(arena, "mine")
    assert result.code == 2
    told = r"bot mine cannot be built: .*not (built|done) within 1(\.2)? s"
    assert re.search(told, result.error), result.error


@pytest.mark.slow
def test_who_was_built_before_in_the_same_process_is_named_too(arena: Arena) -> None:
    Path("honest.py").write_text(PLAYS)
    Path("mine.py").write_text(LATER + "if count >= 2:\n    os._exit(3)\n" + PLAYS)
    result = played(arena, "honest", "mine")
    assert result.code == 2
    told = "bot mine cannot be built in a process that holds honest already: ended .* code 3"
    assert re.search(told, result.error), result.error


@pytest.mark.slow
def test_a_bot_that_never_ends_an_import_for_the_record_costs_no_more_than_the_record(
    arena: Arena,
) -> None:
    Path("mine.py").write_text(PLAYS)
    assert played(arena, "mine").code == 0
    Path("mine.py").write_text(LATER + SWALLOWS.format(">= 2") + PLAYS)
    result = arena("replay", "cup.yaml", "mine", "rule28", "--deal", "0", "--bots", ".", code=None)
    assert result.code != 0
    assert re.search("bot mine cannot be built|game did not begin", result.error), result.error


def test_a_worker_builds_each_foreign_bot_once() -> None:
    construction = BotBuilding()
    for bot in (2, 1, None):
        construction.note(Building(bot), (1, 2))
    assert (construction.started, construction.goes_on) == ([2, 1], False)
    for bot in (2, 0, -1):
        with pytest.raises(ProtocolError):
            construction.note(Building(bot), (1, 2))


# --- Lanes ----------------------------------------------------------------------------------------

MARKED = """
from cantstop_arena import compiled
@compiled
def choose_move(turn, moves):
    return 0
@compiled
def roll_again(turn):
    return False
"""
UNMARKS = LATER + MARKED + "if count >= 2:\n    del choose_move.cantstop_arena_compiled\n"
UNMARKS += "    del roll_again.cantstop_arena_compiled\n"
LIES = """
from cantstop_arena.games.cantstop.play.engine_table import EngineTable
EngineTable.is_compiled = lambda self, bots: True
"""


@pytest.mark.slow
def test_a_bot_that_is_compiled_only_while_it_is_looked_at_is_named(arena: Arena) -> None:
    Path("mine.py").write_text(UNMARKS)
    result = played(arena, "mine")
    assert result.code == 2
    assert "bot mine cannot be built: it was compiled when the run started" in result.error


@pytest.mark.slow
def test_a_bot_is_suspected_that_says_it_is_compiled_and_has_no_machine_code(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("liar.py").write_text(MARKED.replace("@compiled\n", "") + LIES)
    Path("honest.py").write_text(MARKED.replace("return 0", "return len(moves) - 1"))
    Path("plain.py").write_text(PLAYS)
    Path("cup.yaml").write_text("seed: 3\ngames: 4\nbots: [liar, honest, plain]\n")
    catalogue = Catalogue(tmp_path)
    tournament = read(Path("cup.yaml"), catalogue)
    spec = table_spec_for(tournament, catalogue)
    spec = replace(spec, seats=tuple(replace(seat, backend="compiled") for seat in spec.seats))
    parts = prepare_bots(spec, lambda names: None)
    assert [part.is_compiled for part in parts] == [True, True, False]
    logs = BotLogs(tmp_path, ["liar", "honest", "plain"])
    bots = BotFacts(parts, FaultPolicy(), frozenset(), logs, tournament.orders)
    assert bots.suspects((0, 1)) == [0]
    assert bots.suspects((1, 2)) == [2]


# --- Copies ---------------------------------------------------------------------------------------


def test_a_copy_that_cannot_be_kept_is_told_with_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(PLAYS)
    source = BotSource(tmp_path / "mine.py").identified()
    (tmp_path / "kept" / source.digest / "mine.py").mkdir(parents=True)
    with pytest.raises(BotError, match=r"the copy .*mine\.py of a bot .*move away what is there"):
        source.copied(tmp_path / "kept")
