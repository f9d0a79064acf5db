"""Results that lie in folders: opened, or rated together."""

import json
from collections.abc import Mapping
from pathlib import Path

from cantstop_arena.api.comparisons import ComparisonResults
from cantstop_arena.api.results import Results
from cantstop_arena.api.tournaments import BOTS
from cantstop_arena.bot_sources.catalogue import Catalogue
from cantstop_arena.documents.analysis import Analysis
from cantstop_arena.errors import LedgerError, UsageError
from cantstop_arena.reports.comparison import CONTENT
from cantstop_arena.tournament.ledgers.archive import reread, reread_as_asked


def open(folder: Path | str, *, bots_folder: Path | str = BOTS) -> Results | ComparisonResults:
    """The results in a folder, of a tournament, a match or a comparison, also while it is played.

    Raises ArenaError where there are none that can be read.
    """
    folder = Path(folder)
    if (folder / CONTENT).is_file():
        return ComparisonResults(_content(folder), folder)
    return opened(folder, bots_folder=bots_folder)


def opened(folder: Path, *, bots_folder: Path | str = BOTS) -> Results:
    """The results of a tournament or a match in a folder."""
    catalogue = Catalogue(Path(bots_folder), results=folder.parent)
    return Results(Analysis(reread_as_asked(folder)), folder, catalogue)


def rate(
    *folders: Path | str,
    anchor: Mapping[str, float] | None = None,
    bots_folder: Path | str = BOTS,
) -> Results:
    """The results of tournaments in folders, rated together as one.

    `anchor` gives the Elo of bots to which the others relate. Raises ArenaError where they cannot
    be rated together.
    """
    if not folders:
        raise UsageError("which folders are to be rated?")
    paths = [Path(folder) for folder in folders]
    catalogue = Catalogue(Path(bots_folder), results=paths[0].parent)
    single = paths[0] if len(paths) == 1 else None
    return Results(Analysis(reread(paths, anchor or {})), single, catalogue)


def _content(folder: Path) -> dict[str, object]:
    try:
        content: dict[str, object] = json.loads((folder / CONTENT).read_text("utf-8"))
    except ValueError as error:
        raise LedgerError(f"{folder / CONTENT} is damaged ({error}); compare it again") from error
    return content
