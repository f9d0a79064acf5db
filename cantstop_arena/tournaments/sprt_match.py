"""A match of two bots: deals in all orders of the seats, until a sequential test is decided.

The second bot fills all seats but one.

The test is evaluated on the deals in order, after numbers of deals that depend on its hypotheses
alone. So it ends at the same deal for any number of workers, also when games are continued.
"""

from collections.abc import Iterator
from pathlib import Path

import msgspec
import numpy as np
from msgspec.structs import replace

from cantstop_arena.bots.catalogue import Catalogue
from cantstop_arena.deals.outcomes import TournamentTotals
from cantstop_arena.deals.sampling import Ints, wins_by_deal
from cantstop_arena.deals.seeds import Seed
from cantstop_arena.deals.spans import unbroken_prefix
from cantstop_arena.deals.winners import win_units
from cantstop_arena.ratings.sequential.confidence import looks
from cantstop_arena.ratings.sequential.sprt import (
    GROWTH,
    Sprt,
    ended_by,
    expected_deals,
    score_steps,
)
from cantstop_arena.tournaments import run
from cantstop_arena.tournaments.ledger.ledger import Ledger
from cantstop_arena.tournaments.ledger.ledger_totals import deals_played
from cantstop_arena.tournaments.pool.worker_pool import PoolOptions
from cantstop_arena.tournaments.run import BLOCKS
from cantstop_arena.tournaments.run_observer import LLR, RunObserver
from cantstop_arena.tournaments.tournament import Tournament


class MatchOutcome(msgspec.Struct, frozen=True):
    """The outcome of a match: its deals by the first bot's score, in equal steps from 0 to 1.

    `results` are those of all games in the ledger, which can have more deals than a test needs. The
    `seed` may be a random one.
    """

    counts: tuple[int, ...]
    results: TournamentTotals
    seed: Seed

    @property
    def deals(self) -> int:
        """The deals that count."""
        return sum(self.counts)


class Match(msgspec.Struct, frozen=True):
    """A match: at most the games of `tournament`, fewer if `test` is decided earlier."""

    tournament: Tournament
    catalogue: Catalogue
    folder: Path
    test: Sprt | None = None

    @property
    def names(self) -> tuple[str, str]:
        """The names of the two bots."""
        first, second, *_ = self.tournament.entrants
        return first.name, second.name

    def play(
        self, options: PoolOptions, observer: RunObserver, fresh: bool = False
    ) -> MatchOutcome:
        """Play the missing games, and count the points of each deal up to the last look."""
        counts, counted = np.zeros(self._steps + 1, np.int64), 0
        opening = run.open_session(self.tournament, self.catalogue, self.folder, observer, fresh)
        with opening as session:
            complete = unbroken_prefix(
                session.ledger.spans().get((*range(self.tournament.players),), [])
            )
            for deals in self._looks(deals_played(session.ledger.spans())):
                if deals > complete or not counted:
                    games = self._deal_games * min(deals, self.tournament.deals)
                    part = replace(self.tournament, games=games, blocks=BLOCKS)
                    session.play(part, options, observer)
                counts += self._counts(session.ledger, counted, deals - counted)
                counted = deals
                if self._is_over(counts.tolist(), counted, observer):
                    break
            seed = session.tournament.seed
            results = replace(session.results(), until=ended_by(self.test), subject=self.names[0])
            if results.disqualified:
                counts[:] = 0  # also the deals before the look at which the bot was disqualified
            return MatchOutcome(tuple(counts.tolist()), results, seed)

    def _looks(self, played: int) -> Iterator[int]:
        """The numbers of deals after which a test looks; without a test, all that there will be."""
        deals = self.tournament.deals
        if self.test:
            return looks(expected_deals(self.test), deals, GROWTH)
        return iter([max(deals, played)])

    def _is_over(self, counts: list[int], deals: int, observer: RunObserver) -> bool:
        """Whether the test is decided, or a bot is disqualified, whose games do not count."""
        if self.test is None or sum(counts) < deals:
            return True
        observer.on_look(run.Look(self._deal_games * deals, "", LLR, self.test.ratio(counts)))
        return self.test.accepted(counts) is not None

    @property
    def _deal_games(self) -> int:
        return len(self.tournament.orders)

    @property
    def _steps(self) -> int:
        """The steps of the first bot's score in a deal."""
        return score_steps(self.tournament.players, self._deal_games)

    def _counts(self, ledger: Ledger, start: int, count: int) -> Ints:
        """Some deals, counted by the first bot's score."""
        orders, steps = self.tournament.orders, self._steps
        units = win_units(self.tournament.players) * self._deal_games
        counts = np.zeros(steps + 1, np.int64)
        for _, first, winners, _ in ledger.deals(start, count):
            selected = winners[max(0, start - first) : start + count - first]
            scores = wins_by_deal(selected, orders)[:, 0] * steps // units
            counts += np.bincount(scores, minlength=steps + 1)
        return counts
