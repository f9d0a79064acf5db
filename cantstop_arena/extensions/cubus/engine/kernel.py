"""Complete games of compiled bots, and their counts, given the address of a row. By numba.

The kernel plays rules without take-down, with `ending: none` and with `duty` knock or free.
"""

from typing import Any, NamedTuple

import numba
import numpy as np

from cantstop_arena.extensions.cubus.engine import bot_row as at
from cantstop_arena.extensions.cubus.engine.bot_row import (
    MAX_CELLS,
)
from cantstop_arena.extensions.cubus.engine.compiled import (
    copy_rows,
    njit_call,
    njit_entry,
    njit_inline,
)
from cantstop_arena.extensions.cubus.engine.plans import number_at, shuffle
from cantstop_arena.extensions.cubus.engine.query import (
    aim,
    pile_cards,
)
from cantstop_arena.extensions.cubus.engine.query_arrays import (
    H,
    O,
    X,
    Y,
)
from cantstop_arena.extensions.cubus.engine.row_parts import (
    best_values_at,
    numbers_at,
    query_at,
    row_at,
    rows_at,
    streams_at,
)
from cantstop_arena.extensions.cubus.rules import CUBE
from cantstop_arena.native.bot_compiler import caller, integers_at, words_at
from cantstop_arena.native.kernel_code import ANSWER, NO_ANSWER, PLAYERS, SEAT, STREAM

# Columns of the seats' counts and of the games' counts, in the order of SeatCounts and GameCounts.
POINTS, BUILDS, PASS_COUNT, BUILD_POINTS, RIGHT, WRONG, KNOCK_POINTS, LOST, OPEN_POINTS, WON = (
    range(10)
)
TURNS, G_BUILDS, G_PASS_COUNT, FIRST, CRATES, LYING, LEFT, LARGEST, MARGIN, CUBES = range(10)

_NO_LIMIT = 1000
_NO_PLAN, _PLANNED, _WRONG = 0, 1, -1  # what comes of a bot's decision
_NOBODY, _FAULT = -1, -2  # in place of the seat of a knocker
_BUILD, _KNOCK = 0, 1  # the decisions: columns of BOTS, and marks after that of the arena
_CURSOR, _SEAT, _MARK, _STEP, _POSITIONS = range(5)  # of SLOTS

_decide = caller(numba.int64(numba.int64))


class _Game(NamedTuple):
    """The parts of the row that the kernel writes."""

    address: int
    row: Any
    cells: Any
    plan: Any
    knock_plan: Any  # of the knocker who is heard first
    hands: Any
    deck_counts: Any  # cards left in the deck, by type
    deck: Any
    order: Any  # of the seats, as knocks are heard
    bots: Any  # the addresses of the functions of each, by position in the group
    lineup: Any  # the positions by seat
    watched: Any  # numbers that other processes read


@njit_entry
def play(address):
    """Play the games of the row. Returns how many; less if a bot gives a wrong answer."""
    row = row_at(address)
    players, games = row[PLAYERS], row[at.GAMES]
    keys = numba.carray(words_at(row[at.GAME_KEYS]), (games, players + 2))
    lineups = numba.carray(integers_at(row[at.LINEUPS]), (games, players))
    seat_counts = numba.carray(integers_at(row[at.SEAT_COUNTS]), (games, players, 10))
    game_counts = numba.carray(integers_at(row[at.GAME_COUNTS]), (games, 10))
    for number in range(games):
        game = _game_at(address, lineups[number])
        _set_up(game, keys[number], row[at.FIRST] + number)
        if not _play(game, keys[number, 1], seat_counts[number], game_counts[number]):
            return np.int64(number)
    return games


