"""A match of two: deals in both seatings, until a sequential test has its answer.

The test looks at the deals in their order, after numbers of them that its hypotheses alone decide.
So it ends at the same deal for any number of workers, and whatever has been played before.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

import msgspec
import numpy as np
from msgspec.structs import replace

from cantstop_arena.bot_sources.catalogue import Catalogue
from cantstop_arena.deals.outcomes import Results
from cantstop_arena.deals.sampling import Ints, shares
from cantstop_arena.deals.seatings import standard_orders
from cantstop_arena.deals.seeds import Seed
from cantstop_arena.deals.shares import WHOLE
from cantstop_arena.deals.spans import unbroken
from cantstop_arena.ratings.sequential.confidence import looks
from cantstop_arena.ratings.sequential.sprt import GROWTH, SCORES, Sprt, ended_by, expected_deals
from cantstop_arena.tournament import run
from cantstop_arena.tournament.files.tournament import Tournament
from cantstop_arena.tournament.ledgers.ledger import Ledger
from cantstop_arena.tournament.pool.worker_pool import Terms
from cantstop_arena.tournament.until import BLOCKS

SEATS = 2
GROUP = (0, 1)
ORDERS = standard_orders(SEATS)


class Outcome(msgspec.Struct, frozen=True):
    """What came of a match: the pentanomial counts of its deals, from the first bot's side.

    `results` are those of all that has been played, which can be more deals. The `seed` may have
    been drawn.
    """

    counts: tuple[int, ...]
    results: Results
    seed: Seed

    @property
    def deals(self) -> int:
        """The deals that count."""
        return sum(self.counts)


class Onlooker(run.Watch, Protocol):
    """Who is told how a run goes on, and how the test stands at each look."""

    def weighs(self, deals: int, ratio: float) -> None:
        """So large is the log-likelihood ratio after so many deals."""


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

    def play(self, terms: Terms, watch: Onlooker, fresh: bool = False) -> Outcome:
        """Play what is missing, and count the points of each deal up to the last look."""
        counts, seen = np.zeros(len(SCORES), np.int64), 0
        with run.opened(self.tournament, self.catalogue, self.folder, fresh) as session:
            whole = unbroken(session.ledger.spans().get(GROUP, []))
            for deals in self._looks():
                if deals > whole or not seen:
                    games = SEATS * deals
                    part = replace(self.tournament, games=games, blocks=BLOCKS)
                    session.play(part, terms, watch)
                counts += _points(session.ledger, seen, deals - seen)
                seen = deals
                if self._is_over(counts.tolist(), seen, watch):
                    break
            seed = session.tournament.seed
            results = replace(session.results(), until=ended_by(self.test))
            return Outcome(tuple(counts.tolist()), results, seed)

    def _looks(self) -> Iterator[int]:
        deals = self.tournament.deals
        return looks(expected_deals(self.test), deals, GROWTH) if self.test else iter([deals])

    def _is_over(self, counts: list[int], deals: int, watch: Onlooker) -> bool:
        """Whether the test has its answer, or a bot is out, whose games do not count."""
        if self.test is None or sum(counts) < deals:
            return True
        watch.weighs(deals, self.test.ratio(counts))
        return self.test.accepted(counts) is not None


def _points(ledger: Ledger, start: int, count: int) -> Ints:
    """The pentanomial counts of some deals."""
    counts = np.zeros(len(SCORES), np.int64)
    for _, first, winners, _ in ledger.deals(start, count):
        wanted = winners[max(0, start - first) : start + count - first]
        points = shares(wanted, ORDERS)[:, 0] * (len(SCORES) - 1) // (SEATS * WHOLE)
        counts += np.bincount(points, minlength=len(SCORES))
    return counts
