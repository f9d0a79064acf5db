"""The search of champion: two turns ahead, with a net for what comes after them. By numba.

Each group of piles (equal F, cards and crates) is one option. The net rates what each leaves by
its counts alone. The best few are then placed on the table at random, and rated by what the next
player's best build there leaves, averaged over the cards that it may draw.
"""

import numpy as np

from cantstop_arena.extensions.cubus.engine.compiled import copy_rows, njit_call, njit_entry
from cantstop_arena.extensions.cubus.engine.library import Library
from cantstop_arena.extensions.cubus.engine.plans import add_open_cards, below, write_pile
from cantstop_arena.extensions.cubus.engine.query import (
    UNIT,
    aim,
    min_open,
)
from cantstop_arena.extensions.cubus.engine.query_arrays import (
    LYING,
    MIN_VALUE,
    CompiledRules,
    Query,
)
from cantstop_arena.extensions.cubus.engine.search import (
    anchor_bits,
    corner_at,
    first_group,
    fits,
    has_hit,
    has_room,
    popcount,
)
from cantstop_arena.extensions.cubus.nets.afterstates import (
    cards_in_deck,
    count_build,
    draw_card,
    measure_room,
)
from cantstop_arena.extensions.cubus.nets.cubus_net import set_chances
from cantstop_arena.extensions.cubus.nets.net_records import (
    BUILT,
    NOW,
    REPLIED,
    WITH_CARD,
    SearchWorkspace,
)

CANDIDATES = 5  # options that are searched two turns deep
PLACEMENTS = 2  # random placements of each, where open cards are involved
_NO_LIMIT = 1000
_BIT_SHIFT, _BIT_MASK = 6, 63


@njit_entry
def plan_build(library, best_values, net, rules, cells, count, work, key, plan):
    """Write a build for the seat on turn as a plan; returns its cells' number, 0 for a pass.

    `key` is that of the random numbers of this decision.
    """
    work.streams[0, 0], work.streams[0, 1] = key, 0
    now, built = work.states[NOW], work.states[BUILT]
    options = find_options(library, best_values, net, rules, cells, count, work)
    placed, best = 0, -1.0
    for _ in range(min(CANDIDATES, options)):
        option = best_option(work.values, options)
        work.values[option] = -1.0  # so that it is not the best again
        group = library.groups[work.groups[option]]
        new = min_open(work.query, group[1])
        for _ in range(PLACEMENTS if now.lying + new > 0 else 1):
            number = place(library, group, rules, cells, count, work, work.placed)
            work.states[BUILT] = work.states[NOW]
            count_build(built, group, new)
            if new:
                aim_and_measure(best_values, rules, work.placed, number, built, work)
            _set_mean(library, best_values, net, rules, number, work)
            if work.mean[now.seat] > best:
                placed, best = number, work.mean[now.seat]
                copy_rows(plan, work.placed)
    return placed


@njit_entry
def plan_build_of_arrays(
    masks,
    heights,
    ranks,
    by_rank,
    groups,
    levels,
    best_values,
    nets,
    rules,
    cards,
    cells,
    key,
    plan,
    states,
    limits,
    shifts,
    columns,
    barred,
    reply_limits,
    reply_shifts,
    reply_columns,
    reply_barred,
    listed,
    reply_groups,
    values,
    hits,
    placed,
    inputs,
    hidden,
    chances,
    mean,
    streams,
    room,
):
    """The same with all arrays as arguments, for Python: see `entry_points.searches`."""
    library = Library(masks, heights, ranks, by_rank, groups, levels)
    compiled = CompiledRules(cards, rules[0], rules[1] != 0, rules[2] != 0, rules[3] != 0)
    work = SearchWorkspace(
        states,
        Query(limits, shifts, columns, barred),
        Query(reply_limits, reply_shifts, reply_columns, reply_barred),
        listed,
        reply_groups,
        values,
        hits,
        placed,
        inputs,
        hidden,
        chances,
        mean,
        streams,
        room,
    )
    tables, pile = (library, best_values, nets[0], compiled), (cells, np.int64(len(cells)))
    return np.int64(plan_build(*tables, *pile, work, np.uint64(key), plan))


@njit_call(nrt=False)
def find_options(library, best_values, net, rules, cells, count, work):
    """Set `groups` to those that can be built now, and `values` to what the net says of each.

    Returns their number.
    """
    now = work.states[NOW]
    min_crates = now.crates + 1 if rules.more_crates else 0
    limits = rules.free_swap, now.value + 1, min_crates, _NO_LIMIT
    aim(work.query, best_values, cells, count, now.hands[now.seat], *limits)
    measure_room(now, work.query)
    options = _list_groups(library, work.query, work.groups)
    for option in range(options):
        group = library.groups[work.groups[option]]
        work.values[option] = _value(best_values, net, NOW, group, work.query, work)
    return options


