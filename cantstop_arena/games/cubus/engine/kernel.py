"""Complete games of compiled bots, and their counts. Compiled by numba.

The kernel plays rules without take-down, with `ending: none` and with `duty` knock or free;
`fast` tests whether it can play given rules and bots.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

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
    CHAMPION,
    CODES,
    EAGER,
    GREEDY,
    HASTY,
    RANDOM,
    add_open_cards,
    below,
    equals,
    number_at,
    shuffle,
    write_near_target,
    write_target,
)
from cantstop_arena.games.cubus.engine.query import (
    MAX_CELLS,
    TOP,
    H,
    O,
    Query,
    X,
    Y,
    aim,
    compiled_rules,
    new_query,
    pile_cards,
)
from cantstop_arena.games.cubus.engine.search import ORDER
from cantstop_arena.games.cubus.nets.cubus_net import CUBUS_NET
from cantstop_arena.games.cubus.nets.cubus_net_files import shipped_nets
from cantstop_arena.games.cubus.nets.two_ply_search import (
    KEYS,
    NOW,
    SearchWorkspace,
    new_workspace,
    plan_build,
)
from cantstop_arena.games.cubus.rules import CUBE, RuleSet

Numbers = NDArray[np.int64]

# Columns of the seats' counts and of the games' counts, in the order of SeatCounts and GameCounts.
POINTS, BUILDS, PASS_COUNT, BUILD_POINTS, RIGHT, WRONG, KNOCK_POINTS, LOST, OPEN_POINTS, WON = (
    range(10)
)
TURNS, G_BUILDS, G_PASS_COUNT, FIRST, CRATES, LYING, LEFT, LARGEST, MARGIN, CUBES = range(10)

# The scalars of a game, as indexes of `now`: cells of the pile, its F, the turn, cells of the plan.
COUNT, VALUE, TURN, PLACED = range(4)
_NO_LIMIT = 1000


class _Game(NamedTuple):
    """The arrays of a game, reused for each game."""

    now: Numbers
    cells: Numbers
    plan: Numbers
    knock_plan: Numbers  # of the knocker who is heard first
    hands: Numbers
    deck_counts: Numbers  # cards left in the deck, by type
    deck: Numbers
    keys: NDArray[np.uint64]  # of the seats' streams
    draw_counts: Numbers  # random numbers used, by seat
    order: Numbers  # of the seats, as knocks are heard
    following: Numbers  # counts for deny, see `plans.equals`
    query: Query


class CountedGames(NamedTuple):
    """Counts of games: [game, seat, field of SeatCounts] and [game, field of GameCounts]."""

    seats: Numbers
    games: Numbers


def fast(rules: RuleSet, names: Sequence[str]) -> bool:
    """Whether the kernel can play these rules and the bots of these names."""
    plain = rules.take_down or rules.ending != "none" or rules.duty == "strict"
    return not plain and all(name in CODES for name in names)


def play_all(
    rules: RuleSet, names: Sequence[str], keys: Sequence[CubusKeys], nets: Sequence[Any] = ()
) -> CountedGames:
    """Play a game for each set of keys; `names`: built-in bots in seat order.

    `nets` are champion's by seat, None for other bots; without them it has the shipped net.
    """
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
        compiled_rules(rules),
        codes,
        _champion(names, nets),
        np.array(rows, np.uint64).reshape(count, players + 2),
        _new_game(players),
        counted,
    )
    return counted


def _champion(names: Sequence[str], nets: Sequence[Any]) -> tuple[Any, SearchWorkspace] | None:
    """The nets by seat, and a workspace; None without champion."""
    if "champion" not in names:
        return None
    records = np.zeros(len(names), CUBUS_NET).view(np.recarray)
    for seat, name in enumerate(names):
        if name == "champion":
            records[seat] = nets[seat] if nets else shipped_nets()[len(names)].net
    return records, new_workspace()


def _new_game(players: int) -> _Game:
    def zeros(*shape: int) -> Numbers:
        return np.zeros(shape, np.int64)

    keys = np.zeros(players, np.uint64)
    piles = (zeros(MAX_CELLS, 4), zeros(MAX_CELLS, 4), zeros(MAX_CELLS, 4))
    cards = zeros(players, 4), zeros(4), zeros(64)
    draw_counts = zeros(players)
    return _Game(zeros(4), *piles, *cards, keys, draw_counts, zeros(players), zeros(6), new_query())


@njit_entry
def _play_all(library, order, best_values, rules, codes, champion, keys, game, counted):
    """`champion` is None in lineups without that bot, for which it is not compiled."""
    for number in range(len(keys)):
        _set_up(game, rules, keys[number])
        tables = library, order, best_values
        _play(tables, champion, rules, codes, keys[number], game, counted, number)


@njit_call(nrt=False)
def _set_up(game, rules, keys):
    _clear(game.now)
    _clear(game.draw_counts)
    game.now[COUNT], game.cells[0, H] = 1, 1
    game.cells[0, X] = game.cells[0, Y] = game.cells[0, O] = 0
    for seat in range(len(game.hands)):
        _clear(game.hands[seat])
    copy_numbers(game.deck_counts, rules.cards)
    copy_numbers(game.keys, keys[2:])
    index = 0
    for kind in range(4):
        for _ in range(rules.cards[kind]):
            game.deck[index] = kind
            index += 1
    shuffle(game.deck, index, keys[0])


@njit_call(nrt=False)
def _clear(numbers):
    for index in range(len(numbers)):
        numbers[index] = 0


@njit_call
def _play(tables, champion, rules, codes, keys, game, counted, number):
    players, cards = len(codes), rules.deck_size
    seats, totals, now = counted.seats[number], counted.games[number], game.now
    pass_run = 0
    while pass_run < players or now[TURN] < cards:
        seat = now[TURN] % players
        if now[TURN] < cards:
            card = game.deck[now[TURN]]
            game.hands[seat, card] += 1
            game.deck_counts[card] -= 1
        now[TURN] += 1
        if _planned(tables, champion, rules, codes[seat], game, seats, seat, seat):
            seats[seat, BUILDS] += 1
            seats[seat, BUILD_POINTS] += _carry_out(game, seats, totals, seat, seat)
            pass_run = 0
            continue
        seats[seat, PASS_COUNT] += 1
        knocker = -1
        if rules.knock:
            knocker = _knocker(tables, champion, rules, codes, keys[1], game, seats, seat)
        pass_run = 0 if knocker >= 0 else pass_run + 1
        if knocker >= 0:
            points = _carry_out(game, seats, totals, knocker, seat)
            seats[knocker, RIGHT] += 1
            seats[knocker, KNOCK_POINTS] += points
            seats[seat, LOST] += points
    _sum_up(game, seats, totals, players)


@njit_call
def _planned(tables, champion, rules, code, game, seats, seat, owner):
    """Write the build of the bot in `seat` with the cards of `owner` as a plan.

    Returns whether there is one.
    """
    library, order, best_values = tables
    now, stream = game.now, (game.keys, game.draw_counts, seat)
    _aim(best_values, rules, game, owner)
    if game.query.limits[TOP] <= now[VALUE]:
        return False
    pile = game.cells, now[COUNT]
    # numba leaves this block out where champion is None, but only under such a condition.
    if champion is not None:  # noqa: SIM102
        if code == CHAMPION:
            nets, work = champion
            _fill_state(work.states[NOW], game, seats, seat)
            key = np.uint64(below(*stream, KEYS))
            now[PLACED] = plan_build(
                library, best_values, nets[seat], rules, *pile, work, key, game.plan
            )
            return now[PLACED] > 0
    if code == HASTY:
        now[PLACED] = write_near_target(
            game.query, *pile, rules.free_swap, now[VALUE], game.plan, *stream
        )
    else:
        _look_ahead(game, seat)
        equal_keys = equals(
            code, library, order, game.query, best_values, now[VALUE], game.following
        )
        now[PLACED] = 0
        if len(equal_keys):
            key = equal_keys[below(*stream, len(equal_keys))]
            now[PLACED] = write_target(library, order, game.query, key, *pile, game.plan)
    if now[PLACED]:
        eager = code == EAGER
        add_open_cards(game.query, eager, rules.free_swap, *pile, game.plan, now[PLACED], *stream)
    return now[PLACED] > 0


@njit_call(nrt=False)
def _fill_state(state, game, seats, seat):
    """Set the position of the seat on turn, by its counts."""
    lying, state.left, state.right, state.crates = pile_cards(game.cells, game.now[COUNT])
    state.players, state.seat, state.passes = len(seats), seat, 0
    state.lids, state.lying, state.value = game.now[COUNT] - lying, lying, game.now[VALUE]
    for kind in range(4):
        state.deck[kind] = game.deck_counts[kind]
        for player in range(len(seats)):
            state.hands[player, kind] = game.hands[player, kind]
    for player in range(len(seats)):
        state.scores[player] = seats[player, POINTS]


@njit_call
def _aim(best_values, rules, game, owner):
    """Set the query to targets of higher F than the pile, with the cards of a seat."""
    now, crates = game.now, 0
    if rules.more_crates:
        _, _, _, lying = pile_cards(game.cells, now[COUNT])
        crates = lying + 1
    table, hand = (game.cells, now[COUNT]), game.hands[owner]
    min_value = now[VALUE] + 1
    aim(game.query, best_values, *table, hand, rules.free_swap, min_value, crates, _NO_LIMIT)


@njit_call(nrt=False)
def _look_ahead(game, seat):
    """Set `following` to the tops, left and right cards of the next player, then of the deck."""
    hand = game.hands[(seat + 1) % len(game.hands)]
    for column, cards in ((0, hand), (3, game.deck_counts)):
        game.following[column] = cards[0] + cards[1]
        game.following[column + 1], game.following[column + 2] = cards[2], cards[3]


@njit_call
def _knocker(tables, champion, rules, codes, key, game, seats, passer):
    """Write the knock that is heard first as a plan; returns its seat, or -1 without a knock.

    Bots that search as `greedy` does have no build after a pass by such a bot, so that only
    `hasty`, or a pass by `hasty`, needs a search.
    """
    for seat in range(len(codes)):
        game.order[seat] = seat
    shuffle(game.order, len(codes), number_at(key, game.now[TURN]))
    first, placed = -1, 0
    for seat in game.order:
        code = HASTY if codes[seat] == HASTY else GREEDY
        hopeless = code == GREEDY and codes[passer] != HASTY
        if seat == passer or codes[seat] == RANDOM or hopeless:
            continue
        if _planned(tables, champion, rules, code, game, seats, seat, passer) and first < 0:
            first, placed = int(seat), int(game.now[PLACED])
            copy_rows(game.knock_plan, game.plan)
    if first >= 0:
        copy_rows(game.plan, game.knock_plan)
        game.now[PLACED] = placed
    return first


@njit_call(nrt=False)
def _carry_out(game, seats, totals, builder, owner):
    """Play the planned build with the cards of `owner`; returns its points."""
    now, hand = game.now, game.hands[owner]
    lying, left, right, _ = pile_cards(game.cells, now[COUNT])
    open_after, left_after, right_after, crates = pile_cards(game.plan, now[PLACED])
    hand[0] += now[COUNT] - lying - (now[PLACED] - open_after)
    hand[1] += lying - open_after
    hand[2] += left - left_after
    hand[3] += right - right_after
    value = 3 * crates - now[PLACED] - left_after - right_after
    points = value - now[VALUE]
    now[COUNT], now[VALUE] = now[PLACED], value
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
