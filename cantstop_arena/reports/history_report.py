"""The history of a bot as a table: its versions, rated in one fit with the field."""

from collections.abc import Sequence
from pathlib import Path

import msgspec
from msgspec.structs import replace

from cantstop_arena.atomic_files import write_result
from cantstop_arena.deals.payoff import WINS_ONLY
from cantstop_arena.pages.number_text import plain, with_error
from cantstop_arena.ratings.elo import Points
from cantstop_arena.ratings.estimate import Estimate
from cantstop_arena.ratings.significance import letters_in
from cantstop_arena.tables.all_tables import WRITERS
from cantstop_arena.tables.analysis import Analysis, of_points
from cantstop_arena.tables.column import Column, OnPage, Table, estimate, number, table_of
from cantstop_arena.texts import how_many, ordinal
from cantstop_arena.tournaments.ledger.read_ledger import load_results_with_aims
from cantstop_arena.tournaments.version_history import PlayedVersion, VersionHistory

_NOTHING = Estimate(None)
_COLUMNS = (
    Column("label", "version", page=OnPage(0, kind="bot")),
    Column("since", "since", leave_out=2, of=lambda row: row.since),
    number("lines", leave_out=1, of=lambda row: row.version.lines, page=OnPage(2, kind="num los")),
    estimate("elo", "Elo", 1, page=OnPage(4, kind="num elo", labelled=False)),
    estimate("score", "score %", 2, percent=True, page=OnPage(5, decimals=1, kind="num score")),
    number(
        "superiority",
        "better than before, %",
        1,
        percent=True,
        chance=True,
        page=OnPage(6, heading="LOS", kind="num los"),
    ),
)


class RatedVersion(msgspec.Struct, frozen=True):
    """A version with its Elo, its score, and the likelihood that it is better than the last one."""

    version: PlayedVersion
    elo: Estimate = _NOTHING
    score: Estimate = _NOTHING
    superiority: float | None = None

    @property
    def label(self) -> str:
        """The version's label."""
        return self.version.label

    @property
    def since(self) -> str | None:
        """The day on which it first played, if that is known."""
        return self.version.since.isoformat() if self.version.since else None


def analysis_of(history: VersionHistory, folder: Path) -> Analysis:
    """The results of all versions, with the Elo of the field as in the tournament's own results.

    Their intervals are confidence sequences, too, where it was played `until` they were narrow.
    """
    last_run = Analysis(load_results_with_aims(folder))
    own, field = last_run.results, {*history.field}
    anchor = dict(own.anchor)
    if not anchor or not anchor.keys() <= field:
        elo = zip(own.bots, last_run.elo, strict=True)
        anchor = {name: of.mean for name, of in elo if name in field and of.mean is not None}
    anchor = {name: points for name, points in anchor.items() if name in history.totals.bots}
    return Analysis(replace(history.totals, anchor=anchor, until=own.until))


def rated_versions(history: VersionHistory, analysis: Analysis) -> list[RatedVersion]:
    """The versions in order of arrival; those that are out or have not played are not rated."""
    bots = analysis.results.bots
    rows, before = list[RatedVersion](), None
    for version in history.versions:
        index = bots.index(version.name) if version.name in bots else None
        if index is None or index in analysis.without_games:
            rows.append(RatedVersion(version))
            continue
        better = None if before is None else analysis.ratings.superiority(index, before)
        rows.append(RatedVersion(version, analysis.elo[index], analysis.scores[index], better))
        before = index
    return rows


def history_table(history: VersionHistory, analysis: Analysis) -> Table:
    """The table of a bot's versions."""
    title = (
        f"{history.bot}: {how_many(len(history.versions), 'version')} against the field of"
        f" {history.totals.name} ({', '.join(history.field)}), {history.games:,} games each."
    )
    by_wins = WINS_ONLY.format("Versions are compared", "Elo is about these")
    notes = [by_wins] if analysis.results.payoff else []
    return table_of("history", title, _COLUMNS, rated_versions(history, analysis), notes)


def history_headline(history: VersionHistory, analysis: Analysis) -> str:
    """What the changes of a bot have done, in a sentence without its full stop.

    Its newest version is compared with its best one, and then with its first.
    """
    bots, name = analysis.results.bots, history.bot
    rated = [
        (number, bots.index(version.name))
        for number, version in enumerate(history.versions, start=1)
        if version.name in bots and bots.index(version.name) not in analysis.without_games
    ]
    if not rated:
        return f"No version of {name} is rated yet"
    (_, first), (_, newest) = rated[0], rated[-1]
    if len(rated) == 1:
        return (
            f"Only one version of {name} is rated, with Elo {plain(analysis.elo[first].mean or 0)}"
        )
    order, best = max(rated, key=lambda item: analysis.elo[item[1]].mean or 0)
    behind = _significantly_ahead(analysis, newest, best)
    if behind and behind.points < 0:
        which = "first" if order == 1 else ordinal(order)
        return f"The newest {name} is {_size(behind)} Elo weaker than its {which} version"
    if gain := _significantly_ahead(analysis, newest, first):
        than = "weaker" if gain.points < 0 else "stronger"
        return f"The newest {name} is {_size(gain)} Elo {than} than its first version"
    return f"No change of {name} is significant: {how_many(len(rated), 'version')}"


def _significantly_ahead(analysis: Analysis, version: int, other: int) -> Points | None:
    """How far a version is ahead; None without a significant difference, by the group letters.

    The letters are corrected for the number of pairs: one version was chosen as the best.
    """
    first, second = (letters_in(analysis.ratings.groups[bot]) for bot in (version, other))
    difference = analysis.ratings.difference(version, other) if not {*first} & {*second} else None
    return difference.ahead if difference else None


def _size(difference: Points) -> str:
    """A difference without its sign, with its interval."""
    return with_error(of_points(difference).unsigned, 1)


def missing_text(versions: Sequence[PlayedVersion]) -> str:
    """How many versions have not met all of the field; empty if all have."""
    lacking = [version for version in versions if version.missing]
    if not lacking:
        return ""
    verb = "has" if len(lacking) == 1 else "have"
    games = sum(version.missing for version in lacking)
    return (
        f"{len(lacking)} of {how_many(len(versions), 'version')} {verb} not met all of this field;"
        f" --play plays {how_many(games, 'game')}."
    )


def write_history(table: Table, folder: Path, bot: str) -> Path:
    """Write the table to `history-BOT.csv` in the folder of results, and return its path."""
    return write_result(folder, f"{_stem(bot)}.csv", WRITERS["csv"]([table]))


def write_history_page(table: Table, folder: Path, bot: str, headline: str, note: str) -> Path:
    """Write the page to `history-BOT.html` in the folder of results, and return its path.

    Raises PageError where a package that draws pages is missing.
    """
    from cantstop_arena.reports.write_page import history_page

    return write_result(folder, f"{_stem(bot)}.html", history_page(table, bot, headline, note))


def _stem(bot: str) -> str:
    """The name of a bot's files; each bot of a tournament has its own."""
    return f"history-{bot.replace('/', '_')}"
