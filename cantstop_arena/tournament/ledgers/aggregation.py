"""What ledgers add up to: the results of one tournament, or of several rated together.

Tournaments with the same seed share their deals. What was won in a deal is then added up over all
of them, and a group that met in several counts once: as played where it played most deals.
Tournaments with different seeds have nothing in common but their bots.
"""

import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from itertools import chain, combinations
from operator import add
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from cantstop_arena.deals.alongside import Alongside, Counted
from cantstop_arena.deals.alongside import gathered as alongside
from cantstop_arena.deals.counting import GAMES, kept_of_deals
from cantstop_arena.deals.luck import correction, worth
from cantstop_arena.deals.outcomes import Charge, Fault, Luck, Results, Tally, merged
from cantstop_arena.deals.predecessors import Blocks, Predecessors, gathered
from cantstop_arena.deals.sampling import Bytes, Deals, Pairs, Sample, Span, gaps, gather
from cantstop_arena.deals.seatings import Group, Orders, lineups
from cantstop_arena.deals.seeds import Seed, bits_of
from cantstop_arena.errors import LedgerError
from cantstop_arena.games.registry import game_called
from cantstop_arena.tournament.ledgers.identities import orders_of, seed_in
from cantstop_arena.tournament.ledgers.ledger import KeptDeals
from cantstop_arena.tournament.ledgers.remarks import remarks_on


class Books(Protocol):
    """What is asked of a ledger."""

    def spans(self) -> dict[Group, list[Span]]:
        """The deals that each group has played."""

    def tallies(self) -> dict[Group, Tally]:
        """What every seating has added up to."""

    def deals(self, start: int, count: int) -> Iterator[KeptDeals]:
        """The blocks that have some of `count` deals from `start` on."""

    def faults(self) -> Iterator[Fault]:
        """All faults."""

    def disqualified(self) -> dict[int, list[Fault]]:
        """The bots that are out, and their faults."""

    def irreproducible(self) -> list[int]:
        """The bots whose answers were others when a game was played twice."""


@dataclass(frozen=True)
class Account:
    """A tournament's ledger, what was played (a tournament's identity), and how to tell a fault."""

    ledger: Books
    identity: Mapping[str, Any]
    charge: Callable[[Fault], Charge]

    @property
    def seed(self) -> Seed:
        """The seed of its chance."""
        return seed_in(self.identity)

    @property
    def names(self) -> list[str]:
        """The names of its bots, by number."""
        return [bot["name"] for bot in self.identity["bots"]]

    @cached_property
    def orders(self) -> Orders:
        """The orders in which bots took their seats in each deal."""
        return orders_of(self.identity)

    @property
    def out(self) -> list[str]:
        """The names of the bots that are disqualified."""
        return [self.names[bot] for bot in self.ledger.disqualified()]

    def unplayed(self, deals: int) -> int:
        """The games that are missing to so many deals of each group that counts."""
        out = self.ledger.disqualified().keys()
        spans = self.ledger.spans()
        counting = [group for group in self._groups() if out.isdisjoint(group)]
        left = (gap for group in counting for gap in gaps(spans.get(group, ()), deals))
        return sum(count for _, count in left) * len(self.orders)

    def _groups(self) -> Iterable[Group]:
        """The groups that meet."""
        given = self.identity.get("lineups")
        if given is not None:
            return map(tuple, given)
        return combinations(range(len(self.names)), self.identity["players"])


def reached(spans: Mapping[Group, Iterable[Span]]) -> int:
    """The deal up to which some group has played."""
    return max((first + deals for gone in spans.values() for first, deals in gone), default=0)


def charged(names: Sequence[str], fault: Fault, source: str, options: Sequence[str] = ()) -> Charge:
    """A fault in names, with the command that plays its game of the tournament file again."""
    seats = tuple(names[bot] for bot in fault.seating)
    options = ["--deal", str(fault.deal), *options]
    words = [source, *seats]
    dashed = any(word.startswith("-") for word in words)
    words = [*options, "--", *words] if dashed else [*words, *options]
    return Charge(
        names[fault.bot],
        fault.kind,
        fault.message,
        seats,
        fault.deal,
        fault.count,
        shlex.join(["arena", "replay", *words]),
    )