@njit_call(nrt=False)
def aim_and_measure(best_values, rules, cells, count, state, work):
    """Set the `room` of a state with this table."""
    limits = rules.free_swap, 0, 0, _NO_LIMIT
    aim(work.reply_query, best_values, cells, count, state.hands[state.seat], *limits)
    measure_room(state, work.reply_query)


@njit_call(nrt=False)
def best_option(values, options):
    """The first option of the highest value."""
    best = 0
    for option in range(1, options):
        if values[option] > values[best]:
            best = option
    return best


@njit_call(nrt=False)
def _aim(best_values, rules, cells, count, state, work):
    """Aim the query of the reply at a table with the cards of the seat on turn."""
    min_crates = state.crates + 1 if rules.more_crates else 0
    limits = rules.free_swap, state.value + 1, min_crates, _NO_LIMIT
    aim(work.reply_query, best_values, cells, count, state.hands[state.seat], *limits)


@njit_call(nrt=False)
def _list_groups(library, query, listed):
    """List the groups of higher F than the table's with a hit; returns their number."""
    groups, count = library.groups, 0
    number, min_value = first_group(library, query), query.limits[MIN_VALUE]
    while number < len(groups) and groups[number, 0] >= min_value:
        if fits(library, query, number) and has_hit(library, query, number):
            listed[count] = number
            count += 1
        number += 1
    return count


@njit_call(nrt=False)
def _value(best_values, net, index, group, query, work):
    """What the net says of an option in `states[index]`, to the seat on turn; sets `chances`."""
    work.states[REPLIED] = work.states[index]
    after = work.states[REPLIED]
    count_build(after, group, min_open(query, group[1]))
    set_chances(net, after, best_values, work.inputs, work.hidden, work.chances)
    return work.chances[after.seat]


@njit_call
def place(library, group, rules, cells, count, work, plan):
    """Write a random pile of a group, at a random place, as a plan; returns its cells' number.

    The open cards that it needs lie on random cells.
    """
    query, stream = work.query, (work.streams, 0)
    if query.limits[LYING] == 0:
        pile = group[5] + below(*stream, group[6] - group[5])
        x = y = 0
    else:
        hits = _list_hits(library, group, query, work.hits)
        hit = work.hits[below(*stream, hits)]
        pile = hit >> _BIT_SHIFT
        x, y = corner_at(query, hit & _BIT_MASK)
    number = write_pile(library, pile, x, y, cells, count, plan)
    add_open_cards(query, False, rules.free_swap, cells, count, plan, number, work.room, *stream)
    return number


@njit_call(nrt=False)
def _list_hits(library, group, query, hits):
    """List the hits of a group, as pile and bit of the anchor; returns their number."""
    count, needed = 0, min_open(query, group[1])
    for pile in range(group[5], group[6]):
        mask = library.masks[pile]
        bits = anchor_bits(mask, query)
        while bits and count < len(hits):
            lowest = bits & (~bits + UNIT)
            bits ^= lowest
            bit = popcount(lowest - UNIT)
            if has_room(mask, bit, group[1], needed, query):
                hits[count] = pile << _BIT_SHIFT | bit
                count += 1
    return count


@njit_call(nrt=False)
def _set_mean(library, best_values, net, rules, number, work):
    """Set `mean` to the chances after the best reply to `states[BUILT]`, with the plan `placed`.

    The mean is over the cards that the next seat may draw; it does not knock, nor is it knocked.
    """
    built, with_card, replied = work.states[BUILT], work.states[WITH_CARD], work.states[REPLIED]
    cards, players = cards_in_deck(built), built.players
    for seat in range(players):
        work.mean[seat] = 0.0
    for kind in range(4 if cards else 1):
        if cards and built.deck[kind] == 0:
            continue
        share = built.deck[kind] / cards if cards else 1.0
        work.states[WITH_CARD] = work.states[BUILT]
        with_card.seat = (built.seat + 1) % players
        if cards:
            draw_card(with_card, kind)
        _aim(best_values, rules, work.placed, number, with_card, work)
        options, best, best_value = (
            _list_groups(library, work.reply_query, work.reply_groups),
            0,
            -1.0,
        )
        for option in range(options):
            group = library.groups[work.reply_groups[option]]
            value = _value(best_values, net, WITH_CARD, group, work.reply_query, work)
            if value > best_value:
                best, best_value = option, value
        if options:
            group = library.groups[work.reply_groups[best]]
            _value(best_values, net, WITH_CARD, group, work.reply_query, work)
        else:
            work.states[REPLIED] = work.states[WITH_CARD]
            replied.passes += 1
            set_chances(net, replied, best_values, work.inputs, work.hidden, work.chances)
        for seat in range(players):
            work.mean[seat] += share * work.chances[seat]
