"""The table as the player on turn sees it: the view of plain Python bots.

Compiled bots have the same fields and methods, from the engine.
"""

from collections.abc import Callable, Sequence
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cantstop_arena.games.cantstop.dice_odds import hit_table
from cantstop_arena.games.cantstop.rules import RuleSet

Columns = tuple[int, ...]
Spaces = tuple[int, ...]
Move = tuple[int, ...]

_TWICE = 32  # bits from here on: the columns that a move advances twice
_ONCE = (1 << _TWICE) - 1

NO_MEMORY: NDArray[np.float64] = np.zeros(0)


class Turn(NamedTuple):
    """The table as the player on turn sees it. Nothing in it can be written.

    Values by column are indexed by the column's number: `turn.runners[7]`. Spaces count from 1;
    0 means that the column is empty. Sets of columns are ascending.
    """

    seat: int
    """Your seat, from 0."""
    players: int
    """Seats at the table."""
    number: int
    """The number of this turn, over all players, from 1."""
    rolls: int
    """Rolls made this turn, this one included."""
    dice: tuple[int, ...]
    """The four dice last rolled."""
    runners: Spaces
    """The spaces on which the runners stand."""
    free: int
    """Runners not yet placed."""
    placed: Columns
    """Columns with a runner, also one on the top."""
    usable: Columns
    """Columns that the next roll may advance."""
    claimed: Columns
    """Columns that a player has finished."""
    markers: Spaces
    """Your own markers, as they stood before this turn."""
    rivals: tuple[Spaces, ...]
    """The rivals' markers, in order of play: `turn.rivals[0][7]` is the next player's."""
    claims: int
    """Columns that you have claimed."""
    rival_claims: tuple[int, ...]
    """Columns that each rival has claimed, in order of play."""
    rules: RuleSet
    """The rules in force."""
    random: Callable[[], float]
    """The next number of your own random stream."""
    memory: NDArray[np.float64] = NO_MEMORY
    """The memory of a compiled bot, which it may write to; all 0 when a game begins."""

    def position(self, column: int) -> int:
        """Where a climb in the column continues: the runner's space, else your marker's, else 0."""
        return self.runners[column] or self.markers[column]

    def next_space(self, column: int, space: int) -> int:
        """Where an advance from `space` ends: one higher, and under `jump` past rivals' markers."""
        space += 1
        if self.rules.landing == "jump":
            taken = {rival[column] for rival in self.rivals}
            while space < self.rules.lengths[column] and space in taken:
                space += 1
        return space

    def chance(self, column: int) -> float:
        """The exact chance that a roll makes the column."""
        sides = self.rules.sides
        return int(hit_table(sides)[1 << column - 2]) / sides**4

    def bust_chance(self) -> float:
        """The exact chance that the next roll is a bust."""
        sides = self.rules.sides
        hits = hit_table(sides)[sum(1 << column - 2 for column in self.usable)]
        return 1.0 - int(hits) / sides**4


@cache
def columns_in(mask: int) -> Columns:
    """The columns of a bit mask, ascending."""
    return tuple(column for column in range(mask.bit_length()) if mask >> column & 1)


@cache
def move_of(mask: int) -> Move:
    """The columns of a move, from the engine's bit mask: `(8,)`, `(8, 8)` or `(5, 11)`."""
    columns = columns_in(mask & _ONCE)
    return columns * 2 if mask > _ONCE else columns


def move_text(move: Sequence[int]) -> str:
    """A move as text: its columns joined by +."""
    return "+".join(map(str, move))


@cache
def dice_of(roll: int, sides: int) -> tuple[int, ...]:
    """The four dice of a roll, given its number."""
    return tuple(roll // sides**index % sides + 1 for index in (3, 2, 1, 0))


def runners_after(turn: Turn, move: Sequence[int] = ()) -> dict[int, int]:
    """The spaces of the runners after a move, by column."""
    runners = {column: turn.runners[column] for column in turn.placed}
    for column in move:
        runners[column] = turn.next_space(column, runners.get(column) or turn.markers[column])
    return runners
