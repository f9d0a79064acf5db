"""Pages from results, folders and games. What draws them is imported only where it is needed."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from cantstop_arena.errors import PageError

if TYPE_CHECKING:
    from cantstop_arena.documents.analysis import Analysis
    from cantstop_arena.game_api.game import Event
    from cantstop_arena.reports.tuning import Wish
    from cantstop_arena.tuning.tune import Tuned

_REPORT = (
    "the page report.html is written; all other results are there. Install the program anew"
    " (pip install -e .), then: arena report RESULTS"
)
_TUNING = "pages of options are written. Install the program anew (pip install -e .)"
_REPLAY = "pages of games are written. Install the program anew (pip install -e .)"


def tournament_page(analysis: "Analysis", folder: Path) -> str:
    """The page of the tournament in a folder."""
    from cantstop_arena.documents.analysis import Analysis
    from cantstop_arena.games.registry import game_called
    from cantstop_arena.reports.highlights import recorded_games
    from cantstop_arena.tournament.files.tournament import RESOLVED
    from cantstop_arena.tournament.ledgers.history import history
    from cantstop_arena.views.game_view import view_of

    with _wanted(_REPORT):
        from cantstop_arena.documents.document import as_html
        from cantstop_arena.reports.page import tournament
        from cantstop_arena.reports.page.sections.convergence_section import Past
    results = analysis.results
    past = [
        Past(moment.deals, Analysis(replace(moment.results, until=results.until)))
        for moment in history(folder, results.anchor)
    ]
    configuration = (folder / RESOLVED).read_text("utf-8")
    recorded = recorded_games(analysis, folder)
    kept = view_of(game_called(results.game)).kept_sections(folder)
    return as_html(tournament.document(analysis, past, recorded, [*kept], configuration))


def comparison_page(content: dict[str, Any], folder: Path) -> str:
    """The page of the comparison in a folder, from what its comparison.json says."""
    from cantstop_arena.compare.config import SPELLED_OUT

    with _wanted(_REPORT):
        from cantstop_arena.documents.document import as_html
        from cantstop_arena.reports.page import comparison
    configuration = (folder / SPELLED_OUT).read_text("utf-8")
    return as_html(comparison.document(content, configuration))


def replay_page(events: Iterable["Event"]) -> str:
    """The page on which a game can be played back. It does not tell beforehand who wins."""
    with _wanted(_REPLAY):
        from cantstop_arena.documents.document import as_html
        from cantstop_arena.reports.page import games
    return as_html(games.document(list(events)))


def tuning_page(found: "Tuned", wish: "Wish", bot: str, against: str, elo: float) -> str:
    """The page of what `arena tune` has found."""
    with _wanted(_TUNING):
        from cantstop_arena.documents.document import as_html
        from cantstop_arena.reports.page import tuning
    return as_html(tuning.document(found, wish, bot, against, elo))


@contextmanager
def _wanted(purpose: str) -> Iterator[None]:
    """Says what a package that is missing is wanted for, and how to get it."""
    try:
        yield
    except ImportError as missing:
        raise PageError(f"There is no {missing.name}, with which {purpose}") from missing
