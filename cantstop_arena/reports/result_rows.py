"""Rows in lists of results: what a folder is, with the finding that its report has as headline."""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from pkgutil import resolve_name
from urllib.parse import quote

import msgspec

from cantstop_arena.deals.outcomes import FaultReport, TournamentTotals
from cantstop_arena.errors import ArenaError
from cantstop_arena.extension_registry import kinds_in
from cantstop_arena.games.registry import all_games, game_named
from cantstop_arena.ratings.estimate import Estimate
from cantstop_arena.reports.headline import headline
from cantstop_arena.reports.tournament_files import CONTENT
from cantstop_arena.reports.tuning_report import TUNING
from cantstop_arena.tables.analysis import Analysis
from cantstop_arena.texts import how_many
from cantstop_arena.tournaments.ledger.ledger import LEDGER
from cantstop_arena.tournaments.ledger.open_ledger import part_folders
from cantstop_arena.tournaments.ledger.read_ledger import MATCH, load_results_with_aims
from cantstop_arena.tournaments.tournament import RESOLVED
from cantstop_arena.tournaments.version_history import version_history

REPORT = "report.html"
HISTORY = re.compile(r"history-[A-Za-z0-9_.+-]{1,100}\.html")  # the page of a bot's versions
CORE_KINDS = ("tournament", "gauntlet", "match", "comparison", "history", "tuning")
FILES = (LEDGER, CONTENT, MATCH, REPORT, TUNING)
_MAX_FINDING_LENGTH = 200


class ResultRow(msgspec.Struct, frozen=True):
    """A folder of results: what it is, what it found, and how large it is.

    Judged decisions and the versions of a bot have rows of their own beside that of their folder.
    `address` is the page within the site, empty if there is none. `elo` are the ratings of its
    bots, `ratings` the same by name with their intervals; they do not compare with those of other
    results.
    """

    name: str
    kind: str
    about: str
    finding: str
    bots: int
    games: int
    when: datetime
    address: str
    elo: Sequence[float] = ()
    game: str = ""
    rules: str = ""
    ratings: Mapping[str, Estimate] = {}
    faults: Sequence[FaultReport] = ()

    @property
    def day(self) -> str:
        """The day on which it was last run."""
        return f"{self.when:%Y-%m-%d}"

    @property
    def game_title(self) -> str:
        """The name of the game for people; empty where the result names none."""
        return next((game.title for game in all_games() if game.name == self.game), self.game)

    def has(self, query: str) -> bool:
        """Whether all words of a search are in the row, in any case."""
        cells = (self.name, self.kind, self.about, self.game_title, self.finding, *self.ratings)
        text = " ".join(cells).casefold()
        return all(word in text for word in query.casefold().split())

    @property
    def dots(self) -> list[float]:
        """The ratings as percentages of the way from the lowest to the highest."""
        low, high = min(self.elo, default=0.0), max(self.elo, default=0.0)
        return [100 * (elo - low) / (high - low) if high > low else 50.0 for elo in self.elo]


def time_of(path: Path) -> float:
    """When a file was written, as a number; 0 if there is none."""
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0


def when_written(path: Path) -> datetime:
    """When a file was written."""
    return datetime.fromtimestamp(time_of(path))


def report_address(path: Path) -> str:
    """The address of a folder's report; empty if it has none."""
    return f"/results/{quote(path.name)}" if (path / REPORT).is_file() else ""


def rows_of(path: Path, histories: Sequence[Path]) -> Iterator[ResultRow]:
    """The rows of a folder: what it is, what stands beside that, and the versions of bots."""
    kinds = list(kinds_in(path))
    whole = [kind for kind in kinds if kind.rows and not kind.is_beside]
    if (path / CONTENT).is_file():
        yield _comparison(path)
    elif whole:
        yield from resolve_name(whole[0].rows)(path)
    elif (path / LEDGER).is_file():
        yield _unfinished_comparison(path) if any(part_folders(path)) else _tournament(path)
    elif (path / TUNING).is_file():
        yield _tuning(path)
    for kind in kinds:
        if kind.rows and kind.is_beside:
            yield from resolve_name(kind.rows)(path)
    for file in histories:
        yield _history(path, file)


