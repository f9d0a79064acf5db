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

from cantstop_arena.deals.outcomes import Until
from cantstop_arena.deals.payoff import VOID
from cantstop_arena.deals.sampling import Ints, wins_by_deal
from cantstop_arena.deals.winners import win_units
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

    It counts the deals by the first bot's score, in equal steps from 0 to 1, and for a test of
    payoffs by how much more than the others it got a game (`paid`): all that are played without a
    test, and with one those up to its last look, where the test has a `state`.
    """

    blocks = _BLOCKS

    def __init__(self, tournament: Tournament, test: Sprt | None) -> None:
        self.test = test
        self.orders = tournament.orders
        self.steps = score_steps(tournament.lineup_size, len(self.orders))
        self.units = win_units(tournament.lineup_size) * len(self.orders)
        self.counts: Ints = np.zeros(self.steps + 1, np.int64)
        self.counted = 0
        self.state: TestState | None = None
        self.paid: Counter[float] | None = Counter() if test and test.unit else None
        self._corrected = CorrectedScore() if tournament.luck_removed else None

    def looks(self, session: "Session") -> Iterator[int]:
        """Those of the test."""
        most = session.tournament.deals
        if self.test:
            return looks(expected_deals(self.test), most, GROWTH)
        return iter([most])

    def is_reached(self, session: "Session", deals: int, observer: RunObserver) -> bool:
        """Whether the test is decided, or a bot is disqualified, whose games do not count."""
        if session.cover.disqualified():
            return True
        self._count(session, deals)
        if self.test is None:
            return True
        self.state = self._state(self.test, session)
        observer.on_look(Look(len(self.orders) * deals, "", LLR, self.state.ratio))
        return self.state.accepted is not None or self.state.repeated

    def _state(self, test: Sprt, session: "Session") -> TestState:
        state = self._last_state(test)
        if session.last_results().is_one_deal:
            return replace(state, accepted=None, repeated=True)
        return state

    def _last_state(self, test: Sprt) -> TestState:
        if self.paid is not None:
            return test.state_of_payoffs(self.paid)
        if self._corrected is None:
            return test.state(self.counts.tolist())
        return test.state_of(*self._corrected.look())

    def _count(self, session: "Session", deals: int) -> None:
        """Count the deals from those that are counted up to this number."""
        start, count = self.counted, deals - self.counted
        for _, first, winners, measures in session.cover.deals(start, count):
            inside = slice(max(0, start - first), start + count - first)
            wins = wins_by_deal(winners[inside], self.orders)[:, 0]
            self.counts += np.bincount(wins * self.steps // self.units, minlength=self.steps + 1)
            if self._corrected is not None:
                luck = measures[inside, -2 * len(self.orders[0])]  # of the first bot
                self._corrected.add(max(start, first), wins / self.units, luck.astype(np.int64))
        if self.paid is not None:
            self._count_payoffs(session, start, count)
        self.counted = deals

    def _count_payoffs(self, session: "Session", start: int, count: int) -> None:
        payoff, players = session.tournament.game.payoff, session.tournament.lineup_size
        assert payoff is not None
        assert self.paid is not None
        for _, first, paid in session.cover.payoffs(start, count):
            rows = paid[max(0, start - first) : start + count - first].astype(np.int64)
            rows = rows[rows[:, 0] != VOID]
            own = rows[:, 0]
            ahead = payoff.sign * (players * own - rows[:, :players].sum(axis=1))
            scale = (players - 1) * payoff.parts * len(self.orders)
            for value, deals in zip(*np.unique(ahead, return_counts=True), strict=True):
                self.paid[int(value) / scale] += int(deals)
