"""Whole games of compiled bots, with what is counted of them. Compiled by numba.

It plays the rules without take-down, with `ending: none`, and with knocking or believing
(`duty` knock or free); `fast` says whether that covers a table.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cantstop_arena.games.cubus.chance import CubusKeys
from cantstop_arena.games.cubus.counts import GameCounts, SeatCounts
from cantstop_arena.games.cubus.engine.bound import best_value
from cantstop_arena.games.cubus.engine.compiled import (
    copy_numbers,
    copy_rows,
    njit_call,
    njit_entry,
)
from cantstop_arena.games.cubus.engine.library import library
from cantstop_arena.games.cubus.engine.plans import (
    CODES,
    EAGER,
    GREEDY,
    HASTY,
    RANDOM,
    below,
    below_at,
    equals,
    number_at,
    place_near,
    place_open,
    place_target,
)
from cantstop_arena.games.cubus.engine.query import (
    TOP,
    H,
    O,
    Query,
    X,
    Y,
    aim,
    new_query,
    pile_cards,
)
from cantstop_arena.games.cubus.engine.search import ORDER
from cantstop_arena.games.cubus.rules import CUBE, RuleSet

Numbers = NDArray[np.int64]

# Columns of seats' counts and of games' counts.
POINTS, BUILDS, PASSES, BUILD_POINTS, RIGHT, WRONG, KNOCK_POINTS, LOST, OPEN_POINTS, WON = range(10)
TURNS, G_BUILDS, G_PASSES, FIRST, CRATES, LYING, LEFT, LARGEST, MARGIN, CUBES = range(10)

# What there is of a game beside arrays, by its place in `now`.
COUNT, WORTH, TURN, PLACED = range(4)
_NO_LIMIT = 1000


class _Game(NamedTuple):
    """The room that a game is played in."""

    now: Numbers
    cells: Numbers
    plan: Numbers
    kept: Numbers  # the plan of the knocker who is heard first so far
    hands: Numbers
    unseen: Numbers
    deck: Numbers
    keys: NDArray[np.uint64]  # of the seats' streams
    drawn: Numbers
    order: Numbers  # of the seats, as knocks are heard
    following: Numbers  # what deny looks at
    query: Query


class _CompiledRules(NamedTuple):
    """Rules as the kernel needs them."""

    cards: Numbers  # of the deck, by type
    free_swap: bool
    more_crates: bool
    knock: bool


class CountedGames(NamedTuple):
    """What was counted of games: by game and seat (as in SeatCounts), and by game."""

    seats: Numbers
    games: Numbers


def fast(rules: RuleSet, names: Sequence[str]) -> bool:
    """Whether the kernel can play bots of these names by these rules."""
    plain = rules.take_down or rules.ending != "none" or rules.duty == "strict"
    return not plain and all(name in CODES for name in names)


def play_all(rules: RuleSet, names: Sequence[str], keys: Sequence[CubusKeys]) -> CountedGames:
    """Play a game of built-in bots in seat order for each set of keys."""
    count, players = len(keys), len(names)
    counted = CountedGames(
        np.zeros((count, players, len(SeatCounts._fields)), np.int64),
        np.zeros((count, len(GameCounts._fields)), np.int64),
    )
    rows = [(k.deck, k.knocks, *k.bots) for k in keys]
    codes = np.array([CODES[name] for name in names], np.int64)
    _play_all(
        library(rules.box),
        ORDER,
        best_value(),
        _compiled_rules(rules),
        codes,
        np.array(rows, np.uint64).reshape(count, players + 2),
        _room(players),
        counted,
    )
    return counted


def _compiled_rules(rules: RuleSet) -> _CompiledRules:
    cards = np.array([rules.lids - 1, rules.open, rules.left - 1, rules.right - 1], np.int64)
    return _CompiledRules(cards, rules.swap == "free", rules.more_crates, rules.duty == "knock")


def _room(players: int) -> _Game:
    def zeros(*shape: int) -> Numbers:
        return np.zeros(shape, np.int64)

    keys = np.zeros(players, np.uint64)
    piles = (zeros(17, 4), zeros(17, 4), zeros(17, 4))
    cards = zeros(players, 4), zeros(4), zeros(64)
    drawn = zeros(players)
    return _Game(zeros(4), *piles, *cards, keys, drawn, zeros(players), zeros(6), new_query())


@njit_entry
def _play_all(library, order, worths, rules, codes, keys, game, counted):
    for number in range(len(keys)):
        _set_up(game, rules, keys[number])
        _play(library, order, worths, rules, codes, keys[number], game, counted, number)


@njit_call(nrt=False)
def _set_up(game, rules, keys):
    _clear(game.now)
    _clear(game.drawn)
    game.now[COUNT], game.cells[0, H] = 1, 1
    game.cells[0, X] = game.cells[0, Y] = game.cells[0, O] = 0
    for seat in range(len(game.hands)):
        _clear(game.hands[seat])
    copy_numbers(game.unseen, rules.cards)
    copy_numbers(game.keys, keys[2:])
    place = 0
    for kind in range(4):
        for _ in range(rules.cards[kind]):
            game.deck[place] = kind
            place += 1
    _shuffle(game.deck, place, keys[0])


@njit_call(nrt=False)
def _clear(numbers):
    for place in range(len(numbers)):
        numbers[place] = 0


@njit_call(nrt=False)
def _shuffle(items, count, key):
    for drawn in range(1, count):
        last = count - drawn
        other = below_at(key, drawn, last + 1)
        items[last], items[other] = items[other], items[last]


@njit_call
def _play(library, order, worths, rules, codes, keys, game, counted, number):
    players, cards = len(codes), rules.cards.sum()
    seats, totals, now = counted.seats[number], counted.games[number], game.now
    passes = 0
    while passes < players or now[TURN] < cards:
        seat = now[TURN] % players
        if now[TURN] < cards:
            card = game.deck[now[TURN]]
            game.hands[seat, card] += 1
            game.unseen[card] -= 1
        now[TURN] += 1
        if _planned(library, order, worths, rules, codes[seat], game, seat, seat):
            seats[seat, BUILDS] += 1
            seats[seat, BUILD_POINTS] += _carry_out(game, seats, totals, seat, seat)
            passes = 0
            continue
        seats[seat, PASSES] += 1
        knocker = -1
        if rules.knock:
            knocker = _knocker(library, order, worths, rules, codes, keys[1], game, seat)
        passes = 0 if knocker >= 0 else passes + 1
        if knocker >= 0:
            points = _carry_out(game, seats, totals, knocker, seat)
            seats[knocker, RIGHT] += 1
            seats[knocker, KNOCK_POINTS] += points
            seats[seat, LOST] += points
    _sum_up(game, seats, totals, players)


@njit_call
def _planned(library, order, worths, rules, code, game, seat, owner):
    """Let a bot plan a build with the cards of a seat; returns whether it found one."""
    now, stream = game.now, (game.keys, game.drawn, seat)
    _aim(worths, rules, game, owner)
    if game.query.limits[TOP] <= now[WORTH]:
        return False
    pile = game.cells, now[COUNT]
    if code == HASTY:
        now[PLACED] = place_near(game.query, *pile, rules.free_swap, now[WORTH], game.plan, *stream)
    else:
        _look_ahead(game, seat)
        found = equals(code, library, order, game.query, worths, now[WORTH], game.following)
        now[PLACED] = 0
        if len(found):
            key = found[below(*stream, len(found))]
            now[PLACED] = place_target(library, order, game.query, key, *pile, game.plan)
    if now[PLACED]:
        eager = code == EAGER
        place_open(game.query, eager, rules.free_swap, *pile, game.plan, now[PLACED], *stream)
    return now[PLACED] > 0


@njit_call
def _aim(worths, rules, game, owner):
    """Search for whatever is worth more than the pile, with the cards of a seat."""
    now, crates = game.now, 0
    if rules.more_crates:
        _, _, _, lying = pile_cards(game.cells, now[COUNT])
        crates = lying + 1
    table, hand = (game.cells, now[COUNT]), game.hands[owner]
    least = now[WORTH] + 1
    aim(game.query, worths, *table, hand, rules.free_swap, least, crates, _NO_LIMIT)


@njit_call(nrt=False)
def _look_ahead(game, seat):
    """Note what deny looks at: tops, left and right cards of the next player, then of the deck."""
    hand = game.hands[(seat + 1) % len(game.hands)]
    for place, cards in ((0, hand), (3, game.unseen)):
        game.following[place] = cards[0] + cards[1]
        game.following[place + 1], game.following[place + 2] = cards[2], cards[3]


@njit_call
def _knocker(library, order, worths, rules, codes, key, game, passer):
    """Ask all others for a build with the passer's cards; returns who is heard first, or -1.

    Who searches as `greedy` does finds nothing where such a one has passed.
    """
    for seat in range(len(codes)):
        game.order[seat] = seat
    _shuffle(game.order, len(codes), number_at(key, game.now[TURN]))
    first, placed = -1, 0
    for seat in game.order:
        code = HASTY if codes[seat] == HASTY else GREEDY
        hopeless = code == GREEDY and codes[passer] != HASTY
        if seat == passer or codes[seat] == RANDOM or hopeless:
            continue
        if _planned(library, order, worths, rules, code, game, seat, passer) and first < 0:
            first, placed = int(seat), int(game.now[PLACED])
            copy_rows(game.kept, game.plan)
    if first >= 0:
        copy_rows(game.plan, game.kept)
        game.now[PLACED] = placed
    return first


@njit_call(nrt=False)
def _carry_out(game, seats, totals, builder, owner):
    """Make the planned build with a seat's cards; returns its points."""
    now, hand = game.now, game.hands[owner]
    lying, left, right, _ = pile_cards(game.cells, now[COUNT])
    open_after, left_after, right_after, crates = pile_cards(game.plan, now[PLACED])
    hand[0] += now[COUNT] - lying - (now[PLACED] - open_after)
    hand[1] += lying - open_after
    hand[2] += left - left_after
    hand[3] += right - right_after
    worth = 3 * crates - now[PLACED] - left_after - right_after
    points = worth - now[WORTH]
    now[COUNT], now[WORTH] = now[PLACED], worth
    copy_rows(game.cells, game.plan)
    seats[builder, POINTS] += points
    if open_after > lying:
        seats[builder, OPEN_POINTS] += points
    totals[G_BUILDS] += 1
    totals[LARGEST] = max(totals[LARGEST], points)
    if totals[FIRST] == 0:
        totals[FIRST] = now[TURN]
    return points


@njit_call(nrt=False)
def _sum_up(game, seats, totals, players):
    lying, _, _, crates = pile_cards(game.cells, game.now[COUNT])
    totals[TURNS] = game.now[TURN]
    totals[CRATES], totals[LYING] = crates, lying
    totals[CUBES] = crates == CUBE
    for seat in range(players):
        totals[G_PASSES] += seats[seat, PASSES]
        for kind in range(4):
            totals[LEFT] += game.hands[seat, kind]
    totals[MARGIN] = _margin(seats, players)


@njit_call(nrt=False)
def _margin(seats, players):
    """The points by which the first is ahead of the second."""
    first, second = seats[0, POINTS], seats[1, POINTS]
    most, next_most = max(first, second), min(first, second)
    for seat in range(2, players):
        points = seats[seat, POINTS]
        next_most = max(next_most, min(most, points))
        most = max(most, points)
    return most - next_most
