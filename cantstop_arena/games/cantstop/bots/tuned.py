"""The strongest known bot of the heuristic family widened to thirty numbers."""

from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from cantstop_arena.game_api.bot_options import Search
from cantstop_arena.games.cantstop.bots.heuristic import COUNT, GLENN_ALOI, STEPS, family_player
from cantstop_arena.games.cantstop.hooks import Player
from cantstop_arena.hookspecs import Bot, hookimpl

# The output of `arena tune tuned numbers --against glenn-aloi --games 5900000 --seed 1`.
_TUNED_WEIGHTS = (
    *(0.68, 1.76, 1.21, 2.56, 6.74, 6.79),
    *(2.22, 6.41, -2.82, 0.93, -4.64, 2.88),
    *(8.71, 2.81, 13.59, 11.53, -3.76, 12.16),
    *(0.86, -2.17, 2.8, 5.24, -7.17, 27.8),
    *(1.01, 6.36, 30.94, 2.62, 0.99, 3.55),
)


def _read_only(numbers: tuple[float, ...]) -> NDArray[np.float64]:
    array = np.array(numbers, np.float64)
    array.flags.writeable = False
    return array


NUMBERS = _read_only(_TUNED_WEIGHTS)
"""The default numbers of the bot, in the order of `heuristic`."""


def tuned(
    numbers: Annotated[tuple[float, ...], Search(GLENN_ALOI, STEPS, live=True)] = _TUNED_WEIGHTS,
) -> Player:
    """The heuristic family widened to thirty numbers, and tuned against Glenn and Aloi's champion.

    `numbers` are in the order of the indexes in the module `heuristic`, which explains them.
    """
    if len(numbers) != COUNT:
        raise ValueError(f"numbers must be {COUNT} numbers, not {len(numbers)}")
    is_live = isinstance(numbers, np.ndarray)
    return family_player(numbers if is_live else _read_only(numbers))


@hookimpl
def register_bots() -> list[Bot]:
    """The tuned bot."""
    return [Bot("tuned", tuned)]
