"""Deals as the units of sampling: what was won in them, as sums, squares and products over deals.

The games of a deal share their chance, in all seatings and in all groups of bots, so it is deals
that vary independently. Whatever is linear in what bots and seats won in a deal has a variance
that follows from the sums kept here, to the last digit and whatever the number of games.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, reduce
from itertools import permutations
from typing import Any, TypeAlias

import msgspec
import numpy as np
from numpy.typing import NDArray

from cantstop_arena.deals.seatings import Group, Orders
from cantstop_arena.deals.spans import Span, merge_spans
from cantstop_arena.deals.winners import win_units

Ints: TypeAlias = NDArray[np.int64]
Bytes: TypeAlias = NDArray[np.uint8]
Floats: TypeAlias = NDArray[np.float64]

StoredBlock: TypeAlias = tuple[Group, int, Bytes, Any]
"""A group, a block's first deal, the winners of its games (deals by seatings, masks of seats), and
whatever else is kept, a row for each deal."""
DealReader: TypeAlias = Callable[[int, int], Iterable[StoredBlock]]
"""Gives the blocks that have some of `count` deals from `start`."""
Corrector: TypeAlias = Callable[[Group, int, Any], Ints]
"""What is added to what a group won, as `shares` has it, from its first deal and what is kept."""

_NUMBERS_AT_ONCE = 1 << 20  # that are held in memory
_SAMPLED_DEALS = 256
_SAMPLED_GAMES = 1 << 20
_FEW_DEALS = 64  # that are sampled however many games they have


class DealRange(msgspec.Struct, frozen=True):
    """Deals that the same groups played.

    With W the vector of what each bot, then each seat, won in a deal in parts of WHOLE, over all
    games of the deal: `totals` is the sum of W over the deals, `products` that of W Wᵀ.
    """

    groups: tuple[Group, ...]
    deals: int
    totals: Ints
    products: Ints


class Pairs(msgspec.Struct, frozen=True):
    """What bots won in games with each other, summed over deals: matrices of bots by bots.

    With a[i, j] what bot i won in a deal in games in which j sat too, in parts of WHOLE: the sums
    of a[i, j] (`won`), of its square (`squares`), and of a[i, j] a[j, i] (`crossed`).
    """

    won: Ints
    squares: Ints
    crossed: Ints


class DealSample(msgspec.Struct, frozen=True):
    """Some deals as they were played, from which to see how the games of a deal go together.

    `winners` has for each group a table of masks of seats: deals by seatings.
    """

    winners: Mapping[Group, Bytes]


class DealSums(msgspec.Struct, frozen=True):
    """All that was won, deal by deal, added up; and a sample of deals as they were."""

    stretches: tuple[DealRange, ...]
    pairs: Pairs
    sample: DealSample = DealSample({})


def gather_deals(
    bots: int,
    orders: Orders,
    spans: Mapping[Group, Iterable[Span]],
    read: DealReader,
    correct: Corrector | None = None,
) -> DealSums:
    """Add up the deals that each group of some of the `bots` has played, in these orders."""
    players = len(orders[0])
    pairs = Pairs(*(np.zeros((bots, bots), np.int64) for _ in range(3)))
    stretches = []
    maximum = bots + players if players < 3 else bots * bots + bots + players
    step = max(1, _NUMBERS_AT_ONCE // maximum)
    for first, end, groups in _patterns(spans):
        totals = np.zeros(bots + players, np.int64)
        products = np.zeros((bots + players, bots + players), np.int64)
        for start in range(first, end, step):
            deals = min(step, end - start)
            blocks = _within(start, deals, read(start, deals))
            if len(groups) == 1:
                sums = (_sums(block, orders, correct) for block, _ in blocks)
                _add_alone(bots, sums, totals, products, pairs)
                continue
            rows = ((block[0], here, _corrected(block, orders, correct)) for block, here in blocks)
            won = _won(bots, players, deals, rows, pairs)
            totals += _totals(won)
            products += _products(won)
        stretches.append(DealRange(groups, end - first, totals, products))
    return DealSums(tuple(stretches), pairs, _sample(len(orders), spans, read))


def _sample(orders: int, spans: Mapping[Group, Iterable[Span]], read: DealReader) -> DealSample:
    """The first deals of the stretch with the most games; fewer, and of some groups only, if a deal
    has very many games.
    """
    values = max(
        _patterns(spans), key=lambda item: (item[1] - item[0]) * len(item[2]), default=(0, 0, ())
    )
    first, end, groups = values
    every = -(-len(groups) * orders * min(end - first, _FEW_DEALS) // _SAMPLED_GAMES)
    groups = groups[:: max(every, 1)]
    maximum = _SAMPLED_GAMES // max(len(groups) * orders, 1)
    deals = min(end - first, _SAMPLED_DEALS, max(maximum, _FEW_DEALS))
    table = {group: np.zeros((deals, orders), np.uint8) for group in groups}
    for group, start, winners, _ in read(first, deals) if deals else ():
        low, high = max(start, first), min(start + len(winners), first + deals)
        if group in table:
            table[group][low - first : high - first] = winners[low - start : high - start]
    return DealSample(table)


def wins_by_deal(winners: Bytes, orders: Orders) -> Ints:
    """What each bot of the group, then each seat, won in every deal, in parts of WHOLE.

    `winners` has a mask of seats for each deal and each of the `orders`.
    """
    return _rows(winners, orders).T.astype(np.int64)


def _rows(winners: Bytes, orders: Orders) -> Floats:
    """What `shares` tells, a row for each bot and seat."""
    matches = (
        table.take(_codes(winners[:, first : first + count].T, len(orders[0])), axis=1)
        for first, count, table in _tables(orders)
    )
    return reduce(np.add, matches)


def _codes(masks: Bytes, players: int) -> Bytes:
    """The masks of some orders as one, that of the first in the lowest bits."""
    codes: Bytes = masks[0]
    for index, more in enumerate(masks[1:], 1):
        codes = codes | more << index * players
    return codes


@cache
def _tables(orders: Orders) -> list[tuple[int, int, Floats]]:
    """What the masks of some orders bring to each bot and seat: the first order, how many they are,
    and a column for each of their `_codes`. They are as many as have masks that fit into a byte.
    """
    at_once = max(1, 8 // len(orders[0]))
    parts = [(first, orders[first : first + at_once]) for first in range(0, len(orders), at_once)]
    return [(first, len(part), reduce(_joint, map(_table, part))) for first, part in parts]


def _joint(low: Floats, high: Floats) -> Floats:
    return (high[:, :, None] + low[:, None]).reshape(len(low), -1)


def _table(order: Group) -> Floats:
    """What a mask of winning seats brings to each bot and seat in this order."""
    players = len(order)
    table = np.zeros((2 * players, 1 << players))
    for mask in range(1, 1 << players):
        for seat in range(players):
            if mask >> seat & 1:
                table[[order[seat], players + seat], mask] = win_units(players) // mask.bit_count()
    return table


def _within(
    start: int, deals: int, blocks: Iterable[StoredBlock]
) -> Iterator[tuple[StoredBlock, slice]]:
    """What each block has of some deals, and where among these that is."""
    for group, first, winners, stored in blocks:
        low, high = max(first, start), min(first + len(winners), start + deals)
        part = slice(low - first, high - first)
        yield (group, low, winners[part], stored[part]), slice(low - start, high - start)


def _sums(
    block: StoredBlock, orders: Orders, correct: Corrector | None
) -> tuple[Group, Ints, Ints]:
    """A block's group, and what its deals add to `totals` and `products`."""
    group, _, winners, _ = block
    if correct is None and len(_tables(orders)) == 1:
        ((_, _, table),) = _tables(orders)  # deals with the same winners bring the same
        counts = np.bincount(_codes(winners.T, len(orders[0])), minlength=table.shape[1])
        return group, _as_integers(table @ counts), _as_integers(table * counts @ table.T)
    rows = _corrected(block, orders, correct)
    return group, _totals(rows), _products(rows)


