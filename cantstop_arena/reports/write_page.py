"""Pages of tournaments, comparisons, games, tunings and versions.

Modules that draw are imported in the functions, as they need Jinja2 and slow the start.
"""

import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from cantstop_arena.atomic_files import check_output_file, write_result
from cantstop_arena.errors import LedgerError, PageError
from cantstop_arena.extension_registry import kinds_in
from cantstop_arena.reports.comparison_report import write_comparison_page
from cantstop_arena.reports.tournament_files import CONTENT, PAGE, write_page
from cantstop_arena.reports.tuning_report import TUNING
from cantstop_arena.tables.analysis import Analysis
from cantstop_arena.tables.notes import about_missing_games
from cantstop_arena.tournaments.ledger.read_ledger import load_results_with_aims, read_ledger

if TYPE_CHECKING:
    from cantstop_arena.game_api.state import Event
    from cantstop_arena.tables.analysis import Analysis
    from cantstop_arena.tables.column import Table

_REPORT = (
    "report.html cannot be written: {package} is missing. All other results are there. Reinstall"
    " (pip install -e .), then run: arena report RESULTS"
)
_TUNING = "The page of options cannot be written: {package} is missing. Reinstall: pip install -e ."
_HISTORY = (
    "The page of versions cannot be written: {package} is missing. Reinstall: pip install -e ."
)
_REPLAY = "The page of a game cannot be written: {package} is missing. Reinstall: pip install -e ."


def tournament_page(analysis: "Analysis", folder: Path) -> str:
    """The page of the tournament in a folder, as HTML."""
    from cantstop_arena.games.registry import game_named
    from cantstop_arena.reports.headline import challenger_of
    from cantstop_arena.reports.highlights import recorded_games
    from cantstop_arena.reports.match_report import stored_finding
    from cantstop_arena.tables.analysis import Analysis
    from cantstop_arena.tournaments.ledger.convergence import history
    from cantstop_arena.tournaments.ledger.match_looks import match_looks
    from cantstop_arena.tournaments.tournament import RESOLVED
    from cantstop_arena.views.default_view import view_of

    with requiring_package(_REPORT):
        from cantstop_arena.pages.document import as_html
        from cantstop_arena.reports.page import gauntlet_page, match_page
        from cantstop_arena.reports.page import tournament_page as tournament
        from cantstop_arena.reports.page.convergence_section import PastAnalysis
    results = analysis.results
    configuration = (folder / RESOLVED).read_text("utf-8")
    recorded = recorded_games(analysis, folder)
    stored_sections = chain(
        view_of(game_named(results.game)).stored_sections(folder),
        *(resolve_name(kind.sections)(folder) for kind in kinds_in(folder) if kind.sections),
    )
    result = stored_finding(folder, analysis)
    needs_past = not (results.challenger or (result and result.test))
    past = [
        PastAnalysis(moment.deals, Analysis(replace(moment.results, until=results.until)))
        for moment in (history(folder, results.anchor) if needs_past else ())
    ]
    if result is None:
        challenger = challenger_of(analysis)
        sections = [*stored_sections]
        if challenger is None:
            content = tournament.document(analysis, past, recorded, sections, configuration)
        else:
            content = gauntlet_page.document(
                analysis, challenger, recorded, sections, configuration
            )
        return as_html(content)
    versions = read_ledger(folder, lambda totals: totals.query.versions)
    looks = match_looks(folder, result.test) if result.test else []
    return as_html(
        match_page.document(
            analysis,
            result,
            past,
            looks,
            recorded,
            [*stored_sections],
            configuration,
            versions,
        )
    )


def comparison_page(content: dict[str, Any], folder: Path) -> str:
    """The page of the comparison in a folder, from the content of its comparison.json."""
    from cantstop_arena.comparisons.comparison_file import RESOLVED_FILE

    with requiring_package(_REPORT):
        from cantstop_arena.pages.document import as_html
        from cantstop_arena.reports.page import comparison_page as comparison
    configuration = (folder / RESOLVED_FILE).read_text("utf-8")
    return as_html(comparison.document(content, configuration))


def replay_page(events: Iterable["Event"]) -> str:
    """The page that replays a game; its headings do not name the winner."""
    with requiring_package(_REPLAY):
        from cantstop_arena.pages.document import as_html
        from cantstop_arena.reports.page import games_section
    return as_html(games_section.document(list(events)))


def tuning_page(content: dict[str, Any]) -> str:
    """The page of a tuning, from the content of its tuning.json."""
    with requiring_package(_TUNING):
        from cantstop_arena.pages.document import as_html
        from cantstop_arena.reports.page import tuning_page as tuning
    return as_html(tuning.document(content))


def history_page(table: "Table", bot: str, headline: str, note: str) -> str:
    """The page of the versions of a bot, from their table, with a note if there is one."""
    with requiring_package(_HISTORY):
        from cantstop_arena.pages.document import as_html
        from cantstop_arena.reports.page import history_page as history
    return as_html(history.document(table, bot, headline, note))


@contextmanager
def requiring_package(message: str) -> Iterator[None]:
    """Raises PageError with the message where a package is missing, named as {package}."""
    try:
        yield
    except ImportError as missing:
        raise PageError(message.format(package=missing.name)) from missing


def write_page_of(folder: Path) -> tuple[Path, str]:
    """Write the page of a folder of results; return its path and a note on missing games.

    The note is empty where all games were played. Raises ArenaError where the folder has no
    results, or damaged ones.
    """
    if folder.is_dir():
        check_output_file(folder / PAGE)
    for kind in kinds_in(folder):
        if kind.page:
            written: tuple[Path, str] = resolve_name(kind.page)(folder)
            return written
    if (folder / TUNING).is_file():
        try:
            content = json.loads((folder / TUNING).read_text("utf-8"))
            return write_result(folder, PAGE, tuning_page(content)), ""
        except (ValueError, KeyError, TypeError) as error:
            raise LedgerError(
                f"{folder / TUNING} is damaged ({error}); arena tune writes it again."
            ) from error
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
