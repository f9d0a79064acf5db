"""Read the ledgers of results folders, without changing anything in these folders.

A ledger that no run writes to is opened as immutable, else SQLite would create files beside it.
During a run, or after one that was killed, the last rows are in a file beside the ledger (`-wal`);
then SQLite's protocol gives a reader the state of one moment. When that needs a file that does not
exist (`-shm`) and must not be created, copies are read; also where a file beside the ledger
(`-journal`) has what was overwritten in it.
"""

import shutil
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeVar

import msgspec
from msgspec.structs import replace

from cantstop_arena.deals.outcomes import Fault, FaultReport, TournamentTotals, Until
from cantstop_arena.errors import BotError, LedgerError, UsageError
from cantstop_arena.ratings.sequential.sprt import Sprt, ended_by
from cantstop_arena.tournaments.file.tournament_file import read_aims
from cantstop_arena.tournaments.file.yaml_reader import unknown_word
from cantstop_arena.tournaments.ledger.aggregation import LedgerTotals, aggregate, fault_report
from cantstop_arena.tournaments.ledger.cover import Cover
from cantstop_arena.tournaments.ledger.differences import differences
from cantstop_arena.tournaments.ledger.ledger import LEDGER, UNREADABLE, Ledger, damage_message
from cantstop_arena.tournaments.ledger.ledger_query import LedgerQuery, QueryBot
from cantstop_arena.tournaments.ledger.open_ledger import (
    LedgerPart,
    check_version,
    ledger_part,
)
from cantstop_arena.tournaments.tournament import RESOLVED

MATCH = "match.json"  # beside the ledger of a match
_MAX_TRIES = 10

Read = TypeVar("Read")


def load_results(folders: Sequence[Path], anchor: Mapping[str, float]) -> TournamentTotals:
    """The results of the tournaments in these folders, rated together where there are several.

    The results of a single folder have the `until` rule of its tournament.yaml, if there is one,
    and of a match the first bot as their subject.
    Raises UsageError when they cannot be rated together, and BotError for an unknown anchor.
    """
    results = _results(folders, anchor)
    if len(folders) > 1 or not (folders[0] / RESOLVED).is_file():
        return results
    return replace(_with_aims(folders[0], results), anchor=results.anchor)


def load_results_with_aims(folder: Path) -> TournamentTotals:
    """The results in a folder with the anchor and the `until` rule of its tournament.yaml."""
    return _with_aims(folder, _results([folder], {}))


def _results(folders: Sequence[Path], anchor: Mapping[str, float]) -> TournamentTotals:
    ledgers = [_ledger_in(folder) for folder in folders]
    return _steady(lambda: _read(folders, ledgers, anchor))


def _with_aims(folder: Path, results: TournamentTotals) -> TournamentTotals:
    bots = [*results.bots, *results.disqualified]
    aims = read_aims(folder / RESOLVED, bots, results.orders)
    match = _match_in(folder / MATCH)
    return replace(
        results,
        anchor=aims.anchor,
        until=aims.until or _test_of(match),
        left_out=aims.left_out,
        sorted_by=aims.score or results.sorted_by,
        subject=results.subject or _first_bot_of(match, results),
    )


class _StoredTest(msgspec.Struct):
    """The sequential test of a match."""

    elo0: float
    elo1: float
    alpha: float
    beta: float
    unit: str = ""


class _StoredMatch(msgspec.Struct):
    """What a run needs of the match.json in its folder."""

    bots: tuple[str, ...] = ()
    sprt: _StoredTest | None = None
    players: int = 2
    games_per_deal: int = 2


def _match_in(path: Path) -> _StoredMatch:
    """The content of a match.json; an empty one where there is none, or a damaged one."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=_StoredMatch)
    except (OSError, msgspec.DecodeError):
        return _StoredMatch()


def _first_bot_of(match: _StoredMatch, results: TournamentTotals) -> str:
    is_of_results = len(match.bots) == 2 and match.bots[0] in results.bots
    return match.bots[0] if is_of_results else ""


def _test_of(match: _StoredMatch) -> Until | None:
    """The rule of a match with a sequential test; None for others."""
    if (test := match.sprt) is None:
        return None
    limits = (test.elo0, test.elo1, test.alpha, test.beta)
    return ended_by(Sprt(*limits, match.players, match.games_per_deal, test.unit))


def read_ledger(folder: Path, look: Callable[[LedgerTotals], Read]) -> Read:
    """The result of `look` for a folder's ledger. Raises ArenaError when it cannot be read."""
    path, part = _ledger_in(folder)

    def read() -> Read:
        with _opened(path) as ledger:
            return look(_ledger_totals(folder, ledger, part))

    return _steady(read)


