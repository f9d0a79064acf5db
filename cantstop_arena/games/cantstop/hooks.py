"""The two decisions of Can't Stop."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from cantstop_arena.game_api.decisions import GameOver, decision
from cantstop_arena.games.cantstop.turn import Turn


@dataclass(frozen=True)
class Player:
    """The two decisions of a bot, as plain functions."""

    choose_move: Callable[[Turn, Sequence[Sequence[int]]], int]
    roll_again: Callable[[Turn], bool]


@decision(key="move")
def choose_move(turn: Turn, moves: Sequence[Sequence[int]]) -> int:  # type: ignore[empty-body]
    """Return the index of the move to make. Asked only where there are two or more."""


@decision(key="roll")
def roll_again(turn: Turn) -> bool:  # type: ignore[empty-body]
    """Return whether to roll again. Asked only where stopping is allowed and would not win."""


@decision(optional=True)
def game_over(turn: Turn | None, result: GameOver) -> None:
    """Hear how the game ended; `turn` is the last that the bot was shown in it, if any."""


HOOKS = (choose_move, roll_again)
