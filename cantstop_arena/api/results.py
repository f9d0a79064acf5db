"""What came of a tournament, to be looked at in Python."""

import html
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from cantstop_arena.api.result_tables import ResultTable
from cantstop_arena.deals.seeds import Seed
from cantstop_arena.errors import ArenaError, UsageError
from cantstop_arena.export.ledger_games import LedgerGame, LedgerGames, ledger_games
from cantstop_arena.game_api.game import Event
from cantstop_arena.games.registry import game_named
from cantstop_arena.processes import shutdown
from cantstop_arena.reports import tournament_files
from cantstop_arena.reports.highlights import record_games
from cantstop_arena.reports.summary import summary
from cantstop_arena.tables import all_tables
from cantstop_arena.tables import crosstable as crosstables
from cantstop_arena.tables import differences as apart
from cantstop_arena.tables.analysis import Analysis
from cantstop_arena.tables.column import Table
from cantstop_arena.tables.faults import faults
from cantstop_arena.tables.fit import fit
from cantstop_arena.tables.lengths import lengths
from cantstop_arena.tables.names import FORMATS, TABLES
from cantstop_arena.tables.predecessors import following, predecessors
from cantstop_arena.tables.seats import seats
from cantstop_arena.tables.standings import standings
from cantstop_arena.tables.styles import styles
from cantstop_arena.tournaments.ledger.ledger_guard import protected_ledger
from cantstop_arena.views.default_view import view_of

if TYPE_CHECKING:
    from cantstop_arena.api.exports import Export, ExportReport

    pass
    from cantstop_arena.bots.catalogue import Catalogue
    from cantstop_arena.tournaments.tournament import Tournament

Source: TypeAlias = "Callable[[], tuple[Tournament, Catalogue]]"
"""The tournament and what can play in it, for games to be played again; made when that is asked."""


class Results:
    """The results of a tournament, or of several rated together: tables, games, files.

    `folder` is where they lie; there is none where several were rated together.
    """

    def __init__(self, analysis: Analysis, folder: Path | None, source: Source) -> None:
        self.analysis = analysis
        self.folder = folder
        self._source = source
        self.written: list[Path] = []
        """The files that were written."""

    # What was played

    @property
    def name(self) -> str:
        """The name of the tournament."""
        return self.analysis.results.name

    @property
    def bots(self) -> Sequence[str]:
        """The bots, the best one first."""
        return self.analysis.names

    @property
    def seed(self) -> Seed | None:
        """The seed of all chance; None where several tournaments had different ones."""
        return self.analysis.results.seed

    @property
    def games_played(self) -> int:
        """How many games count."""
        return self.analysis.games

    # Tables

    @cached_property
    def standings(self) -> ResultTable:
        """Each bot's rank, Elo and score; alone, what it needs for a game."""
        return _table(standings(self.analysis))

    @cached_property
    def crosstable(self) -> ResultTable:
        """Scores of the row's bot against the column's."""
        self._needs_rivals("crosstable")
        visible_table = crosstables.crosstable(self.analysis)
        return _table(crosstables.scores_only(self.analysis), visible_table)

    @cached_property
    def pairs(self) -> ResultTable:
        """The same pair by pair, with errors."""
        self._needs_rivals("pairs")
        return _table(crosstables.pairs(self.analysis))

    @cached_property
    def differences(self) -> ResultTable:
        """How much less each bot that plays alone needs than each other one, in the same deals."""
        if self.analysis.differences is None:
            raise UsageError(f"{self.name} has no two bots that played alone")
        return _table(apart.pairs(self.analysis), apart.differences(self.analysis))

    @cached_property
    def seats(self) -> ResultTable:
        """What each seat wins, and its effect in Elo."""
        self._needs_rivals("seats")
        return _table(seats(self.analysis))

    @cached_property
    def fit(self) -> ResultTable:
        """The pairs whose scores the Elo predicts worst, all of them."""
        self._needs_rivals("fit")
        return _table(fit(self.analysis, maximum=None))

    @cached_property
    def styles(self) -> ResultTable:
        """How each bot plays, in the game's own rates."""
        return _table(styles(self.analysis))

    @cached_property
    def lengths(self) -> ResultTable:
        """How long each bot's games are."""
        return _table(lengths(self.analysis))

    @cached_property
    def predecessors(self) -> ResultTable:
        """What it means to sit right after each bot, where the game asks for it."""
        if self.analysis.results.predecessors is None:
            raise UsageError(f"{self.name} says nothing of who sits after whom")
        return _table(following(self.analysis), predecessors(self.analysis))

    @cached_property
    def faults(self) -> ResultTable:
        """Which bots misbehaved, how often, and where first."""
        return _table(faults(self.analysis))

    @cached_property
    def summary(self) -> dict[str, Any]:
        """All of it as plain values: the content of `summary.json`."""
        return summary(self.analysis)

    def _needs_rivals(self, what: str) -> None:
        if self.analysis.is_solo:
            raise UsageError(f"bots that play alone have no {what}")

    def text(self, form: str = "text", tables: Sequence[str] = TABLES) -> str:
        """Tables in one of the formats of `arena run`: text, markdown, csv, json, latex."""
        for what, given, names in (("format", [form], FORMATS), ("table", tables, TABLES)):
            if wrong := next((word for word in given if word not in names), None):
                raise UsageError(f"there is no {what} {wrong!r}, only {', '.join(names)}")
        return all_tables.as_format(self.analysis, form, tables)

    def show(self, *tables: str) -> None:
        """Print tables, all of them unless some are named."""
        print(self.text(tables=tables or TABLES), end="")

    def __repr__(self) -> str:
        return f"<{self.name}: {self.games_played:,} games of {len(self.bots)} bots>"

    def _repr_html_(self) -> str:
        return f"<p>{html.escape(repr(self)[1:-1])}</p>{self.standings._repr_html_()}"

    # Games

    def games(self, bots: Sequence[str] | None = None) -> "Iterator[PlayedGame]":
        """The games in which these bots met, or all, deal after deal in every seating.

        Who won is known at once; what happened in a game is found by playing it again.
        """
        pass

        folder = self._the_folder()
        for name in bots or ():
            if name not in self.analysis.results.bots:
                raise UsageError(f"no bot {name!r} played; there are {', '.join(self.bots)}")
        return played_games(folder, self._played_again, bots)

    # Data

    def export_games(
        self,
        path: Path | str,
        *,
        replay: bool = True,
        deals: int | None = None,
        progress: bool = False,
    ) -> "ExportReport":
        """Write a row for each game to a file: Parquet, CSV or JSON Lines by its name.

        Games are played again for their lengths and counts, unless there is to be no `replay`.
        `deals` are those at the beginning that are wanted. Raises ArenaError.
        """
        return self._export(progress).games(Path(path), deals, replay)

    def export_decisions(
        self, path: Path | str, *, deals: int | None = None, progress: bool = False
    ) -> "ExportReport":
        """Write a row for each decision to such a file: position, options, answer.

        All games are played again for it, in plain Python. Raises ArenaError.
        """
        return self._export(progress).decisions(Path(path), deals)

    def _export(self, progress: bool) -> "Export":
        from cantstop_arena.api.exports import Export

        return Export(self._the_folder(), *self._setting, progress)

    # Files

    def write_tables(self) -> None:
        """Write the tables and the summary into the folder."""
        self.written += tournament_files.write_reports(self.analysis, self._the_folder())

    def record_games(self) -> list[Path]:
        """Play the notable games again, and write their records into the folder; where they are."""
        folder = self._the_folder()
        with protected_ledger(folder):
            return record_games(self.analysis, folder, self._played_again)

    def write_page(self) -> Path:
        """Write the page into the folder. Raises PageError where nothing can draw it."""
        return tournament_files.write_page(self.analysis, self._the_folder())

    def _played_again(self, names: Sequence[str], deal: int) -> Sequence[Event]:
        from cantstop_arena.tournaments.replay_game import record_game
        from cantstop_arena.tournaments.run import COPIES

        with shutdown.defer_interrupt():
            return record_game(*self._setting, self._the_folder() / COPIES, names, deal)

    @cached_property
    def _setting(self) -> "tuple[Tournament, Catalogue]":
        self._the_folder()
        return self._source()

    def _the_folder(self) -> Path:
        if self.folder is None:
            raise UsageError("these are the results of several folders; open one of them")
        return self.folder


