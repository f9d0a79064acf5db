"""The games of a league in its ledger: those that are there, and the playing of those that lack.

The ledger's rows are keyed by versions and setting, so games of a pairing are played once, whoever
takes part and whatever the standings need next. This is all that a league knows of ledgers.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path

import numpy as np
from msgspec.structs import replace

from cantstop_arena.bots.catalogue import Catalogue
from cantstop_arena.deals.sampling import wins_by_deal
from cantstop_arena.deals.seatings import Group
from cantstop_arena.deals.spans import Span, gaps
from cantstop_arena.deals.winners import win_units
from cantstop_arena.leagues.rounds import Shares
from cantstop_arena.ratings.estimate import Estimate
from cantstop_arena.tables.analysis import Analysis
from cantstop_arena.tournaments.file.entrants import Entrant
from cantstop_arena.tournaments.ledger.cover import Cover
from cantstop_arena.tournaments.ledger.identity import version_of
from cantstop_arena.tournaments.ledger.ledger import LEDGER, Ledger
from cantstop_arena.tournaments.ledger.open_ledger import open_ledger
from cantstop_arena.tournaments.pool.pool_owner import PoolOwner
from cantstop_arena.tournaments.pool.worker_pool import PoolOptions
from cantstop_arena.tournaments.run import Session
from cantstop_arena.tournaments.run_observer import RunObserver
from cantstop_arena.tournaments.tournament import Tournament

_BLOCKS = 64  # at least so many of the games that a step lacks: workers end at the same time


def version_key(entrant: Entrant) -> str:
    """The version of a bot, by which a ledger knows it."""
    return version_of(entrant).id


class LedgerGames:
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
        self.tournament, self.catalogue, self.folder = tournament, catalogue, folder
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
        for count in sorted(set(lacking.values())):
            self._play([group for group, n in lacking.items() if n == count], count)
        return True

    def shares(self, group: Group, deals: int) -> Shares:
        """The shares of a lineup's bots (columns) in its first deals (rows)."""
        if len(self._shares.get(group, ())) < deals:
            self._read(group, deals)
        return self._shares[group][:deals]

    # Playing

    def _play(self, groups: Sequence[Group], deals: int) -> None:
        session = self._session(self._tournament(deals, groups))
        session.play(deals, _BLOCKS, self.options, self.observer)
        self.played += session.played_games
        # Bots of the staff that disturb a process that they share play in one of their own.
        self.tournament = replace(self.tournament, entrants=session.tournament.entrants)
        self._covers.clear()
        self._spans.clear()

    def _session(self, tournament: Tournament) -> Session:
        return Session(tournament, self.catalogue, self.folder, self.ledger, self.pools)

    def _tournament(self, deals: int, groups: Collection[Group] | None = None) -> Tournament:
        """The tournament of all lineups, or of these."""
        lineups = None if groups is None else tuple(sorted(groups))
        games = deals * len(self.tournament.orders)
        return replace(self.tournament, games=games, lineups=lineups)

    # Reading

    def _cover(self, deals: int) -> Cover:
        """The rows of all lineups with deals below this number."""
        if deals not in self._covers:
            self._covers[deals] = Cover(self.ledger, self._tournament(deals).query)
        return self._covers[deals]

    def _missing(self, group: Group, deals: int) -> int:
        if deals not in self._spans:
            self._spans[deals] = self._cover(deals).spans()
        spans = self._spans[deals].get(group, ())
        return sum(count for _, count in gaps(spans, deals))

    def _read(self, group: Group, deals: int) -> None:
        """Read the deals from the last that has been read of this lineup on, of all lineups."""
        start = len(self._shares.get(group, ()))
        read: dict[Group, Shares] = {}
        for each, first, winners, _ in self._cover(deals).deals(start, deals - start):
            if len(self._shares.get(each, ())) != start:
                continue
            inside = slice(max(0, start - first), deals - first)
            won = wins_by_deal(winners[inside], self._orders)[:, : self.tournament.players]
            rows = read.setdefault(each, np.full((deals - start, won.shape[1]), np.nan))
            begin = max(start, first) - start
            rows[begin : begin + len(won)] = won / self._units
        for each, rows in read.items():
            if not np.isnan(rows).any():
                before = self._shares.get(each, rows[:0])
                self._shares[each] = np.concatenate([before, rows])

    @cached_property
    def _orders(self) -> tuple[Group, ...]:
        return self.tournament.orders

    @cached_property
    def _units(self) -> int:
        """The win units of a deal."""
        return win_units(self.tournament.players) * len(self.tournament.orders)

    # Elo

    def elo(self, deals: int) -> list[Estimate]:
        """The Elo of each bot from so many deals of all lineups, which the ledger is left with."""
        session = self._session(self._tournament(deals))
        session.play(deals, _BLOCKS, self.options, self.observer)
        analysis = Analysis(session.finished_results())
        return list(analysis.elo)


@contextmanager
def open_games(
    tournament: Tournament,
    catalogue: Catalogue,
    folder: Path,
    options: PoolOptions,
    observer: RunObserver,
    is_time_up: Callable[[], bool],
) -> Iterator[LedgerGames]:
    """The games in the ledger of a folder, which is locked meanwhile. Raises LedgerError."""
    with open_ledger(folder / LEDGER) as ledger, PoolOwner() as pools:
        yield LedgerGames(
            tournament, catalogue, folder, ledger, pools, options, observer, is_time_up
        )
