"""The results of a tournament, in Python."""

import html
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from cantstop_arena.api.report_page import ReportPage
from cantstop_arena.api.result_tables import ResultTable
from cantstop_arena.deals.seeds import Seed
from cantstop_arena.errors import ArenaError, UsageError
from cantstop_arena.export.ledger_games import LedgerGame, LedgerGames, ledger_games
from cantstop_arena.game_api.state import Event
from cantstop_arena.games.registry import game_named
from cantstop_arena.processes import shutdown
from cantstop_arena.reports import tournament_files
from cantstop_arena.reports.headline import headline
from cantstop_arena.reports.highlights import record_games
from cantstop_arena.reports.tournament_files import summary
from cantstop_arena.tables import all_tables, pair_tables
from cantstop_arena.tables import differences as difference_tables
from cantstop_arena.tables.analysis import Analysis
from cantstop_arena.tables.column import Table
from cantstop_arena.tables.faults import faults
from cantstop_arena.tables.names import FORMATS, TABLES
from cantstop_arena.tables.pair_tables import fit
from cantstop_arena.tables.seats import following, predecessors, seats
from cantstop_arena.tables.standings import standings, standings_data
from cantstop_arena.tables.styles import lengths, styles
from cantstop_arena.tournaments.ledger.open_ledger import protected_ledger
from cantstop_arena.tournaments.ledger.read_ledger import read_ledger
from cantstop_arena.views.default_view import view_of
from cantstop_arena.views.progress_lines import Progress

if TYPE_CHECKING:
    import pandas

    from cantstop_arena.api.exports import Export, ExportReport
    from cantstop_arena.bots.catalogue import Catalogue
    from cantstop_arena.tournaments.tournament import Tournament

Source: TypeAlias = "Callable[[], tuple[Tournament, Catalogue]]"
"""Returns the tournament and the catalogue of its bots, for replays; called only when needed."""


