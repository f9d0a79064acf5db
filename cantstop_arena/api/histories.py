"""The versions of a bot in the results of a tournament, in Python."""

import html
from functools import cached_property
from pathlib import Path
from typing import Unpack

from cantstop_arena.api.keywords import HistoryKeys, keywords, run_options
from cantstop_arena.api.result_tables import ResultTable
from cantstop_arena.atomic_files import check_results_folder
from cantstop_arena.bots.catalogue import Catalogue
from cantstop_arena.processes.shutdown import observed_by
from cantstop_arena.reports import history_report
from cantstop_arena.tables.analysis import Analysis
from cantstop_arena.texts import how_many
from cantstop_arena.tournaments.duration import duration_text
from cantstop_arena.tournaments.guests import Host
from cantstop_arena.tournaments.run import plan_run, run_tournament
from cantstop_arena.tournaments.run_observer import RunObserver
from cantstop_arena.tournaments.run_options import RunOptions
from cantstop_arena.tournaments.tournament import Tournament
from cantstop_arena.tournaments.version_history import VersionHistory, version_history
from cantstop_arena.views.progress_lines import observer_for


class BotHistory:
    """All versions of a bot that a tournament has played, rated together with its field."""

    def __init__(self, history: VersionHistory, folder: Path) -> None:
        self.folder = folder
        self.output_files: list[Path] = []
        """The files that were written."""
        self._history = history

    @property
    def bot(self) -> str:
        """The name of the bot."""
        return self._history.bot

    @cached_property
    def analysis(self) -> Analysis:
        """The results of all versions and of the field."""
        return history_report.analysis_of(self._history, self.folder)

    @cached_property
    def versions(self) -> ResultTable:
        """A row for each version, the first one on top."""
        table = history_report.history_table(self._history, self.analysis)
        return ResultTable(table, table)

    @property
    def headline(self) -> str:
        """What the changes of the bot have done, in a sentence without its full stop."""
        return history_report.history_headline(self._history, self.analysis)

    @property
    def missing_games(self) -> int:
        """The number of games that versions have not played against this field."""
        return sum(version.missing for version in self._history.versions)

    @property
    def missing_text(self) -> str:
        """How many versions have not met all of the field; empty if all have."""
        return history_report.missing_text(self._history.versions)

    def write_table(self) -> Path:
        """Write `history-BOT.csv` into the folder."""
        check_results_folder(self.folder)
        path = history_report.write_history(self.versions.table, self.folder, self.bot)
        self.output_files.append(path)
        return path

    def write_page(self) -> Path:
        """Write `history-BOT.html` into the folder. Raises PageError when a package is missing."""
        texts = self.headline, self.missing_text
        path = history_report.write_history_page(self.versions.table, self.folder, self.bot, *texts)
        self.output_files.append(path)
        return path

    def show(self) -> None:
        """Print the versions, as `arena history` does."""
        texts = (
            f"{self.headline}.",
            self.versions.table.title,
            str(self.versions),
            self.missing_text,
        )
        print("\n\n".join(filter(None, texts)))

    def __repr__(self) -> str:
        return f"<{self.bot}: {how_many(len(self._history.versions), 'version')} in {self.folder}>"

    def _repr_html_(self) -> str:
        return f"<p>{html.escape(repr(self)[1:-1])}</p>{self.versions._repr_html_()}"


class MissingGames:
    """The games that versions of a bot lack against the field of a tournament's results.

    They are played from the copies that the results have, as guests of the tournament.
    """

    def __init__(self, folder: Path, bot: str, bots_folder: Path) -> None:
        self.folder, self.bot = folder, bot
        self._catalogue = Catalogue(bots_folder, results=folder.parent)
        versions = version_history(folder, bot).versions
        self._lacking = {each.name: each.version for each in versions if each.missing}

    def play(self, options: RunOptions, observer: RunObserver) -> None:
        """Play them. Raises ArenaError, and Interrupted on Ctrl-C."""
        with observed_by(observer):
            if tournament := self._planned(observer):
                pools = options.pool_options
                run_tournament(tournament, self._catalogue, self.folder, pools, observer)

    def announce(self, observer: RunObserver, options: RunOptions) -> str:
        """Tell the observer what would be played; a sentence about how long that takes."""
        tournament = self._planned(observer)
        if tournament is None:
            return ""
        missing = plan_run(tournament, self._catalogue, self.folder, observer)
        return duration_text(missing, self._catalogue, options.pool_options, observer)

    def _planned(self, observer: RunObserver) -> Tournament | None:
        if not self._lacking:
            return None
        host = Host(self.folder, self._catalogue)
        self._catalogue = host.catalogue
        return host.versions_of(self.bot, self._lacking, observer.on_notice)


@keywords(HistoryKeys)
def history(
    results: Path | str, bot: str, play: bool = False, **given: Unpack[HistoryKeys]
) -> BotHistory:
    """Rate all versions of a bot that a tournament has played, as `arena history` does.

    `play` first plays what versions lack against the field, from the copies in the folder of
    results. `history-BOT.csv` is written there, and with `page` `history-BOT.html`. Raises
    ArenaError, and Interrupted on Ctrl-C.
    """
    folder = Path(results)
    if play:
        missing = MissingGames(folder, bot, Path(given["bots_folder"]))
        missing.play(run_options(given), observer_for(given["progress"], folder.name))
    bot_history = BotHistory(version_history(folder, bot), folder)
    bot_history.write_table()
    if given["page"]:
        bot_history.write_page()
    return bot_history
