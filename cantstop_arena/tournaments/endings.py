"""When a run of a tournament ends: after all its games, or earlier, by what is known by then.

A run plays up to numbers of deals at which its ending looks at the results. The numbers depend on
the tournament alone, and each look is at no more than its deals: so a run ends at the same deal for
any number of workers, and whatever has been played before.
"""

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
from msgspec.structs import replace

from cantstop_arena.deals.outcomes import Until, win_units
from cantstop_arena.deals.payoff import VOID, Payoff
from cantstop_arena.deals.sampling import Ints, wins_by_deal
from cantstop_arena.deals.seatings import Orders
from cantstop_arena.ratings.sequential.confidence import looks
from cantstop_arena.ratings.sequential.corrected_score import CorrectedScore
from cantstop_arena.ratings.sequential.sprt import (
    GROWTH,
    Sprt,
    TestState,
    expected_deals,
    score_steps,
)
from cantstop_arena.ratings.sequential.stopping_rule import widest
from cantstop_arena.tournaments.run_observer import LLR, Look, RunObserver
from cantstop_arena.tournaments.tournament import BLOCKS, Tournament

if TYPE_CHECKING:
    from cantstop_arena.tournaments.ledger.aggregation import LedgerReader
    from cantstop_arena.tournaments.run import Session

_BLOCKS = 32  # at each look; with more, evaluating looks would take longer than the games


class Ending:
    """When a run ends; this one looks once, when all games are played."""

    blocks = BLOCKS
    """The minimum number of blocks up to each look."""

    def looks(self, session: "Session") -> Iterator[int]:
        """The numbers of deals after which to look, ascending."""
        return iter([session.tournament.deals])

    def is_reached(self, session: "Session", deals: int, observer: RunObserver) -> bool:
        """Whether the run ends after this look."""
        return True


class NarrowIntervals(Ending):
    """The ending of a run with an `until` rule: every interval is narrow enough."""

    blocks = _BLOCKS

    def __init__(self, rule: Until) -> None:
        self.rule = rule

    def looks(self, session: "Session") -> Iterator[int]:
        """Those of the rule, whatever has been played."""
        return looks(self.rule.expected, session.tournament.deals)

    def is_reached(self, session: "Session", deals: int, observer: RunObserver) -> bool:
        """Whether even the widest interval is narrow enough."""
        bot, measured = widest(session.last_results(), self.rule)
        games = deals * len(session.tournament.orders)
        observer.on_look(Look(games, bot, self.rule.measure, measured))
        return measured <= self.rule.limit


class MatchEnding(Ending):
    """The ending of a match: its `test`, if any, is decided.

    It counts all deals that are played without a test, and with one those up to its last look,
    where the test has a `state`.
    """

    blocks = _BLOCKS

    def __init__(self, tournament: Tournament, test: Sprt | None) -> None:
        self.test = test
        self.state: TestState | None = None
        self.deals = MatchDeals(
            tournament.orders, test, tournament.game.payoff, bool(tournament.luck_removed)
        )

    @property
    def counts(self) -> Ints:
        """The deals that are counted, by the first bot's score."""
        return self.deals.counts

    def looks(self, session: "Session") -> Iterator[int]:
        """Those of the test."""
        deal_count = session.tournament.deals
        if self.test:
            return looks(expected_deals(self.test), deal_count, GROWTH)
        return iter([deal_count])

    def is_reached(self, session: "Session", deals: int, observer: RunObserver) -> bool:
        """Whether the test is decided, or a bot is disqualified, whose games do not count."""
        if session.cover.disqualified():
            return True
        self.deals.count(session.cover, deals)
        if self.test is None:
            return True
        self.state = self.deals.look()
        if session.last_results().is_one_deal:
            self.state = replace(self.state, accepted=None, repeated=True)
        games = len(session.tournament.orders) * deals
        observer.on_look(Look(games, "", LLR, self.state.ratio))
        return self.state.accepted is not None or self.state.repeated


class MatchDeals:
    """The deals of a match that are counted: by the first bot's score, and as its test needs them.

    The counts are in equal steps from 0 to 1; a test of payoffs has the deals by how much more than
    the others the first bot got a game (`paid`).
    """

    def __init__(
        self, orders: Orders, test: Sprt | None, payoff: Payoff | None, luck_removed: bool
    ) -> None:
        self.test, self.orders, self._payoff = test, orders, payoff
        players = len(orders[0])
        self.steps = score_steps(players, len(orders))
        self.units = win_units(players) * len(orders)
        self.counts: Ints = np.zeros(self.steps + 1, np.int64)
        self.counted = 0
        self.paid: Counter[float] | None = Counter() if test and test.unit else None
        self._corrected = CorrectedScore() if luck_removed else None

    def look(self) -> TestState:
        """The state of the test after the deals that are counted; each look is final."""
        assert self.test is not None
        if self.paid is not None:
            return self.test.state_of_payoffs(self.paid)
        if self._corrected is None:
            return self.test.state(self.counts.tolist())
        return self.test.state_of(*self._corrected.look())

    def count(self, ledger: "LedgerReader", deals: int) -> None:
        """Count the deals from those that are counted up to this number."""
        start, count = self.counted, deals - self.counted
        for _, first, winners, measures in ledger.deals(start, count):
            inside = slice(max(0, start - first), start + count - first)
            wins = wins_by_deal(winners[inside], self.orders)[:, 0]
            self.counts += np.bincount(wins * self.steps // self.units, minlength=self.steps + 1)
            if self._corrected is not None:
                luck = measures[inside, -2 * len(self.orders[0])]  # of the first bot
                self._corrected.add(max(start, first), wins / self.units, luck.astype(np.int64))
        if self.paid is not None:
            self._count_payoffs(ledger, start, count)
        self.counted = deals

    def _count_payoffs(self, ledger: "LedgerReader", start: int, count: int) -> None:
        payoff, players = self._payoff, len(self.orders[0])
        assert payoff is not None
        assert self.paid is not None
        for _, first, paid in ledger.payoffs(start, count):
            rows = paid[max(0, start - first) : start + count - first].astype(np.int64)
            rows = rows[rows[:, 0] != VOID]
            own = rows[:, 0]
            ahead = payoff.sign * (players * own - rows[:, :players].sum(axis=1))
            scale = (players - 1) * payoff.parts * len(self.orders)
            for value, deals in zip(*np.unique(ahead, return_counts=True), strict=True):
                self.paid[int(value) / scale] += int(deals)
