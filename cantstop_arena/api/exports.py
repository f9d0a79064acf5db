"""Games and decisions of a tournament, exported to files."""

from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from cantstop_arena.api.result_tables import import_library
from cantstop_arena.bots.catalogue import Catalogue
from cantstop_arena.errors import UsageError
from cantstop_arena.export.ledger_games import LedgerGames, ledger_games
from cantstop_arena.export.replayed_games import Detail, ReplayedGame, Replays
from cantstop_arena.export.row_files import opener_of, write_rows
from cantstop_arena.export.rows import (
    DECISIONS,
    ROLLS,
    Columns,
    GameRows,
    Row,
    decision_rows,
    roll_rows,
)
from cantstop_arena.processes import shutdown
from cantstop_arena.processes.system import core_count
from cantstop_arena.texts import how_many
from cantstop_arena.tournaments.tournament import COPIES, Tournament
from cantstop_arena.views.progress_lines import Progress, observer_for

if TYPE_CHECKING:
    import pandas

Exported: TypeAlias = tuple[Columns, Iterable[Row]]
"""The columns and the rows of a table; games are replayed while these are iterated over."""

_FRAME_TYPES = {int: ("int64", "Int64"), bool: ("bool", "boolean"), float: ("float64", "float64")}
"""The types of columns in data frames, and those of columns in which values are missing."""


@dataclass(frozen=True)
class ExportReport:
    """The file that was written, its number of rows, and the number of games not reproduced.

    A game is not reproduced when a bot uses random numbers of its own, hung or died.
    """

    path: Path
    rows: int
    missing: int

    def __str__(self) -> str:
        text = f"Written to {self.path}: {how_many(self.rows, 'row')}."
        if self.missing:
            text += f" {how_many(self.missing, 'game')} could not be reproduced by a replay."
        return text


@dataclass
class Export:
    """Exports the games of a results folder, replaying them for what the ledger does not store."""

    folder: Path
    tournament: Tournament
    catalogue: Catalogue
    progress: Progress = False
    workers: int | None = None
    _missing: int = field(default=0, init=False)

    def write(self, path: Path, exported: Exported) -> ExportReport:
        """Write rows to a file: Parquet, CSV or JSON Lines by its name."""
        opener_of(path)
        with shutdown.defer_interrupt():
            return ExportReport(path, write_rows(path, *exported), self._missing)

    def frame(self, exported: Exported) -> "pandas.DataFrame":
        """Rows as a pandas DataFrame. Raises ArenaError when pandas is not installed."""
        library, (columns, rows) = import_library("pandas"), exported
        with shutdown.defer_interrupt():
            frame: pandas.DataFrame = library.DataFrame([*rows], columns=[*columns])
        for key, value_type in columns.items():
            if value_type in _FRAME_TYPES:
                dtype, with_missing = _FRAME_TYPES[value_type]
                frame[key] = frame[key].astype(with_missing if frame[key].hasnans else dtype)
        return frame

    def games(self, deals: int | None = None, replay: bool = True) -> Exported:
        """A row for each game; without `replay` only with the columns that the ledger has."""
        ledger, game = self._ledger_games(deals), self.tournament.game
        if not replay:
            rows = GameRows(ledger)
            return rows.columns, map(rows.row, ledger.games())
        rows = GameRows(ledger, game.counts, game.payoff)
        played_games = self._replayed_games(ledger, Detail.NOTHING)
        return rows.columns, (rows.row(played.game, played.replay) for played in played_games)

    def decisions(self, deals: int | None = None) -> Exported:
        """A row for each decision."""
        ledger = self._ledger_games(deals)
        sides = self.tournament.game.side_by_seat(self.tournament.players)
        played_games = self._replayed_games(ledger, Detail.DECISIONS)
        rows = (decision_rows(ledger, played, sides) for played in played_games)
        return DECISIONS, chain.from_iterable(rows)

    def rolls(self, deals: int | None = None) -> Exported:
        """A row for each roll. Raises UsageError for a game whose records have none."""
        game = self.tournament.game
        if not game.has_rolls:
            raise UsageError(f"records of {game.title} have no rolls of dice to export")
        ledger = self._ledger_games(deals)
        played_games = self._replayed_games(ledger, Detail.ROLLS)
        return ROLLS, chain.from_iterable(roll_rows(ledger, played) for played in played_games)

    def _ledger_games(self, deals: int | None) -> LedgerGames:
        ledger = ledger_games(self.folder)
        return ledger if deals is None else ledger.up_to(deals)

    def _replayed_games(self, ledger: LedgerGames, detail: Detail) -> Iterator[ReplayedGame]:
        self._missing = 0
        workers = self.workers or core_count()
        copies = self.folder / COPIES
        replays = Replays(self.tournament, self.catalogue, copies, detail, workers)
        observer = observer_for(self.progress, self.tournament.name)
        observer.on_start(0, ledger.count)
        with closing(observer):
            for played in replays.games(ledger, observer):
                self._missing += played.replay is None
                yield played
