"""A match of two bots: deals in all orders of the seats, until a sequential test is decided.

The second bot fills all seats but one.
"""

from pathlib import Path

import msgspec
from msgspec.structs import replace

from cantstop_arena.bots.catalogue import Catalogue
from cantstop_arena.deals.outcomes import TournamentTotals
from cantstop_arena.ratings.sequential.sprt import Sprt, ended_by
from cantstop_arena.tournaments.endings import MatchEnding
from cantstop_arena.tournaments.pool.worker_pool import PoolOptions
from cantstop_arena.tournaments.run import run_tournament
from cantstop_arena.tournaments.run_observer import RunObserver
from cantstop_arena.tournaments.tournament import Tournament


class MatchOutcome(msgspec.Struct, frozen=True):
    """The outcome of a match: its deals by the first bot's score, in equal steps from 0 to 1.

    `results` are those of all games in the ledger, which can have more deals than a test needs.
    """

    counts: tuple[int, ...]
    results: TournamentTotals

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
        ending = MatchEnding(self.tournament, self.test)
        totals = run_tournament(
            self.tournament, self.catalogue, self.folder, options, observer, fresh, ending=ending
        )
        results = replace(totals, until=ended_by(self.test), subject=self.names[0])
        counts: list[int] = ending.counts.tolist()
        if results.disqualified:  # no deal counts, not even those before the last look
            counts = [0] * len(counts)
        return MatchOutcome(tuple(counts), results)
