"""Pages from results, folders and games. What draws them is imported only where it is needed."""

import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from cantstop_arena.errors import LedgerError, PageError
from cantstop_arena.reports.comparison_report import write_comparison_page
from cantstop_arena.reports.tournament_files import CONTENT, write_page
from cantstop_arena.tables.analysis import Analysis
from cantstop_arena.tables.notes import about_missing_games
from cantstop_arena.tournaments.ledger.read_ledger import load_results_with_aims

if TYPE_CHECKING:
    from cantstop_arena.game_api.game import Event
    from cantstop_arena.reports.tuning_report import SearchSpace
    from cantstop_arena.tables.analysis import Analysis
    from cantstop_arena.tuning.tuner import TuningResult

_REPORT = (
    "the page report.html is written; all other results are there. Install the program anew"
    " (pip install -e .), then: arena report RESULTS"
)
_TUNING = "pages of options are written. Install the program anew (pip install -e .)"
_REPLAY = "pages of games are written. Install the program anew (pip install -e .)"


def tournament_page(analysis: "Analysis", folder: Path) -> str:
    """The page of the tournament in a folder."""
    from cantstop_arena.games.registry import game_named
    from cantstop_arena.reports.highlights import recorded_games
    from cantstop_arena.tables.analysis import Analysis
    from cantstop_arena.tournaments.ledger.convergence import history
    from cantstop_arena.tournaments.tournament import RESOLVED
    from cantstop_arena.views.default_view import view_of

    with _wanted(_REPORT):
        from cantstop_arena.pages.document import as_html
        from cantstop_arena.reports.page import tournament_page as tournament
        from cantstop_arena.reports.page.convergence_section import PastAnalysis
    results = analysis.results
    past = [
        PastAnalysis(moment.deals, Analysis(replace(moment.results, until=results.until)))
        for moment in history(folder, results.anchor)
    ]
    configuration = (folder / RESOLVED).read_text("utf-8")
    recorded = recorded_games(analysis, folder)
    kept = view_of(game_named(results.game)).stored_sections(folder)
    return as_html(tournament.document(analysis, past, recorded, [*kept], configuration))


def comparison_page(content: dict[str, Any], folder: Path) -> str:
    """The page of the comparison in a folder, from what its comparison.json says."""
    from cantstop_arena.comparisons.comparison_file import RESOLVED_FILE

    with _wanted(_REPORT):
        from cantstop_arena.pages.document import as_html
        from cantstop_arena.reports.page import comparison_page as comparison
    configuration = (folder / RESOLVED_FILE).read_text("utf-8")
    return as_html(comparison.document(content, configuration))


def replay_page(events: Iterable["Event"]) -> str:
    """The page on which a game can be played back. It does not tell beforehand who wins."""
    with _wanted(_REPLAY):
        from cantstop_arena.pages.document import as_html
        from cantstop_arena.reports.page import games_section
    return as_html(games_section.document(list(events)))


def tuning_page(
    found: "TuningResult", wish: "SearchSpace", bot: str, against: str, elo: float
) -> str:
    """The page of what `arena tune` has found."""
    with _wanted(_TUNING):
        from cantstop_arena.pages.document import as_html
        from cantstop_arena.reports.page import tuning_page as tuning
    return as_html(tuning.document(found, wish, bot, against, elo))


@contextmanager
def _wanted(purpose: str) -> Iterator[None]:
    """Says what a package that is missing is wanted for, and how to get it."""
    try:
        yield
    except ImportError as missing:
        raise PageError(f"There is no {missing.name}, with which {purpose}") from missing


def write_page_of(folder: Path) -> tuple[Path, str]:
    """Write the page into a folder with results; what to say of games that are missing, if any.

    Raises ArenaError where it holds none, or none that can be read.
    """
    if not (folder / CONTENT).is_file():
        analysis = Analysis(load_results_with_aims(folder))
        return write_page(analysis, folder), about_missing_games(analysis)
    try:
        content = json.loads((folder / CONTENT).read_text("utf-8"))
        return write_comparison_page(content, folder), ""
    except (ValueError, KeyError, TypeError) as error:
        raise LedgerError(
            f"{folder / CONTENT} is damaged ({error}); arena compare writes it again."
        ) from error
