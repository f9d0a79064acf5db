"""The layout of one game: a single NumPy record that the engine and the bots work on.

Sets of columns are bit masks (bit c for column c), columns are indexed by their own number, and
a move is the set of its columns; bit TWICE + c is set when column c advances twice.
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
from cantstop_arena.games.cantstop.rules import ENGINE_FIELDS, SIDES, RuleSet

MAX_SEATS = 4
MAX_SIDES = SIDES[-1]
MAX_ROLLS = MAX_SIDES**4
COLUMNS = 2 * MAX_SIDES + 1  # indices 0 and 1 stay empty
TWICE = 32  # the first bit for second advances in a move
MAX_OFFERS = 274  # different sets of pairings with eight-sided dice
MAX_SWINGS = 256  # swings of the lead that a record has room for
COLUMN_UNITS = 720_720  # progress in a whole column; all lengths up to 16 divide it
CLAIM = 1 << 24  # more than the progress in all columns together
MAX_AHEAD = CLAIM << 5  # above any lead of one seat over another
MAX_MOVES = 7  # three pairings of two single columns each, and one spare to write to

ANY_TIME, AFTER_ALL_RUNNERS = 0, 1
SHARE, JUMP, LEAVE = 0, 1, 2

# What a game waits for.
ROLL, MOVE, MOVED, AGAIN, STOPPED, BUST, OVER = range(7)
# Why a game ended.
PLAYING, COLUMNS_WON, ALL_CLAIMED, TURN_LIMIT, FAULT = range(5)

NOBODY = -1

_PROJECT = 0x63616E7473746F70  # "cantstop"
_LOW_64_BITS = (1 << 64) - 1

# An offer: the pairings of a roll, which several rolls share.
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
        # What a player sees.
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
        ("brink", np.int64),  # columns with one space left to the top
        ("claims", np.int64, MAX_SEATS),
        ("markers", np.int64, (MAX_SEATS, COLUMNS)),
        # The rules in force.
        ("players", np.int64),
        *((field.name, np.int64) for field in ENGINE_FIELDS.values()),
        ("board", np.int64),
        ("lengths", np.int64, COLUMNS),
        # Private to the engine.
        ("waiting", np.int64),
        ("watched", np.int64),
        ("chosen", np.int64),
        ("ending", np.int64),
        ("winners", np.int64),
        ("secret", np.uint64, 2),  # the key from which all others are derived
        ("deal", np.int64),
        ("cursor", np.int64),
        ("bots", np.int64, MAX_SEATS),
        ("seat_turns", np.int64, MAX_SEATS),
        ("dice_keys", np.uint64, MAX_SEATS),
        ("turn_key", np.uint64),
        ("brinks", np.int64, MAX_SEATS),  # `brink` at the start of each seat's turn
        ("first_brink", np.int64),
        ("offer", np.int64),  # the index of the roll's offer
        ("next_roll", np.int64),
        ("next_offer", np.int64),
        ("next_keys", np.uint64, MAX_SEATS),  # of each seat's next turn
        ("first_rolls", np.int64, MAX_SEATS),  # of that turn
        ("draws", np.int64, MAX_SEATS),
        ("bot_keys", np.uint64, MAX_SEATS),
        ("turn_at", np.int64, MAX_SEATS),  # address of a compiled bot's code; 0: a plain bot
        ("memory_at", np.int64, MAX_SEATS),  # address of a compiled bot's memory
        ("memory_sizes", np.int64, MAX_SEATS),
        # Counts.
        ("roll_counts", np.int64, MAX_SEATS),
        ("bust_counts", np.int64, MAX_SEATS),
        ("decisions", np.int64),
        ("decision_counts", np.int64, MAX_SEATS),
        ("space_counts", np.int64, MAX_SEATS),
        ("lead_counts", np.int64, MAX_SEATS),
        ("standings", np.int64, MAX_SEATS),  # CLAIM for each claimed column, plus progress
        ("deficits", np.int64, MAX_SEATS),  # the largest deficit to the best standing so far
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
        ("space_parts", np.int64, COLUMNS),  # COLUMN_UNITS / length of the column
        ("hits", np.int32, 1 << (COLUMNS - 2)),  # rolls that hit, by the mask of usable columns
        ("chances", np.float64, 1 << (COLUMNS - 2)),  # the same as shares, since divisions are slow
    ],
    align=True,
)

FIELDS: Mapping[str, Any] = GAME.fields or {}


def slot(name: str) -> int:
    """The index of a field in the record, in numbers of 8 bytes."""
    return int(FIELDS[name][1]) // 8


# Games in step: see `batch_steps`.
HEAD_WORDS = slot("swing_turns")
IDLE, NEXT = -1, -2  # a slot has no more games; its next game has to begin

# The totals of the games of one seating.
TALLY = np.dtype(
    [
        ("games", np.int64),
        ("unfinished", np.int64),
        ("forfeits", np.int64),
        ("wins", np.int64, MAX_SEATS),
        ("counts", np.int64, (len(COUNTS), MAX_SEATS)),
        ("squares", np.int64, len(COUNTS)),  # of a game's count, summed over seats
        ("lengths", np.int64, LENGTH_CLASSES),  # games of each class
        ("length_deals", np.int64, LENGTH_CLASSES),  # the deal of the first of them
        ("telling", np.int64, len(HIGHLIGHTS)),  # the largest score of a game; 0: none
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
    for parameter, field in ENGINE_FIELDS.items():
        game[field.name] = field.number(getattr(rules, parameter))
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
    """The key from the 128 bits of a seed, as two 64-bit halves, the lower one first.

    The upper half is XORed with the project's name, which was the whole half when seeds had 64
    bits: seeds below 2**64 still give the same dice.
    """
    return bits & _LOW_64_BITS, bits >> 64 ^ _PROJECT


@cache
def _offers(sides: int) -> tuple[list[int], NDArray[Any]]:
    """The index of each roll's offer, and the array of OFFER."""
    numbers_by_offer: dict[tuple[dice_odds.Pairing, ...], int] = {}
    by_roll = dice_odds.pairings_by_roll(sides)
    numbers = [numbers_by_offer.setdefault(pairings, len(numbers_by_offer)) for pairings in by_roll]
    return numbers, np.array([*map(_offer, numbers_by_offer)], OFFER)


def _offer(pairings: tuple[dice_odds.Pairing, ...]) -> tuple[Any, ...]:
    padding = (0,) * (3 - len(pairings))
    moves = [1 << low | 1 << (TWICE + low if low == high else high) for low, high in pairings]
    columns = sum(1 << column for column in {column for pair in pairings for column in pair})
    double = sum(1 << low for low, high in pairings if low == high)
    return (*moves, *padding), columns, double
