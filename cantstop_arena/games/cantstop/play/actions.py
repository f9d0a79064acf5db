"""The actions of Can't Stop by number, the same in every position of a board.

First every column once, then every column twice, every pair of columns, to stop, and to roll again:
11 + 11 + 55 + 2 = 79 actions for eleven columns.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from itertools import combinations, combinations_with_replacement
from math import factorial, prod
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cantstop_arena.games.cantstop.rules import RuleSet
from cantstop_arena.games.cantstop.turn import Move, mask_of


class Actions:
    """The actions under some rules, which name the board's columns."""

    def __init__(self, columns: range) -> None:
        singles = [(column,) for column in columns]
        doubles = [(column, column) for column in columns]
        self.moves: tuple[Move, ...] = (*singles, *doubles, *combinations(columns, 2))
        """The columns that an action advances, for all actions but the last two."""
        self.stop = len(self.moves)
        self.roll = self.stop + 1
        self.count = self.roll + 1
        self.number_of: Mapping[Move, int] = {move: at for at, move in enumerate(self.moves)}
        """The action that is a move."""

    @property
    def masks(self) -> NDArray[np.int64]:
        """The moves as a game record has them."""
        return np.array([mask_of(move) for move in self.moves], np.int64)

    def name(self, action: int) -> str:
        """An action in words: "7", "8+8", "5+11", "stop" or "roll"."""
        if action < self.stop:
            return "+".join(map(str, self.moves[action]))
        return "stop" if action == self.stop else "roll"


@cache
def actions_under(rules: RuleSet) -> Actions:
    """The actions on the board of these rules."""
    return Actions(rules.columns)


DICE = 4


class RollOutcome(NamedTuple):
    """Four dice, ascending, how likely they are in any order, and the engine's number for them."""

    dice: tuple[int, ...]
    chance: float
    roll: int


@cache
def outcomes(sides: int) -> Sequence[RollOutcome]:
    """Every outcome, in the order of the dice."""
    faces = range(1, sides + 1)
    return tuple(_outcome(dice, sides) for dice in combinations_with_replacement(faces, DICE))


def _outcome(dice: tuple[int, ...], sides: int) -> RollOutcome:
    orders = factorial(DICE) // prod(factorial(dice.count(face)) for face in set(dice))
    return RollOutcome(dice, orders / sides**DICE, roll_number(dice, sides))


def roll_number(dice: Sequence[int], sides: int) -> int:
    """The number by which the engine knows four dice in their order."""
    number = 0
    for die in dice:
        number = number * sides + die - 1
    return number
