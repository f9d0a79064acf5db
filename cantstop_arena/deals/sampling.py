"""Deals of lineups as the units of sampling: sums and products of wins over deals.

A lineup meets dice of its own (`dice_keys`), which the games of its deal share, in all seatings: so
it is the deals of lineups that vary independently, each lineup's about a mean of its own. Versions
of a bot meet a rival on the same dice, and bots that play alone all meet the same: what their
lineups do in a deal is one unit. Whatever is linear in the wins of a deal has a variance that
follows exactly from the sums stored here, whatever the number of games.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, cached_property, reduce
from itertools import accumulate, compress
from typing import Any, TypeAlias

import msgspec
import numpy as np
from numpy.typing import NDArray

from cantstop_arena.deals.outcomes import Span, win_units
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
Families: TypeAlias = Mapping[Group, tuple[Group, ...]]
"""For each group those that met the same dice, itself among them; others met dice of their own."""
Rows: TypeAlias = Callable[[Sequence[StoredBlock]], NDArray[Any]]
"""Returns a row of numbers for each deal of some blocks, one block after the other; NaN in deals
that do not count."""
Corrector: TypeAlias = Callable[[Group, int, Any], Ints]
"""Returns what to add to `wins_by_deal`: from the group, the first deal and what else is stored."""

_EXACT = 1 << 53  # the sums of whole numbers that floating point has exactly
_NUMBERS_AT_ONCE = 1 << 20  # held in memory
_DEALS_IN_CHUNK = 4096
_SAMPLED_DEALS = 256  # of a population
_SAMPLED_NUMBERS = 1 << 22  # of all populations, or winners
_MIN_SAMPLED_DEALS = 64  # sampled however many games they have


class Populations(msgspec.Struct, frozen=True, dict=True):
    """Populations of deals, with equally many lineups each: a row for each of them.

    `lineups` are populations by lineups by bots, `deals` the number of each. A deal has the same
    numbers for each lineup, one lineup after the other: what each of its bots won, then each seat,
    in win units, over all games of the deal. With W these numbers, `totals` is the sum of W over
    the deals of a population, `products` that of W Wᵀ. `sample` has W of the first deals of each, a
    row for a deal, and `sampled` how many.
    """

    lineups: Ints
    deals: Ints
    totals: NDArray[Any]
    products: NDArray[Any]
    sample: Floats
    sampled: Ints

    def parameters(self, bots: int) -> Ints:
        """For each number its bot, or the number of bots and its seat: populations by numbers."""
        seats = np.broadcast_to(bots + np.arange(self.lineups.shape[2]), self.lineups.shape)
        return np.concatenate([self.lineups, seats], axis=2).reshape(len(self.deals), -1)

    @cached_property
    def scatter(self) -> Floats:
        """Σ (W - mean)(W - mean)ᵀ over the deals of each population.

        An integer near the mean is subtracted first, exactly: less is lost by rounding.
        """
        deals = self.deals[:, None]
        centre = self.totals // deals
        remainder = (self.totals - deals * centre).astype(np.float64)
        outer = centre[:, :, None] * self.totals[:, None]
        square = centre[:, :, None] * centre[:, None]
        centred = self.products - outer - outer.transpose(0, 2, 1) + deals[:, None] * square
        lost = remainder[:, :, None] * remainder[:, None] / deals[:, None]
        scatter: Floats = centred.astype(np.float64) - lost
        return scatter

    @cached_property
    def starts(self) -> Ints:
        """The first row of each population in the sample."""
        return np.cumsum(self.sampled) - self.sampled

    @cached_property
    def deviations(self) -> Floats:
        """The sample less the mean of each population."""
        sums = np.add.reduceat(self.sample, self.starts, axis=0) if len(self.deals) else self.sample
        means = sums / self.sampled[:, None]
        deviations: Floats = self.sample - np.repeat(means, self.sampled, axis=0)
        return deviations

    def sample_rows(self, rows: Ints) -> Ints:
        """The rows of the sample that are those of some populations."""
        sampled = self.sampled[rows]
        before = np.cumsum(sampled) - sampled
        return np.repeat(self.starts[rows] - before, sampled) + np.arange(sampled.sum())

    def of_rows(self, rows: Ints) -> "Populations":
        """Some of the populations."""
        return Populations(
            self.lineups[rows],
            self.deals[rows],
            self.totals[rows],
            self.products[rows],
            self.sample[self.sample_rows(rows)],
            self.sampled[rows],
        )


class DealSums(msgspec.Struct, frozen=True):
    """Sums of wins over deals, and the winners of some deals, to see how a deal's games correlate.

    `winners` has for each group a table of masks of seats: deals by seatings.
    """

    populations: tuple[Populations, ...]
    winners: Mapping[Group, Bytes] = {}

    def __add__(self, other: "DealSums") -> "DealSums":
        """Those of other dice, too."""
        return DealSums(self.populations + other.populations, {**other.winners, **self.winners})


def gather_deals(
    orders: Orders,
    spans: Mapping[Group, Iterable[Span]],
    read: DealReader,
    correct: Corrector | None = None,
    families: Families | None = None,
) -> DealSums:
    """Add up the deals that each group has played, in these orders."""
    deals = np.clip(
        _SAMPLED_NUMBERS // max(len(spans) * len(orders), 1), _MIN_SAMPLED_DEALS, _SAMPLED_DEALS
    )
    step = -(-len(spans) * len(orders) * _MIN_SAMPLED_DEALS // _SAMPLED_NUMBERS)
    winners = {group: _FirstDeals(int(deals)) for group in sorted(spans)[:: max(step, 1)]}

    def rows(blocks: Sequence[StoredBlock]) -> Floats:
        return _corrected_rows(blocks, orders, correct)

    def sampled(start: int, count: int) -> Iterator[StoredBlock]:
        for block in read(start, count):
            if block[0] in winners:
                winners[block[0]].add(block[1] + np.arange(len(block[2])), block[2])
            yield block

    populations = gather_rows(spans, sampled, rows, 2 * len(orders[0]), families)
    return DealSums(populations, {group: first.rows for group, first in winners.items()})


def gather_payoffs(
    orders: Orders,
    spans: Mapping[Group, Iterable[Span]],
    read: PaidReader,
    families: Families | None = None,
) -> DealSums:
    """Add up the payoffs of these deals like wins: in parts of the unit in place of win units.

    Deals that are void for their group are left out.
    """
    paid = (np.where(block == VOID, 0, block) for _, _, block in read(0, _end(spans)))
    largest = max((int(np.abs(block).max(initial=0)) for block in paid), default=0)
    exact_deals = _EXACT // max(largest, 1) ** 2  # whose products are exact in floating point

    def rows(blocks: Sequence[StoredBlock]) -> NDArray[Any]:
        paid = np.concatenate([block for _, _, block, _ in blocks])
        numbers = paid.astype(np.float64 if exact_deals else object)
        return np.where(paid == VOID, np.nan, numbers)

    def blocks(start: int, count: int) -> Iterator[StoredBlock]:
        for group, first, paid in read(start, count):
            yield group, first, paid, paid

    numbers = 2 * len(orders[0])
    return DealSums(
        gather_rows(spans, blocks, rows, numbers, families, object, max(1, exact_deals))
    )


class _FirstDeals:
    """The first deals of those that are added, in whatever sequence, with a row for each."""

    def __init__(self, maximum: int) -> None:
        self.maximum = maximum
        self.deals: Ints = np.zeros(0, np.int64)
        self.rows: NDArray[Any] = np.zeros((0, 0))

    def add(self, deals: Ints, rows: NDArray[Any]) -> None:
        """Add some deals, ascending."""
        if not len(deals) or (len(self.deals) == self.maximum and deals[0] > self.deals[-1]):
            return
        numbers = np.concatenate([self.deals, deals[: self.maximum]])
        first = np.argsort(numbers, kind="stable")[: self.maximum]
        rows = rows[: self.maximum]
        self.rows = (np.concatenate([self.rows, rows]) if len(self.deals) else rows)[first]
        self.deals = numbers[first]


class _Sums:
    """The sums over the deals of a population."""

    def __init__(self, numbers: int, kind: Any, sampled: int) -> None:
        self.deals = 0
        self.totals: NDArray[Any] = np.zeros(numbers, kind)
        self.products: NDArray[Any] = np.zeros((numbers, numbers), kind)
        self.first = _FirstDeals(sampled)

    def add(self, deals: Ints, rows: NDArray[Any], at_once: int) -> None:
        """Add some deals, ascending."""
        for start in range(0, len(rows), at_once):
            part = rows[start : start + at_once]
            self.totals += self._integers(part.sum(axis=0))
            self.products += self._integers(part.T @ part)
        self.deals += len(rows)
        self.first.add(deals, rows)

    def _integers(self, sums: NDArray[Any]) -> NDArray[Any]:
        """Sums as integers: they are computed in floating point, which is fast, exact to 2⁵³."""
        integers = sums if sums.dtype == object else sums.astype(np.int64)
        return integers.astype(self.totals.dtype)


def gather_rows(
    spans: Mapping[Group, Iterable[Span]],
    read: DealReader,
    rows: Rows,
    numbers: int,
    families: Families | None = None,
    kind: Any = np.int64,
    at_once: int = _NUMBERS_AT_ONCE,
) -> tuple[Populations, ...]:
    """Add up so many `numbers` a deal of each group: those of `rows`, in sums of this `kind`.

    Groups of a family are added deal by deal, those that played it together in one population.
    """
    of_group = {
        group: tuple(other for other in (families or {}).get(group, (group,)) if other in spans)
        for group in spans
    }
    widest, end = max(map(len, of_group.values()), default=1), _end(spans)
    step = max(1, end if widest == 1 else _NUMBERS_AT_ONCE // (widest * numbers))
    sampled = min(_SAMPLED_DEALS, max(2, _SAMPLED_NUMBERS // max(len(spans) * numbers, 1)))
    sums: dict[tuple[Group, ...], _Sums] = {}

    def add(groups: tuple[Group, ...], deals: Ints, table: NDArray[Any]) -> None:
        if groups not in sums:
            sums[groups] = _Sums(len(groups) * numbers, kind, sampled)
        sums[groups].add(deals, table, at_once)

    for start in range(0, end, step):
        joint: dict[tuple[Group, ...], tuple[NDArray[Any], NDArray[np.bool_]]] = {}
        blocks = (block for block in read(start, step) if block[0] in of_group)
        for chunk in _chunks(_clipped(start, step, blocks)):
            table = rows(chunk)
            ends = accumulate(len(winners) for _, _, winners, _ in chunk)
            for (group, first, winners, _), last in zip(chunk, ends, strict=True):
                part = table[last - len(winners) : last]
                counting = np.asarray(part[:, 0] == part[:, 0], np.bool_)  # not NaN
                deals, part = first + np.flatnonzero(counting), part[counting]
                family = of_group[group]
                if len(family) == 1:
                    add(family, deals, part)
                    continue
                if family not in joint:
                    cells = np.zeros((len(family), step, numbers), table.dtype)
                    joint[family] = cells, np.zeros((len(family), step), np.bool_)
                for cells, values in zip(joint[family], (part, True), strict=True):
                    cells[family.index(group), deals - start] = values
        for family, (cells, played) in joint.items():
            for together in np.unique(played, axis=1).T:
                deals = np.flatnonzero((played == together[:, None]).all(axis=0))
                if together.any():
                    table = cells[together][:, deals].transpose(1, 0, 2).reshape(len(deals), -1)
                    add(tuple(compress(family, together)), start + deals, table)
    return tuple(_stacked(sums))


def _stacked(sums: Mapping[tuple[Group, ...], _Sums]) -> Iterator[Populations]:
    """The sums of populations, those with equally many lineups together."""
    for size in sorted({len(groups) for groups in sums}):
        rows = sorted(groups for groups in sums if len(groups) == size)
        yield Populations(
            np.array(rows, np.int64),
            np.array([sums[groups].deals for groups in rows]),
            np.array([sums[groups].totals for groups in rows]),
            np.array([sums[groups].products for groups in rows]),
            np.concatenate([sums[groups].first.rows for groups in rows]).astype(np.float64),
            np.array([len(sums[groups].first.deals) for groups in rows]),
        )


def _end(spans: Mapping[Group, Iterable[Span]]) -> int:
    """The deal after the last that any group has played."""
    return max((first + deals for played in spans.values() for first, deals in played), default=0)


def _chunks(blocks: Iterable[StoredBlock]) -> Iterator[list[StoredBlock]]:
    """Blocks in runs of some thousand deals: many short blocks take as long as one of them."""
    chunk, deals = [], 0
    for block in blocks:
        chunk.append(block)
        deals += len(block[2])
        if deals >= _DEALS_IN_CHUNK:
            yield chunk
            chunk, deals = [], 0
    if chunk:
        yield chunk


def _clipped(start: int, deals: int, blocks: Iterable[StoredBlock]) -> Iterator[StoredBlock]:
    """The part of each block that is in a range of deals."""
    for group, first, winners, stored in blocks:
        low, high = max(first, start), min(first + len(winners), start + deals)
        inside = slice(low - first, high - first)
        if low < high:
            yield group, low, winners[inside], stored[inside]


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


def _corrected_rows(
    blocks: Sequence[StoredBlock], orders: Orders, correct: Corrector | None
) -> Floats:
    wins = _win_rows(np.concatenate([winners for _, _, winners, _ in blocks]), orders)
    if correct is None:
        return wins.T
    corrections = [correct(group, first, stored) for group, first, _, stored in blocks]
    corrected: Floats = wins.T + np.concatenate(corrections)
    return corrected