def aggregated(accounts: Sequence[Account], anchor: Mapping[str, float]) -> Results:
    """All results, without the bots that are out anywhere, the others numbered anew."""
    first = accounts[0].identity
    out = list(dict.fromkeys(chain.from_iterable(account.out for account in accounts)))
    names = dict.fromkeys(chain.from_iterable(account.names for account in accounts))
    bots = [name for name in names if name not in out]
    shares = _shares(accounts, {name: number for number, name in enumerate(bots)})
    seeds = {account.seed for account in accounts}
    unsteady = {name for share in shares for name in share.irreproducible()}
    deals, luck = _deals_and_luck(len(bots), accounts[0].orders, shares)
    return Results(
        name=" + ".join(dict.fromkeys(account.identity["name"] for account in accounts)),
        game=first["game"],
        rules=first["rules"],
        players=first["players"],
        seed=accounts[0].seed if len(seeds) == 1 else None,
        bots=tuple(bots),
        tallies=_tallies(shares),
        deals=deals,
        luck=luck,
        anchor=anchor,
        counts=game_called(first["game"]).counts,
        seat_orders=accounts[0].orders,
        challenger=str(first.get("gauntlet", "")) if len(accounts) == 1 else "",
        faults=tuple(charge for share in shares for charge in share.charges()),
        disqualified=tuple(out),
        remarks=remarks_on(first),
        irreproducible=tuple(name for name in bots if name in unsteady),
        predecessors=_predecessors(len(bots), first["players"], shares),
        alongside=_alongside(len(bots), first["players"], shares),
    )


@dataclass(frozen=True)
class _Share:
    """What counts of an account: the `spans` of some groups; bots that play on have a `number`."""

    account: Account
    number: Mapping[str, int]
    spans: Mapping[Group, Sequence[Span]]

    def anew(self, bots: Group) -> Group:
        """The bots by their new numbers."""
        return tuple(self.number[self.account.names[bot]] for bot in bots)

    def meeting(self, group: Group) -> tuple[Seed, Group]:
        """Who met on which deals, whatever the account numbers them."""
        return self.account.seed, tuple(sorted(self.anew(group)))

    def tallies(self) -> Iterator[tuple[Group, Tally]]:
        """The tallies of the seatings that count."""
        for seating, tally in self.account.ledger.tallies().items():
            if tuple(sorted(seating)) in self.spans:
                yield self.anew(seating), tally

    def deals(self, start: int, count: int) -> Iterator[KeptDeals]:
        """The deals that count, groups and their seatings in canonical order."""
        for group, first, winners, measures in self.account.ledger.deals(start, count):
            if group in self.spans:
                named = self.anew(group)
                kept = _luck_by_place(measures, named) if self.scored else measures
                yield *_canonical(named, first, winners, self.account.orders), kept

    @property
    def scored(self) -> bool:
        """Whether luck was scored."""
        return bool(self.account.identity.get("luck_removed"))

    @property
    def measured(self) -> bool:
        """Whether it was kept what bots count by whom they sit after."""
        game, players = self.account.identity["game"], self.account.identity["players"]
        return players > 2 and bool(game_called(game).counts.followed)

    def measures(self, start: int, count: int) -> Blocks:
        """What was counted in the deals that count, for each group as the account names it."""
        for group, first, _, measures in self.account.ledger.deals(start, count):
            if group in self.spans:
                yield self.anew(group), first, measures

    def counted(self, start: int, count: int) -> Counted:
        """What bots that play alone needed in the deals that count, and whether no fault was."""
        counts = game_called(self.account.identity["game"]).counts
        columns = [kept_of_deals(counts).index(name) for name in (GAMES, counts.alone)]
        for bot, first, kept in self.measures(start, count):
            yield bot, first, kept[:, columns[0]], kept[:, columns[1]]

    def charges(self) -> list[Charge]:
        """What is charged to bots in games that count, and to those that are out."""
        ledger = self.account.ledger
        counted = [f for f in ledger.faults() if tuple(sorted(f.seating)) in self.spans]
        sentences = chain.from_iterable(ledger.disqualified().values())
        return [self.account.charge(fault) for fault in merged([*counted, *sentences])]

    def irreproducible(self) -> list[str]:
        """The bots whose answers were others when a game was played twice."""
        return [self.account.names[bot] for bot in self.account.ledger.irreproducible()]


def _shares(accounts: Sequence[Account], number: Mapping[str, int]) -> list[_Share]:
    """What counts of each account; a group that met on the same deals elsewhere counts once."""
    shares = [_Share(account, number, _remaining(account, number)) for account in accounts]
    longest: dict[tuple[Seed, Group], tuple[int, _Share]] = {}
    for share in shares:
        for group, played in share.spans.items():
            deals = sum(deals for _, deals in played)
            known, _ = longest.get(share.meeting(group), (-1, share))
            if deals > known:
                longest[share.meeting(group)] = deals, share
    return [
        _Share(
            share.account,
            number,
            {
                group: played
                for group, played in share.spans.items()
                if longest[share.meeting(group)][1] is share
            },
        )
        for share in shares
    ]


def _remaining(account: Account, number: Mapping[str, int]) -> dict[Group, list[Span]]:
    """The deals of the groups whose bots all play on."""
    return {
        group: played
        for group, played in account.ledger.spans().items()
        if all(account.names[bot] in number for bot in group)
    }


