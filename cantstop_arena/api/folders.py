"""Results that lie in folders: opened, or rated together."""

import json
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from cantstop_arena.api.results import Results
from cantstop_arena.bot_sources.plugins import DEFAULT_FOLDER
from cantstop_arena.documents.analysis import Analysis
from cantstop_arena.errors import LedgerError, UsageError
from cantstop_arena.reports.files import CONTENT
from cantstop_arena.tournament.ledgers.archive import reread, reread_as_asked

if TYPE_CHECKING:
    from cantstop_arena.api.comparisons import ComparisonResults
    from cantstop_arena.bot_sources.catalogue import Catalogue
    from cantstop_arena.tournament.files.tournament import Tournament


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
    return opened(folder, bots_folder=bots_folder)


def opened(folder: Path, *, bots_folder: Path | str = DEFAULT_FOLDER) -> Results:
    """The results of a tournament or a match in a folder."""
    source = partial(_setting, folder, Path(bots_folder))
    return Results(Analysis(reread_as_asked(folder)), folder, source)


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
    found = reread(paths, anchor or {})
    return Results(Analysis(found.plain if plain else found), single, source)


def _setting(folder: Path, bots_folder: Path) -> "tuple[Tournament, Catalogue]":
    """The tournament of a folder, and what can play in it."""
    from cantstop_arena.bot_sources.catalogue import Catalogue
    from cantstop_arena.tournament.reopening import played_in

    catalogue = Catalogue(bots_folder, results=folder.parent)
    tournament = played_in(folder, catalogue)
    return tournament, catalogue.playing(tournament.game)


def _content(folder: Path) -> dict[str, object]:
    try:
        content: dict[str, object] = json.loads((folder / CONTENT).read_text("utf-8"))
    except ValueError as error:
        raise LedgerError(f"{folder / CONTENT} is damaged ({error}); compare it again") from error
    return content
