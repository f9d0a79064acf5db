"""How often the interval of the cyclic share holds it.

Part of `make coverage-study`: a table of its lines.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import product
from math import log, sqrt

import numpy as np
from helpers.simulated import Truth
from helpers.study_tables import Column, Line, StudyTable
from msgspec.structs import replace

from cantstop_arena.deals.seatings import Group
from cantstop_arena.ratings.model_fit.residuals import residuals

MANY_DEALS = 50_000  # whose cyclic share is the true one where no formula has it
HELD, ERROR, WIDTH, DEFINED = "share held", "standard error", "width", "has an interval"


def circle(bots: int, strength: float) -> Mapping[Group, float]:
    """Each of an odd number of bots beats half of the others by so much strength."""
    steps = range(1, (bots - 1) // 2 + 1)
    return {(bot, (bot + step) % bots): strength for bot in range(bots) for step in steps}


def ladder(bots: int, step: float) -> list[float]:
    """Strengths in equal steps."""
    return [step * (bots / 2 - bot) for bot in range(bots)]


SEATS = (0.2, -0.2)
FIELDS: dict[str, tuple[Truth, float | None]] = {
    "5 bots in a circle": (Truth([0.0] * 5, SEATS, cycles=circle(5, log(65 / 35))), 1.0),
    "5 bots, both": (Truth(ladder(5, 0.3), SEATS, cycles=circle(5, 0.3)), None),
    "5 bots on a ladder": (Truth(ladder(5, 0.5), SEATS), 0.0),
    "9 bots in a circle": (Truth([0.0] * 9, SEATS, cycles=circle(9, log(60 / 40))), 1.0),
    "9 bots, both": (Truth(ladder(9, 0.2), SEATS, cycles=circle(9, 0.3)), None),
    "9 bots on a ladder": (Truth(ladder(9, 0.4), SEATS), 0.0),
}
LUCK = {"own luck": (0.0, False), "seats share 70%": (0.7, False), "bots share 70%": (0.7, True)}


def studied(
    truth: Truth, share: float | None, deals: int, repetitions: int, rng: np.random.Generator
) -> dict[str, float]:
    """The intervals that hold the share, of so many tournaments that have one, and their width."""
    if share is None:
        exact = residuals(truth.played(MANY_DEALS, rng)).cyclic_share
        assert exact is not None
        share = exact.share
    held, widths, played = 0, list[float](), 0
    while len(widths) < repetitions:
        estimate = residuals(truth.played(deals, rng)).cyclic_share
        played += 1
        if estimate is not None:
            held += estimate.low <= share + 1e-9 and share - 1e-9 <= estimate.high
            widths.append(estimate.high - estimate.low)
    part = held / repetitions
    error = sqrt(max(part * (1 - part), 0.25 / repetitions) / repetitions)
    defined = repetitions / played
    return {HELD: part, ERROR: error, WIDTH: float(np.mean(widths)), DEFINED: defined}


def tables() -> Sequence[StudyTable]:
    """That of circles, ladders, and both."""
    return (
        StudyTable(
            "{repetitions} tournaments of two seats that have a cyclic share: the intervals that"
            " hold it, in percent with the standard error of that share, the mean width of the"
            " intervals, and how many of all tournaments have one. The others are no more than"
            " noise.",
            "cyclic share",
            [*map(Column, (HELD, ERROR)), Column(WIDTH, 2), Column(DEFINED)],
            [
                Line(
                    f"{name}, {deals} deals, {luck}",
                    partial(studied, replace(truth, shared=shared, by_bot=by_bot), share, deals),
                )
                for deals, (luck, (shared, by_bot)), (name, (truth, share)) in product(
                    (10, 30, 200), LUCK.items(), FIELDS.items()
                )
            ],
        ),
    )
