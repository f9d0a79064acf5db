"""The results on disk, a row each, with the finding that their reports have as headline."""

import csv
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import chain
from pathlib import Path
from urllib.parse import quote

import msgspec

from cantstop_arena.deals.outcomes import FaultReport, TournamentTotals
from cantstop_arena.errors import ArenaError
from cantstop_arena.extensions.league.league_files import PUBLIC, STANDINGS
from cantstop_arena.extensions.league.submission_store import LEAGUE_FILE
from cantstop_arena.games.registry import game_named
from cantstop_arena.ratings.estimate import Estimate
from cantstop_arena.reports.headline import headline
from cantstop_arena.reports.tournament_files import CONTENT, DESIGN
from cantstop_arena.reports.tuning_report import TUNING
from cantstop_arena.tables.analysis import Analysis
from cantstop_arena.texts import how_many
from cantstop_arena.tournaments.file.tournament_file import PEOPLE
from cantstop_arena.tournaments.ledger.ledger import LEDGER
from cantstop_arena.tournaments.ledger.open_ledger import part_folders
from cantstop_arena.tournaments.ledger.read_ledger import MATCH, load_results_with_aims
from cantstop_arena.tournaments.run import JUDGED
from cantstop_arena.tournaments.tournament import RESOLVED
from cantstop_arena.tournaments.version_history import version_history
from cantstop_arena.views.default_view import view_of

REPORT = "report.html"
HISTORY = re.compile(r"history-[A-Za-z0-9_.+-]{1,100}\.html")  # the page of a bot's versions
KINDS = (
    *("tournament", "gauntlet", "match", "comparison"),
    *("judged", "history", "tuning", "design", "league"),
)
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.+ -]{0,99}")
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
    def dots(self) -> list[float]:
        """The ratings as percentages of the way from the lowest to the highest."""
        low, high = min(self.elo, default=0.0), max(self.elo, default=0.0)
        return [100 * (elo - low) / (high - low) if high > low else 50.0 for elo in self.elo]


class ResultsIndex:
    """The rows of all results; each is read again only when its files have changed."""

    def __init__(self, results: Path) -> None:
        self.results = results
        self._rows: dict[Path, tuple[object, list[ResultRow]]] = {}

    def folder(self, name: str) -> Path | None:
        """The folder of a result; None if there is none, or the name leads elsewhere."""
        path = self.results / name
        is_name = bool(_NAME.fullmatch(name)) and name.casefold() != PEOPLE
        return path if is_name and not path.is_symlink() and path.is_dir() else None

    def folders(self) -> list[Path]:
        """The folders of all results."""
        result_folders = (self.folder(path.name) for path in sorted(self.results.glob("*")))
        return [path for path in result_folders if path]

    def rows(self) -> list[ResultRow]:
        """All results, the newest first."""
        rows = chain.from_iterable(map(self.rows_in, self.folders()))
        return sorted(rows, key=lambda row: row.when, reverse=True)

    def with_ratings(self, game: str, bots: Collection[str]) -> list[ResultRow]:
        """The results of a game that have rated some of these bots, those with the most first."""
        rated = [row for row in self.rows() if row.game == game and len(row.ratings) > 1]
        listed = {row.name: len(row.ratings.keys() & {*bots}) for row in rated}
        return sorted(
            (row for row in rated if listed[row.name]),
            key=lambda row: (-listed[row.name], -row.games),
        )

    def rows_in(self, path: Path) -> list[ResultRow]:
        """The rows of a folder; none if it has no results."""
        histories = sorted(file for file in path.glob("history-*.html") if HISTORY.match(file.name))
        names = (LEDGER, CONTENT, MATCH, REPORT, JUDGED, LEAGUE_FILE, TUNING, DESIGN)
        stamp = [(file.name, _time(file)) for file in (*map(path.joinpath, names), *histories)]
        stored = self._rows.get(path)
        if stored is None or stored[0] != stamp:
            stored = self._rows[path] = stamp, list(_rows(path, histories))
        return stored[1]


