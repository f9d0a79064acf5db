"""A match of two: deals in both seatings, until a sequential test has its answer.

The test looks at the deals in their order, after numbers of them that its hypotheses alone decide.
So it ends at the same deal for any number of workers, and whatever has been played before.
"""

from collections.abc import Iterator
from pathlib import Path

import msgspec
import numpy as np
from msgspec.structs import replace

from cantstop_arena.bots.catalogue import Catalogue
from cantstop_arena.deals.outcomes import TournamentTotals
from cantstop_arena.deals.sampling import Ints, wins_by_deal
from cantstop_arena.deals.seatings import standard_orders
from cantstop_arena.deals.seeds import Seed
from cantstop_arena.deals.spans import unbroken_prefix
from cantstop_arena.deals.winners import WIN_UNITS
from cantstop_arena.ratings.sequential.confidence import looks
from cantstop_arena.ratings.sequential.sprt import GROWTH, SCORES, Sprt, ended_by, expected_deals
from cantstop_arena.tournaments import run
from cantstop_arena.tournaments.ledger.ledger import Ledger
from cantstop_arena.tournaments.pool.worker_pool import PoolOptions
from cantstop_arena.tournaments.run import BLOCKS
from cantstop_arena.tournaments.run_observer import LLR, RunObserver
from cantstop_arena.tournaments.tournament import Tournament

SEATS = 2
GROUP = (0, 1)
ORDERS = standard_orders(SEATS)


class MatchOutcome(msgspec.Struct, frozen=True):
    """What came of a match: the pentanomial counts of its deals, from the first bot's side.

    `results` are those of all that has been played, which can be more deals. The `seed` may have
    been drawn.
    """

    counts: tuple[int, ...]
    results: TournamentTotals
    seed: Seed

    @property
    def deals(self) -> int:
        """The deals that count."""
        return sum(self.counts)


class Match(msgspec.Struct, frozen=True):
    """What is to be played: `games` at most, fewer where a test has its answer before."""

    tournament: Tournament
    catalogue: Catalogue
    folder: Path
    test: Sprt | None = None

    @property
    def names(self) -> tuple[str, str]:
        """Who plays."""
        first, second = self.tournament.entrants
        return first.name, second.name

    def play(
        self, options: PoolOptions, observer: RunObserver, fresh: bool = False
    ) -> MatchOutcome:
        """Play what is missing, and count the points of each deal up to the last look."""
        counts, observed = np.zeros(len(SCORES), np.int64), 0
        with run.open_session(self.tournament, self.catalogue, self.folder, fresh) as session:
            total = unbroken_prefix(session.ledger.spans().get(GROUP, []))
            for deals in self._looks():
                if deals > total or not observed:
                    games = SEATS * deals
                    part = replace(self.tournament, games=games, blocks=BLOCKS)
                    session.play(part, options, observer)
                counts += _points(session.ledger, observed, deals - observed)
                observed = deals
                if self._is_over(counts.tolist(), observed, observer):
                    break
            seed = session.tournament.seed
            results = replace(session.results(), until=ended_by(self.test))
            return MatchOutcome(tuple(counts.tolist()), results, seed)

    def _looks(self) -> Iterator[int]:
        deals = self.tournament.deals
        return looks(expected_deals(self.test), deals, GROWTH) if self.test else iter([deals])

    def _is_over(self, counts: list[int], deals: int, observer: RunObserver) -> bool:
        """Whether the test has its answer, or a bot is out, whose games do not count."""
        if self.test is None or sum(counts) < deals:
            return True
        observer.on_look(run.Look(SEATS * deals, "", LLR, self.test.ratio(counts)))
        return self.test.accepted(counts) is not None


def _points(ledger: Ledger, start: int, count: int) -> Ints:
    """The pentanomial counts of some deals."""
    counts = np.zeros(len(SCORES), np.int64)
    for _, first, winners, _ in ledger.deals(start, count):
        expected = winners[max(0, start - first) : start + count - first]
        points = wins_by_deal(expected, ORDERS)[:, 0] * (len(SCORES) - 1) // (SEATS * WIN_UNITS)
        counts += np.bincount(points, minlength=len(SCORES))
    return counts
