"""Rule of 28, the classic pencil-and-paper strategy of Michael Keller."""

from typing import Literal

from msgspec.structs import replace

from cantstop_arena.games.cantstop.bots.heuristic import Ties, Weights, heuristic_player
from cantstop_arena.games.cantstop.hooks import Player
from cantstop_arena.hookspecs import Bot, hookimpl

NUMBERS = Weights(
    values=(1, 2, 3, 4, 5, 6, 7, 8),
    slopes=(0,),
    intercepts=(6, 5, 4, 3, 2, 1),
    odd=2,
    even=-2,
    low=4,
    high=4,
    placed=-6,
    threshold=28,
)
_OUTER = (1, 2, 3, 4, 5, 6)


def rule28(
    threshold: int = 28,
    ties: Ties = "first",
    prefer: Literal["middle", "outer"] = "middle",
) -> Player:
    """Rule of 28 (Michael Keller): stops when the turn is worth 28 points.

    `prefer: outer` weighs moves by the column values, as James Glenn's own program does by
    default. Where no roll can succeed any more it stops whatever the score.
    """
    numbers = replace(NUMBERS, intercepts=_OUTER) if prefer == "outer" else NUMBERS
    return heuristic_player(numbers.with_threshold(threshold), ties)


@hookimpl
def register_bots() -> list[Bot]:
    """Rule of 28 and its options."""
    return [Bot("rule28", rule28)]
