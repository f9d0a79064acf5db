"""A hint says what the exact values say, or why there is none."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from cantstop_arena.deals.outcomes import Block
from cantstop_arena.extensions.strength.exact.solved_tables import adviser_for
from cantstop_arena.extensions.strength.hints import hint_of_moves, hint_of_roll
from cantstop_arena.games.cantstop.game import GAME
from cantstop_arena.games.cantstop.hooks import Player
from cantstop_arena.games.cantstop.play.engine_table import EngineTable
from cantstop_arena.games.cantstop.rules import CLASSIC, RuleSet, derive
from cantstop_arena.games.cantstop.turn import Turn
from cantstop_arena.table.seated_bot import SeatedBot

UNKNOWN = derive(CLASSIC, {"landing": "jump"})  # too large to be solved, and no nets are for it


def told(rules: RuleSet, folder: Path) -> list[str]:
    """The hints of a game, whose best moves a player makes."""
    hints: list[str] = []

    def choose_move(turn: Turn, moves: Sequence[Sequence[int]]) -> int:
        lines = list(hint_of_moves(turn, moves))
        hints.extend(lines)
        marked = [number for number, line in enumerate(lines) if line.endswith("the best")]
        if rules is not UNKNOWN:
            worths = adviser_for(rules, 2, folder).values(turn, [tuple(move) for move in moves])
            assert [worths[number] for number in marked] == [max(worths)] * len(marked) != []
        return marked[0] if marked else 0

    def roll_again(turn: Turn) -> bool:
        (line,) = hint_of_roll(turn)
        hints.append(line)
        return line.strip().startswith("Roll")

    bot = SeatedBot("guided", Player(choose_move, roll_again), "guided")
    table = EngineTable(GAME, rules, [bot, bot], 2, 4)
    assert not table.play(Block((0, 1), 0, 2)).faults
    return hints


def test_a_hint_names_what_is_best(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CANTSTOP_ARENA_TABLES", str(tmp_path))
    hints = told(derive(CLASSIC, {"sides": 2, "column_lengths": [2, 4, 2]}), tmp_path)
    assert any("to win  the best" in line for line in hints)
    assert any(line.strip().startswith("Roll: rolling, ") for line in hints)


def test_where_nobody_knows_that_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CANTSTOP_ARENA_TABLES", str(tmp_path))
    (said,) = {*told(UNKNOWN, tmp_path)}
    assert said.startswith("  There is no hint: ") and "has not been solved for 2" in said
