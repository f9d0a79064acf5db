"""Queries of a search and rule sets as arrays, and what their numbers are; without numba."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cantstop_arena.extensions.cubus.engine.bot_row import LIMIT_COUNT, MAX_OPEN, NEAR_COLUMNS, SPAN
from cantstop_arena.extensions.cubus.rules import RuleSet

# The limits of a query, as indexes of `limits`.
LIDS, OPEN, LEFT, RIGHT = 0, 1, 2, 3  # available cards: on the table and in hand; OPEN: in hand
LYING = 4  # open cards on the table; -1: no pile of any box has tops at all their places
MIN_VALUE, MIN_CRATES, MAX_CRATES = 5, 6, 7
ANCHOR_U, ANCHOR_V = 8, 9
TOP = 10  # the greatest F that the cards allow

# Columns of `cells`.
X, Y, H, O = 0, 1, 2, 3  # noqa: E741

# Columns of a candidate near the pile.
SLID, CELL_X, CELL_Y, HEIGHT, POINTS, OPEN_NEEDED, OPEN_ALLOWED = range(NEAR_COLUMNS)


class CompiledRules(NamedTuple):
    """A rule set for compiled functions."""

    cards: NDArray[np.int64]  # of the deck, by type
    deck_size: int
    free_swap: bool
    more_crates: bool
    knock: bool


class Query(NamedTuple):
    """The arrays of a query; created by `new_query`, filled by `aim`."""

    limits: NDArray[np.int64]
    shifts: NDArray[np.uint64]
    columns: NDArray[np.uint64]
    barred: NDArray[np.uint64]


def compiled_rules(rules: RuleSet) -> CompiledRules:
    """A rule set, for compiled functions."""
    cards = np.array([rules.lids - 1, rules.open, rules.left - 1, rules.right - 1], np.int64)
    return CompiledRules(
        cards, int(cards.sum()), rules.swap == "free", rules.more_crates, rules.duty == "knock"
    )


def new_query() -> Query:
    """An empty query."""
    return Query(
        np.zeros(LIMIT_COUNT, np.int64),
        np.zeros(MAX_OPEN, np.uint64),
        np.zeros(MAX_OPEN, np.uint64),
        np.zeros(SPAN * SPAN, np.uint64),
    )