def _tallies(shares: Iterable[_Share]) -> dict[Group, Tally]:
    """What every seating has added up to, seatings in canonical order."""
    sums: dict[Group, Tally] = {}
    for seating, tally in chain.from_iterable(share.tallies() for share in shares):
        sums[seating] = sums[seating] + tally if seating in sums else tally
    return {seating: sums[seating] for seating in sorted(sums, key=lambda s: (sorted(s), s))}


def _deals_and_luck(
    bots: int, orders: Orders, shares: Sequence[_Share]
) -> tuple[Deals, Luck | None]:
    """What was won deal by deal, without luck where that was scored and makes errors smaller."""
    played = _deals(bots, orders, shares)
    if not all(share.scored for share in shares):
        return played, None
    calm = _deals(bots, orders, shares, calm=True)
    luck = Luck(played, worth(played, calm, bots))
    return (calm if luck.worth > 1 else played), luck


def _deals(bots: int, orders: Orders, shares: Sequence[_Share], calm: bool = False) -> Deals:
    """What was won deal by deal; the deals of each seed are a population of their own."""
    found = [_deals_of_a_seed(bots, orders, alike, calm) for alike in _by_seed(shares)]
    return Deals(
        tuple(stretch for deals in found for stretch in deals.stretches),
        Pairs(
            np.sum([deals.pairs.won for deals in found], axis=0),
            np.sum([deals.pairs.squares for deals in found], axis=0),
            np.sum([deals.pairs.crossed for deals in found], axis=0),
        ),
        max((deals.sample for deals in found), key=_size),
    )


def _by_seed(shares: Iterable[_Share]) -> list[list[_Share]]:
    """Shares of equal seeds together, in the order of the seeds."""
    by_seed: dict[Seed, list[_Share]] = {}
    for share in shares:
        by_seed.setdefault(share.account.seed, []).append(share)
    return [by_seed[seed] for seed in sorted(by_seed, key=bits_of)]


def _predecessors(bots: int, players: int, shares: Sequence[_Share]) -> Predecessors | None:
    """What it means to sit after each bot; None where no ledger has kept it."""
    if not all(share.measured for share in shares):
        return None
    found = [_predecessors_of_a_seed(bots, players, alike) for alike in _by_seed(shares)]
    return reduce(add, found)


def _predecessors_of_a_seed(bots: int, players: int, shares: Sequence[_Share]) -> Predecessors:
    def read(start: int, count: int) -> Blocks:
        return chain.from_iterable(share.measures(start, count) for share in shares)

    spans = chain.from_iterable(chain.from_iterable(share.spans.values()) for share in shares)
    deals = max((first + count for first, count in spans), default=0)
    return gathered(bots, players, len(shares[0].account.orders), deals, read)


def _alongside(bots: int, players: int, shares: Sequence[_Share]) -> Alongside | None:
    """What bots that play alone need in the same deals; None where no ledger has kept it."""
    if players > 1 or not all(share.account.identity.get("measured") for share in shares):
        return None
    return reduce(add, (_alongside_of_a_seed(bots, alike) for alike in _by_seed(shares)))


def _alongside_of_a_seed(bots: int, shares: Sequence[_Share]) -> Alongside:
    def read(start: int, count: int) -> Counted:
        return chain.from_iterable(share.counted(start, count) for share in shares)

    return alongside(bots, max(reached(share.spans) for share in shares), read)


def _size(sample: Sample) -> int:
    return sum(winners.size for winners in sample.winners.values())


def _deals_of_a_seed(bots: int, orders: Orders, shares: Sequence[_Share], calm: bool) -> Deals:
    def read(start: int, count: int) -> Iterator[KeptDeals]:
        return chain.from_iterable(share.deals(start, count) for share in shares)

    spans = {
        tuple(sorted(share.anew(group))): played
        for share in shares
        for group, played in share.spans.items()
    }
    if not calm:
        return gather(bots, orders, spans, read)
    return gather(bots, orders, spans, read, correction(orders, read(0, reached(spans))))


def _luck_by_place(measures: NDArray[Any], group: Group) -> NDArray[Any]:
    """What is kept of luck, by place of the group in ascending order, then by seat."""
    luck = measures[:, -2 * len(group) :]
    return np.concatenate([luck[:, np.argsort(group)], luck[:, len(group) :]], axis=1)


def _canonical(
    group: Group, first: int, winners: Bytes, orders: Orders
) -> tuple[Group, int, Bytes]:
    """A block as if the group's bots had been given in ascending order. Raises LedgerError."""
    ascending = tuple(sorted(group))
    if group == ascending:
        return group, first, winners
    place = {seating: number for number, seating in enumerate(lineups(group, orders))}
    wanted = list(lineups(ascending, orders))
    if not place.keys() >= set(wanted):  # where not all orders are played
        raise LedgerError(
            "These results cannot be rated together: their files name the bots in different orders,"
            f" so that not all of the same seatings of {len(group)} bots were played."
        )
    return ascending, first, winners[:, [place[seating] for seating in wanted]]