@contextmanager
def copied_ledger(folder: Path, fresh: bool) -> Iterator[Path]:
    """A temporary folder with a copy of a folder's ledger, if there is one and it is not `fresh`.

    Errors name the ledger in `folder`. Raises LedgerError.
    """
    with TemporaryDirectory() as temporary:
        copy = Path(temporary)
        if not fresh and (path := ledger_part(folder).path).is_file():
            _steady(lambda: _copy(path, copy / LEDGER))
        try:
            yield copy
        except LedgerError as error:
            raise type(error)(str(error).replace(str(copy), str(folder))) from error


def _copy(path: Path, copy: Path) -> None:
    with _opened(path) as ledger, closing(sqlite3.connect(copy)) as connection:
        ledger.connection.backup(connection)


def look_into(folder: Path, look: Callable[[Ledger], Read]) -> Read:
    """The result of `look` for all that a folder's ledger has. Raises UsageError, LedgerError."""
    path, _ = _ledger_in(folder)

    def read() -> Read:
        with _opened(path) as ledger:
            check_version(ledger)
            return look(ledger)

    return _steady(read)


def _steady(look: Callable[[], Read]) -> Read:
    """The result of `look`, called again if a ledger changes meanwhile. Raises LedgerError."""
    for _ in range(_MAX_TRIES):
        with suppress(_LedgerChanged):
            return look()
    raise LedgerError("The results change faster than they can be read; try again in a moment.")


class _LedgerChanged(Exception):
    """A ledger that was opened as immutable has changed."""


def _ledger_in(folder: Path) -> LedgerPart:
    if (own := ledger_part(folder)).path.is_file():
        return own
    if not folder.exists():
        raise UsageError(
            f"There is no folder {folder}. Results are in folders that arena run makes."
        )
    inner = sorted(ledger.parent for ledger in folder.glob(f"*/{LEDGER}"))
    hint = f"did you mean {', '.join(map(str, inner))}?" if inner else "arena run FILE makes one."
    raise UsageError(f"{folder} is no folder with results (it has no {LEDGER}); {hint}")


def _read(
    folders: Sequence[Path], ledgers: Sequence[LedgerPart], anchor: Mapping[str, float]
) -> TournamentTotals:
    with ExitStack() as stack:
        all_totals = [
            _ledger_totals(folder, stack.enter_context(_opened(path)), part)
            for folder, (path, part) in zip(folders, ledgers, strict=True)
        ]
        _check_compatible(folders, all_totals)
        results = aggregate(all_totals, anchor)
        _check_anchor(anchor, results)
        missing = sum(totals.ledger.missing_games() for totals in all_totals)
        return replace(results, missing_games=missing)


def _ledger_totals(folder: Path, ledger: Ledger, part: str) -> LedgerTotals:
    games = _games(folder, ledger, part)
    names = games.query.names

    def charge(fault: Fault) -> FaultReport:
        return fault_report(names, fault, str(folder / "tournament.yaml"))

    return LedgerTotals(games, games.query, charge)


def _games(folder: Path, ledger: Ledger, part: str) -> Cover:
    """What the last run in a folder covers, checked. Raises UsageError if nothing."""
    if ledger.version() is not None:
        check_version(ledger)
        if (query := ledger.query(part)) is not None:
            ledger.check(query)
            return Cover(ledger, query, ledger.deals(part))
        if parts := ledger.parts():
            raise UsageError(_part_missing(folder, ledger.path.parent, part, parts))
    if ledger.has_rows():
        raise LedgerError(damage_message(ledger.path, "its query is no longer there"))
    raise UsageError(f"{folder}: nothing has been played yet.")


def _part_missing(folder: Path, comparison: Path, part: str, parts: Sequence[str]) -> str:
    folders = ", ".join(str(comparison / name) for name in parts)
    if part:
        return f"{folder} is not in the last comparison of {comparison}; there are {folders}"
    return f"{folder} is a comparison; name a tournament of it: {folders}"


