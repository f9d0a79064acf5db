"""Deals as the units of sampling: sums, squares and products of wins over deals.

The games of a deal share their chance, in all seatings and in all groups of bots, so it is deals
that vary independently. Whatever is linear in the wins of bots and seats in a deal has a variance
that follows exactly from the sums stored here, whatever the number of games.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, reduce
from itertools import accumulate, permutations
from typing import Any, NamedTuple, TypeAlias

import msgspec
import numpy as np
from numpy.typing import NDArray

from cantstop_arena.deals.outcomes import Span, merge_spans, win_units
from cantstop_arena.deals.payoff import VOID
from cantstop_arena.deals.seatings import Group, Orders

Ints: TypeAlias = NDArray[np.int64]
Bytes: TypeAlias = NDArray[np.uint8]
Floats: TypeAlias = NDArray[np.float64]

StoredBlock: TypeAlias = tuple[Group, int, NDArray[Any], Any]
"""A group, a block's first deal, the winners of its games (deals by seatings, masks of seats), and
whatever else is stored, a row for each deal."""
DealReader: TypeAlias = Callable[[int, int], Iterable[StoredBlock]]
"""Returns the blocks that have some of `count` deals from `start`."""
PaidReader: TypeAlias = Callable[[int, int], Iterable[tuple[Group, int, NDArray[np.int32]]]]
"""Returns the same with what each deal paid: by bot of the group, then by seat."""
_BlockSums: TypeAlias = tuple[Group, Ints, Ints]
Corrector: TypeAlias = Callable[[Group, int, Any], Ints]
"""Returns what to add to `wins_by_deal`: from the group, the first deal and what else is stored."""

_EXACT = 1 << 53  # the sums of whole numbers that floating point has exactly
_NUMBERS_AT_ONCE = 1 << 20  # held in memory
_DEALS_IN_CHUNK = 4096
_SAMPLED_DEALS = 256
_SAMPLED_GAMES = 1 << 20
_MIN_SAMPLED_DEALS = 64  # sampled however many games they have


class DealRange(msgspec.Struct, frozen=True):
    """Deals that the same groups played.

    With W the vector of the wins of each bot, then each seat, in a deal, in win units, over all
    games of the deal: `totals` is the sum of W over the deals, `products` that of W Wᵀ.
    """

    groups: tuple[Group, ...]
    deals: int
    totals: Ints
    products: Ints


class Pairs(msgspec.Struct, frozen=True):
    """Wins of bots in games with each other, summed over deals: matrices of bots by bots.

    With a[i, j] the wins of bot i in a deal in games in which j sat too, in win units: the sums
    of a[i, j] (`win_units`), of its square (`squares`), and of a[i, j] a[j, i] (`crossed`).
    """

    win_units: Ints
    squares: Ints
    crossed: Ints


class DealSample(msgspec.Struct, frozen=True):
    """Some deals with the winners of each game, to estimate the correlation of a deal's games.

    `winners` has for each group a table of masks of seats: deals by seatings.
    """

    winners: Mapping[Group, NDArray[Any]]


class DealSums(msgspec.Struct, frozen=True):
    """Sums of wins over deals, and a sample of deals."""

    ranges: tuple[DealRange, ...]
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

    def sums(block: StoredBlock) -> _BlockSums:
        return _block_sums(block, orders, correct)

    def rows(blocks: Sequence[StoredBlock]) -> Floats:
        return _corrected_rows(blocks, orders, correct)

    ranges, pairs = _gather(bots, len(orders[0]), spans, read, _Rows(sums, rows))
    return DealSums(ranges, pairs, _sample(len(orders), spans, read))


def gather_payoffs(
    bots: int, orders: Orders, spans: Mapping[Group, Iterable[Span]], read: PaidReader
) -> DealSums:
    """Add up the payoffs of these deals like wins: in parts of the unit in place of win units.

    Deals that are void for their group are left out. The sample has, for each group, what its
    deals paid in place of winners: deals by bots of the group, then seats.
    """
    spans, largest = _paid_spans(spans, read)
    exact_deals = _EXACT // max(largest, 1) ** 2  # whose products are exact in floating point
    numbers = np.dtype(np.float64 if exact_deals else object)

    def rows(blocks: Sequence[StoredBlock]) -> Floats:
        paid: Floats = np.concatenate([paid for _, _, paid, _ in blocks]).T.astype(numbers)
        return paid

    def sums(block: StoredBlock) -> _BlockSums:
        paid = rows([block])
        return block[0], _totals(paid), _products(paid)

    def blocks(start: int, count: int) -> Iterator[StoredBlock]:
        for group, first, paid in read(start, count):
            yield group, first, np.where(paid == VOID, 0, paid), paid

    how = _Rows(sums, rows, numbers, np.dtype(object), max(1, exact_deals))
    ranges, pairs = _gather(bots, len(orders[0]), spans, blocks, how)
    width = 2 * len(orders[0])
    return DealSums(ranges, pairs, _sample(width, spans, blocks, np.int64))


def _paid_spans(
    spans: Mapping[Group, Iterable[Span]], read: PaidReader
) -> tuple[dict[Group, list[Span]], int]:
    """The spans without the deals that are void, and the largest number that a deal paid."""
    left = {group: [*merge_spans(played)] for group, played in spans.items()}
    end = max((first + deals for played in left.values() for first, deals in played), default=0)
    largest = 0
    for group, first, paid in read(0, end):
        is_void = paid[:, 0] == VOID
        largest = max(largest, int(np.abs(np.where(paid == VOID, 0, paid)).max(initial=0)))
        for deal in (np.flatnonzero(is_void) + first).tolist() if group in left else ():
            left[group] = [span for run in left[group] for span in _without(deal, run)]
    return left, largest


def _without(deal: int, run: Span) -> list[Span]:
    """A run of deals without one of them."""
    first, deals = run
    if not first <= deal < first + deals:
        return [run]
    parts = (first, deal - first), (deal + 1, first + deals - deal - 1)
    return [part for part in parts if part[1]]


class _Rows(NamedTuple):
    """How blocks are added up: the sums of one, and the rows of several, one after the other: of
    the bots of a block's group, then of seats.

    `numbers` is the type of rows, `totals` that of sums; at most so many deals are added `at_once`.
    """

    sums: Callable[[StoredBlock], _BlockSums]
    rows: Callable[[Sequence[StoredBlock]], Floats]
    numbers: np.dtype[Any] = np.dtype(np.float64)
    totals: np.dtype[Any] = np.dtype(np.int64)
    at_once: int = _NUMBERS_AT_ONCE


def _gather(
    bots: int,
    players: int,
    spans: Mapping[Group, Iterable[Span]],
    read: DealReader,
    how: _Rows,
) -> tuple[tuple[DealRange, ...], Pairs]:
    """The sums over the deals of each range, and those of pairs of bots."""
    pairs = Pairs(*(np.zeros((bots, bots), how.totals) for _ in range(3)))
    ranges = []
    numbers_per_deal = bots + players if players < 3 else bots * bots + bots + players
    step = min(how.at_once, max(1, _NUMBERS_AT_ONCE // numbers_per_deal))
    for first, end, groups in _common_ranges(spans):
        totals = np.zeros(bots + players, how.totals)
        products = np.zeros((bots + players, bots + players), how.totals)
        for start in range(first, end, step):
            deals = min(step, end - start)
            blocks = _clipped_blocks(start, deals, read(start, deals))
            if len(groups) == 1:
                sums = (how.sums(block) for block, _ in blocks)
                _add_single_group(bots, sums, totals, products, pairs)
                continue
            wins = np.zeros((bots + players, deals), how.numbers)
            _add_wins(bots, players, wins, blocks, how.rows, pairs)
            totals += _totals(wins)
            products += _products(wins)
        ranges.append(DealRange(groups, end - first, totals, products))
    return tuple(ranges), pairs


def _sample(
    orders: int,
    spans: Mapping[Group, Iterable[Span]],
    read: DealReader,
    kind: type[np.integer[Any]] = np.uint8,
) -> DealSample:
    """The first deals of the range with the most games; if a deal has very many games, fewer deals,
    and of some groups only.
    """
    largest = max(
        _common_ranges(spans),
        key=lambda item: (item[1] - item[0]) * len(item[2]),
        default=(0, 0, ()),
    )
    first, end, groups = largest
    step = -(-len(groups) * orders * min(end - first, _MIN_SAMPLED_DEALS) // _SAMPLED_GAMES)
    groups = groups[:: max(step, 1)]
    max_deals = _SAMPLED_GAMES // max(len(groups) * orders, 1)
    deals = min(end - first, _SAMPLED_DEALS, max(max_deals, _MIN_SAMPLED_DEALS))
    masks = {group: np.zeros((deals, orders), kind) for group in groups}
    for group, start, winners, _ in read(first, deals) if deals else ():
        low, high = max(start, first), min(start + len(winners), first + deals)
        if group in masks and low < high:
            masks[group][low - first : high - first] = winners[low - start : high - start]
    return DealSample(masks)


def wins_by_deal(winners: Bytes, orders: Orders) -> Ints:
    """The wins in win units: deals by bots of the group, then seats.

    `winners` has a mask of seats for each deal and each of the `orders`.
    """
    return _win_rows(winners, orders).T.astype(np.int64)


def _win_rows(winners: Bytes, orders: Orders) -> Floats:
    """The transpose of `wins_by_deal`: a row for each bot and seat."""
    wins = (
        table.take(_codes(winners[:, first : first + count].T, len(orders[0])), axis=1)
        for first, count, table in _tables(orders)
    )
    return reduce(np.add, wins)


def _codes(masks: Bytes, players: int) -> Bytes:
    """The masks of some orders as one number, that of the first in the lowest bits."""
    codes: Bytes = masks[0]
    for index, mask in enumerate(masks[1:], 1):
        codes = codes | mask << index * players
    return codes


@cache
def _tables(orders: Orders) -> list[tuple[int, int, Floats]]:
    """For runs of orders: the first order, their number, and the wins of each bot and seat (rows)
    for each of their `_codes` (columns). The masks of a run fit into a byte.
    """
    at_once = max(1, 8 // len(orders[0]))
    chunks = [(first, orders[first : first + at_once]) for first in range(0, len(orders), at_once)]
    return [
        (first, len(chunk), reduce(_joined_tables, map(_table, chunk))) for first, chunk in chunks
    ]


def _joined_tables(low: Floats, high: Floats) -> Floats:
    return (high[:, :, None] + low[:, None]).reshape(len(low), -1)


def _table(order: Group) -> Floats:
    """The wins of each bot and seat (rows) for each mask of winning seats, in this order."""
    players = len(order)
    table = np.zeros((2 * players, 1 << players))
    for mask in range(1, 1 << players):
        for seat in range(players):
            if mask >> seat & 1:
                table[[order[seat], players + seat], mask] = win_units(players) // mask.bit_count()
    return table


def _clipped_blocks(
    start: int, deals: int, blocks: Iterable[StoredBlock]
) -> Iterator[tuple[StoredBlock, slice]]:
    """The part of each block that is in a range of deals, and its slice of that range."""
    for group, first, winners, stored in blocks:
        low, high = max(first, start), min(first + len(winners), start + deals)
        inside = slice(low - first, high - first)
        yield (group, low, winners[inside], stored[inside]), slice(low - start, high - start)


def _block_sums(
    block: StoredBlock, orders: Orders, correct: Corrector | None
) -> tuple[Group, Ints, Ints]:
    """A block's group, and what its deals add to `totals` and `products`."""
    group, _, winners, _ = block
    if correct is None and len(_tables(orders)) == 1:
        ((_, _, table),) = _tables(orders)  # equal winners, equal wins
        counts = np.bincount(_codes(winners.T, len(orders[0])), minlength=table.shape[1])
        return group, _as_integers(table @ counts), _as_integers(table * counts @ table.T)
    rows = _corrected_rows([block], orders, correct)
    return group, _totals(rows), _products(rows)


