"""The optimal bot: what its games come to is what the table says."""

import json
from collections.abc import Iterator
from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import Tables
from helpers.arena import Arena
from helpers.parameters import slow_but
from helpers.small_boards import board

from cantstop_arena.api.tournaments import from_file
from cantstop_arena.deals.outcomes import Block, BlockResult
from cantstop_arena.extensions.strength.exact import solved_tables as solved
from cantstop_arena.games.cantstop.game import GAME
from cantstop_arena.games.cantstop.play.engine_table import EngineTable
from cantstop_arena.games.cantstop.rules import CLASSIC, RuleSet, derive
from cantstop_arena.table.seated_bot import SeatedBot

DEALS = 1500


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder of tables for these tests alone."""
    monkeypatch.setenv("CANTSTOP_ARENA_TABLES", str(tmp_path))
    yield tmp_path


def played(tables: Tables, rules: RuleSet, names: list[str], deals: int = DEALS) -> BlockResult:
    """Some deals of these bots, seats given by `names`."""
    players = [tables.catalogue.find(name, GAME).build({}) for name in names]
    seated = [
        SeatedBot(f"{n} {i}", p, n) for i, (n, p) in enumerate(zip(names, players, strict=True))
    ]
    table = EngineTable(GAME, rules, seated, len(names), seed=7)
    return table.play(Block(tuple(range(len(names))), 0, deals))


VARIANTS: list[dict[str, Any]] = [
    {},
    {"landing": "jump"},
    {"landing": "leave", "stop": "after-all-runners"},
    {"runners": 2, "columns_to_win": 1},
]


@pytest.mark.parametrize("changes", slow_but((0,), VARIANTS), ids=str)
@pytest.mark.slow
def test_against_itself_whoever_begins_wins_as_often_as_the_table_says(
    tables: Tables, folder: Path, changes: dict[str, Any]
) -> None:
    rules = derive(CLASSIC, {"sides": 2, "column_lengths": [2, 4, 2], **changes})
    value = solved.solve(rules, 2, folder).value
    result = played(tables, rules, ["optimal", "optimal"])
    assert not result.faults
    winners = result.masks()[:, 0]  # the two seatings are the same game
    assert abs(np.mean(winners == 1) - value) < 3.3 * sqrt(value * (1 - value) / DEALS)


@pytest.mark.slow
def test_alone_it_takes_as_many_turns_as_the_table_says(tables: Tables, folder: Path) -> None:
    rules = board(3, 1)
    value = solved.solve(rules, 1, folder).value
    (tally,) = played(tables, rules, ["optimal"]).tallies
    turns = tally.counts["turns"][0] / DEALS
    assert abs(turns - value) < 3.3 * 0.8 / sqrt(DEALS)


def test_it_beats_a_strong_bot_on_a_small_board(tables: Tables, folder: Path) -> None:
    result = played(tables, board(3, 1), ["optimal", "glenn-aloi"], 500)
    winners = result.masks().ravel()
    won = (np.mean(winners[::2] == 1) + np.mean(winners[1::2] == 2)) / 2
    assert not result.faults
    assert won > 0.55


def test_a_board_without_a_table_is_a_fault_that_says_what_to_do(tables: Tables) -> None:
    (fault,) = played(tables, CLASSIC, ["optimal", "rule28"], 1).faults[:1]
    assert "classic has not been solved for 2 players (see `arena solve`)" in fault.message


@pytest.mark.slow
def test_standings_alone_tell_what_is_lost_to_perfect_play(
    arena: Arena, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    told = {"base": "classic", "sides": 2, "column_lengths": [2, 4, 2]}
    lines = {"players": 1, "games": 400, "seed": 3, "rules": told, "bots": ["random", "optimal"]}
    file = Path("alone.yaml")
    file.write_text("".join(f"{key}: {json.dumps(value)}\n" for key, value in lines.items()))
    result = arena("run", str(file), "--quiet", "--format", "json", code=None)
    rows = {row["bot"]: row for row in json.loads(result.text)["standings"]["rows"]}
    rules = derive(CLASSIC, {"sides": 2, "column_lengths": [2, 4, 2]})
    value = solved.solve(rules, 1, folder).value
    random, optimal = rows["random"], rows["optimal"]
    assert random["above_optimal"] == pytest.approx(random["turns_per_game"] - value)
    assert abs(optimal["above_optimal"]) < 0.2 < random["above_optimal"]


def test_a_tournament_on_a_board_without_a_table_is_refused_before_it_begins(
    arena: Arena, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = arena("run", "classic.yaml", code=None, yaml="games: 2\nbots: [rule28, optimal]\n")
    sentence = "bot optimal cannot play: classic has not been solved for 2 players (see"
    assert (result.code, sentence in result.output) == (2, True)


def test_a_pattern_leaves_it_out_and_a_tuning_refuses_it(
    arena: Arena, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mine.yaml").write_text("bots: [random, opt*, od*]\n")
    tournament = from_file("mine.yaml").tournament
    assert [entrant.name for entrant in tournament.entrants] == ["random", "odds"]
    (left,) = tournament.left_out
    assert left.bot == "optimal" and left.reason.startswith("it cannot play: classic has not been")
    error = arena("tune rule28 threshold=18..34 --against optimal", code=None).error
    assert "opponent optimal cannot play: classic has not been solved" in error
