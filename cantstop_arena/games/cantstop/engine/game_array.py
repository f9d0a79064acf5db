"""The layout of one game: a single NumPy record that the engine and the bots work on.

Sets of columns are bit masks (bit c for column c), columns are indexed by their own number, and
a move is the set of its columns; the bits from TWICE on say which of them advances twice.
"""

from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cantstop_arena.deals.counting import LENGTH_CLASSES
from cantstop_arena.deals.seeds import Seed, bits_of
from cantstop_arena.games.cantstop import dice_odds
from cantstop_arena.games.cantstop.counts import COUNTS, HIGHLIGHTS
from cantstop_arena.games.cantstop.rules import LANDINGS, STOPS, RuleSet

MAX_SEATS = 4
MAX_SIDES = 8
MAX_ROLLS = MAX_SIDES**4
COLUMNS = 2 * MAX_SIDES + 1  # indices 0 and 1 stay empty
TWICE = 32  # where the second advances of a move stand
MAX_OFFERS = 274  # different sets of pairings, of dice with eight sides
MAX_SWINGS = 256  # of the lead, that a game remembers
COLUMN_UNITS = 720_720  # progress: the parts of a column, which lengths up to 16 divide
CLAIM = 1 << 24  # more than the progress in all columns together
MAX_AHEAD = CLAIM << 5  # more than anybody can be ahead of anybody
MAX_MOVES = 7  # three pairings of two single columns each, and one to write past them

ANY_TIME, AFTER_ALL_RUNNERS = 0, 1
SHARE, JUMP, LEAVE = 0, 1, 2

# What a game waits for.
ROLL, MOVE, MOVED, AGAIN, STOPPED, BUST, OVER = range(7)
# Why a game ended.
PLAYING, COLUMNS_WON, ALL_CLAIMED, TURN_LIMIT, FAULT = range(5)

NOBODY = -1

_PROJECT = 0x63616E7473746F70  # "cantstop"
_HALF = (1 << 64) - 1

# What some rolls have in common: the pairings that they offer.
OFFER = np.dtype(
    [
        ("pairings", np.int64, 3),  # as moves, lower halves ascending; 0 where there are fewer
        ("columns", np.int32),  # of all pairings
        ("double", np.int32),  # the column that a pairing has twice, a set
    ],
    align=True,
)

GAME = np.dtype(
    [
        # What a player at the table sees.
        ("seat", np.int64),
        ("turn", np.int64),
        ("rolls", np.int64),
        ("roll", np.int64),
        ("free", np.int64),
        ("placed", np.int64),
        ("topped", np.int64),
        ("claimed", np.int64),
        ("move_count", np.int64),
        ("moves", np.int64, MAX_MOVES),
        ("runners", np.int64, COLUMNS),
        ("brink", np.int64),  # columns in which one advance more reaches the top, but under `jump`
        ("claims", np.int64, MAX_SEATS),
        ("markers", np.int64, (MAX_SEATS, COLUMNS)),
        # The rules in force.
        ("players", np.int64),
        ("sides", np.int64),
        ("board", np.int64),
        ("runner_count", np.int64),
        ("columns_to_win", np.int64),
        ("landing", np.int64),
        ("stop", np.int64),
        ("turn_limit", np.int64),
        ("lengths", np.int64, COLUMNS),
        # The engine's own.
        ("waiting", np.int64),
        ("watched", np.int64),
        ("chosen", np.int64),
        ("ending", np.int64),
        ("winners", np.int64),
        ("secret", np.uint64, 2),  # the key that all others are made from
        ("deal", np.int64),
        ("cursor", np.int64),
        ("bots", np.int64, MAX_SEATS),
        ("seat_turns", np.int64, MAX_SEATS),
        ("dice_keys", np.uint64, MAX_SEATS),
        ("turn_key", np.uint64),
        ("brinks", np.int64, MAX_SEATS),  # the brink as each seat's turns begin
        ("first_brink", np.int64),
        ("offer", np.int64),  # the number of what the roll offers
        ("next_roll", np.int64),
        ("next_offer", np.int64),
        ("next_keys", np.uint64, MAX_SEATS),  # of each seat's next turn
        ("first_rolls", np.int64, MAX_SEATS),  # of that
        ("draws", np.int64, MAX_SEATS),
        ("bot_keys", np.uint64, MAX_SEATS),
        ("turn_at", np.int64, MAX_SEATS),  # the code of a compiled bot's turns; 0: a plain bot
        ("memory_at", np.int64, MAX_SEATS),  # where a compiled bot keeps numbers of its own
        ("memory_sizes", np.int64, MAX_SEATS),
        # What it counts, besides the turns.
        ("roll_counts", np.int64, MAX_SEATS),
        ("bust_counts", np.int64, MAX_SEATS),
        ("decisions", np.int64),
        ("decision_counts", np.int64, MAX_SEATS),
        ("space_counts", np.int64, MAX_SEATS),
        ("lead_counts", np.int64, MAX_SEATS),
        ("standings", np.int64, MAX_SEATS),  # CLAIM for each column claimed, and the progress
        ("deficits", np.int64, MAX_SEATS),  # the farthest behind the best standing so far
        ("leader", np.int64),  # the seat, or NOBODY
        ("led_last", np.int64),
        ("top_standing", np.int64),
        ("swings", np.int64),  # of the lead
        ("swing_turns", np.int64, MAX_SWINGS),
        ("swing_seats", np.int64, MAX_SWINGS),
        # Tables of the board.
        ("roll_total", np.int64),
        ("offer_of", np.int16, MAX_ROLLS),  # the offer of each roll
        ("offers", OFFER, MAX_OFFERS),
        ("space_parts", np.int64, COLUMNS),  # of WHOLE_COLUMN, for each space
        ("hits", np.int32, 1 << (COLUMNS - 2)),  # of all rolls, by the columns that may be hit
        ("chances", np.float64, 1 << (COLUMNS - 2)),  # the same as shares: divisions take long
    ],
    align=True,
)