def unreadable(path: Path, kind: str, when: datetime, error: Exception) -> ResultRow:
    """The row of results that cannot be read."""
    return ResultRow(
        path.name, kind, "", f"cannot be read: {error}", 0, 0, when, report_address(path)
    )


def _tournament(path: Path) -> ResultRow:
    when = when_written(path / LEDGER)
    try:
        analysis = Analysis(load_results_with_aims(path))
    except ArenaError as error:
        return unreadable(path, "tournament", when, error)
    results = analysis.results
    elo = [] if analysis.is_solo else [each.mean for each in analysis.elo if each.mean is not None]
    is_match = (path / MATCH).is_file()
    return ResultRow(
        name=path.name,
        kind="match" if is_match else "gauntlet" if results.challenger else "tournament",
        about=about_game(results),
        finding=headline(analysis),
        bots=len(results.bots),
        games=analysis.games,
        when=when,
        address=report_address(path),
        elo=elo,
        game=results.game,
        faults=results.faults,
        rules=str(results.rules.get("name", "")),
        ratings={} if analysis.is_solo else dict(zip(results.bots, analysis.elo, strict=True)),
    )


def about_game(results: TournamentTotals) -> str:
    """The game and the rules of results, as text."""
    return f"{game_named(results.game).title}, {results.rules.get('name', '')}"


def _history(path: Path, file: Path) -> ResultRow:
    """The row of the versions of a bot, whose page `arena history` has written."""
    from cantstop_arena.reports.history_report import analysis_of, history_headline

    bot, when = file.stem.removeprefix("history-"), when_written(file)
    try:
        history = version_history(path, bot)
        analysis = analysis_of(history, path)
        finding, count = history_headline(history, analysis), len(history.versions)
    except ArenaError as error:
        return unreadable(path, "history", when, error)
    about, address = f"{how_many(count, 'version')} of {bot}", f"/results/{quote(path.name)}"
    return ResultRow(
        path.name, "history", about, finding, 0, 0, when, f"{address}/{quote(file.name)}"
    )


class _Tuning(msgspec.Struct):
    """What a row needs of tuning.json."""

    headline: str = ""
    game: str = ""
    bot: str = ""


def _tuning(path: Path) -> ResultRow:
    when = when_written(path / TUNING)
    try:
        content = msgspec.json.decode((path / TUNING).read_bytes(), type=_Tuning)
    except (OSError, msgspec.DecodeError) as error:
        return unreadable(path, "tuning", when, error)
    about = content.bot
    return ResultRow(
        path.name,
        "tuning",
        about,
        content.headline,
        1,
        0,
        when,
        report_address(path),
        game=content.game,
    )


class _RulesAnswer(msgspec.Struct):
    sentence: str
    games: int


class _Comparison(msgspec.Struct):
    """What a row needs of comparison.json."""

    game: str
    bots: list[str]
    rules: dict[str, object]
    answers: list[_RulesAnswer]
    headline: str = ""


def _comparison(path: Path) -> ResultRow:
    file = path / CONTENT
    when = when_written(file)
    try:
        content = msgspec.json.decode(file.read_bytes(), type=_Comparison)
        title = game_named(content.game).title
    except (OSError, msgspec.DecodeError, ArenaError) as error:
        return unreadable(path, "comparison", when, error)
    finding = content.headline or content.answers[0].sentence if content.answers else "Nothing yet"
    if len(finding) > _MAX_FINDING_LENGTH:
        finding = finding.partition(";")[0].rstrip(".") + " …"
    return ResultRow(
        name=path.name,
        kind="comparison",
        about=f"{title}, {' against '.join(content.rules)}",
        finding=finding,
        bots=len(content.bots),
        games=sum(answer.games for answer in content.answers),
        when=when,
        address=report_address(path),
        game=content.game,
    )


def _unfinished_comparison(path: Path) -> ResultRow:
    parts = [*part_folders(path)]
    started = how_many(sum((part / RESOLVED).is_file() for part in parts), "part")
    finding = (
        f"Not over: {started} of {len(parts)} {'has' if started == '1 part' else 'have'} begun"
    )
    return ResultRow(path.name, "comparison", "", finding, 0, 0, when_written(path / LEDGER), "")
