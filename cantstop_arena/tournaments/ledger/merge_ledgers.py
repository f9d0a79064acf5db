"""The parts of ledgers that count when rated together: a group on the same deals counts once."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from cantstop_arena.deals.counting import GAMES, stored_measures
from cantstop_arena.deals.outcomes import FaultReport, Tally, merge_faults
from cantstop_arena.deals.predecessor_sums import Blocks
from cantstop_arena.deals.sampling import Bytes
from cantstop_arena.deals.seatings import Group, Orders, lineups
from cantstop_arena.deals.seeds import Seed, bits_of
from cantstop_arena.deals.solo_pairs import Counted
from cantstop_arena.deals.spans import Span
from cantstop_arena.errors import UsageError
from cantstop_arena.games.registry import game_named
from cantstop_arena.tournaments.ledger.cover import PaidDeals, StoredDeals
from cantstop_arena.tournaments.ledger.ledger_query import LUCK_BY_STAKE
from cantstop_arena.tournaments.ledger.ledger_totals import LedgerTotals
from cantstop_arena.tournaments.ledger.turned_rows import order_of, payoff_columns


class LedgerShare(msgspec.Struct, frozen=True):
    """The part of a ledger that counts: `spans` of some groups. `number` is by name of a bot."""

    totals: LedgerTotals
    number: Mapping[str, int]
    spans: Mapping[Group, Sequence[Span]]

    def anew(self, bots: Group) -> Group:
        """The bots by their new numbers."""
        return tuple(self.number[self.totals.names[bot]] for bot in bots)

    def meeting(self, group: Group) -> tuple[Seed, Group]:
        """The seed and the group by new numbers, which are the same in all ledgers."""
        return self.totals.seed, tuple(sorted(self.anew(group)))

    def tallies(self) -> Iterator[tuple[Group, Tally]]:
        """The tallies of the seatings that count."""
        for seating, tally in self.totals.ledger.tallies().items():
            if tuple(sorted(seating)) in self.spans:
                yield self.anew(seating), tally

    def deals(self, start: int, count: int) -> Iterator[StoredDeals]:
        """The deals that count, groups and their seatings in canonical order."""
        for group, first, winners, measures in self.totals.ledger.deals(start, count):
            if group in self.spans:
                named = self.anew(group)
                values = _luck_by_position(measures, named) if self.scored else measures
                yield *_canonical(named, first, winners, self.totals.orders), values

    @property
    def pays(self) -> bool:
        """Whether payoffs are stored."""
        return self.totals.query.setting.payoff_parts > 0

    def payoffs(self, start: int, count: int) -> Iterator[PaidDeals]:
        """The payoffs of the deals that count, groups in canonical order."""
        for group, first, paid in self.totals.ledger.payoffs(start, count):
            if group in self.spans:
                named = self.anew(group)
                order = order_of(tuple(sorted(named)), named)
                yield tuple(sorted(named)), first, paid[:, payoff_columns(order)]

    @property
    def scored(self) -> bool:
        """Whether luck was scored."""
        return self.totals.query.detail >= LUCK_BY_STAKE

    @property
    def measured(self) -> bool:
        """Whether counts by the preceding bot were stored."""
        game, players = self.totals.query.setting.game, self.totals.query.players
        return players > 2 and bool(game_named(game).counts.followed)

    def measures(self, start: int, count: int) -> Blocks:
        """The measures of the deals that count, for each group in the ledger's order."""
        for group, first, _, measures in self.totals.ledger.deals(start, count):
            if group in self.spans:
                yield self.anew(group), first, measures

    def counted(self, start: int, count: int) -> Counted:
        """By bot, the first deal, and for each deal the games without a fault and their length."""
        counts = game_named(self.totals.query.setting.game).counts
        columns = [stored_measures(counts).index(name) for name in (GAMES, counts.alone)]
        for bot, first, table in self.measures(start, count):
            yield bot, first, table[:, columns[0]], table[:, columns[1]]

    def charges(self) -> list[FaultReport]:
        """The faults in games that count, and those of disqualified bots."""
        ledger = self.totals.ledger
        counted = [f for f in ledger.faults() if tuple(sorted(f.seating)) in self.spans]
        disqualifying = chain.from_iterable(ledger.disqualified().values())
        return [self.totals.charge(fault) for fault in merge_faults([*counted, *disqualifying])]

    def irreproducible(self) -> list[str]:
        """The bots whose answers differed when a game was played twice."""
        return [self.totals.names[bot] for bot in self.totals.ledger.irreproducible()]


def ledger_shares(
    all_totals: Sequence[LedgerTotals], number: Mapping[str, int]
) -> list[LedgerShare]:
    """The part of each ledger that counts: a group counts where it played most deals."""
    shares = [LedgerShare(totals, number, _remaining(totals, number)) for totals in all_totals]
    largest: dict[tuple[Seed, Group], tuple[int, LedgerShare]] = {}
    for share in shares:
        for group, played in share.spans.items():
            deals = sum(deals for _, deals in played)
            max_deals, _ = largest.get(share.meeting(group), (-1, share))
            if deals > max_deals:
                largest[share.meeting(group)] = deals, share
    return [
        LedgerShare(
            share.totals,
            number,
            {
                group: played
                for group, played in share.spans.items()
                if largest[share.meeting(group)][1] is share
            },
        )
        for share in shares
    ]


def _remaining(totals: LedgerTotals, number: Mapping[str, int]) -> dict[Group, list[Span]]:
    """The deals of the groups whose bots all have a new number."""
    return {
        group: played
        for group, played in totals.ledger.spans().items()
        if all(totals.names[bot] in number for bot in group)
    }


def _luck_by_position(measures: NDArray[Any], group: Group) -> NDArray[Any]:
    """The scores of luck, by position in the ascending group, then by seat."""
    luck = measures[:, -2 * len(group) :]
    return np.concatenate([luck[:, np.argsort(group)], luck[:, len(group) :]], axis=1)


def _canonical(
    group: Group, first: int, winners: Bytes, orders: Orders
) -> tuple[Group, int, Bytes]:
    """A block converted to the ascending order of its group. Raises UsageError."""
    ascending = tuple(sorted(group))
    if group == ascending:
        return group, first, winners
    columns = {seating: number for number, seating in enumerate(lineups(group, orders))}
    seatings = list(lineups(ascending, orders))
    if not columns.keys() >= set(seatings):  # where not all orders are played
        raise UsageError(
            "These results cannot be rated together: their files name the bots in different orders,"
            f" so that not all of the same seatings of {len(group)} bots were played."
        )
    return ascending, first, winners[:, [columns[seating] for seating in seatings]]


def by_seed(shares: Iterable[LedgerShare]) -> list[list[LedgerShare]]:
    """Shares of equal seeds together, in the order of the seeds."""
    of_seed: dict[Seed, list[LedgerShare]] = {}
    for share in shares:
        of_seed.setdefault(share.totals.seed, []).append(share)
    return [of_seed[seed] for seed in sorted(of_seed, key=bits_of)]