def _corrected_rows(
    blocks: Sequence[StoredBlock], orders: Orders, correct: Corrector | None
) -> Floats:
    wins = _win_rows(np.concatenate([winners for _, _, winners, _ in blocks]), orders)
    if correct is None:
        return wins
    corrections = [correct(group, first, stored) for group, first, _, stored in blocks]
    corrected: Floats = wins + np.concatenate(corrections).T
    return corrected


def _add_single_group(
    bots: int,
    sums: Iterable[tuple[Group, Ints, Ints]],
    totals: Ints,
    products: Ints,
    pairs: Pairs,
) -> None:
    """Add deals that only one group has played: each of its bots sat in all games of a deal."""
    for group, added, multiplied in sums:
        positions = [*group, *range(bots, bots + len(group))]
        totals[positions] += added
        products[np.ix_(positions, positions)] += multiplied
        _add_groups(pairs, np.array([group]), added[None], multiplied[None])


def _add_wins(
    bots: int,
    players: int,
    wins: Floats,
    blocks: Iterable[tuple[StoredBlock, slice]],
    rows_of: Callable[[Sequence[StoredBlock]], Floats],
    pairs: Pairs,
) -> None:
    """Add the wins in blocks of several groups to `wins`, bots and then seats by deals, and those
    of pairs to `pairs`.
    """
    # Two seats: a pair meets in one group only, and needs no matrix by deal.
    kind = object if wins.dtype == object else np.int64
    together = np.zeros((wins.shape[1], bots, bots), kind) if players > 2 else None
    for chunk in _chunks(blocks):
        rows = rows_of([block for block, _ in chunk])
        ends = list(accumulate(len(winners) for (_, _, winners, _), _ in chunk))
        starts = [0, *ends[:-1]]
        for ((group, *_), columns), start, end in zip(chunk, starts, ends, strict=True):
            for row, added in zip([*group, *range(bots, bots + players)], rows, strict=True):
                wins[row, columns] += added[start:end]
            if together is not None:
                for index, bot in enumerate(group):
                    together[columns, bot, [*group]] += rows[index, start:end, None].astype(kind)
        if players == 2:
            groups = np.array([group for (group, *_), _ in chunk])
            products = rows[:2, None] * rows[:2]
            totals, products = (
                np.add.reduceat(summed, starts, axis=-1) for summed in (rows[:2], products)
            )
            _add_groups(pairs, groups, totals.T, products.transpose(2, 0, 1))
    if together is not None:
        _add_pairs(pairs, together)


