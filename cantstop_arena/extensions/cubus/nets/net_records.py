"""The records of champion's net and of its search, and the arrays of that search."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cantstop_arena.extensions.cubus.engine.bot_row import (
    MAX_CELLS,
    MAX_GROUPS,
)
from cantstop_arena.extensions.cubus.engine.query_arrays import Query, new_query

MAX_SEATS = 6
BOXES = 9
AFTERSTATE = np.dtype(
    [
        ("players", np.int64),
        ("seat", np.int64),
        ("lids", np.int64),
        ("lying", np.int64),
        ("left", np.int64),
        ("right", np.int64),
        ("value", np.int64),
        ("crates", np.int64),
        ("passes", np.int64),
        ("scores", np.int64, MAX_SEATS),
        ("hands", np.int64, (MAX_SEATS, 4)),
        ("deck", np.int64, 4),
        ("room", np.int64, BOXES),
    ],
    align=True,
)
"""A position by its counts: the seat on turn, or that has just moved, the cards on the table
(`lying`: its open cards), F and crates of the pile, passes in a row, and by seat scores and hands;
`deck` are the cards left in it, by type.

`room` is, for each of nine boxes, the share of its tops at which the first open card can lie so
that all others lie on tops, too, in sixteenths; all of it with less than two open cards.
"""

INPUTS_OF_TABLE, INPUTS_OF_SEAT = 25, 6
MAX_INPUTS = INPUTS_OF_TABLE + MAX_SEATS * INPUTS_OF_SEAT
HIDDEN = 32
OUTPUTS = MAX_SEATS + 1

CUBUS_NET = np.dtype(
    [
        ("players", np.int64),
        ("offsets", np.int32, OUTPUTS),
        ("rows", np.int16, (MAX_INPUTS, HIDDEN)),
        ("weights", np.int16, (HIDDEN, OUTPUTS)),
    ],
    align=True,
)
"""A net for one number of seats.

Its outputs are a margin m for each seat, beginning with the one that has moved, and at index
`players` a scale s. The chance of a seat is the softmax of (score / 10 + m) exp(s): the net need
not learn what a lead in points is worth, only how certain it is.
"""

NOW, BUILT, WITH_CARD, REPLIED = range(4)  # rows of `states`
STATES = 4  # positions that the search looks at together
KEYS = 1 << 53  # the number of different keys of a decision
MAX_HITS = 4096  # of a group; more are not considered


class SearchWorkspace(NamedTuple):
    """The arrays of a search, reused for each.

    The caller sets `states[NOW]`, apart from its `room`: the position of the seat on turn.
    """

    states: Any
    query: Query
    reply_query: Query
    groups: NDArray[np.int64]
    reply_groups: NDArray[np.int64]
    values: NDArray[np.float64]  # of the options, to the seat on turn
    hits: NDArray[np.int64]
    placed: NDArray[np.int64]  # a candidate on the table
    inputs: NDArray[np.int64]
    hidden: NDArray[np.int32]
    chances: NDArray[np.float64]
    mean: NDArray[np.float64]  # of chances, over cards drawn
    streams: NDArray[np.uint64]  # the one of the random numbers of a decision
    room: NDArray[np.int64]  # cells for new open cards


def search_arrays() -> list[Any]:
    """The arrays of a search, empty, in the order of SearchWorkspace."""
    return [
        np.zeros(STATES, AFTERSTATE).view(np.recarray),
        *new_query(),
        *new_query(),
        np.zeros(MAX_GROUPS, np.int64),
        np.zeros(MAX_GROUPS, np.int64),
        np.zeros(MAX_GROUPS),
        np.zeros(MAX_HITS, np.int64),
        np.zeros((MAX_CELLS, 4), np.int64),
        np.zeros(MAX_INPUTS, np.int64),
        np.zeros(HIDDEN, np.int32),
        np.zeros(MAX_SEATS),
        np.zeros(MAX_SEATS),
        np.zeros((1, 2), np.uint64),
        np.zeros(MAX_CELLS, np.int64),
    ]


def new_workspace() -> SearchWorkspace:
    """An empty workspace."""
    states, *arrays = search_arrays()
    return SearchWorkspace(states, Query(*arrays[:4]), Query(*arrays[4:8]), *arrays[8:])
