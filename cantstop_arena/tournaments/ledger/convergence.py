"""The results of a tournament after fewer deals, to show how they converged."""

from collections.abc import Iterator, Mapping
from functools import cache
from itertools import chain
from pathlib import Path

import msgspec
import numpy as np

from cantstop_arena.deals.outcomes import Fault, Span, Tally, TournamentTotals, win_units
from cantstop_arena.deals.sampling import Bytes, Ints
from cantstop_arena.deals.seatings import Group, Orders, lineups
from cantstop_arena.tournaments.ledger.aggregation import LedgerReader, LedgerTotals, aggregate
from cantstop_arena.tournaments.ledger.cover import PaidDeals, StoredDeals
from cantstop_arena.tournaments.ledger.read_ledger import read_ledger

MAX_LOOKS = 6  # each after half of the deals of the next one
MIN_DEALS = 8
MAX_GAMES = 4_000_000  # that are read again; longer tournaments are cut off there


class PastTotals(msgspec.Struct, frozen=True):
    """The results after the first `deals` deals: wins only, without the games' counts."""

    deals: int
    results: TournamentTotals


def history(folder: Path, anchor: Mapping[str, float]) -> list[PastTotals]:
    """Earlier results of the tournament in a folder, ascending, without the final ones.

    Empty for games with one seat.
    """
    return read_ledger(folder, lambda totals: _past_totals(totals, anchor))


def _past_totals(totals: LedgerTotals, anchor: Mapping[str, float]) -> list[PastTotals]:
    players = totals.query.players
    if players == 1:
        return []
    spans = totals.ledger.counting_spans()
    deals = max((first + count for first, count in chain.from_iterable(spans.values())), default=0)
    max_deals = MAX_GAMES // max(1, len(spans) * len(totals.orders))
    ends = [deals >> halved for halved in range(MAX_LOOKS, 0, -1)]
    ends = [end for end in ends if MIN_DEALS <= end <= max_deals]
    stored = _StoredOnce(totals.ledger, max(ends, default=0))
    return [
        PastTotals(end, aggregate([_prefix_totals(totals, stored, end)], anchor)) for end in ends
    ]


def _prefix_totals(totals: LedgerTotals, stored: "_StoredOnce", end: int) -> LedgerTotals:
    prefix = _LedgerPrefix(totals.ledger, stored, totals.orders, end)
    return LedgerTotals(prefix, totals.query, totals.charge)


class _StoredOnce:
    """The first deals of a ledger, read and decoded once for all prefixes."""

    def __init__(self, ledger: LedgerReader, end: int) -> None:
        self.spans, self.counting_spans = ledger.spans(), ledger.counting_spans()
        self._blocks = [*ledger.deals(0, end)] if end else []

    def deals(self, start: int, count: int) -> Iterator[StoredDeals]:
        """The blocks with some of these deals, complete."""
        for block in self._blocks:
            _, first, winners, _ = block
            if first < start + count and first + len(winners) > start:
                yield block


class _LedgerPrefix:
    """A ledger as it was before the deal `end`: wins only, without counts and faults."""

    def __init__(self, ledger: LedgerReader, stored: _StoredOnce, orders: Orders, end: int) -> None:
        self._ledger, self._stored, self._orders, self._end = ledger, stored, orders, end
        self.disqualified = ledger.disqualified
        self.irreproducible = ledger.irreproducible
        self.devices = ledger.devices

    def spans(self) -> dict[Group, list[Span]]:
        """The deals that each group had played by then."""
        return {
            group: [
                (first, min(deals, self._end - first))
                for first, deals in spans
                if first < self._end
            ]
            for group, spans in self._stored.spans.items()
        }

    def shared_by_all(self) -> dict[Group, int]:
        """None: nothing is counted but wins."""
        return {}

    def repeated(self) -> dict[Group, tuple[int, int]]:
        """The groups whose deals are repeated: how many deals of theirs count, of how many."""
        return self._ledger.repeated()

    def counting_spans(self) -> dict[Group, list[Span]]:
        """Those of the groups whose games count."""
        counting = self._stored.counting_spans
        return {group: spans for group, spans in self.spans().items() if group in counting}

    def deals(self, start: int, count: int) -> Iterator[StoredDeals]:
        """The blocks with some of these deals, cut off at `end`."""
        count = min(count, self._end - start)
        for group, first, winners, measures in (
            self._stored.deals(start, count) if count > 0 else ()
        ):
            length = self._end - first
            yield group, first, winners[:length], measures[:length]

    def payoffs(self, start: int, count: int) -> Iterator[PaidDeals]:
        """The payoffs of the blocks with some of these deals, cut off at `end`."""
        count = min(count, self._end - start)
        for group, first, paid in self._ledger.payoffs(start, count) if count > 0 else ():
            yield group, first, paid[: self._end - first]

    def tallies(self) -> dict[Group, Tally]:
        """The wins of every seating by then."""
        blocks = [(group, winners) for group, _, winners, _ in self.deals(0, self._end)]
        if not blocks:
            return {}
        first_rows = {group: row * len(self._orders) for row, group in enumerate(dict(blocks))}
        rows = np.repeat(
            [first_rows[group] for group, _ in blocks], [len(winners) for _, winners in blocks]
        )
        seatings = [seating for group in first_rows for seating in lineups(group, self._orders)]
        masks = np.concatenate([winners for _, winners in blocks])
        tallies = _tallies(rows[:, None] + np.arange(len(self._orders)), masks, len(seatings[0]))
        return dict(zip(seatings, tallies, strict=True))

    def missing_games(self) -> int:
        """None is missing: it is reported for the complete tournament."""
        return 0

    def faults(self) -> Iterator[Fault]:
        """No faults: they are reported for the complete tournament."""
        return iter(())


def _tallies(rows: Ints, masks: Bytes, players: int) -> list[Tally]:
    """The wins of each seating: `rows` has its number for each game, `masks` the winning seats."""
    units = _units_by_mask(players)
    numbers = int(rows.max()) + 1
    counts = np.bincount((rows * len(units) + masks).ravel(), minlength=numbers * len(units))
    by_mask = counts.reshape(numbers, len(units))
    return [
        Tally(games, tuple(wins), unfinished=0, forfeits=0, counts={}, squares={})
        for games, wins in zip(
            by_mask.sum(axis=1).tolist(), (by_mask @ units).tolist(), strict=True
        )
    ]


@cache
def _units_by_mask(players: int) -> Ints:
    """The win units of each seat (columns) for each mask of winning seats."""
    return np.array(
        [
            [
                win_units(players) // mask.bit_count() if mask >> seat & 1 else 0
                for seat in range(players)
            ]
            for mask in range(1 << players)
        ]
    )
