"""How the bots play: the sections on it, the game's own among them."""

from collections.abc import Iterator

from cantstop_arena.documents.analysis import Analysis
from cantstop_arena.documents.document import Section
from cantstop_arena.games.registry import game_called
from cantstop_arena.reports.page.sections.lengths_section import lengths_section
from cantstop_arena.reports.page.sections.styles_section import styles_section
from cantstop_arena.views.game_view import view_of


def sections(analysis: Analysis) -> Iterator[Section]:
    """A section each; there have to be games. Those that a fault ended tell of no habits."""
    if analysis.forfeits == analysis.games:
        said = "No game was played to its end, so there is nothing to tell of how the bots play."
        yield Section("lengths", "Game length", [said])
        return
    view = view_of(game_called(analysis.results.game))
    if analysis.results.counts.rates:
        yield styles_section(analysis)
    yield from view.page_sections(analysis)
    yield lengths_section(analysis)
