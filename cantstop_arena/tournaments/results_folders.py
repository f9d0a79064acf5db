"""The folders of results: what is in them, and versions of bots that they forget."""

import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from datetime import datetime
from itertools import chain
from pathlib import Path

import msgspec

from cantstop_arena.atomic_files import refuse_link
from cantstop_arena.bots.versions import PREVIOUS, is_digest, runs_in, version_in
from cantstop_arena.errors import LedgerError, UsageError
from cantstop_arena.tournaments.file.tournament_file import PEOPLE
from cantstop_arena.tournaments.ledger.forgetting import (
    StoredBot,
    forget,
    stored_bots,
    stored_games,
)
from cantstop_arena.tournaments.ledger.ledger import LEDGER, Ledger
from cantstop_arena.tournaments.ledger.open_ledger import (
    ledger_part,
    open_ledger,
    part_folders,
)
from cantstop_arena.tournaments.ledger.read_ledger import look_into
from cantstop_arena.tournaments.tournament import COPIES


class ResultsFolder(msgspec.Struct, frozen=True):
    """A folder: the games in its ledger, the bots of its last run, all versions in the ledger, the
    bytes of its files, and when it was last run, if that is known; or why it cannot be read."""

    name: str
    games: int | None
    bots: int | None
    versions: int | None
    size: int
    last_run: datetime | None
    problem: str = ""


def results_folders(results: Path) -> Iterator[ResultsFolder]:
    """The folders of runs below a folder of results, by name."""
    for path in sorted(results.glob("*")):
        if path.name != PEOPLE and (path / LEDGER).exists():
            yield _described(path)


def _described(folder: Path) -> ResultsFolder:
    size = sum(path.lstat().st_size for path in folder.rglob("*") if path.is_file())
    runs = chain.from_iterable(map(runs_in, _run_folders(folder)))
    last_run = max((run.when for run in runs), default=None)

    def look(ledger: Ledger) -> ResultsFolder:
        bots = stored_bots(ledger)
        in_file = sum(bot.is_in_file for bot in bots)
        games = stored_games(ledger)
        return ResultsFolder(folder.name, games, in_file, len(bots), size, last_run)

    try:
        return look_into(folder, look)
    except (LedgerError, UsageError) as error:
        return ResultsFolder(folder.name, None, None, None, size, last_run, str(error))


def _run_folders(folder: Path) -> list[Path]:
    """The folder of a run; those of all parts, too, where it is a comparison's."""
    return [folder, *part_folders(folder)]


def bots_outside(folder: Path) -> list[StoredBot]:
    """The versions in a folder that the file of its last run does not name."""
    return [bot for bot in look_into(folder, stored_bots) if not bot.is_in_file]


def bots_called(folder: Path, reference: str) -> list[StoredBot]:
    """The versions of a bot in a folder: all, or that of `BOT@DIGEST` or `BOT@previous`.

    The previous one is the last of those that the last run does not have. Raises UsageError.
    """
    bots = look_into(folder, stored_bots)
    version = version_in(reference)
    name, digest = version or (reference, "")
    called = [bot for bot in bots if {name, reference}.intersection(bot.names)]
    if not called:
        names = ", ".join(dict.fromkeys(name for bot in bots for name in bot.names))
        raise UsageError(f"no bot called {name!r} has played in {folder}; bots are {names}")
    if digest == PREVIOUS:
        outside = [bot.version.digest for bot in called if not bot.is_in_file]
        digest = outside[-1] if outside else digest
    matching = [bot for bot in called if bot.version.digest.startswith(digest)]
    if not matching or (digest and len({bot.version.digest for bot in matching}) > 1):
        titles = ", ".join(dict.fromkeys(bot.title for bot in called))
        raise UsageError(f"{reference} is no single version in {folder}; there are {titles}")
    return matching


def forget_bots(folder: Path, choose: Callable[[], Sequence[StoredBot]]) -> Sequence[StoredBot]:
    """Forget the chosen versions, with the copies that no other version needs; which these are.

    Raises LedgerError, also while a run writes to the folder.
    """
    path = ledger_part(folder).path
    copies = [run / COPIES for run in _run_folders(path.parent)]
    for each in copies:
        refuse_link(each)
    choose()  # raises for a folder that is none: `open_ledger` would make one
    with open_ledger(path) as ledger:
        chosen = choose()
        if chosen:
            forget(ledger, chosen)
        needed = {bot.version.digest for bot in stored_bots(ledger)}
    for digest in {bot.version.digest for bot in chosen} - needed:
        for each in copies if is_digest(digest) else ():
            with suppress(FileNotFoundError):
                shutil.rmtree(each / digest)
    return chosen
