"""Pages from results and the folders they lie in. What draws them is imported only here."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from cantstop_arena.compare.config import SPELLED_OUT
from cantstop_arena.errors import PageError
from cantstop_arena.reports.analysis import Analysis
from cantstop_arena.tournament.config import RESOLVED
from cantstop_arena.tournament.history import history

try:
    from cantstop_arena.reports.page import comparison, tournament
    from cantstop_arena.reports.page.document import as_html
    from cantstop_arena.reports.page.vega import warm_up
except ImportError as missing:
    raise PageError(
        f"There is no {missing.name}, with which the page report.html is written; all other results"
        " are there. Install the program anew (pip install -e .), then: arena report RESULTS"
    ) from missing


def tournament_page(analysis: Analysis, folder: Path) -> str:
    """The page of the tournament in a folder."""
    warm_up()
    results = analysis.results
    past = [
        tournament.Past(moment.deals, Analysis(replace(moment.results, until=results.until)))
        for moment in history(folder, results.anchor)
    ]
    configuration = (folder / RESOLVED).read_text("utf-8")
    return as_html(tournament.document(analysis, past, configuration))


def comparison_page(content: dict[str, Any], folder: Path) -> str:
    """The page of the comparison in a folder, from what its comparison.json says."""
    configuration = (folder / SPELLED_OUT).read_text("utf-8")
    return as_html(comparison.document(content, configuration))