class Results:
    """The results of a tournament, or of several rated together: tables, games, files.

    `folder` is the results folder; None for several rated together, and for those of guests.
    """

    def __init__(self, analysis: Analysis, folder: Path | None, source: Source) -> None:
        self.analysis = analysis
        self.folder = folder
        self._source = source
        self.output_files: list[Path] = []
        """The files that were written."""

    # What was played

    @property
    def name(self) -> str:
        """The name of the tournament."""
        return self.analysis.results.name

    @property
    def headline(self) -> str:
        """The answer to the question, in a sentence without its full stop."""
        return headline(self.analysis)

    @property
    def bots(self) -> Sequence[str]:
        """The names of the bots, the strongest first."""
        return self.analysis.names

    @property
    def disqualified(self) -> Sequence[str]:
        """The names of the disqualified bots; no game of theirs counts."""
        return self.analysis.results.disqualified

    @property
    def seed(self) -> Seed | None:
        """The seed of all random numbers; None for several tournaments with different seeds."""
        return self.analysis.results.seed

    @property
    def games_played(self) -> int:
        """The number of games that count."""
        return self.analysis.games

    # Tables

    @cached_property
    def standings(self) -> ResultTable:
        """Each bot's rank, Elo and score; of a solo game the mean turns that it needs."""
        return _table(standings_data(self.analysis), standings(self.analysis))

    @cached_property
    def crosstable(self) -> ResultTable:
        """Scores of the row's bot against the column's."""
        self._require_opponents("crosstable")
        display = pair_tables.crosstable(self.analysis)
        return _table(pair_tables.scores_only(self.analysis), display)

    @cached_property
    def pairs(self) -> ResultTable:
        """The scores pair by pair, with errors."""
        self._require_opponents("pairs")
        return _table(pair_tables.pairs(self.analysis))

    @cached_property
    def differences(self) -> ResultTable:
        """Of bots that play alone: how much less one needs than another, on the same deals."""
        if self.analysis.differences is None:
            raise UsageError(f"{self.name} has no differences: they need two bots that play alone")
        return _table(
            difference_tables.pairs(self.analysis), difference_tables.differences(self.analysis)
        )

    @cached_property
    def seats(self) -> ResultTable:
        """Each seat's score, and its effect in Elo."""
        self._require_opponents("seats")
        return _table(seats(self.analysis))

    @cached_property
    def fit(self) -> ResultTable:
        """All pairs, the largest residuals first."""
        self._require_opponents("fit")
        return _table(fit(self.analysis, maximum=None))

    @cached_property
    def styles(self) -> ResultTable:
        """How each bot plays, in the game's own rates."""
        return _table(styles(self.analysis))

    @cached_property
    def lengths(self) -> ResultTable:
        """The distribution of game lengths, by bot."""
        return _table(lengths(self.analysis))

    @cached_property
    def predecessors(self) -> ResultTable:
        """The effect of sitting right after each bot, in games that record it."""
        if self.analysis.results.predecessors is None:
            raise UsageError(
                f"{self.name} has no table of predecessors: its game does not record them"
            )
        return _table(following(self.analysis), predecessors(self.analysis))

    @cached_property
    def faults(self) -> ResultTable:
        """Each bot's faults: how many, and where the first one is."""
        return _table(faults(self.analysis))

    @cached_property
    def summary(self) -> dict[str, Any]:
        """All results as plain values: the content of `summary.json`."""
        return summary(self.analysis)

    def _require_opponents(self, what: str) -> None:
        if self.analysis.is_solo:
            raise UsageError(f"there is no table {what} for bots that play alone")

    def text(self, form: str = "text", tables: Sequence[str] = TABLES) -> str:
        """Tables in one of the formats of `arena run`: text, markdown, csv, json, latex."""
        for what, requested, names in (("format", [form], FORMATS), ("table", tables, TABLES)):
            if wrong := next((word for word in requested if word not in names), None):
                raise UsageError(f"unknown {what} {wrong!r}; use {', '.join(names)}")
        first = self.headline if set(TABLES) <= set(tables) else ""
        return all_tables.as_format(self.analysis, form, tables, headline=first)

    def show(self, *tables: str) -> None:
        """Print the named tables, by default all."""
        print(self.text(tables=tables or TABLES), end="")

    def __repr__(self) -> str:
        return f"<{self.name}: {self.games_played:,} games of {len(self.bots)} bots>"

    def _repr_html_(self) -> str:
        return f"<p>{html.escape(repr(self)[1:-1])}</p>{self.standings._repr_html_()}"

    # Games

    def games(self, bots: Sequence[str] | None = None) -> "Iterator[PlayedGame]":
        """The games in which these bots met, by default all, deal after deal in every seating.

        The ledger has the winners; the events of a game are computed by a replay.
        """

        folder = self._required_folder()
        names = [bots] if isinstance(bots, str) else [] if bots is None else [*map(str, bots)]
        for name in names:
            if name not in self.analysis.results.bots:
                raise UsageError(f"no bot {name!r} played; there are {', '.join(self.bots)}")
        return played_games(folder, self._replay, names)

    # Data

    def export_games(
        self,
        path: Path | str,
        *,
        replay: bool = True,
        deals: int | None = None,
        progress: Progress = False,
        workers: int | None = None,
    ) -> "ExportReport":
        """Write a row for each game to a file: Parquet, CSV or JSON Lines by its name.

        `replay` plays the games again, for their lengths and counts. `deals` limits the export to
        the first deals; `workers` processes, by default as many as cores, write the same file.
        Raises ArenaError.
        """
        export = self._export(progress, workers)
        return export.write(Path(path), export.games(deals, replay))

    def export_rolls(
        self,
        path: Path | str,
        *,
        deals: int | None = None,
        progress: Progress = False,
        workers: int | None = None,
    ) -> "ExportReport":
        """Write a row for each roll of the dice to a file, also where no decision follows.

        All games are replayed. Raises ArenaError.
        """
        export = self._export(progress, workers)
        return export.write(Path(path), export.rolls(deals))

    def export_decisions(
        self,
        path: Path | str,
        *,
        deals: int | None = None,
        progress: Progress = False,
        workers: int | None = None,
    ) -> "ExportReport":
        """Write a row for each decision to a file: position, options, answer.

        All games are replayed in plain Python. Raises ArenaError.
        """
        export = self._export(progress, workers)
        return export.write(Path(path), export.decisions(deals))

    def games_frame(
        self,
        *,
        replay: bool = True,
        deals: int | None = None,
        progress: Progress = False,
        workers: int | None = None,
    ) -> "pandas.DataFrame":
        """The rows of `export_games` as a pandas DataFrame, without a file. Raises ArenaError."""
        export = self._export(progress, workers)
        return export.frame(export.games(deals, replay))

    def rolls_frame(
        self, *, deals: int | None = None, progress: Progress = False, workers: int | None = None
    ) -> "pandas.DataFrame":
        """The rows of `export_rolls` as a pandas DataFrame, without a file. Raises ArenaError."""
        export = self._export(progress, workers)
        return export.frame(export.rolls(deals))

    def decisions_frame(
        self, *, deals: int | None = None, progress: Progress = False, workers: int | None = None
    ) -> "pandas.DataFrame":
        """The rows of `export_decisions` as a pandas DataFrame. Raises ArenaError."""
        export = self._export(progress, workers)
        return export.frame(export.decisions(deals))

    def _export(self, progress: Progress, workers: int | None) -> "Export":
        from cantstop_arena.api.exports import Export

        return Export(self._required_folder(), *self._setting, progress, workers)

    # Files

    def write_tables(self) -> None:
        """Write the tables and the summary into the folder."""
        self.output_files += tournament_files.write_reports(self.analysis, self._required_folder())

    def record_games(self) -> list[Path]:
        """Replay the highlights, write their records into the folder, and return the paths."""
        folder = self._required_folder()
        with protected_ledger(folder):
            return record_games(self.analysis, folder, self._replay)

    def write_page(self) -> Path:
        """Write `report.html` into the folder. Raises PageError when a package is missing."""
        return tournament_files.write_page(self.analysis, self._required_folder())

    def page(self, height: int = 800) -> ReportPage:
        """Write the page, for a notebook to display in a frame of so many pixels."""
        return ReportPage(self.write_page(), height)

    def _replay(self, names: Sequence[str], deal: int) -> Sequence[Event]:
        from cantstop_arena.tournaments.replay_game import record_game
        from cantstop_arena.tournaments.tournament import COPIES

        with shutdown.defer_interrupt():
            return record_game(*self._setting, self._required_folder() / COPIES, names, deal)

    @cached_property
    def _setting(self) -> "tuple[Tournament, Catalogue]":
        """The tournament, with its bots seated as it was played, and their catalogue."""
        query = read_ledger(self._required_folder(), lambda totals: totals.query)
        tournament, catalogue = self._source()
        return tournament.with_own_processes(query.own_processes), catalogue

    def _required_folder(self) -> Path:
        if self.folder is None:
            raise UsageError("these results have no folder of their own; open a single one")
        return self.folder


