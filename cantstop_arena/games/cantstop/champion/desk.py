"""The room in which a turn is solved: one record, laid out once and filled turn by turn."""

from typing import Any

import numpy as np

from cantstop_arena.games.cantstop.champion.board import MOST_COLUMNS, MOST_ROWS, MOST_STATES
from cantstop_arena.games.cantstop.champion.nets import HIDDEN
from cantstop_arena.games.cantstop.engine.state import MAX_SEATS

NOT_SOLVED = -1

_FIELDS = np.dtype(
    [
        ("turn", np.int64),  # the number of the turn that is solved, for whoever keeps the desk
        ("claims", np.int64),
        ("used", np.int64),  # states with three runners
        ("rest", np.float32, 2),
        ("markers", np.int64, (MAX_SEATS, MOST_COLUMNS)),
        ("advances", np.int64, MOST_COLUMNS),
        ("room", np.int64, MOST_COLUMNS),
        ("origin", np.int32, HIDDEN),
        ("hidden", np.int32, HIDDEN),
        ("steps", np.int32, (MOST_ROWS, HIDDEN)),
        ("offered", np.float32, 10),
        ("placing", np.float32, (4, MOST_COLUMNS)),
        ("single_reach", np.int32, MOST_COLUMNS),
        ("single_worths", np.float32, MOST_ROWS),
        ("single_rolls", np.float32, MOST_ROWS),
        ("pair_reach", np.int32, (MOST_COLUMNS, MOST_COLUMNS)),
        ("pair_worths", np.float32, (MOST_ROWS, MOST_ROWS)),
        ("pair_rolls", np.float32, (MOST_ROWS, MOST_ROWS)),
        ("starts", np.int32, (MOST_COLUMNS, MOST_COLUMNS, MOST_COLUMNS)),
        ("worths", np.float32, MOST_STATES),
        ("rolls", np.float32, MOST_STATES),
    ],
    align=True,
)
DESK = np.dtype((np.record, _FIELDS))
"""`markers` are those of all seats, from the player on turn; a column that somebody has claimed
stands at its length for whoever claimed it. `room` holds the spaces left in each column, 0 where
it is claimed, `claims` the player's columns. `origin` is the hidden layer of the position as it
stands, `steps[row]` what a runner on that row adds to it, and `rest[0]` what a bust is worth.
Of turns with one runner, two and three: `worths` with the best play, `rolls` of rolling on. `reach`
says how many spaces ahead a set of one or two is solved, `starts` where the states of a set of
three begin. The others are what a state is worked out in.
"""

WORDS = DESK.itemsize // 8  # numbers of 64 bits


def new_desk() -> Any:
    """A desk, as a record array of length 1."""
    return np.zeros(1, DESK).view(np.recarray)
