"""Positions after a turn, as counts of cards and as the inputs of a net. Compiled by numba.

The places of the cards matter only through the open cards on the table, which every later pile
must keep; `room` measures how much freedom they leave.
"""

import numpy as np

from cantstop_arena.extensions.cubus.engine.compiled import njit_call
from cantstop_arena.extensions.cubus.engine.library import MAX_VALUE, SPAN
from cantstop_arena.extensions.cubus.engine.query_arrays import (
    LYING,
)
from cantstop_arena.extensions.cubus.engine.search import anchor_bits, popcount
from cantstop_arena.extensions.cubus.nets.net_records import BOXES, INPUTS_OF_SEAT, INPUTS_OF_TABLE
from cantstop_arena.extensions.cubus.rules import MAX_SIDE_LENGTH

_CUBES = ((2, 2, 2), (3, 3, 3), (4, 4, 4))
_FLAT_BOXES = ((4, 3, 3), (3, 4, 3), (3, 3, 4), (4, 4, 3), (4, 3, 4), (3, 4, 4))
FULL_ROOM = 16
INPUT_UNIT = 240  # the integer for an input of 1


def _tops_of_full_box(width, depth, height):
    middle = MAX_SIDE_LENGTH - 1
    cells = [(x, y) for x in range(width) for y in range(depth)]
    return sum(1 << SPAN * (height - 1 - y + middle) + y - x + middle for x, y in cells)


_BOX_TOPS = np.array([_tops_of_full_box(*sizes) for sizes in (*_CUBES, *_FLAT_BOXES)], np.uint64)


@njit_call(nrt=False)
def measure_room(state, query):
    """Set `room`, from a query that is aimed at the table."""
    for box in range(BOXES):
        if state.lying < 2:
            state.room[box] = FULL_ROOM
        elif query.limits[LYING] < 0:
            state.room[box] = 0
        else:
            tops = _BOX_TOPS[box]
            state.room[box] = FULL_ROOM * popcount(anchor_bits(tops, query)) // popcount(tops)


@njit_call(nrt=False)
def cards_in_deck(state):
    """The number of cards left in the deck."""
    return state.deck[0] + state.deck[1] + state.deck[2] + state.deck[3]


@njit_call(nrt=False)
def draw_card(state, kind):
    """Move a card of a type from the deck into the hand of the seat on turn."""
    state.deck[kind] -= 1
    state.hands[state.seat, kind] += 1


@njit_call(nrt=False)
def count_build(state, group, new):
    """Change the counts as a build of a pile of a group does, with `new` open cards."""
    hand, lids = state.hands[state.seat], group[1] - state.lying - new
    hand[0] += state.lids - lids
    hand[1] -= new
    hand[2] += state.left - group[2]
    hand[3] += state.right - group[3]
    state.lids, state.left, state.right = lids, group[2], group[3]
    state.lying += new
    state.scores[state.seat] += group[0] - state.value
    state.value, state.crates, state.passes = group[0], group[4], 0


@njit_call(nrt=False)
def is_over(state):
    """Whether the game is over: the deck is empty, and all seats have passed in a row."""
    return state.passes >= state.players and cards_in_deck(state) == 0


@njit_call(nrt=False)
def _bound(state, best_values, tops, left, right):
    """The most points of a build with so many cards, those on the table included."""
    best = best_values[min(16, tops), min(16, left), min(16, right)]
    return max(0, min(MAX_VALUE, best) - state.value)


@njit_call(nrt=False)
def fill_inputs(state, best_values, inputs):
    """Set the inputs of the net for a position after a turn; returns their number.

    Seats follow in the order of turns, the one that has moved first. Integers, so that the net's
    sums are exact.
    """
    cards = cards_in_deck(state)
    inputs[0], inputs[1] = 20 * state.lids, 60 * state.lying
    inputs[2], inputs[3] = 15 * state.left, 15 * state.right
    inputs[4], inputs[5] = 10 * state.value // 3, 15 * state.crates // 2
    for kind in range(4):
        inputs[6 + kind] = 30 * state.deck[kind]
    inputs[10] = 10 * cards
    inputs[11] = INPUT_UNIT if cards == 0 else 0
    inputs[12] = INPUT_UNIT
    inputs[13] = inputs[14] = inputs[15] = 0
    for box in range(BOXES):
        inputs[16 + box] = 15 * state.room[box]
    last = INPUTS_OF_TABLE
    for distance in range(state.players):
        hand = state.hands[(state.seat + distance) % state.players]
        tops, left = state.lids + state.lying + hand[0] + hand[1], state.left + hand[2]
        right = state.right + hand[3]
        bound = _bound(state, best_values, tops, left, right)
        expected = INPUT_UNIT * bound // 10
        if cards:
            of_top = state.deck[0] + state.deck[1]
            of_top *= _bound(state, best_values, tops + 1, left, right)
            of_left = state.deck[2] * _bound(state, best_values, tops, left + 1, right)
            of_right = state.deck[3] * _bound(state, best_values, tops, left, right + 1)
            expected = INPUT_UNIT * (of_top + of_left + of_right) // (10 * cards)
            if distance == 1:
                inputs[13] = INPUT_UNIT * of_top // (8 * cards)
                inputs[14] = INPUT_UNIT * of_left // (8 * cards)
                inputs[15] = INPUT_UNIT * of_right // (8 * cards)
        inputs[last], inputs[last + 1] = 60 * hand[0], 120 * hand[1]
        inputs[last + 2], inputs[last + 3] = 60 * hand[2], 60 * hand[3]
        inputs[last + 4], inputs[last + 5] = INPUT_UNIT * bound // 10, expected
        last += INPUTS_OF_SEAT
    return last
