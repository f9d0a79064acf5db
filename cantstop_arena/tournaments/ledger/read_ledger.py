"""Results folders read again, from their ledgers, and without a trace.

Where nobody writes to a ledger it is opened as a file that does not change, or SQLite would make
files beside it. While a run goes on, or after one that was cut off, the last entries stand in a
file beside the ledger; then SQLite's protocol gives a reader the state of one moment, and where
that takes files that are not there and must not be made, copies are read.
"""

import json
import shutil
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeGuard, TypeVar

from msgspec.structs import replace

from cantstop_arena.deals.outcomes import Fault, FaultReport, TournamentTotals, Until
from cantstop_arena.errors import ArenaError, BotError, LedgerError
from cantstop_arena.ratings.sequential.sprt import Sprt, ended_by
from cantstop_arena.tournaments.file.tournament_file import read_aims, read_games
from cantstop_arena.tournaments.file.yaml_reader import unknown_word
from cantstop_arena.tournaments.ledger.aggregation import aggregate
from cantstop_arena.tournaments.ledger.identity import differences
from cantstop_arena.tournaments.ledger.ledger import (
    LEDGER,
    READABLE,
    UNREADABLE,
    Ledger,
    damage_message,
    read_about,
)
from cantstop_arena.tournaments.ledger.ledger_totals import LedgerTotals, deals_played, fault_report
from cantstop_arena.tournaments.tournament import RESOLVED

MATCH = "match.json"  # beside the ledger of a match
_MAX_TRIES = 10

Read = TypeVar("Read")


def load_results(folders: Sequence[Path], anchor: Mapping[str, float]) -> TournamentTotals:
    """The results of the tournaments in these folders, rated together where there are several.

    Of a single one it is known what it was played until, if its tournament.yaml is there; of each
    one how many games it was to have. Raises
    ArenaError where they cannot be rated, and BotError for an anchor that is none of the bots.
    """
    results = _results(folders, anchor)
    if len(folders) > 1 or not (folders[0] / RESOLVED).is_file():
        return results
    return replace(results, until=_aims(folders[0], results)[1])


def load_results_with_aims(folder: Path) -> TournamentTotals:
    """The results in a folder with the anchor and the rule to end by of its tournament.yaml."""
    results = _results([folder], {})
    anchor, until = _aims(folder, results)
    return replace(results, anchor=anchor, until=until)


def _results(folders: Sequence[Path], anchor: Mapping[str, float]) -> TournamentTotals:
    paths = [_ledger_in(folder) for folder in folders]
    return _steady(lambda: _read(folders, paths, anchor))


def _aims(folder: Path, results: TournamentTotals) -> tuple[dict[str, float], Until | None]:
    bots = [*results.bots, *results.disqualified]
    anchor, until = read_aims(folder / RESOLVED, bots, results.orders)
    return anchor, until or _test_of(folder / MATCH)


def _test_of(path: Path) -> Until | None:
    """The rule of a match that a test ended, from what was written of it; None of others."""
    try:
        test = json.loads(path.read_text("utf-8"))["sprt"]
        numbers = [float(test[key]) for key in ("elo0", "elo1", "alpha", "beta")]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return ended_by(Sprt(*numbers))


def read_ledger(folder: Path, look: Callable[[LedgerTotals], Read]) -> Read:
    """What there is to see in a folder's ledger. Raises ArenaError where it cannot be read."""
    path = _ledger_in(folder)

    def looking() -> Read:
        with _opened(path) as ledger:
            return look(_ledger_totals(folder, ledger))

    return _steady(looking)


def _steady(look: Callable[[], Read]) -> Read:
    """What is read of ledgers, again if one changes meanwhile."""
    for _ in range(_MAX_TRIES):
        with suppress(_LedgerChanged):
            return look()
    raise LedgerError("The results change faster than they can be read; try again in a moment.")


class _LedgerChanged(Exception):
    """A ledger that was read as one that does not change did."""


def _ledger_in(folder: Path) -> Path:
    if (path := folder / LEDGER).is_file():
        return path
    if not folder.exists():
        raise ArenaError(
            f"There is no folder {folder}. Results are in folders that arena run makes."
        )
    inner = sorted(file_path.parent for file_path in folder.glob(f"*/{LEDGER}"))
    hint = f"did you mean {', '.join(map(str, inner))}?" if inner else "arena run FILE makes one."
    raise ArenaError(f"{folder} is no folder with results (it has no {LEDGER}); {hint}")


def _read(
    folders: Sequence[Path], paths: Sequence[Path], anchor: Mapping[str, float]
) -> TournamentTotals:
    with ExitStack() as stack:
        totals = []
        for folder, path in zip(folders, paths, strict=True):
            ledger = stack.enter_context(_opened(path))
            totals.append(_ledger_totals(folder, ledger))
        _check_comparable(folders, totals)
        results = aggregate(totals, anchor)
        _check_anchor(anchor, results)
        return replace(results, missing_games=sum(map(_unplayed, folders, totals)))