@njit_inline
def _game_at(address, lineup):
    row = row_at(address)
    players = row[PLAYERS]
    return _Game(
        address,
        row,
        rows_at(address, at.CELLS, MAX_CELLS),
        rows_at(address, at.PLAN, MAX_CELLS),
        rows_at(address, at.KNOCK_PLAN, MAX_CELLS),
        rows_at(address, at.HANDS, players),
        numbers_at(address, at.UNSEEN, 4),
        numbers_at(address, at.DECK_CARDS, at.MAX_DECK),
        numbers_at(address, at.ORDER, players),
        numba.carray(integers_at(row[at.BOTS]), (at.MAX_SEATS, at.BOT_COLUMNS)),
        lineup,
        numba.carray(integers_at(row[at.WATCHED]), 16),
    )


@njit_call
def _set_up(game, keys, number):
    row, players = game.row, len(game.hands)
    row[at.TURN], row[at.PASSES], row[at.VALUE], row[at.COUNT] = 0, 0, 0, 1
    game.cells[0, H] = 1
    game.cells[0, X] = game.cells[0, Y] = game.cells[0, O] = 0
    streams = streams_at(game.address)
    game.watched[row[at.SLOTS + _CURSOR]] = number
    for seat in range(players):
        game.watched[row[at.SLOTS + _POSITIONS] + seat] = game.lineup[seat]
        streams[seat, 0], streams[seat, 1] = keys[2 + seat], np.uint64(0)
        for kind in range(4):
            game.hands[seat, kind] = 0
    index = 0
    for kind in range(4):
        game.deck_counts[kind] = row[at.RULE_CARDS + kind]
        for _ in range(game.deck_counts[kind]):
            game.deck[index] = kind
            index += 1
    shuffle(game.deck, index, keys[0])


@njit_call
def _play(game, knock_key, seats, totals):
    """Play a game; returns whether no bot gives a wrong answer."""
    row = game.row
    players, cards = len(seats), row[at.DECK_SIZE]
    while row[at.PASSES] < players or row[at.TURN] < cards:
        seat = row[at.TURN] % players
        if row[at.TURN] < cards:
            card = game.deck[row[at.TURN]]
            game.hands[seat, card] += 1
            game.deck_counts[card] -= 1
        row[at.TURN] += 1
        row[at.DECK] = max(0, cards - row[at.TURN])
        _aim(game, seat)
        planned = _planned(game, seats, seat, seat, _BUILD)
        if planned == _WRONG:
            return False
        if planned == _PLANNED:
            seats[seat, BUILDS] += 1
            seats[seat, BUILD_POINTS] += _carry_out(game, seats, totals, seat, seat)
            row[at.PASSES] = 0
            continue
        seats[seat, PASS_COUNT] += 1
        knocker = _knocker(game, knock_key, seats, seat) if row[at.KNOCK] else _NOBODY
        if knocker == _FAULT:
            return False
        if knocker == _NOBODY:
            row[at.PASSES] += 1
            continue
        row[at.PASSES] = 0
        points = _carry_out(game, seats, totals, knocker, seat)
        seats[knocker, RIGHT] += 1
        seats[knocker, KNOCK_POINTS] += points
        seats[seat, LOST] += points
    _sum_up(game, seats, totals, players)
    return True


@njit_call
def _aim(game, owner):
    """Set the query to targets of higher F than the pile, with the cards of a seat."""
    row, crates = game.row, 0
    if row[at.MORE_CRATES]:
        _, _, _, lying = pile_cards(game.cells, row[at.COUNT])
        crates = lying + 1
    table, hand = (game.cells, row[at.COUNT]), game.hands[owner]
    query, best_values = query_at(game.address), best_values_at(game.address)
    free_swap, min_value = row[at.FREE_SWAP] != 0, row[at.VALUE] + 1
    aim(query, best_values, *table, hand, free_swap, min_value, crates, _NO_LIMIT)
    row[at.OWNER], row[at.NO_OPTION] = owner, 0
    for kind in range(4):
        row[at.HAND + kind] = hand[kind]