def _table(table: Table, view: Table | None = None) -> ResultTable:
    return ResultTable(table, view or table)


Replay = Callable[[Sequence[str], int], Sequence[Event]]
"""Plays a game of bots, in seat order, in a deal again; no events where it comes to no end."""


@dataclass(frozen=True)
class PlayedGame:
    """A game that was played; `seats` are the bots in seat order, `winners` those that won.

    All of them are winners where nobody won.
    """

    deal: int
    seats: tuple[str, ...]
    winners: tuple[str, ...]
    replay: Replay

    @property
    def winner(self) -> str | None:
        """The bot that won, if it is one alone."""
        return self.winners[0] if len(self.winners) == 1 else None

    @cached_property
    def events(self) -> Sequence[Event]:
        """What happened, as in a recorded game. Raises ArenaError where it cannot be found."""
        if events := self.replay(self.seats, self.deal):
            return events
        seated = ", ".join(self.seats)
        raise ArenaError(f"deal {self.deal} of {seated} comes to no end when it is played again")

    @property
    def text(self) -> str:
        """The game, told move by move."""
        opening, *others = self.events
        view = view_of(game_named(opening["game"]))
        return "\n".join(view.lines(chain([opening], others), False)) + "\n"

    def show(self) -> None:
        """Print what happened."""
        print(self.text, end="")

    def __repr__(self) -> str:
        won = f"won by {' and '.join(self.winners)}"
        return f"<deal {self.deal}: {', '.join(self.seats)}; {won}>"


def played_games(
    folder: Path, replay: Replay, bots: Sequence[str] | None = None
) -> Iterator[PlayedGame]:
    """The games in a folder's ledger, those of some bots if they are named."""
    games = ledger_games(folder, bots)
    return (_game(games, game, replay) for game in games.games())


def _game(result: LedgerGames, game: LedgerGame, replay: Replay) -> PlayedGame:
    seats = tuple(result.names[bot] for bot in game.bots)
    return PlayedGame(game.deal, seats, tuple(seats[seat] for seat in game.winners), replay)
