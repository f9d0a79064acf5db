"""Champion looks one roll ahead as a slow reading of its nets does, and plays where it has none."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import Tables
from helpers.paths import ROOT, TESTS

from cantstop_arena.deals.outcomes import Block
from cantstop_arena.games.cantstop.game import GAME
from cantstop_arena.games.cantstop.nets.net_files import as_bytes, read_nets, shipped_nets
from cantstop_arena.games.cantstop.play.engine_table import EngineTable
from cantstop_arena.games.cantstop.rules import CLASSIC, NAMED, RuleSet
from cantstop_arena.table.seated_bot import SeatedBot

HERE = TESTS / "helpers"


@pytest.mark.slow
def test_a_roll_is_looked_ahead_as_a_slow_reader_of_the_nets_does() -> None:
    """Without compiling, on boards of three columns."""
    done = subprocess.run(
        [sys.executable, HERE / "lookaheads.py"],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": f"{TESTS}{os.pathsep}{ROOT}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert int(done.stdout.split()[0]) > 40


def test_nets_of_rolling_on_are_read_as_they_were_written(tmp_path: Path) -> None:
    nets, file = shipped_nets()[1], tmp_path / "again.nets"
    assert nets.rolls[0].players == nets.players == 2
    file.write_bytes(as_bytes(nets))
    assert read_nets(file).rolls.tobytes() == nets.rolls.tobytes()


def winners(tables: Tables, rules: RuleSet, names: tuple[str, ...], deals: int) -> bytes:
    """Who wins some deals, all seats being built-in bots."""
    bots = [SeatedBot(name, tables.player(name), name) for name in names]
    table = EngineTable(GAME, rules, bots, len(bots), 7)
    result = table.play(Block(tuple(range(len(bots))), 0, deals))
    assert not result.faults
    return result.masks().tobytes()


@pytest.mark.long
@pytest.mark.parametrize("name", ["champion", "grandmaster"])
def test_where_it_has_no_nets_it_plays_as_tuned(tables: Tables, name: str) -> None:
    """Compiling takes most of the time."""
    for rules, rivals in ((NAMED["jump"][0], ("rule28",)), (NAMED["long5"][0], ("odds", "rule28"))):
        told = winners(tables, rules, (name, *rivals), 20)
        assert told == winners(tables, rules, ("tuned", *rivals), 20)
    assert winners(tables, CLASSIC, (name, "rule28"), 50) != winners(
        tables, CLASSIC, ("tuned", "rule28"), 50
    )


@pytest.mark.long
def test_champion_wins_at_least_72_percent_against_glenn_and_alois_champion(tables: Tables) -> None:
    deals = 10_000
    told = winners(tables, CLASSIC, ("champion", "glenn-aloi"), deals)
    won = told[::2].count(1) + told[1::2].count(2)
    assert won / (2 * deals) > 0.72