def _time(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0


def _when(path: Path) -> datetime:
    return datetime.fromtimestamp(_time(path))


def _report_of(path: Path) -> str:
    """The address of a folder's report; empty if it has none."""
    return f"/results/{quote(path.name)}" if (path / REPORT).is_file() else ""


def _rows(path: Path, histories: Sequence[Path]) -> Iterator[ResultRow]:
    if (path / CONTENT).is_file():
        yield _comparison(path)
    elif (path / LEAGUE_FILE).is_file():
        yield _league(path)
    elif (path / LEDGER).is_file():
        yield _unfinished_comparison(path) if any(part_folders(path)) else _tournament(path)
    elif (path / TUNING).is_file():
        yield _tuning(path)
    elif (path / DESIGN).is_file():
        yield _design(path)
    if (path / JUDGED).is_file() and (judged := _judged(path)):
        yield judged
    for file in histories:
        yield _history(path, file)


def _unreadable(path: Path, kind: str, when: datetime, error: Exception) -> ResultRow:
    return ResultRow(path.name, kind, "", f"cannot be read: {error}", 0, 0, when, _report_of(path))


def _tournament(path: Path) -> ResultRow:
    when = _when(path / LEDGER)
    try:
        analysis = Analysis(load_results_with_aims(path))
    except ArenaError as error:
        return _unreadable(path, "tournament", when, error)
    results = analysis.results
    elo = [] if analysis.is_solo else [each.mean for each in analysis.elo if each.mean is not None]
    is_match = (path / MATCH).is_file()
    return ResultRow(
        name=path.name,
        kind="match" if is_match else "gauntlet" if results.challenger else "tournament",
        about=_about(results),
        finding=headline(analysis),
        bots=len(results.bots),
        games=analysis.games,
        when=when,
        address=_report_of(path),
        elo=elo,
        game=results.game,
        faults=results.faults,
        rules=str(results.rules.get("name", "")),
        ratings={} if analysis.is_solo else dict(zip(results.bots, analysis.elo, strict=True)),
    )


def _about(results: TournamentTotals) -> str:
    return f"{game_named(results.game).title}, {results.rules.get('name', '')}"


def _judged(path: Path) -> ResultRow | None:
    """The row of the judged decisions of a run; None where they are those of other results."""
    when = _when(path / JUDGED)
    try:
        results = load_results_with_aims(path)
        sections = [*view_of(game_named(results.game)).stored_sections(path)]
    except ArenaError as error:
        return _unreadable(path, "judged", when, error)
    if not sections:
        return None
    finding = sections[0].finding or " ".join(map(str, sections[0].paragraphs))
    bots = len(results.bots)
    return ResultRow(path.name, "judged", _about(results), finding, bots, 0, when, _report_of(path))


def _history(path: Path, file: Path) -> ResultRow:
    """The row of the versions of a bot, whose page `arena history` has written."""
    from cantstop_arena.reports.history_report import analysis_of, history_headline

    bot, when = file.stem.removeprefix("history-"), _when(file)
    try:
        history = version_history(path, bot)
        analysis = analysis_of(history, path)
        finding, count = history_headline(history, analysis), len(history.versions)
    except ArenaError as error:
        return _unreadable(path, "history", when, error)
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
    when = _when(path / TUNING)
    try:
        content = msgspec.json.decode((path / TUNING).read_bytes(), type=_Tuning)
    except (OSError, msgspec.DecodeError) as error:
        return _unreadable(path, "tuning", when, error)
    about = content.bot
    return ResultRow(path.name, "tuning", about, content.headline, 1, 0, when, _report_of(path))


class _Design(msgspec.Struct):
    """What a row needs of design.json."""

    headline: str
    game: str
    rules: str
    bots: list[str]
    games: int


def _design(path: Path) -> ResultRow:
    when = _when(path / DESIGN)
    try:
        content = msgspec.json.decode((path / DESIGN).read_bytes(), type=_Design)
        title = game_named(content.game).title
    except (OSError, msgspec.DecodeError, ArenaError) as error:
        return _unreadable(path, "design", when, error)
    return ResultRow(
        name=path.name,
        kind="design",
        about=f"{title}, {content.rules}",
        finding=content.headline,
        bots=len(content.bots),
        games=content.games,
        when=when,
        address=_report_of(path),
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
    when = _when(file)
    try:
        content = msgspec.json.decode(file.read_bytes(), type=_Comparison)
        title = game_named(content.game).title
    except (OSError, msgspec.DecodeError, ArenaError) as error:
        return _unreadable(path, "comparison", when, error)
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
        address=_report_of(path),
    )


def _unfinished_comparison(path: Path) -> ResultRow:
    parts = [*part_folders(path)]
    started = how_many(sum((part / RESOLVED).is_file() for part in parts), "part")
    finding = (
        f"Not over: {started} of {len(parts)} {'has' if started == '1 part' else 'have'} begun"
    )
    return ResultRow(path.name, "comparison", "", finding, 0, 0, _when(path / LEDGER), "")


def _league(path: Path) -> ResultRow:
    try:
        with (path / STANDINGS).open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
    except (OSError, ValueError, csv.Error):
        rows = []
    leader = rows[0].get("name") if rows else ""
    finding = f"{leader} is first" if leader else "No round has been played yet"
    has_pages = (path / PUBLIC / "index.html").is_file()
    address = f"/league/{quote(path.name)}/index.html" if has_pages else ""
    when = _when(path / LEAGUE_FILE)
    return ResultRow(path.name, "league", "", finding, len(rows), 0, when, address)
