"""A tournament's ledger together with the tournament's identity."""

import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import combinations
from typing import Any, Protocol

import msgspec

from cantstop_arena.deals.outcomes import Fault, FaultReport, Tally
from cantstop_arena.deals.seatings import Group, Orders
from cantstop_arena.deals.seeds import Seed
from cantstop_arena.deals.spans import Span, gaps
from cantstop_arena.tournaments.ledger.identity import orders_of, seed_in
from cantstop_arena.tournaments.ledger.ledger import StoredDeals


class LedgerReader(Protocol):
    """The methods of a ledger that results need."""

    def spans(self) -> dict[Group, list[Span]]:
        """The deals that each group has played."""

    def tallies(self) -> dict[Group, Tally]:
        """The tally of every seating."""

    def deals(self, start: int, count: int) -> Iterator[StoredDeals]:
        """The blocks with some of the `count` deals from `start` on."""

    def faults(self) -> Iterator[Fault]:
        """All faults."""

    def disqualified(self) -> dict[int, list[Fault]]:
        """The disqualified bots, and their faults."""

    def disturbances(self) -> dict[int, str]:
        """The bots that played in processes of their own as they disturb a shared one, and how."""

    def irreproducible(self) -> list[int]:
        """The bots whose answers differed when a game was played twice."""


class LedgerTotals(msgspec.Struct, frozen=True, dict=True):
    """A ledger, the identity of its tournament, and a function that reports faults (`charge`)."""

    ledger: LedgerReader
    identity: Mapping[str, Any]
    charge: Callable[[Fault], FaultReport]

    @property
    def seed(self) -> Seed:
        """The seed of the tournament."""
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
        """The names of the disqualified bots."""
        return [self.names[bot] for bot in self.ledger.disqualified()]

    def missing_games(self, deals: int) -> int:
        """The number of missing games, if each group that counts plays so many deals."""
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


def deals_played(spans: Mapping[Group, Iterable[Span]]) -> int:
    """The number of deals up to the last that any group has played."""
    return max(
        (first + deals for group_spans in spans.values() for first, deals in group_spans), default=0
    )


def fault_report(
    names: Sequence[str], fault: Fault, source: str, options: Sequence[str] = ()
) -> FaultReport:
    """A fault with the names of its bots, and the command that replays its game."""
    seats = tuple(names[bot] for bot in fault.seating)
    options = ["--deal", str(fault.deal), *options]
    arguments = [source, *seats]
    dashed = any(word.startswith("-") for word in arguments)
    arguments = [*options, "--", *arguments] if dashed else [*arguments, *options]
    return FaultReport(
        names[fault.bot],
        fault.kind,
        fault.message,
        seats,
        fault.deal,
        fault.count,
        shlex.join(["arena", "replay", *arguments]),
    )
