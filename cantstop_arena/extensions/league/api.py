"""Leagues, in Python."""

from collections.abc import Iterator
from datetime import datetime
from math import inf
from pathlib import Path
from typing import Unpack

from cantstop_arena.api.keywords import FolderKeys, PoolKeys, keywords, run_options
from cantstop_arena.api.result_tables import ResultTable
from cantstop_arena.bots.catalogue import Catalogue
from cantstop_arena.extensions.league import league_file
from cantstop_arena.extensions.league.grading import mark_table
from cantstop_arena.extensions.league.keys import OF_FUNCTION
from cantstop_arena.extensions.league.league_file import League
from cantstop_arena.extensions.league.league_files import write_league, write_pages
from cantstop_arena.extensions.league.league_run import (
    Echo,
    LeagueStandings,
    plan_league,
    plan_lines,
    run_league,
)
from cantstop_arena.extensions.league.standings import standings_data, standings_table
from cantstop_arena.processes.shutdown import observed_by
from cantstop_arena.tables.column import Table
from cantstop_arena.tournaments.duration import duration_text
from cantstop_arena.tournaments.run_observer import RunObserver
from cantstop_arena.tournaments.run_options import RunOptions
from cantstop_arena.views.progress_lines import Progress, observer_for


class LeagueKeys(FolderKeys, PoolKeys, total=False):
    """The keywords of `league`."""

    progress: Progress


class LeagueResults:
    """The standings and marks of a league, whose files are in `folder`."""

    def __init__(self, standings: LeagueStandings) -> None:
        self._standings = standings
        self.folder = standings.folder
        self.files = write_league(standings)

    @property
    def name(self) -> str:
        """The name of the league."""
        return self._standings.league.name

    @property
    def played(self) -> int:
        """The number of games that the run has played."""
        return self._standings.played

    @property
    def standings(self) -> ResultTable:
        """A row for each bot, the best first."""
        return ResultTable(standings_data(self._standings.rows), self.table)

    @property
    def table(self) -> Table:
        """The standings for people."""
        standings = self._standings
        since = standings.since.day if standings.since else None
        league = standings.league
        has_marks, has_payoffs = bool(league.marks.levels), bool(league.game.payoff)
        return standings_table(standings.rows, has_marks, since, has_payoffs)

    @property
    def marks(self) -> ResultTable:
        """A row for each participant, by id."""
        table = mark_table(self._standings.league.marks, self._standings.marks)
        return ResultTable(table, table)

    def write_pages(self) -> Path:
        """Write the public pages; the path of the first. Raises PageError."""
        return write_pages(self._standings)

    def show(self) -> None:
        """Print the standings."""
        print(self.standings)

    def __repr__(self) -> str:
        return f"<{self.name}: {len(self._standings.rows)} bots>"


class PlannedLeague:
    """A league that can be played, with its results below `results`."""

    def __init__(self, league: League, catalogue: Catalogue) -> None:
        self.league = league
        self.catalogue = catalogue.playing(league.game)
        self.results = catalogue.results

    def run(
        self,
        options: RunOptions,
        observer: RunObserver,
        echo: Echo,
        seconds: float = inf,
        now: datetime | None = None,
    ) -> LeagueResults:
        """Check, play and rank; no further round begins after so many seconds."""
        now, pools = now or datetime.now().astimezone(), options.pool_options
        with observed_by(observer):
            return LeagueResults(
                run_league(
                    self.league, self.catalogue, self.results, pools, observer, echo, now, seconds
                )
            )

    def plan(self, options: RunOptions, observer: RunObserver) -> Iterator[str]:
        """What a run would do, and how long it takes, in lines; nothing is checked or written."""
        now = datetime.now().astimezone()
        plan = plan_league(self.league, self.catalogue, self.results, RunObserver(), now)
        yield from plan_lines(self.league, plan)
        pools = options.pool_options
        if text := duration_text(plan.missing, self.catalogue, pools, observer):
            yield f"{self.league.name}: {text}"


def read_league(file: Path | str, results: Path | str, bots_folder: Path | str) -> PlannedLeague:
    """The league of a file. Raises ConfigError with every problem of the file."""
    catalogue = Catalogue(Path(bots_folder), results=Path(results))
    return PlannedLeague(league_file.read(Path(file), catalogue), catalogue)


@keywords(LeagueKeys, OF_FUNCTION)
def league(file: Path | str, **given: Unpack[LeagueKeys]) -> LeagueResults:
    """Play the league of a file, as `arena league` does, and write its files and pages.

    Raises ArenaError, and Interrupted on Ctrl-C.
    """
    planned = read_league(file, given["results"], given["bots_folder"])
    observer = observer_for(given["progress"], planned.league.name)
    results = planned.run(run_options(given), observer, observer.on_notice)
    results.write_pages()
    return results
