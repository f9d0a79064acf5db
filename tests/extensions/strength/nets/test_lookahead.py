"""Champion looks one roll ahead as a slow reading of its nets does, and plays where it has none."""

import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from conftest import Tables
from helpers.paths import ROOT, TESTS
from msgspec.structs import replace

from cantstop_arena.deals.outcomes import Block
from cantstop_arena.extensions.strength.bots.net_choice import NetSet, net_index_in, net_set_of
from cantstop_arena.extensions.strength.exact.turn_board import board_for
from cantstop_arena.extensions.strength.nets.net_files import as_bytes, read_nets, shipped_nets
from cantstop_arena.games.cantstop.game import GAME
from cantstop_arena.games.cantstop.play.engine_table import EngineTable
from cantstop_arena.games.cantstop.rules import CLASSIC, NAMED, PLAYERS, RuleSet
from cantstop_arena.table.seated_bot import SeatedBot

HERE = TESTS / "helpers"
SHIPPED_FOR = (
    *(("classic", players) for players in PLAYERS),
    *((name, 2) for name in ("korean", "long4", "long5")),
)


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


def indexes_in(net_set: NetSet, rolling: bool) -> dict[tuple[str, int], int]:
    """The indexes of the nets, by the named rules and numbers of players that they are for."""
    net_index = net_index_in(net_set, rolling=rolling)
    indexes = {
        (name, players): net_index(SimpleNamespace(rules=named.rules, players=players))
        for name, named in NAMED.items()
        for players in PLAYERS
    }
    return {key: index for key, index in indexes.items() if index >= 0}


def test_a_turn_gets_the_nets_for_its_rules_and_seats() -> None:
    net_set = net_set_of("")
    expected = {
        (nets.rules.name, nets.players): index for index, nets in enumerate(net_set.all_nets)
    }
    assert {*expected} == {*SHIPPED_FOR}
    assert indexes_in(net_set, rolling=False) == indexes_in(net_set, rolling=True) == expected
    for index, nets in enumerate(net_set.all_nets):
        board = net_set.boards[net_set.board_indexes[index]]
        assert board == board_for(nets.rules)[0]
        assert (net_set.ends[index], net_set.rolls[index]) == (nets.ends[0], nets.rolls[0])


def test_nets_of_a_file_take_the_place_of_those_of_the_project(tmp_path: Path) -> None:
    (korean,) = (nets for nets in shipped_nets() if nets.rules.name == "korean")
    file = tmp_path / "own.nets"
    untrained = np.zeros_like(korean.rolls).view(np.recarray)
    file.write_bytes(as_bytes(replace(korean, rolls=untrained)))
    assert indexes_in(net_set_of(str(file)), rolling=False) == {("korean", 2): 0}
    assert indexes_in(net_set_of(str(file)), rolling=True) == {}


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


@pytest.mark.long
@pytest.mark.parametrize(("rules", "share"), [("korean", 0.54), ("long4", 0.54), ("long5", 0.58)])
def test_champion_beats_tuned_where_it_has_nets(tables: Tables, rules: str, share: float) -> None:
    deals = 2_000
    masks = winners(tables, NAMED[rules][0], ("champion", "tuned"), deals)
    wins = masks[::2].count(1) + masks[1::2].count(2)
    assert wins / (2 * deals) > share
