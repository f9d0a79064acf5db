"""The results on disk, a row each, with the finding that their reports have as headline."""

import csv
import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path

import msgspec

from cantstop_arena.deals.outcomes import FaultReport
from cantstop_arena.errors import ArenaError
from cantstop_arena.games.registry import game_named
from cantstop_arena.leagues.league_files import PUBLIC, STANDINGS
from cantstop_arena.leagues.submission_store import LEAGUE_FILE
from cantstop_arena.ratings.estimate import Estimate
from cantstop_arena.reports.headline import headline
from cantstop_arena.reports.tuning_report import TUNING
from cantstop_arena.tables.analysis import Analysis
from cantstop_arena.tournaments.file.key_readers import PEOPLE
from cantstop_arena.tournaments.ledger.ledger import LEDGER
from cantstop_arena.tournaments.ledger.read_ledger import MATCH, load_results_with_aims

REPORT = "report.html"
KINDS = ("tournament", "comparison", "match", "tuning", "league")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.+ -]{0,99}")
_MAX_FINDING_LENGTH = 200


class ResultRow(msgspec.Struct, frozen=True):
    """A folder of results: what it is, what it found, and how large it is.

    `elo` are the ratings of its bots, `ratings` the same by name with their intervals; they do not
    compare with those of other results.
    """

    name: str
    kind: str
    about: str
    finding: str
    bots: int
    games: int
    when: datetime
    has_page: bool
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
        self._rows: dict[Path, tuple[tuple[float, ...], ResultRow | None]] = {}

    def folder(self, name: str) -> Path | None:
        """The folder of a result; None if there is none, or the name leads elsewhere."""
        path = self.results / name
        is_name = bool(_NAME.fullmatch(name)) and name.casefold() != PEOPLE
        return path if is_name and not path.is_symlink() and path.is_dir() else None

    def folders(self) -> list[Path]:
        """The folders of all results."""
        found = (self.folder(path.name) for path in sorted(self.results.glob("*")))
        return [path for path in found if path]

    def rows(self) -> list[ResultRow]:
        """All results, the newest first."""
        rows = [row for path in self.folders() if (row := self.row(path))]
        return sorted(rows, key=lambda row: row.when, reverse=True)

    def ratings(self, game: str) -> ResultRow | None:
        """The result of a game that has rated the most bots; None if there is none."""
        rated = [row for row in self.rows() if row.game == game and len(row.ratings) > 1]
        return max(rated, key=lambda row: (len(row.ratings), row.games), default=None)

    def row(self, path: Path) -> ResultRow | None:
        """The row of a folder; None if it has no results."""
        names = (LEDGER, "comparison.json", MATCH, REPORT, "summary.json", LEAGUE_FILE, TUNING)
        stamp = tuple(_time(path / name) for name in names)
        stored = self._rows.get(path)
        if stored is None or stored[0] != stamp:
            stored = self._rows[path] = stamp, _row(path)
        return stored[1]


def _time(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0


def _row(path: Path) -> ResultRow | None:
    if (path / "comparison.json").is_file():
        return _comparison(path)
    if (path / LEAGUE_FILE).is_file():
        return _league(path)
    if (path / LEDGER).is_file():
        return _tournament(path)
    return _tuning(path) if (path / TUNING).is_file() else None


def _tournament(path: Path) -> ResultRow:
    kind = "match" if (path / MATCH).is_file() else "tournament"
    when = datetime.fromtimestamp(_time(path / LEDGER))
    has_page = (path / REPORT).is_file()
    try:
        analysis = Analysis(load_results_with_aims(path))
    except ArenaError as error:
        return ResultRow(path.name, kind, "", f"cannot be read: {error}", 0, 0, when, has_page)
    results = analysis.results
    elo = [] if analysis.is_solo else [each.mean for each in analysis.elo if each.mean is not None]
    return ResultRow(
        name=path.name,
        kind=kind,
        about=f"{game_named(results.game).title}, {results.rules.get('name', '')}",
        finding=headline(analysis),
        bots=len(results.bots),
        games=analysis.games,
        when=when,
        has_page=has_page,
        elo=elo,
        game=results.game,
        faults=results.faults,
        rules=str(results.rules.get("name", "")),
        ratings={} if analysis.is_solo else dict(zip(results.bots, analysis.elo, strict=True)),
    )


class _Tuning(msgspec.Struct):
    """What a row needs of tuning.json."""

    headline: str = ""
    game: str = ""
    bot: str = ""


def _tuning(path: Path) -> ResultRow:
    when, has_page = datetime.fromtimestamp(_time(path / TUNING)), (path / REPORT).is_file()
    try:
        content = msgspec.json.decode((path / TUNING).read_bytes(), type=_Tuning)
    except (OSError, msgspec.DecodeError) as error:
        return ResultRow(path.name, "tuning", "", f"cannot be read: {error}", 0, 0, when, has_page)
    return ResultRow(path.name, "tuning", content.bot, content.headline, 1, 0, when, has_page)


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
    file = path / "comparison.json"
    when, has_page = datetime.fromtimestamp(_time(file)), (path / REPORT).is_file()
    try:
        content = msgspec.json.decode(file.read_bytes(), type=_Comparison)
        title = game_named(content.game).title
    except (OSError, msgspec.DecodeError, ArenaError) as error:
        text = f"cannot be read: {error}"
        return ResultRow(path.name, "comparison", "", text, 0, 0, when, has_page)
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
        has_page=has_page,
    )


def _league(path: Path) -> ResultRow | None:
    when = datetime.fromtimestamp(_time(path / LEAGUE_FILE))
    try:
        with (path / STANDINGS).open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
    except (OSError, ValueError, csv.Error):
        rows = []
    leader = rows[0].get("name") if rows else ""
    finding = f"{leader} is first" if leader else ""
    has_pages = (path / PUBLIC / "index.html").is_file()
    return ResultRow(path.name, "league", "", finding, len(rows), 0, when, has_pages)
