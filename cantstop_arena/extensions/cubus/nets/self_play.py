"""Games of champion against itself, one turn ahead, for its training. Compiled by numba."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cantstop_arena.extensions.cubus.engine.bot_row import (
    MAX_CELLS,
)
from cantstop_arena.extensions.cubus.engine.compiled import copy_rows, njit_call
from cantstop_arena.extensions.cubus.engine.plans import below, shuffle
from cantstop_arena.extensions.cubus.engine.query import (
    min_open,
)
from cantstop_arena.extensions.cubus.engine.query_arrays import (
    H,
)
from cantstop_arena.extensions.cubus.nets.afterstates import (
    count_build,
    draw_card,
    fill_inputs,
    is_over,
)
from cantstop_arena.extensions.cubus.nets.cubus_net import set_chances, set_shares
from cantstop_arena.extensions.cubus.nets.net_records import BUILT, KEYS, MAX_INPUTS, MAX_SEATS, NOW
from cantstop_arena.extensions.cubus.nets.two_ply_search import (
    aim_and_measure,
    best_option,
    find_options,
    place,
)

MAX_TURNS = 400  # of a game; a longer one is cut, and its last position has its own value
STRAY = 0.02  # the share of decisions for a random option


class SelfPlay(NamedTuple):
    """The arrays of a game: its table, and what is learned from each turn.

    A sample is the inputs of a position after a turn, and the scores and the targets of the seats,
    beginning with the one that has moved.
    """

    cells: NDArray[np.int64]
    plan: NDArray[np.int64]
    deck: NDArray[np.int64]
    streams: NDArray[np.uint64]  # the one of the game's random numbers
    inputs: NDArray[np.int64]
    scores: NDArray[np.int64]
    targets: NDArray[np.float64]
    movers: NDArray[np.int64]


def new_self_play() -> SelfPlay:
    """The arrays for one game at a time."""
    cells, plan = np.zeros((MAX_CELLS, 4), np.int64), np.zeros((MAX_CELLS, 4), np.int64)
    return SelfPlay(
        cells,
        plan,
        np.zeros(64, np.int64),
        np.zeros((1, 2), np.uint64),
        np.zeros((MAX_TURNS, MAX_INPUTS), np.int64),
        np.zeros((MAX_TURNS, MAX_SEATS), np.int64),
        np.zeros((MAX_TURNS, MAX_SEATS)),
        np.zeros(MAX_TURNS, np.int64),
    )


@njit_call
def play_for_samples(library, best_values, net, rules, key, trace, game, work):
    """Play a game; sets its samples, and returns their number.

    The target of a position is the chances at the next decision, and those of all later ones, with
    weights that fall by `trace` a turn; those of the end are the result.
    """
    now = work.states[NOW]
    _set_up(rules, key, now, game)
    cards, count, turn = rules.deck_size, 1, 0
    while not is_over(now) and turn < MAX_TURNS:
        now.seat = turn % now.players
        if turn < cards:
            draw_card(now, game.deck[turn])
        count = _take_turn(library, best_values, net, rules, count, game, work)
        for seat in range(now.players):
            game.targets[turn, seat] = work.chances[seat]  # before the turn, by seat, for now
            game.scores[turn, seat] = now.scores[(now.seat + seat) % now.players]
        game.movers[turn] = now.seat
        aim_and_measure(best_values, rules, game.cells, count, now, work)
        fill_inputs(now, best_values, game.inputs[turn])
        turn += 1
    _set_targets(now, trace, turn, game, work)
    return turn - 1


@njit_call(nrt=False)
def _set_up(rules, key, now, game):
    game.streams[0, 0], game.streams[0, 1] = key, 0
    now.lids = now.left = now.right = now.crates = 1
    now.lying = now.value = now.passes = 0
    game.cells[0, H] = 1
    for column in (0, 1, 3):
        game.cells[0, column] = 0
    for seat in range(MAX_SEATS):
        now.scores[seat] = 0
        for kind in range(4):
            now.hands[seat, kind] = 0
    index = 0
    for kind in range(4):
        now.deck[kind] = rules.cards[kind]
        for _ in range(rules.cards[kind]):
            game.deck[index] = kind
            index += 1
    shuffle(game.deck, index, key + np.uint64(1))


@njit_call
def _take_turn(library, best_values, net, rules, count, game, work):
    """Play the turn of a seat; returns the cells of the pile. Sets `chances` to those of the best
    option, before the build is placed."""
    now, stream = work.states[NOW], (game.streams, 0)
    options = find_options(library, best_values, net, rules, game.cells, count, work)
    if options == 0:
        now.passes += 1
        set_chances(net, now, best_values, work.inputs, work.hidden, work.chances)
        return count
    option = best_option(work.values, options)
    work.states[BUILT] = work.states[NOW]
    group = library.groups[work.groups[option]]
    count_build(work.states[BUILT], group, min_open(work.query, group[1]))
    set_chances(net, work.states[BUILT], best_values, work.inputs, work.hidden, work.chances)
    if below(*stream, 1_000_000) < STRAY * 1_000_000:
        group = library.groups[work.groups[below(*stream, options)]]
    work.streams[0, 0], work.streams[0, 1] = np.uint64(below(*stream, KEYS)), 0
    count = place(library, group, rules, game.cells, count, work, game.plan)
    copy_rows(game.cells, game.plan)
    count_build(now, group, min_open(work.query, group[1]))
    return count


@njit_call(nrt=False)
def _set_targets(now, trace, turns, game, work):
    """Turn the chances of decisions, by seat, into targets, by distance from the mover."""
    players = now.players
    if is_over(now):
        set_shares(now, work.chances)
    for turn in range(turns - 1, 0, -1):
        for seat in range(players):
            work.chances[seat] = (
                trace * work.chances[seat] + (1.0 - trace) * game.targets[turn, seat]
            )
        for seat in range(players):
            distance = (seat - game.movers[turn - 1] + players) % players
            work.mean[distance] = work.chances[seat]
        for seat in range(players):
            game.targets[turn, seat] = work.mean[seat]
    for turn in range(1, turns):  # a position's target comes from the turn after it
        for seat in range(players):
            game.targets[turn - 1, seat] = game.targets[turn, seat]
