"""The numbering of the actions of Can't Stop, the same in every position of a board, and the
encoding of its positions.

First each column once, then each column twice, each pair of columns, stopping, and rolling again:
11 + 11 + 55 + 2 = 79 actions for eleven columns.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from itertools import combinations, combinations_with_replacement
from math import factorial, prod
from typing import NamedTuple

from cantstop_arena.game_api.batches import Encoding
from cantstop_arena.games.cantstop.rules import RuleSet
from cantstop_arena.games.cantstop.turn import Move, move_text


class Actions:
    """The actions on a board with these columns."""

    def __init__(self, columns: range) -> None:
        singles = [(column,) for column in columns]
        doubles = [(column, column) for column in columns]
        self.moves: tuple[Move, ...] = (*singles, *doubles, *combinations(columns, 2))
        """The columns that an action advances; the last two actions are not moves."""
        self.stop = len(self.moves)
        self.roll = self.stop + 1
        self.count = self.roll + 1
        self.number_of: Mapping[Move, int] = {move: at for at, move in enumerate(self.moves)}
        """The action of each move."""

    def name(self, action: int) -> str:
        """The text of an action: "7", "8+8", "5+11", "stop" or "roll"."""
        if action < self.stop:
            return move_text(self.moves[action])
        return "stop" if action == self.stop else "roll"


@cache
def actions_under(rules: RuleSet) -> Actions:
    """The actions on the board of these rules."""
    return Actions(rules.columns)


def encoding_under(name: str, version: int, rules: RuleSet, players: int) -> Encoding:
    """The encoding of positions, of a game of this name; `engine.steps` writes the observations."""
    columns = len(rules.columns)
    fields = {
        "own markers": columns,
        "rivals' markers": (players - 1) * columns,
        "runners": columns,
        "claimed columns": columns,
        "claims": players,
        "on turn": players,
        "dice": rules.sides,
        "free runners": 1,
        "a move is chosen": 1,
        "roll again or stop": 1,
        "chance to bust": 1,
    }
    actions = actions_under(rules).count
    return Encoding(f"{name}/{version}", sum(fields.values()), actions, fields)


DICE = 4


class RollOutcome(NamedTuple):
    """Four dice in ascending order, their probability in any order, and the engine's number."""

    dice: tuple[int, ...]
    chance: float
    roll: int


@cache
def outcomes(sides: int) -> Sequence[RollOutcome]:
    """All outcomes of a roll, in lexicographic order of the dice."""
    faces = range(1, sides + 1)
    return tuple(_outcome(dice, sides) for dice in combinations_with_replacement(faces, DICE))


def _outcome(dice: tuple[int, ...], sides: int) -> RollOutcome:
    orders = factorial(DICE) // prod(factorial(dice.count(face)) for face in set(dice))
    return RollOutcome(dice, orders / sides**DICE, roll_number(dice, sides))


def roll_number(dice: Sequence[int], sides: int) -> int:
    """The engine's number of a roll: four dice in their order, as digits to the base `sides`."""
    number = 0
    for die in dice:
        number = number * sides + die - 1
    return number
