"""The row of whole numbers that the compiled functions of a table share.

First come the numbers that views of bots show, then what the engine keeps of the game and of the
decision, then the addresses of arrays and of functions. Every function gets the row's address.
"""

from itertools import accumulate
from typing import NamedTuple

from cantstop_arena.extensions.cubus.rules import LEAFLET, MAX_CARDS, MAX_SIDE_LENGTH, PLAYERS
from cantstop_arena.native.kernel_code import RULES, rule_width

SPAN = 2 * MAX_SIDE_LENGTH - 1  # possible places of tops, in either direction
MAX_VALUE = 144  # F of the full cube
MAX_SEATS = max(PLAYERS)
MAX_OPEN = 12
MAX_CELLS = 17  # of a table or a plan
MAX_DECK = 64
LIMIT_COUNT = 11  # of a query
MAX_GROUPS = 15_000  # the full box has 14,538
MAX_KEYS = 1 << 19  # the full box has 28,340 piles of one F, each with at most 16 places
NEAR_ROWS = 2 * (3 * MAX_CELLS + 2) * (MAX_CARDS + 3) + 1
NEAR_COLUMNS = 7
NEAR_SIDE = 2 * (MAX_CELLS - 1)  # of the grid of a pile's heights
TEXT_LENGTH = 320  # of a pile, in characters


class PileOption(NamedTuple):
    """What a bot may build: piles that bring equal points and use equal cards."""

    number: int
    points: int
    tops: int
    left: int
    right: int
    crates: int
    least: int
    """New open cards that replace missing lids."""


def _places(first: int, *sizes: int) -> tuple[int, ...]:
    """Where parts of these sizes begin; the last number is the end."""
    return tuple(accumulate(sizes, initial=first))


VIEW = RULES + sum(rule_width(value) for value in LEAFLET if isinstance(value, int | tuple))
"""Where begins what a view shows."""


(
    TURN,
    OWNER,  # the seat whose cards are played
    DECK,  # how many cards are left in it
    PASSES,
    HAND,  # what is played, by type
    UNSEEN,  # the cards left in the deck, by type
    SCORES,
    HANDS,
    _SEEN,
) = _places(VIEW, 1, 1, 1, 1, 4, 4, MAX_SEATS, 4 * MAX_SEATS)

(
    VALUE,  # F of the pile on the table
    COUNT,  # its cells
    POSITION,  # in the group, of the bot that decides
    PLACED,  # cells of the plan; 0 without one
    TOKEN,  # what the last function that has written a plan has returned
    NO_OPTION,  # whether a search of this turn has found that there is none
    KEPT,  # options kept
    WORTH,  # of these
    GIVEN,  # the arguments of a function: a number
    FLAG,  # and a flag
    DECK_SIZE,
    FREE_SWAP,
    MORE_CRATES,
    KNOCK,
    RULE_CARDS,  # of the deck, by type
    _STATE,
) = _places(_SEEN, *[1] * 14, 4)

(
    LIMITS,
    SHIFTS,
    COLUMNS,
    BARRED,
    CELLS,
    PLAN,
    KNOCK_PLAN,  # of the knocker who is heard first
    DECK_CARDS,
    STREAMS,  # by seat the key of its random numbers, and how many it has drawn
    ORDER,  # of the seats, as knocks are heard
    ROOM,  # cells of a plan for new open cards
    HITS,  # of the options kept, by F
    KEPT_GROUPS,
    KEYS,
    NEAR,
    NEAR_GRID,
    NEAR_CELLS,
    NEAR_TEXTS,
    NEAR_ORDER,
    _ARRAYS,
) = _places(
    _STATE,
    LIMIT_COUNT,
    MAX_OPEN,
    MAX_OPEN,
    SPAN * SPAN,
    *[4 * MAX_CELLS] * 3,
    MAX_DECK,
    2 * MAX_SEATS,
    MAX_SEATS,
    MAX_CELLS,
    MAX_VALUE + 1,
    MAX_GROUPS,
    MAX_KEYS,
    NEAR_ROWS * NEAR_COLUMNS,
    NEAR_SIDE * NEAR_SIDE,
    4 * MAX_CELLS,
    NEAR_ROWS * TEXT_LENGTH // 8,
    NEAR_ROWS,
)

(
    MASKS,  # the addresses of the library's arrays
    HEIGHTS,
    RANKS,
    BY_RANK,
    GROUPS,
    LEVELS,
    PILE_COUNT,
    GROUP_COUNT,
    TEXT_RANKS,  # and of other tables
    BEST_VALUES,
    NEXT_OPTION,  # the addresses of functions
    CHOOSE,
    CHOOSE_NEARBY,
    GAMES,  # what is played: how many games
    FIRST,  # the number of the first in the block
    GAME_KEYS,  # the addresses of the keys of each, and of the positions in the group by seat
    LINEUPS,
    BOTS,  # of the addresses, by position, of `build`, `knock` and a net
    SEAT_COUNTS,  # and of the counts
    GAME_COUNTS,
    WATCHED,  # of the numbers that other processes read
    SLOTS,  # the places of the cursor, the seat, the mark, the step and the positions there
    MARKS,  # the marks of the arena, of a build and of a knock
    WORKSPACE,  # of the addresses of the arrays of champion's search
    SIZE,
) = _places(_ARRAYS, *[1] * 21, 5, 3, 1)

BEGIN = -1  # the number before that of the first option
END = -2
NET = 2  # the column of BOTS, after `build` and `knock`, with the address of a net
BOT_COLUMNS = 3
