"""Games and decisions of a tournament, exported to files."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from cantstop_arena.api.progress_lines import observer_for
from cantstop_arena.bots.catalogue import Catalogue
from cantstop_arena.export.ledger_games import LedgerGames, ledger_games
from cantstop_arena.export.replayed_games import ReplayedGame, Replays
from cantstop_arena.export.row_files import opener_of, write_rows
from cantstop_arena.export.rows import DECISIONS, GameRows, Row, decision_rows
from cantstop_arena.processes import shutdown
from cantstop_arena.texts import how_many
from cantstop_arena.tournaments.run import COPIES
from cantstop_arena.tournaments.tournament import Tournament


@dataclass(frozen=True)
class ExportReport:
    """What was written: the file, its rows, and how many games did not come out again as they had.

    Those are games of bots that draw from chance of their own, or that hung or died.
    """

    path: Path
    rows: int
    missing: int

    def __str__(self) -> str:
        text = f"Written to {self.path}: {how_many(self.rows, 'row')}."
        if self.missing:
            text += f" {how_many(self.missing, 'game')} did not come out again as they had."
        return text


@dataclass
class Export:
    """Exports what lies in a folder. The games of the tournament are played again."""

    folder: Path
    tournament: Tournament
    catalogue: Catalogue
    progress: bool = False
    _missing: int = field(default=0, init=False)

    def games(self, path: Path, deals: int | None = None, replay: bool = True) -> ExportReport:
        """Write a row for each game; without a `replay` what the ledger alone knows."""
        opener_of(path)
        result = self._games(deals)
        rows = GameRows(result, self.tournament.game.counts if replay else None)
        if not replay:
            number = write_rows(path, rows.columns, map(rows.row, result.games()))
            return ExportReport(path, number, 0)
        texts = (
            rows.row(replayed_game.game, replayed_game.again)
            for replayed_game in self._replayed(result, decisions=False)
        )
        with shutdown.defer_interrupt():
            return ExportReport(path, write_rows(path, rows.columns, texts), self._missing)

    def decisions(self, path: Path, deals: int | None = None) -> ExportReport:
        """Write a row for each decision."""
        opener_of(path)
        games = self._games(deals)
        with shutdown.defer_interrupt():
            number = write_rows(path, DECISIONS, self._decisions(games))
        return ExportReport(path, number, self._missing)

    def _games(self, deals: int | None) -> LedgerGames:
        games = ledger_games(self.folder)
        return games if deals is None else games.up_to(deals)

    def _decisions(self, result: LedgerGames) -> Iterator[Row]:
        for played in self._replayed(result, decisions=True):
            yield from decision_rows(result, played)

    def _replayed(self, result: LedgerGames, decisions: bool) -> Iterator[ReplayedGame]:
        self._missing = 0
        replays = Replays(self.tournament, self.catalogue, self.folder / COPIES, decisions)
        observer = observer_for(self.progress, self.tournament.name)
        observer.on_start(0, result.count)

        def on_games(games: int) -> None:
            observer.on_progress(games)
            observer.on_tick()

        with closing(observer):
            for played in replays.games(result, on_games):
                self._missing += played.again is None
                yield played
