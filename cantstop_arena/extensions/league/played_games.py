"""The games of a league in its ledger, and the playing of those that are missing.

The ledger's rows are keyed by versions and setting, so games of a pairing are played once, whoever
takes part and whatever the standings need next. This is all that a league knows of ledgers.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from itertools import combinations
from pathlib import Path

import numpy as np
from msgspec.structs import replace

from cantstop_arena.bots.catalogue import Catalogue
from cantstop_arena.deals.outcomes import Fault, FaultReport, Span, gaps, win_units
from cantstop_arena.deals.sampling import wins_by_deal
from cantstop_arena.deals.seatings import Group
from cantstop_arena.extensions.league.rounds import Shares
from cantstop_arena.ratings.estimate import Estimate
from cantstop_arena.tables.analysis import Analysis
from cantstop_arena.tournaments.file.entrants import Entrant
from cantstop_arena.tournaments.ledger.aggregation import LedgerTotals, aggregate
from cantstop_arena.tournaments.ledger.cover import Cover
from cantstop_arena.tournaments.ledger.ledger import LEDGER, Ledger
from cantstop_arena.tournaments.ledger.ledger_query import version_of
from cantstop_arena.tournaments.ledger.open_ledger import open_ledger
from cantstop_arena.tournaments.pool.worker_pool import PoolOptions
from cantstop_arena.tournaments.run import Session, fault_report_of
from cantstop_arena.tournaments.run_observer import RunObserver
from cantstop_arena.tournaments.run_options import PoolOwner
from cantstop_arena.tournaments.tournament import Tournament

_BLOCKS = 64  # at least so many of the games that a step lacks: workers end at the same time


def version_key(entrant: Entrant) -> str:
    """The version of a bot, by which a ledger knows it."""
    return version_of(entrant).id


class LeagueGames:
    """The games of a tournament's lineups in an open ledger; `rounds.Games` for real.

    `is_time_up` is asked before missing games are played.
    """

    def __init__(
        self,
        tournament: Tournament,
        catalogue: Catalogue,
        folder: Path,
        ledger: Ledger,
        pools: PoolOwner,
        options: PoolOptions,
        observer: RunObserver,
        is_time_up: Callable[[], bool],
    ) -> None:
        self.tournament = tournament
        self.catalogue, self.folder = catalogue, folder
        self.ledger, self.pools = ledger, pools
        self.options, self.observer = options, observer
        self.is_time_up = is_time_up
        self.played = 0
        self._covers: dict[int, Cover] = {}
        self._spans: dict[int, Mapping[Group, Sequence[Span]]] = {}
        self._shares: dict[Group, Shares] = {}

    # The interface of `rounds.Games`

    def missing(self, deals: Mapping[Group, int]) -> int:
        """The number of deals that lineups lack of so many."""
        return sum(self._missing(group, count) for group, count in deals.items())

    def reach(self, deals: Mapping[Group, int]) -> bool:
        """Play what lineups lack of so many deals; False where the time is up before that."""
        lacking = {group: n for group, n in deals.items() if self._missing(group, n)}
        if not lacking:
            return True
        if self.is_time_up():
            return False
        steps: dict[int, list[Group]] = {}
        for group, count in lacking.items():
            steps.setdefault(count, []).append(group)
        for count, groups in sorted(steps.items()):
            self._play(groups, count)
        return True

    def shares(self, group: Group, deals: int) -> Shares:
        """The shares of a lineup's bots (columns) in its first deals (rows)."""
        if deals == 0:
            return np.empty((0, self.tournament.lineup_size))
        if len(self._shares.get(group, ())) < deals:
            self._read(group, deals)
        return self._shares[group][:deals]

    # Playing

    def _play(self, groups: Sequence[Group], deals: int) -> None:
        """Play what these lineups lack, in a tournament of their bots alone: only those start."""
        bots = sorted({bot for group in groups for bot in group})
        lineups = [tuple(bots.index(bot) for bot in group) for group in sorted(groups)]
        entrants = [self.tournament.entrants[bot] for bot in bots]
        part = replace(self._tournament(deals, lineups), entrants=tuple(entrants))
        session = Session(part, self.catalogue, self.folder, self.ledger, self.pools)
        session.play(deals, _BLOCKS, self.options, self.observer)
        self.played += session.played_games
        # Bots of the staff that disturb a process that they share play in one of their own.
        own = dict(zip(bots, session.tournament.entrants, strict=True))
        entrants = [own.get(bot, each) for bot, each in enumerate(self.tournament.entrants)]
        self.tournament = replace(self.tournament, entrants=tuple(entrants))
        self._covers.pop(deals, None)
        self._spans.pop(deals, None)

    def _tournament(self, deals: int, lineups: Sequence[Group] | None = None) -> Tournament:
        """The tournament of all lineups, or of some of them."""
        games = deals * len(self.tournament.orders)
        return replace(self.tournament, games=games, lineups=lineups and tuple(lineups))

    # Reading

    def _cover(self, deals: int) -> Cover:
        """The rows of all lineups, of deals below this number."""
        if deals not in self._covers:
            self._covers[deals] = Cover(self.ledger, self._tournament(deals).query)
        return self._covers[deals]

    def _missing(self, group: Group, deals: int) -> int:
        if deals not in self._spans:
            self._spans[deals] = self._cover(deals).complete_spans()
        spans = self._spans[deals].get(group, ())
        return sum(count for _, count in gaps(spans, deals))

    def _read(self, group: Group, deals: int) -> None:
        """Read the deals that have not been read of a lineup, and of others."""
        start = len(self._shares.get(group, ()))
        read: dict[Group, Shares] = {}
        cover = self._cover(deals)
        for each, first, winners, _ in cover.deals(start, deals - start):
            if len(self._shares.get(each, ())) != start:
                continue
            inside = slice(max(0, start - first), deals - first)
            won = wins_by_deal(winners[inside], self._orders)[:, : self.tournament.lineup_size]
            rows = read.setdefault(each, np.full((deals - start, won.shape[1]), np.nan))
            begin = max(start, first) - start
            rows[begin : begin + len(won)] = won / self._units
        for each, rows in read.items():
            if each in cover.repeated():  # the other deals are as these
                rows[np.isnan(rows).all(axis=1)] = np.nanmean(rows, axis=0)
            if not np.isnan(rows).any():
                before = self._shares.get(each, rows[:0])
                self._shares[each] = np.concatenate([before, rows])

    @cached_property
    def _orders(self) -> tuple[Group, ...]:
        return self.tournament.orders

    @cached_property
    def _units(self) -> int:
        """The win units of a deal."""
        return win_units(self.tournament.lineup_size) * len(self.tournament.orders)

    # Elo

    def elo(self, deals: int, bots: Collection[int]) -> list[Estimate]:
        """The Elo of each of these bots from so many deals of all their lineups."""
        size = self.tournament.lineup_size
        query = self._tournament(deals, [*combinations(sorted(bots), size)]).query
        totals = LedgerTotals(Cover(self.ledger, query), query, self._fault_report)
        elo = list(Analysis(aggregate([totals], {})).elo)
        return [each if bot in bots else Estimate(None) for bot, each in enumerate(elo)]

    def _fault_report(self, fault: Fault) -> FaultReport:
        return fault_report_of(self.tournament, fault, self.catalogue.folder)


@contextmanager
def open_games(
    tournament: Tournament,
    catalogue: Catalogue,
    folder: Path,
    options: PoolOptions,
    observer: RunObserver,
    is_time_up: Callable[[], bool],
) -> Iterator[LeagueGames]:
    """The games in the ledger of a folder, which is locked meanwhile. Raises LedgerError."""
    with open_ledger(folder / LEDGER) as ledger, PoolOwner() as pools:
        yield LeagueGames(
            tournament, catalogue, folder, ledger, pools, options, observer, is_time_up
        )
        ledger.tidy()