def _chunks(
    blocks: Iterable[tuple[StoredBlock, slice]],
) -> Iterator[list[tuple[StoredBlock, slice]]]:
    """Blocks in runs of some thousand deals: many short blocks take as long as one of them."""
    chunk, deals = [], 0
    for block, columns in blocks:
        chunk.append((block, columns))
        deals += len(block[2])
        if deals >= _DEALS_IN_CHUNK:
            yield chunk
            chunk, deals = [], 0
    if chunk:
        yield chunk


def _add_groups(pairs: Pairs, groups: Ints, totals: Floats | Ints, products: Floats | Ints) -> None:
    """Add the wins of blocks in which all bots of a group sat in all games, a row for each block:
    the bots, their totals and their products.
    """
    for index, other in permutations(range(groups.shape[1]), 2):
        cells = groups[:, index], groups[:, other]
        np.add.at(pairs.win_units, cells, _as_integers(totals[:, index]))
        np.add.at(pairs.squares, cells, _as_integers(products[:, index, index]))
        np.add.at(pairs.crossed, cells, _as_integers(products[:, index, other]))


def _add_pairs(pairs: Pairs, together: Ints) -> None:
    for sums, values in (
        (pairs.win_units, together),
        (pairs.squares, together**2),
        (pairs.crossed, together * together.transpose(0, 2, 1)),
    ):
        added = values.sum(axis=0)
        np.fill_diagonal(added, 0)
        sums += added


def _totals(wins: Floats) -> Ints:
    return _as_integers(wins.sum(axis=1))


def _products(wins: Floats) -> Ints:
    """W Wᵀ."""
    return _as_integers(wins @ wins.T)


def _as_integers(sums: Floats | Ints) -> Ints:
    """Sums as integers: they are computed in floating point, which is fast, and exact to 2⁵³."""
    integers: Ints = sums.astype(object if sums.dtype == object else np.int64)
    return integers


def _common_ranges(
    spans: Mapping[Group, Iterable[Span]],
) -> Iterator[tuple[int, int, tuple[Group, ...]]]:
    """The longest runs of deals that the same groups played: first deal, end and groups."""
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
        started, ended = changes[deal]
        playing.difference_update(ended)
        playing.update(started)
        reached = deal