def _table(table: Table, display: Table | None = None) -> ResultTable:
    return ResultTable(table, display or table)


Replay = Callable[[Sequence[str], int], Sequence[Event]]
"""Replays a game, by its bots in seat order and its deal; no events when it does not end."""


@dataclass(frozen=True)
class PlayedGame:
    """A game of the ledger; `seats` are the bots in seat order, `winners` those that won.

    `winners` is empty when nobody won, or all share the win.
    """

    deal: int
    seats: tuple[str, ...]
    winners: tuple[str, ...]
    replay: Replay

    @property
    def winner(self) -> str | None:
        """The bot that won; None when nobody won, or several share the win."""
        return self.winners[0] if len(self.winners) == 1 else None

    @cached_property
    def events(self) -> Sequence[Event]:
        """The events, as in a recorded game. Raises ArenaError when the replay does not end."""
        if events := self.replay(self.seats, self.deal):
            return events
        seated = ", ".join(self.seats)
        raise ArenaError(f"deal {self.deal} of {seated} does not end when it is replayed")

    @property
    def text(self) -> str:
        """The game as text, move by move."""
        opening, *events = self.events
        view = view_of(game_named(opening["game"]))
        return "\n".join(view.lines(chain([opening], events), False)) + "\n"

    def show(self) -> None:
        """Print the game as text."""
        print(self.text, end="")

    def __repr__(self) -> str:
        won = f"won by {' and '.join(self.winners) or 'nobody'}"
        return f"<deal {self.deal}: {', '.join(self.seats)}; {won}>"


def played_games(
    folder: Path, replay: Replay, bots: Sequence[str] | None = None
) -> Iterator[PlayedGame]:
    """The games in a folder's ledger, or those in which the named bots met."""
    ledger = ledger_games(folder, bots)
    return (_played_game(ledger, game, replay) for game in ledger.games())


def _played_game(ledger: LedgerGames, game: LedgerGame, replay: Replay) -> PlayedGame:
    seats = tuple(ledger.names[bot] for bot in game.bots)
    return PlayedGame(game.deal, seats, tuple(seats[seat] for seat in game.winners), replay)