def _corrected(block: StoredBlock, orders: Orders, correct: Corrector | None) -> Floats:
    group, first, winners, stored = block
    won = _rows(winners, orders)
    return won if correct is None else won + correct(group, first, stored).T


def _add_alone(
    bots: int,
    sums: Iterable[tuple[Group, Ints, Ints]],
    totals: Ints,
    products: Ints,
    pairs: Pairs,
) -> None:
    """Add deals that one group alone has played: each of it sat in all games of a deal."""
    for group, added, multiplied in sums:
        positions = [*group, *range(bots, bots + len(group))]
        totals[positions] += added
        products[np.ix_(positions, positions)] += multiplied
        _add_pair(pairs, group, added, multiplied)


def _won(
    bots: int,
    players: int,
    deals: int,
    blocks: Iterable[tuple[Group, slice, Floats]],
    pairs: Pairs,
) -> Floats:
    """What bots and seats won, each in a row, in each of some deals; what pairs won is added to
    the sums.
    """
    won = np.zeros((bots + players, deals))
    # Two who meet in no other group need no room to be added up deal by deal.
    together = np.zeros((deals, bots, bots), np.int64) if players > 2 else None
    for group, here, rows in blocks:
        for row, added in zip([*group, *range(bots, bots + players)], rows, strict=True):
            won[row, here] += added
        if together is not None:
            for index, bot in enumerate(group):
                together[here, bot, [*group]] += rows[index, :, None].astype(np.int64)
        elif players == 2:
            _add_pair(pairs, group, _totals(rows[:2]), _products(rows[:2]))
    if together is not None:
        _add_pairs(pairs, together)
    return won


def _add_pair(pairs: Pairs, group: Group, totals: Ints, products: Ints) -> None:
    """Add what those of a group won in deals of which each sat in all games."""
    for own, yours in permutations(range(len(group)), 2):
        cell = group[own], group[yours]
        pairs.won[cell] += totals[own]
        pairs.squares[cell] += products[own, own]
        pairs.crossed[cell] += products[own, yours]


def _add_pairs(pairs: Pairs, together: Ints) -> None:
    for sums, values in (
        (pairs.won, together),
        (pairs.squares, together**2),
        (pairs.crossed, together * together.transpose(0, 2, 1)),
    ):
        added = values.sum(axis=0)
        np.fill_diagonal(added, 0)
        sums += added


def _totals(won: Floats) -> Ints:
    return _as_integers(won.sum(axis=1))


def _products(won: Floats) -> Ints:
    """W Wᵀ."""
    return _as_integers(won @ won.T)


def _as_integers(sums: Floats) -> Ints:
    """Sums as whole numbers: they are made in floating point, which is fast, and exact to 2⁵³."""
    return sums.astype(np.int64)


def _patterns(
    spans: Mapping[Group, Iterable[Span]],
) -> Iterator[tuple[int, int, tuple[Group, ...]]]:
    """The longest runs of deals that the same groups played: first, end and groups."""
    changes: dict[int, tuple[list[Group], list[Group]]] = {}
    for group, played in spans.items():
        for first, deals in merge_spans(played):
            changes.setdefault(first, ([], []))[0].append(group)
            changes.setdefault(first + deals, ([], []))[1].append(group)
    playing: set[Group] = set()
    reached = 0
    for deal in sorted(changes):
        if playing:
            yield reached, deal, tuple(sorted(playing))
        matches, ended = changes[deal]
        playing.difference_update(ended)
        playing.update(matches)
        reached = deal
