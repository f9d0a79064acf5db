"""Whose error it is when a compiled bot does not compile."""

import pytest

from cantstop_arena import compiled
from cantstop_arena.errors import BotError, GameError
from cantstop_arena.games.cantstop.engine import bot_calls
from cantstop_arena.games.cantstop.hooks import Player


@compiled
def choose_move(turn, moves):  # type: ignore[no-untyped-def]
    return 0


@compiled
def roll_again(turn):  # type: ignore[no-untyped-def]
    return turn.rolls < 2


@compiled
def roll_unknown(turn):  # type: ignore[no-untyped-def]
    return turn.rolls < unknown  # type: ignore[name-defined]  # noqa: F821


@pytest.mark.slow  # as numba is imported
@pytest.mark.parametrize("name", ["turn_player", "as_moves", "as_turn"])
def test_a_name_that_the_engine_lacks_is_no_error_of_the_bot(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.delattr(bot_calls, name)
    with pytest.raises(GameError) as caught:
        bot_calls.compile_player(Player(choose_move, roll_again), "mine")
    message = f"mine does not compile: {name} is not defined; this is an error of the arena"
    assert str(caught.value).startswith(message)


@pytest.mark.slow
def test_a_name_that_the_bot_lacks_is_an_error_of_the_bot() -> None:
    with pytest.raises(BotError, match=r"mine does not compile: unknown is not defined \(in roll"):
        bot_calls.compile_player(Player(choose_move, roll_unknown), "mine")