@njit_call
def _planned(game, seats, seat, owner, decision):
    """Have the bot in `seat` write its build with the cards of `owner` as a plan.

    Returns _PLANNED, _NO_PLAN, or _WRONG for a wrong answer.
    """
    row, watched = game.row, game.watched
    row[SEAT], row[STREAM] = seat, game.address + 8 * (at.STREAMS + 2 * seat)
    row[at.KEPT] = row[at.PLACED] = row[at.TOKEN] = 0
    for player in range(len(seats)):
        row[at.SCORES + player] = seats[player, POINTS]
    row[at.POSITION] = game.lineup[seat]
    function = game.bots[row[at.POSITION], decision]
    watched[row[at.SLOTS + _SEAT]] = seat
    watched[row[at.SLOTS + _STEP]] += 1
    watched[row[at.SLOTS + _MARK]] = row[at.MARKS + 1 + decision]
    answer = _decide(function, game.address)
    watched[row[at.SLOTS + _MARK]] = row[at.MARKS]
    if answer == NO_ANSWER:
        return _NO_PLAN
    if answer != row[at.TOKEN] or row[at.PLACED] == 0:
        row[ANSWER] = answer
        return _WRONG
    return _PLANNED


@njit_call
def _knocker(game, key, seats, passer):
    """Write the knock that is heard first as a plan; returns its seat, _NOBODY or _FAULT."""
    players, row = len(seats), game.row
    for seat in range(players):
        game.order[seat] = seat
    shuffle(game.order, players, number_at(key, row[at.TURN]))
    first, placed = _NOBODY, 0
    for index in range(players):
        seat = game.order[index]
        if seat == passer or game.bots[game.lineup[seat], _KNOCK] == 0:
            continue
        planned = _planned(game, seats, seat, passer, _KNOCK)
        if planned == _WRONG:
            return _FAULT
        if planned == _PLANNED and first == _NOBODY:
            first, placed = seat, row[at.PLACED]
            copy_rows(game.knock_plan, game.plan)
    if first != _NOBODY:
        copy_rows(game.plan, game.knock_plan)
        row[at.PLACED] = placed
    return first


@njit_call(nrt=False)
def _carry_out(game, seats, totals, builder, owner):
    """Play the planned build with the cards of `owner`; returns its points."""
    row, hand = game.row, game.hands[owner]
    lying, left, right, _ = pile_cards(game.cells, row[at.COUNT])
    open_after, left_after, right_after, crates = pile_cards(game.plan, row[at.PLACED])
    hand[0] += row[at.COUNT] - lying - (row[at.PLACED] - open_after)
    hand[1] += lying - open_after
    hand[2] += left - left_after
    hand[3] += right - right_after
    value = 3 * crates - row[at.PLACED] - left_after - right_after
    points = value - row[at.VALUE]
    row[at.COUNT], row[at.VALUE] = row[at.PLACED], value
    copy_rows(game.cells, game.plan)
    seats[builder, POINTS] += points
    if open_after > lying:
        seats[builder, OPEN_POINTS] += points
    totals[G_BUILDS] += 1
    totals[LARGEST] = max(totals[LARGEST], points)
    if totals[FIRST] == 0:
        totals[FIRST] = row[at.TURN]
    return points


@njit_call(nrt=False)
def _sum_up(game, seats, totals, players):
    lying, _, _, crates = pile_cards(game.cells, game.row[at.COUNT])
    totals[TURNS] = game.row[at.TURN]
    totals[CRATES], totals[LYING] = crates, lying
    totals[CUBES] = crates == CUBE
    for seat in range(players):
        totals[G_PASS_COUNT] += seats[seat, PASS_COUNT]
        for kind in range(4):
            totals[LEFT] += game.hands[seat, kind]
    totals[MARGIN] = _margin(seats, players)


@njit_call(nrt=False)
def _margin(seats, players):
    """The points by which the first seat leads the second."""
    first, second = seats[0, POINTS], seats[1, POINTS]
    highest, second_highest = max(first, second), min(first, second)
    for seat in range(2, players):
        points = seats[seat, POINTS]
        second_highest = max(second_highest, min(highest, points))
        highest = max(highest, points)
    return highest - second_highest