def _unplayed(folder: Path, totals: LedgerTotals) -> int:
    """The games that are missing to those that were asked for, as far as that is known."""
    deals = deals_played(totals.ledger.spans())
    if (path := folder / RESOLVED).is_file():
        deals = max(deals, -(-read_games(path) // len(totals.orders)))
    return totals.missing_games(deals)


def _ledger_totals(folder: Path, ledger: Ledger) -> LedgerTotals:
    identity = _identity(folder, ledger)
    ledger.examine()
    names = [bot["name"] for bot in identity["bots"]]

    def charge(fault: Fault) -> FaultReport:
        return fault_report(names, fault, str(folder / "tournament.yaml"))

    return LedgerTotals(ledger, identity, charge)


def _identity(folder: Path, ledger: Ledger) -> dict[str, Any]:
    stored = read_about(ledger)
    if stored is None:
        raise LedgerError(f"{folder}: nothing has been played yet.")
    if stored.get("version") not in READABLE:
        raise LedgerError(
            f"{ledger.path} was written by another version of this program; play the tournament"
            " again, or rate it with that version."
        )
    identity = stored.get("tournament")
    if not _is_identity(identity):
        raise LedgerError(damage_message(ledger.path, "it does not say of which tournament it is"))
    return dict(identity)


def _is_identity(data: Any) -> TypeGuard[Mapping[str, Any]]:
    """Whether all is there that results are told with."""
    if not isinstance(data, dict) or not isinstance(data.get("rules"), dict):
        return False
    bots = data.get("bots")
    if not isinstance(bots, list) or not all(isinstance(bot, dict) for bot in bots):
        return False
    names = [bot.get("name") for bot in bots]
    return (
        all(isinstance(item, str) for item in (data.get("name"), data.get("game"), *names))
        and len({*names}) == len(names)
        and data.get("players") in range(1, len(names) + 1)
        and isinstance(data.get("lineups", []), list)
        and type(data.get("seed")) in (int, str)
    )


def _check_anchor(anchor: Mapping[str, float], results: TournamentTotals) -> None:
    for name in anchor:
        if name not in results.bots:
            raise BotError(f"--anchor: {unknown_word('bot', name, results.bots)}")


# Whether results can be rated together -------------------------------------------------------


def _check_comparable(folders: Sequence[Path], totals: Sequence[LedgerTotals]) -> None:
    first = folders[0], totals[0].identity
    by_name: dict[str, tuple[Path, dict[str, Any]]] = {}
    for folder, ledger_totals in zip(folders, totals, strict=True):
        _check_conditions(*first, folder, ledger_totals.identity)
        for bot in ledger_totals.identity["bots"]:
            _check_same_bot(*by_name.setdefault(bot["name"], (folder, bot)), folder, bot)


def _check_conditions(
    path: Path, there: Mapping[str, Any], other: Path, here: Mapping[str, Any]
) -> None:
    if text := _differences_text(_conditions(there), _conditions(here), path, other):
        raise ArenaError(
            f"{path} and {other} cannot be rated together, as other games were played:\n{text}"
        )


def _conditions(identity: Mapping[str, Any]) -> dict[str, Any]:
    """What games that are rated together have in common; rules may have any name."""
    rules = {key: value for key, value in identity["rules"].items() if key != "name"}
    return {"game": identity["game"], "players": identity["players"], "rules": rules}


def _check_same_bot(
    path: Path, there: Mapping[str, Any], other: Path, here: Mapping[str, Any]
) -> None:
    if text := _differences_text(there, here, path, other):
        raise ArenaError(
            f"Two different bots are called {here['name']!r}:\n{text}\n"
            "Give one of them another name (as: NAME) and play its tournament again."
        )


def _differences_text(
    there: Mapping[str, Any], here: Mapping[str, Any], path: Path, other: Path
) -> str:
    """Where two tournaments differ, a line each."""
    return "\n".join(
        f"  {location}: {this} in {path}, {that} in {other}"
        for location, this, that in differences(dict(there), dict(here))
    )


# Opening without a trace ----------------------------------------------------------------------


@contextmanager
def _opened(path: Path) -> Iterator[Ledger]:
    """A ledger at one moment. Raises _Changed if that cannot be said of what was read."""
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
                raise _LedgerChanged  # and what was found wrong with it does not count


def _state(path: Path) -> tuple[int, int, int]:
    """What changes when a ledger does."""
    status = path.stat()
    return status.st_ino, status.st_size, status.st_mtime_ns


def _connection(path: Path, stack: ExitStack) -> tuple[sqlite3.Connection, bool]:
    """A connection, and whether SQLite's protocol guards it against what others write."""
    latest, shared = Path(f"{path}-wal"), Path(f"{path}-shm")
    if not _has_content(latest):
        return _connected(path, "mode=ro&immutable=1"), False
    if shared.exists():
        with suppress(sqlite3.OperationalError):
            return _connected(path, "mode=ro"), True
    return _copied(path, stack), False


def _has_content(path: Path) -> bool:
    return path.exists() and path.stat().st_size > 0


def _connected(path: Path, how: str) -> sqlite3.Connection:
    """A connection that sees what stands there now, whatever is written meanwhile."""
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
    for suffix in ("", "-wal"):
        if (source := Path(f"{path}{suffix}")).exists():
            shutil.copyfile(source, folder / f"{LEDGER}{suffix}")
    return _connected(folder / LEDGER, "mode=rw")