FIELDS: Mapping[str, Any] = GAME.fields or {}


def slot(name: str) -> int:
    """Where a number stands in the record, counted in numbers."""
    return int(FIELDS[name][1]) // 8


# What the games of one seating add up to.
TALLY = np.dtype(
    [
        ("games", np.int64),
        ("unfinished", np.int64),
        ("forfeits", np.int64),
        ("wins", np.int64, MAX_SEATS),
        ("counts", np.int64, (len(COUNTS), MAX_SEATS)),
        ("squares", np.int64, len(COUNTS)),  # of a game's count, all seats together
        ("lengths", np.int64, LENGTH_CLASSES),  # games of each class
        ("length_deals", np.int64, LENGTH_CLASSES),  # where the first of them is
        ("telling", np.int64, len(HIGHLIGHTS)),  # how telling the most telling game is; 0: none
        ("telling_deals", np.int64, len(HIGHLIGHTS)),
    ],
    align=True,
)


GameArray = Any  # a NumPy record array of one GAME


def new_game(rules: RuleSet, players: int, seed: Seed) -> GameArray:
    """One game record, as an array of length 1, for a table of `players` seats."""
    games = np.zeros(1, GAME).view(np.recarray)
    game = games[0]
    game.players, game.secret = players, secret(bits_of(seed))
    game.sides, game.runner_count = rules.sides, rules.runners
    game.columns_to_win, game.turn_limit = rules.columns_to_win, rules.turn_limit
    game.landing, game.stop = LANDINGS.index(rules.landing), STOPS.index(rules.stop)
    game.board = sum(1 << column for column in rules.columns)
    game.lengths[: len(rules.lengths)] = rules.lengths
    for column in rules.columns:
        game.space_parts[column] = COLUMN_UNITS // rules.lengths[column]
        game.first_brink |= (rules.lengths[column] == 1) << column
    game.roll_total = rules.sides**4
    hits = dice_odds.hit_table(rules.sides)
    game.hits[: len(hits)], game.chances[: len(hits)] = hits, hits / game.roll_total
    offer_of, offers = _offers(rules.sides)
    game.offer_of[: len(offer_of)] = offer_of
    game.offers[: len(offers)] = offers
    return games


def secret(bits: int) -> tuple[int, int]:
    """The key that the 128 bits of a seed are, in two halves, the lower one first.

    The upper half is combined with the project's name, which was all of it when seeds were short:
    numbers below 2**64 keep the dice that they had.
    """
    return bits & _HALF, bits >> 64 ^ _PROJECT


@cache
def _offers(sides: int) -> tuple[list[int], NDArray[Any]]:
    """The number of every roll's offer, and the offers."""
    entries: dict[tuple[dice_odds.Pairing, ...], int] = {}
    by_roll = dice_odds.pairings_by_roll(sides)
    numbers = [entries.setdefault(pairings, len(entries)) for pairings in by_roll]
    return numbers, np.array([*map(_offer, entries)], OFFER)


def _offer(pairings: tuple[dice_odds.Pairing, ...]) -> tuple[Any, ...]:
    missing = (0,) * (3 - len(pairings))
    moves = [1 << low | 1 << (TWICE + low if low == high else high) for low, high in pairings]
    columns = sum(1 << column for column in {column for pair in pairings for column in pair})
    double = sum(1 << low for low, high in pairings if low == high)
    return (*moves, *missing), columns, double