def _check_anchor(anchor: Mapping[str, float], results: TournamentTotals) -> None:
    for name in anchor:
        if name not in results.bots:
            raise BotError(f"--anchor: {unknown_word('bot', name, results.bots)}")


# Whether results can be rated together -------------------------------------------------------


def _check_compatible(folders: Sequence[Path], all_totals: Sequence[LedgerTotals]) -> None:
    first = folders[0], all_totals[0].query
    first_bots: dict[str, tuple[Path, QueryBot]] = {}
    for folder, totals in zip(folders, all_totals, strict=True):
        _check_same_conditions(*first, folder, totals.query)
        for bot in totals.query.bots:
            _check_same_bot(*first_bots.setdefault(bot.name, (folder, bot)), folder, bot)


def _check_same_conditions(
    first: Path, there: LedgerQuery, second: Path, here: LedgerQuery
) -> None:
    if text := _difference_text(_conditions(there), _conditions(here), first, second):
        raise UsageError(
            f"{first} and {second} cannot be rated together, as other games were played:\n{text}"
        )


def _conditions(query: LedgerQuery) -> dict[str, Any]:
    """What must be equal in games that are rated together; the rules' names may differ."""
    setting = query.setting
    return {
        "game": setting.game,
        "edition": setting.edition,
        "players": setting.players,
        "rules": setting.rules,
    }


def _check_same_bot(first: Path, there: QueryBot, second: Path, here: QueryBot) -> None:
    old, new = (msgspec.to_builtins(bot.version) for bot in (there, here))
    if text := _difference_text(old, new, first, second):
        raise UsageError(
            f"Two different bots are called {here.name!r}:\n{text}\n"
            "Give one of them another name (as: NAME) and play its tournament again."
        )


def _difference_text(
    there: Mapping[str, Any], here: Mapping[str, Any], first: Path, second: Path
) -> str:
    """The differences of two tournaments, a line each."""
    return "\n".join(
        f"  {path}: {this} in {first}, {that} in {second}"
        for path, this, that in differences(dict(there), dict(here))
    )


# Opening without changing files ---------------------------------------------------------------


@contextmanager
def _opened(path: Path) -> Iterator[Ledger]:
    """A ledger in its state at one moment. Raises _LedgerChanged if it has changed meanwhile."""
    before = _state(path)
    with ExitStack() as stack:
        guarded = False
        try:
            connection, guarded = _connection(path, stack)
            yield Ledger(path, stack.enter_context(closing(connection)))
        except UNREADABLE as error:
            raise LedgerError(damage_message(path, error)) from error
        finally:
            if not guarded and _state(path) != before:
                raise _LedgerChanged  # also instead of an error, which the change may have caused


def _state(path: Path) -> tuple[int, int, int]:
    """The properties of a file that change with its content."""
    status = path.stat()
    return status.st_ino, status.st_size, status.st_mtime_ns


def _connection(path: Path, stack: ExitStack) -> tuple[sqlite3.Connection, bool]:
    """A connection, and whether SQLite's protocol protects it against writes."""
    latest, shared = Path(f"{path}-wal"), Path(f"{path}-shm")
    if not _has_content(latest) and not _has_content(Path(f"{path}-journal")):
        return _connected(path, "mode=ro&immutable=1"), False
    if shared.exists():
        with suppress(sqlite3.OperationalError):
            return _connected(path, "mode=ro"), True
    return _copied(path, stack), False


def _has_content(path: Path) -> bool:
    return path.exists() and path.stat().st_size > 0


def _connected(path: Path, how: str) -> sqlite3.Connection:
    """A connection in a transaction, which sees the state at its start."""
    connection = sqlite3.connect(f"{path.resolve().as_uri()}?{how}", uri=True)
    try:
        connection.execute("BEGIN")
        connection.execute("SELECT COUNT(*) FROM sqlite_master").fetchone()
    except UNREADABLE:
        connection.close()
        raise
    return connection


def _copied(path: Path, stack: ExitStack) -> sqlite3.Connection:
    folder = Path(stack.enter_context(TemporaryDirectory()))
    for suffix in ("", "-wal", "-journal"):
        if (source := Path(f"{path}{suffix}")).exists():
            shutil.copyfile(source, folder / f"{LEDGER}{suffix}")
    return _connected(folder / LEDGER, "mode=rw")
