"""Games and decisions of a tournament, exported to files."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from cantstop_arena.bots.catalogue import Catalogue
from cantstop_arena.errors import UsageError
from cantstop_arena.export.ledger_games import LedgerGames, ledger_games
from cantstop_arena.export.replayed_games import Detail, ReplayedGame, Replays
from cantstop_arena.export.row_files import opener_of, write_rows
from cantstop_arena.export.rows import DECISIONS, ROLLS, GameRows, Row, decision_rows, roll_rows
from cantstop_arena.processes import shutdown
from cantstop_arena.processes.system import core_count
from cantstop_arena.texts import how_many
from cantstop_arena.tournaments.tournament import COPIES, Tournament
from cantstop_arena.views.progress_lines import Progress, observer_for


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

    def games(self, path: Path, deals: int | None = None, replay: bool = True) -> ExportReport:
        """Write a row for each game; without `replay` only with the columns that the ledger has."""
        opener_of(path)
        ledger = self._ledger_games(deals)
        rows = GameRows(ledger, self.tournament.game.counts if replay else None)
        if not replay:
            row_count = write_rows(path, rows.columns, map(rows.row, ledger.games()))
            return ExportReport(path, row_count, 0)
        replayed_rows = (
            rows.row(played.game, played.replay)
            for played in self._replayed_games(ledger, Detail.NOTHING)
        )
        with shutdown.defer_interrupt():
            return ExportReport(path, write_rows(path, rows.columns, replayed_rows), self._missing)

    def decisions(self, path: Path, deals: int | None = None) -> ExportReport:
        """Write a row for each decision."""
        opener_of(path)
        ledger = self._ledger_games(deals)
        with shutdown.defer_interrupt():
            row_count = write_rows(path, DECISIONS, self._decision_rows(ledger))
        return ExportReport(path, row_count, self._missing)

    def rolls(self, path: Path, deals: int | None = None) -> ExportReport:
        """Write a row for each roll. Raises UsageError for a game whose records have none."""
        game = self.tournament.game
        if not game.has_rolls:
            raise UsageError(f"records of {game.title} have no rolls of dice to export")
        opener_of(path)
        ledger = self._ledger_games(deals)
        rows = (
            row
            for played in self._replayed_games(ledger, Detail.ROLLS)
            for row in roll_rows(ledger, played)
        )
        with shutdown.defer_interrupt():
            return ExportReport(path, write_rows(path, ROLLS, rows), self._missing)

    def _ledger_games(self, deals: int | None) -> LedgerGames:
        ledger = ledger_games(self.folder)
        return ledger if deals is None else ledger.up_to(deals)

    def _decision_rows(self, ledger: LedgerGames) -> Iterator[Row]:
        sides = self.tournament.game.side_by_seat(self.tournament.players)
        for played in self._replayed_games(ledger, Detail.DECISIONS):
            yield from decision_rows(ledger, played, sides)

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
