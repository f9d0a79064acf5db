"""A bot that comes with a game is checked in the games that it does not refuse."""

from pathlib import Path

import pytest
from helpers.arena import Arena

from cantstop_arena.check.suite import suite_of
from cantstop_arena.games.cantstop.game import GAME


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No board has been solved, but for those that are solved on the spot."""
    monkeypatch.setenv("CANTSTOP_ARENA_TABLES", str(tmp_path))
    monkeypatch.chdir(tmp_path)


@pytest.mark.slow
def test_the_suite_leaves_out_what_a_bot_of_the_games_own_refuses() -> None:
    whole, own = suite_of(GAME), suite_of(GAME, "optimal")
    assert suite_of(GAME, "rule28") == whole
    assert {*own} < {*whole}
    assert {(game.rules.sides, game.players) for game in own} == {(2, 1), (2, 2)}


@pytest.mark.slow
def test_perfect_play_passes_the_check(arena: Arena) -> None:
    result = arena("bots", "check", "optimal")
    assert "in 2 games under 1 rule set, in 1 to 2 seats" in result.output
