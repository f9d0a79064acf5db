"""All versions of a bot that a ledger has, with the games that each has played against the field.

The field is the other entrants of the last run. Versions do not meet each other: they are compared
deal by deal, as all of them get the same dice.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime
from itertools import combinations
from pathlib import Path

import msgspec
from msgspec.structs import replace

from cantstop_arena.bots.bot_files import stored_texts
from cantstop_arena.bots.versions import runs_in, short_digest
from cantstop_arena.deals.outcomes import Fault, FaultReport, TournamentTotals
from cantstop_arena.deals.seatings import Group
from cantstop_arena.errors import BotError, UsageError
from cantstop_arena.tournaments.changes import lines_between
from cantstop_arena.tournaments.ledger.aggregation import LedgerTotals, aggregate, fault_report
from cantstop_arena.tournaments.ledger.cover import Cover
from cantstop_arena.tournaments.ledger.ledger_query import BotVersion, LedgerQuery, QueryBot
from cantstop_arena.tournaments.ledger.read_ledger import read_ledger
from cantstop_arena.tournaments.tournament import RESOLVED


class PlayedVersion(msgspec.Struct, frozen=True):
    """A version of a bot: its name in the results, a short label, and when it first played.

    `lines` is how many lines differ from the version before, None where that is not known;
    `missing` is the number of its games against the field that are not played.
    """

    name: str
    label: str
    version: BotVersion
    since: date | None
    lines: int | None
    missing: int


class VersionHistory(msgspec.Struct, frozen=True):
    """The versions of a bot in the order of arrival, and the results of all with the field.

    `games` is the number that each lineup has if none are missing.
    """

    bot: str
    field: Sequence[str]
    games: int
    versions: Sequence[PlayedVersion]
    totals: TournamentTotals


def version_history(folder: Path, bot: str) -> VersionHistory:
    """The history of a bot in a folder of results.

    Raises ArenaError when the folder cannot be read, or has no games of such a bot.
    """
    return read_ledger(folder, lambda last_run: _history(folder, bot, last_run))


def _history(folder: Path, bot: str, last_run: LedgerTotals) -> VersionHistory:
    cover, query = last_run.ledger, last_run.query
    if not isinstance(cover, Cover):
        raise UsageError(f"{folder} was written by release 0.2; run its tournament once.")
    if query.players == 1:
        raise UsageError(f"{folder}: its bots play alone; a history needs games with others.")
    versions = cover.ledger.versions_named(bot)
    if not versions:
        raise UsageError(
            f"no bot called {bot!r} has played in {folder}; bots are {', '.join(query.names)}"
        )
    labels = _labels(versions)
    names = [_free_name(f"{bot}@{label}", query) for label in labels]
    version_query = query_of_versions(query, bot, dict(zip(names, versions, strict=True)))
    cover.ledger.check_rows(version_query)
    games = Cover(cover.ledger, version_query, cover.end)
    missing = _missing_games(games)

    def charge(fault: Fault) -> FaultReport:
        return fault_report(version_query.names, fault, str(folder / RESOLVED))

    sources = [_texts(folder / "bots" / version.digest, query, bot) for version in versions]
    return VersionHistory(
        bot,
        [name for name in query.names if name != bot],
        cover.end * len(query.orders),
        [
            PlayedVersion(name, label, version, since, lines, missing[name])
            for name, label, version, since, lines in zip(
                names,
                labels,
                versions,
                _first_days(folder, bot, versions),
                _lines(sources),
                strict=True,
            )
        ],
        aggregate([LedgerTotals(games, version_query, charge)], {}),
    )


def query_of_versions(
    query: LedgerQuery, bot: str, versions: Mapping[str, BotVersion]
) -> LedgerQuery:
    """The lineups of a query without a bot, and those with it for each of its versions, by name.

    The versions take its place among the entrants, else the last one.
    """
    position = query.names.index(bot) if bot in query.names else len(query.bots)
    query_bot = (
        query.bots[position]
        if bot in query.names
        else QueryBot(bot, next(iter(versions.values())), bot)
    )
    entrants = [
        replace(query_bot, name=name, version=version) for name, version in versions.items()
    ]
    bots = (
        *query.bots[:position],
        *entrants,
        *(other for other in query.bots[position:] if other.name != bot),
    )

    def moved(number: int) -> int:
        """The new number of a bot of the field."""
        return number if number < position else number + len(entrants) - 1

    others = tuple(number for number in range(len(query.bots)) if number != position)
    stored = [tuple(sorted(group)) for group in query.groups]
    own = [group for group in stored if position not in group]
    rivals = [tuple(n for n in group if n != position) for group in stored if position in group]
    if bot not in query.names:
        rivals = [*combinations(others, query.players - 1)]
    lineups: list[Group] = [tuple(map(moved, group)) for group in own]
    for version in range(position, position + len(entrants)):
        lineups += [tuple(sorted((version, *map(moved, group)))) for group in rivals]
    return replace(query, bots=bots, lineups=tuple(lineups), challenger="")


def _labels(versions: Sequence[BotVersion]) -> list[str]:
    """A short label of each version: digits of the digest; a number where only options differ."""
    labels = list[str]()
    for version in versions:
        label = short_digest(version.digest) or f"edition {version.edition}"
        same = sum(other.split(" #")[0] == label for other in labels)
        labels.append(f"{label} #{same + 1}" if same else label)
    return labels


def _free_name(name: str, query: LedgerQuery) -> str:
    """A name that no entrant has: a version can be in the field, too."""
    while name in query.names:
        name += "'"
    return name


def _missing_games(games: Cover) -> Mapping[str, int]:
    """For each bot, how many of its games are not played; none of those of disqualified bots."""
    query, spans, counter = games.query, games.spans(), games.fault_counter()
    missing = dict.fromkeys(query.names, 0)
    for group in query.groups:
        if counter.is_void(group):
            continue
        played = sum(deals for _, deals in spans.get(tuple(sorted(group)), ()))
        for number in group:
            missing[query.names[number]] += (games.end - played) * len(query.orders)
    return missing


def _first_days(folder: Path, bot: str, versions: Sequence[BotVersion]) -> Iterator[date | None]:
    """The day on which each version first played; None where nothing says it."""
    days: dict[str, date] = {}
    for run in runs_in(folder):
        if digest := run.bots.get(bot):
            days.setdefault(digest, run.when.date())
    for version in versions:
        yield days.get(short_digest(version.digest)) or _day_of(folder / "bots" / version.digest)


def _day_of(copy: Path) -> date | None:
    try:
        return datetime.fromtimestamp(copy.stat().st_mtime).astimezone().date()
    except OSError:
        return None


def _texts(copy: Path, query: LedgerQuery, bot: str) -> Mapping[str, bytes]:
    """The texts of a version's files, without copies under the names of other bots."""
    try:
        texts = stored_texts(copy) if copy.is_dir() else {}
    except BotError:
        return {}
    own = next((Path(other.path).name for other in query.bots if other.name == bot), "")
    return {name: text for name, text in texts.items() if name == own or text != texts.get(own)}


def _lines(sources: Sequence[Mapping[str, bytes]]) -> Iterator[int | None]:
    """How many lines of each version differ from the one before."""
    before: Mapping[str, bytes] = {}
    for texts in sources:
        try:
            yield lines_between(before, texts) if before and texts else None
        except UnicodeDecodeError:
            yield None
        before = texts
