"""The actions of Can't Stop by number, the same in every position of a board.

First every column once, then every column twice, every pair of columns, to stop, and to roll again:
11 + 11 + 55 + 2 = 79 actions for eleven columns.
"""

from collections.abc import Mapping
from functools import cache
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from cantstop_arena.games.cantstop.rules import RuleSet
from cantstop_arena.games.cantstop.turn import Move, move_of

_CODES = 1 << 10  # of packed moves


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
    def by_code(self) -> NDArray[np.int64]:
        """The action that a packed move is, as the engine looks it up."""
        numbers = np.zeros(_CODES, np.int64)
        for code in range(_CODES):
            numbers[code] = self.number_of.get(move_of(code), 0)
        return numbers

    def name(self, action: int) -> str:
        """An action in words: "7", "8+8", "5+11", "stop" or "roll"."""
        if action < self.stop:
            return "+".join(map(str, self.moves[action]))
        return "stop" if action == self.stop else "roll"


@cache
def actions_under(rules: RuleSet) -> Actions:
    """The actions on the board of these rules."""
    return Actions(rules.columns)
