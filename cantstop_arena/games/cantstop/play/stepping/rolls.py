"""What four dice can show where their order does not matter: 126 outcomes with six sides."""

from collections.abc import Sequence
from functools import cache
from itertools import combinations_with_replacement
from math import factorial, prod
from typing import NamedTuple

DICE = 4


class Outcome(NamedTuple):
    """Four dice, ascending, how likely they are in any order, and the engine's number for them."""

    dice: tuple[int, ...]
    chance: float
    roll: int


@cache
def outcomes(sides: int) -> Sequence[Outcome]:
    """Every outcome, in the order of the dice."""
    faces = range(1, sides + 1)
    return tuple(_outcome(dice, sides) for dice in combinations_with_replacement(faces, DICE))


def _outcome(dice: tuple[int, ...], sides: int) -> Outcome:
    orders = factorial(DICE) // prod(factorial(dice.count(face)) for face in set(dice))
    return Outcome(dice, orders / sides**DICE, roll_number(dice, sides))


def roll_number(dice: Sequence[int], sides: int) -> int:
    """The number by which the engine knows four dice in their order."""
    number = 0
    for die in dice:
        number = number * sides + die - 1
    return number
