"""The page of a folder with results, whether a tournament's or a comparison's."""

import json
from pathlib import Path

from cantstop_arena.documents.analysis import Analysis
from cantstop_arena.documents.tables.notes import about_missing_games
from cantstop_arena.errors import LedgerError
from cantstop_arena.reports.comparison import write_comparison_page
from cantstop_arena.reports.files import CONTENT, write_page
from cantstop_arena.tournament.ledgers.archive import reread_as_asked


def write_page_of(folder: Path) -> tuple[Path, str]:
    """Write the page into a folder with results; what to say of games that are missing, if any.

    Raises ArenaError where it holds none, or none that can be read.
    """
    if not (folder / CONTENT).is_file():
        analysis = Analysis(reread_as_asked(folder))
        return write_page(analysis, folder), about_missing_games(analysis)
    try:
        content = json.loads((folder / CONTENT).read_text("utf-8"))
        return write_comparison_page(content, folder), ""
    except (ValueError, KeyError, TypeError) as error:
        raise LedgerError(
            f"{folder / CONTENT} is damaged ({error}); arena compare writes it again."
        ) from error
