"""Whose fault it is: games that do not repeat themselves, and those that JSON cannot represent."""

from collections.abc import Callable
from typing import Any

import pytest
from helpers import bad_games

from cantstop_arena.deals.outcomes import Block
from cantstop_arena.errors import GameError
from cantstop_arena.game_api.game import Game
from cantstop_arena.table.seated_bot import SeatedBot
from cantstop_arena.table.table import GameTable


class First:
    """Plays its first card."""

    def play(self, view: Any, moves: Any) -> int:
        return 0


class Alternating:
    """Plays its first card in one game, and its last in the next."""

    games = 0

    def __init__(self) -> None:
        Alternating.games += 1
        self.is_odd = Alternating.games % 2

    def play(self, view: Any, moves: Any) -> int:
        return 0 if self.is_odd else len(moves) - 1


class Cheat:
    """Swaps what is on the table of every other game, whose state it has found."""

    games = 0

    def __init__(self) -> None:
        Cheat.games += 1

    def play(self, view: Any, moves: Any) -> int:
        if Cheat.games % 2:
            for state in STATES[-1:]:
                state.tricks[0] += 1
        return 0


STATES: list[bad_games.Tricks] = []


class _Found(bad_games.Tricks):
    def setup(self) -> None:
        super().setup()
        STATES.append(self)


class FoundGame(bad_games.TrickGame):
    """The game whose states a bot finds."""

    state = _Found


def table(game: Game, *bots: Callable[[], Any]) -> GameTable:
    seated = [
        SeatedBot(f"bot{number}", bot(), str(number), lambda start, bot=bot: bot())  # type: ignore[misc]
        for number, bot in enumerate(bots)
    ]
    made: GameTable = game.table(game.rules.default, seated, len(bots), 5)
    return made


BLOCK = Block((0, 1), 0, 4)


def test_bot_that_answers_otherwise_is_charged() -> None:
    Alternating.games = 0
    played = table(bad_games.TrickGame(), First, Alternating).play(BLOCK)
    assert played.irreproducible == (1,)


def test_game_that_differs_after_the_same_answers_is_charged() -> None:
    with pytest.raises(
        GameError, match=r"does not repeat itself in deal 0 \(bot., bot.\): .* at answer 0"
    ):
        table(bad_games.KeepsGame(), First, First).play(Block((0, 1), 0, 2))


def test_bot_that_changes_the_game_is_charged() -> None:
    Cheat.games = 0
    played = table(FoundGame(), First, Cheat).play(Block((0, 1), 0, 2))
    assert len(played.irreproducible) == 1


def test_exception_names_the_function() -> None:
    with pytest.raises(
        GameError, match=r"^Tricks fails in answer\(\), deal 0 \(bot., bot.\): KeyError: 'nine'"
    ):
        table(bad_games.RaisesGame(), First, First).play(BLOCK)


def test_event_that_json_has_not_is_found_in_the_first_game() -> None:
    with pytest.raises(GameError, match="the event play holds what JSON has not: left is"):
        table(bad_games.SetsGame(), First, First).play(BLOCK)
