"""The champions of Glenn and Aloi's search over generalised rules of 28."""

from typing import Literal

from cantstop_arena.games.cantstop.bots.heuristic import Ties, Weights, heuristic_player
from cantstop_arena.games.cantstop.hooks import Player
from cantstop_arena.hookspecs import Bot, hookimpl

CONSTANT = Weights(
    values=(1, 2, 2, 3, 7, 7),
    slopes=(0,),
    intercepts=(3, 4, 0, 2, 0, 7),
    odd=7,
    even=1,
    low=5,
    high=6,
    placed=-6,
    threshold=29,
)
_LINEAR = Weights(
    values=(1, 2, 3, 4, 6, 7),
    slopes=(12, 18, 8, 28, 24, 64),
    intercepts=(4, 3, 1, 2, 1, 7),
    odd=1,
    even=0,
    low=-4,
    high=-4,
    placed=-4,
    threshold=24,
)


def glenn_aloi(
    threshold: int | None = None,
    ties: Ties = "first",
    weights: Literal["constant", "linear"] = "constant",
) -> Player:
    """Glenn and Aloi's champion (FLAIRS 2009): Rule of 28 with numbers found by evolution.

    `weights: linear` is their champion with linear move weights. Without a threshold each plays
    with its own: 29 and 24.
    """
    numbers = _LINEAR if weights == "linear" else CONSTANT
    return heuristic_player(numbers.with_threshold(threshold), ties)


@hookimpl
def register_bots() -> list[Bot]:
    """Both champions, under one name."""
    return [Bot("glenn-aloi", glenn_aloi)]
