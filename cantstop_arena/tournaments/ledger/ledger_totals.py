"""The games of a ledger together with the query that covers them."""

import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Protocol

import msgspec

from cantstop_arena.deals.outcomes import Fault, FaultReport, Tally
from cantstop_arena.deals.seatings import Group, Orders
from cantstop_arena.deals.seeds import Seed
from cantstop_arena.deals.spans import Span
from cantstop_arena.tournaments.ledger.cover import PaidDeals, StoredDeals
from cantstop_arena.tournaments.ledger.ledger_query import LedgerQuery


class LedgerReader(Protocol):
    """The methods of a ledger that results need."""

    def spans(self) -> dict[Group, list[Span]]:
        """The deals that each group has played."""

    def counting_spans(self) -> dict[Group, list[Span]]:
        """Those of the groups whose games count, as no bot of theirs is disqualified."""

    def tallies(self) -> dict[Group, Tally]:
        """The tally of every seating."""

    def deals(self, start: int, count: int) -> Iterator[StoredDeals]:
        """The blocks with some of the `count` deals from `start` on."""

    def payoffs(self, start: int, count: int) -> Iterator[PaidDeals]:
        """The payoffs of these blocks, in a game that has any."""

    def faults(self) -> Iterator[Fault]:
        """All faults."""

    def disqualified(self) -> dict[int, list[Fault]]:
        """The disqualified bots, and their faults."""

    def shared_by_all(self) -> dict[Group, int]:
        """The games of which all seats share the win, for each seating that has any."""

    def repeated(self) -> dict[Group, tuple[int, int]]:
        """The groups whose deals are repeated: how many deals of theirs count, of how many."""

    def missing_games(self) -> int:
        """The number of missing games of the groups that count."""

    def irreproducible(self) -> list[int]:
        """The bots whose answers differed when a game was played twice."""

    def devices(self) -> list[str]:
        """What has computed the answers of batched bots."""


class LedgerTotals(msgspec.Struct, frozen=True):
    """What a ledger has of a query, and a function that reports faults (`charge`)."""

    ledger: LedgerReader
    query: LedgerQuery
    charge: Callable[[Fault], FaultReport]

    @property
    def seed(self) -> Seed:
        """The seed of the games."""
        return self.query.setting.deal_seed

    @property
    def names(self) -> list[str]:
        """The names of the bots, by number."""
        return self.query.names

    @property
    def orders(self) -> Orders:
        """The orders in which bots took their seats in each deal."""
        return self.query.orders

    @property
    def out(self) -> list[str]:
        """The names of the disqualified bots."""
        return [self.names[bot] for bot in self.ledger.disqualified()]


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
