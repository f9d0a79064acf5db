"""The page of a tournament: the headline and the sections."""

import shlex
from collections.abc import Iterator, Sequence

from cantstop_arena.games.registry import game_named
from cantstop_arena.pages.document import Document, Section
from cantstop_arena.reports.headline import answer, headline
from cantstop_arena.reports.page import games_section
from cantstop_arena.reports.page.convergence_section import PastAnalysis, convergence_section
from cantstop_arena.reports.page.crosstable_section import crosstable_section
from cantstop_arena.reports.page.facts import facts, origin, source
from cantstop_arena.reports.page.faults_section import faults_section
from cantstop_arena.reports.page.fit_section import fit_section
from cantstop_arena.reports.page.games_section import Recorded
from cantstop_arena.reports.page.lengths_section import lengths_section
from cantstop_arena.reports.page.seats_section import predecessors_section, seats_section
from cantstop_arena.reports.page.standings_section import differences_section, standings_section
from cantstop_arena.reports.page.styles_section import styles_section
from cantstop_arena.tables.analysis import Analysis
from cantstop_arena.texts import how_many
from cantstop_arena.tournaments.tournament import RESOLVED
from cantstop_arena.views.default_view import view_of

COMMAND = shlex.join(["arena", "run", RESOLVED, "--results", "again"])


def document(
    analysis: Analysis,
    past: Sequence[PastAnalysis],
    recorded: Sequence[Recorded],
    stored_sections: Sequence[Section],
    configuration: str,
) -> Document:
    """The page of a tournament.

    `past` are the analyses after fewer deals, `recorded` the highlights to play back, and
    `stored_sections` the sections that commands of the game have stored, such as judgements;
    `configuration` is the tournament's YAML file with all defaults.
    """
    results = analysis.results
    seats_text = (
        "each bot alone" if analysis.is_solo else f"{results.seats or results.players} players"
    )
    return Document(
        title=results.name,
        about=f"{game_named(results.game).title}, {results.rules.get('name', '')} rules,"
        f" {seats_text}",
        answer=answer(analysis),
        sections=list(_sections(analysis, past, recorded, stored_sections, configuration)),
        headline=headline(analysis),
        facts=facts(analysis),
        source=source(results.name, seed_text(analysis), how_many(analysis.games, "game")),
    )


def seed_text(analysis: Analysis) -> str:
    """The seed of the games; several where tournaments were rated together."""
    return "several" if analysis.results.seed is None else str(analysis.results.seed)


def _sections(
    analysis: Analysis,
    past: Sequence[PastAnalysis],
    recorded: Sequence[Recorded],
    stored_sections: Sequence[Section],
    configuration: str,
) -> Iterator[Section]:
    met = analysis.games > 0 and not analysis.is_solo
    yield standings_section(analysis)
    if met and len(analysis.order) > 1:
        yield crosstable_section(analysis)
    if analysis.differences:
        yield differences_section(analysis, analysis.differences)
    if recorded:
        yield games_section.section(game_named(analysis.results.game), recorded)
    if met:
        yield seats_section(analysis)
        if analysis.results.predecessors:
            yield predecessors_section(analysis)
    if analysis.games:
        yield from sections(analysis)
    yield from stored_sections
    if met:
        if len(analysis.fields) == 1:
            yield convergence_section(analysis, past)
        yield fit_section(analysis)
    yield faults_section(analysis)
    yield origin(COMMAND, RESOLVED, configuration, [("seed", seed_text(analysis))])


def sections(analysis: Analysis) -> Iterator[Section]:
    """The sections on how bots play, for tournaments with games.

    Games ended by faults have no length and no style.
    """
    if analysis.forfeits == analysis.games:
        paragraph = (
            "No game was played to its end, so there is nothing to tell of how the bots play."
        )
        yield Section("lengths", "Game length", [paragraph])
        return
    view = view_of(game_named(analysis.results.game))
    if analysis.results.counts.rates:
        yield styles_section(analysis)
    yield from view.page_sections(analysis)
    yield lengths_section(analysis)
