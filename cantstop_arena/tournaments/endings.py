"""When a run of a tournament ends: after all its games, or earlier, by what is known by then.

A run plays up to numbers of deals at which its ending looks at the results. The numbers depend on
the tournament alone, so it ends at the same deal for any number of workers, and when continued.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from cantstop_arena.deals.outcomes import Until
from cantstop_arena.deals.sampling import Ints, wins_by_deal
from cantstop_arena.deals.winners import win_units
from cantstop_arena.ratings.sequential.confidence import looks
from cantstop_arena.ratings.sequential.sprt import (
    GROWTH,
    Sprt,
    expected_deals,
    score_steps,
)
from cantstop_arena.ratings.sequential.stopping_rule import widest
from cantstop_arena.tournaments.run_observer import LLR, Look, RunObserver
from cantstop_arena.tournaments.tournament import BLOCKS, Tournament

if TYPE_CHECKING:
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
        """Those of the rule, from the games in the ledger on."""
        most = session.tournament.deals
        before = min(session.played_deals(), most)
        return (deals for deals in looks(self.rule.expected, most) if deals >= before)

    def is_reached(self, session: "Session", deals: int, observer: RunObserver) -> bool:
        """Whether even the widest interval is narrow enough."""
        bot, measured = widest(session.results(), self.rule)
        games = deals * len(session.tournament.orders)
        observer.on_look(Look(games, bot, self.rule.measure, measured))
        return measured <= self.rule.limit


class MatchEnding(Ending):
    """The ending of a match: its `test`, if any, is decided.

    It counts the deals by the first bot's score, in equal steps from 0 to 1: all that will be
    played without a test, and with one those up to its last look.
    """

    blocks = _BLOCKS

    def __init__(self, tournament: Tournament, test: Sprt | None) -> None:
        self.test = test
        self.orders = tournament.orders
        self.steps = score_steps(tournament.players, len(self.orders))
        self.units = win_units(tournament.players) * len(self.orders)
        self.counts: Ints = np.zeros(self.steps + 1, np.int64)
        self.counted = 0

    def looks(self, session: "Session") -> Iterator[int]:
        """Those of the test."""
        most = session.tournament.deals
        if self.test:
            return looks(expected_deals(self.test), most, GROWTH)
        return iter([max(most, session.played_deals())])

    def is_reached(self, session: "Session", deals: int, observer: RunObserver) -> bool:
        """Whether the test is decided, or a bot is disqualified, whose games do not count."""
        self._count(session, deals)
        if self.test is None or self.counts.sum() < deals:
            return True
        counts: list[int] = self.counts.tolist()
        ratio = self.test.ratio(counts)
        observer.on_look(Look(len(self.orders) * deals, "", LLR, ratio))
        return self.test.accepted(counts) is not None

    def _count(self, session: "Session", deals: int) -> None:
        """Count the deals from those that are counted up to this number."""
        start, count = self.counted, deals - self.counted
        for _, first, winners, _ in session.ledger.deals(start, count):
            selected = winners[max(0, start - first) : start + count - first]
            scores = wins_by_deal(selected, self.orders)[:, 0] * self.steps // self.units
            self.counts += np.bincount(scores, minlength=self.steps + 1)
        self.counted = deals
