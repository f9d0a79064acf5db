"""Results that lie in folders: opened, or rated together."""

import hashlib
import json
import re
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from cantstop_arena.api.results import Results
from cantstop_arena.bots.loader import DEFAULT_FOLDER
from cantstop_arena.errors import LedgerError, UsageError
from cantstop_arena.reports.tournament_files import CONTENT
from cantstop_arena.tables.analysis import Analysis
from cantstop_arena.tournaments.file.keys import MAX_FOLDER_LENGTH, MAX_NAME_LENGTH
from cantstop_arena.tournaments.ledger.read_ledger import load_results, load_results_with_aims
from cantstop_arena.tournaments.tournament import Tournament

if TYPE_CHECKING:
    from cantstop_arena.api.comparisons import ComparisonResults
    from cantstop_arena.bots.catalogue import Catalogue
    from cantstop_arena.tournaments.tournament import Tournament


def open(
    folder: Path | str, *, bots_folder: Path | str = DEFAULT_FOLDER
) -> "Results | ComparisonResults":
    """The results in a folder, of a tournament, a match or a comparison, also while it is played.

    Raises ArenaError where there are none that can be read.
    """
    folder = Path(folder)
    if (folder / CONTENT).is_file():
        from cantstop_arena.api.comparisons import ComparisonResults

        return ComparisonResults(_content(folder), folder)
    return load_tournament_results(folder, bots_folder=bots_folder)


def load_tournament_results(folder: Path, *, bots_folder: Path | str = DEFAULT_FOLDER) -> Results:
    """The results of a tournament or a match in a folder."""
    source = partial(_setting, folder, Path(bots_folder))
    return Results(Analysis(load_results_with_aims(folder)), folder, source)


def rate(
    *folders: Path | str,
    anchor: Mapping[str, float] | None = None,
    plain: bool = False,
    bots_folder: Path | str = DEFAULT_FOLDER,
) -> Results:
    """The results of tournaments in folders, rated together as one.

    `anchor` gives the Elo of bots to which the others relate; `plain` leaves luck in, where it was
    scored and would be removed. Raises ArenaError where they cannot
    be rated together.
    """
    if not folders:
        raise UsageError("which folders are to be rated?")
    paths = [Path(folder) for folder in folders]
    single = paths[0] if len(paths) == 1 else None
    source = partial(_setting, paths[0], Path(bots_folder))
    totals = load_results(paths, anchor or {})
    return Results(Analysis(totals.plain if plain else totals), single, source)


def _setting(folder: Path, bots_folder: Path) -> "tuple[Tournament, Catalogue]":
    """The tournament of a folder, and what can play in it."""
    from cantstop_arena.bots.catalogue import Catalogue
    from cantstop_arena.tournaments.stored_tournament import load_tournament

    catalogue = Catalogue(bots_folder, results=folder.parent)
    tournament = load_tournament(folder, catalogue)
    return tournament, catalogue.playing(tournament.game)


def _content(folder: Path) -> dict[str, object]:
    try:
        content: dict[str, object] = json.loads((folder / CONTENT).read_text("utf-8"))
    except ValueError as error:
        raise LedgerError(f"{folder / CONTENT} is damaged ({error}); compare it again") from error
    return content


_MAX_NAME_LENGTH = 80  # letters of all bots together
_MAX_NAMED = 3  # bots that are named
_DIGITS = 8


def folder_name(tournament: Tournament, bots: int, before: str = "", between: str = "-") -> str:
    """The names of the first bots, and of the rules if they are not the game's usual ones."""
    arguments = [entrant.name for entrant in tournament.entrants[:bots]]
    name = before + between.join(
        _cleaned(word)[: _MAX_NAME_LENGTH // bots].lstrip(".") for word in arguments
    )
    if tournament.rules != tournament.game.rules.default:
        name += f"-{_cleaned(tournament.rules.name)}"
    return _fitted(name)


def digest_name(tournament: Tournament) -> str:
    """Some of the bots, and a digest of all that results depend on but a seed that was drawn.

    So the same tournament has the same folder, and another one has another.
    """
    identity = replace(tournament, name="").identity()
    data = {**identity, "seed": None if tournament.has_random_seed else identity["seed"]}
    digest = hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()[:_DIGITS]
    bots = min(_MAX_NAMED, len(tournament.entrants))
    name = _fitted(folder_name(tournament, bots), _DIGITS + 1)
    return f"{name}-{digest}"


def _cleaned(word: str) -> str:
    return re.sub(r"[^\w.=-]+", "_", word).replace("=", "-")


def _fitted(name: str, spare: int = 0) -> str:
    """As much of a name as a folder's may have."""
    text = name[: MAX_NAME_LENGTH - spare].encode()[: MAX_FOLDER_LENGTH - spare]
    return text.decode(errors="ignore")
