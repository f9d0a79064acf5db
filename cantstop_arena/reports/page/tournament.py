"""The page of a tournament: the answer, the tables, and the charts in front of them."""

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from cantstop_arena.documents import charts
from cantstop_arena.documents.analysis import Analysis
from cantstop_arena.documents.chart_labels import labels
from cantstop_arena.documents.document import Document, Section
from cantstop_arena.documents.formats.model import Column, Estimate, Table, number
from cantstop_arena.documents.tables.crosstable import crosstable
from cantstop_arena.documents.tables.faults import faults
from cantstop_arena.documents.tables.fit import fit
from cantstop_arena.documents.tables.predecessors import effect, predecessors
from cantstop_arena.documents.tables.seats import seats
from cantstop_arena.documents.tables.standings import ELO, per_game, standings
from cantstop_arena.documents.vega import HOVER, Row
from cantstop_arena.games.registry import game_called
from cantstop_arena.reports.page import games, play_style
from cantstop_arena.reports.page.games import Recorded
from cantstop_arena.reports.page.headline import answer, with_error
from cantstop_arena.reports.page.provenance import origin
from cantstop_arena.texts import how_many
from cantstop_arena.tournament.files.config import RESOLVED

COMMAND = shlex.join(["arena", "run", RESOLVED, "--results", "again"])


@dataclass(frozen=True, slots=True)
class Past:
    """What was known after fewer deals."""

    deals: int
    analysis: Analysis


def document(
    analysis: Analysis, past: Sequence[Past], recorded: Sequence[Recorded], configuration: str
) -> Document:
    """The page; `configuration` is the tournament with everything spelled out.

    Games that were `recorded` can be played back on it.
    """
    results = analysis.results
    seats_told = "each bot alone" if analysis.alone else f"{results.players} seats"
    return Document(
        title=results.name,
        about=f"{game_called(results.game).title} ({results.rules.get('name', '')}):"
        f" {how_many(len(results.bots), 'bot')},"
        f" {seats_told}, {how_many(analysis.games, 'game')}.",
        answer=answer(analysis),
        sections=list(_sections(analysis, past, recorded, configuration)),
    )


def _sections(
    analysis: Analysis, past: Sequence[Past], recorded: Sequence[Recorded], configuration: str
) -> Iterator[Section]:
    yield _standings(analysis)
    if analysis.games and not analysis.alone:
        yield _crosstable(analysis)
        yield _seats(analysis)
        if analysis.results.predecessors:
            yield _predecessors(analysis)
    if analysis.games:
        yield from play_style.sections(analysis)
    if recorded:
        yield games.section(game_called(analysis.results.game), recorded)
    if analysis.games and not analysis.alone:
        yield _convergence(analysis, past)
        yield _fit(analysis)
    yield _faults(analysis)
    seed = "several" if analysis.results.seed is None else str(analysis.results.seed)
    yield origin(COMMAND, RESOLVED, configuration, [("seed", seed)])


# Who is ahead -------------------------------------------------------------------------------


def _standings(analysis: Analysis) -> Section:
    found, decimals = (analysis.means, 3) if analysis.alone else (analysis.elo, 1)
    unit = per_game(analysis).heading if analysis.alone else "Elo"
    played = [(name, bot) for name, bot in labels(analysis) if bot not in analysis.idle]
    rows = charts.interval_rows(
        (name, found[bot], f"{unit} {with_error(found[bot], decimals)}") for name, bot in played
    )
    words = f"{unit[0].upper()}{unit[1:]} of each bot. The bars are 95% intervals."
    drawn = [charts.intervals("standings-chart", "Standings", words, unit, rows)] if rows else []
    return Section("standings", "Standings", (), drawn, [standings(analysis)], open=True)


def _crosstable(analysis: Analysis) -> Section:
    table = crosstable(analysis)
    named = labels(analysis)
    rows: list[Row] = []
    for name, me in named:
        for place, (_, you) in enumerate(named, start=1):
            cell = analysis.against[me][you]
            if cell and cell.mean is not None:
                rivals = f"{analysis.results.bots[me]} against {analysis.results.bots[you]}"
                told = f"{rivals}: {with_error(cell, 1, 100)}%"
                text = f"{100 * cell.mean:.0f}"
                rows.append(
                    {"name": name, "place": place, "score": cell.mean, "text": text, HOVER: told}
                )
    words = (
        "Score of the row's bot against that of the column, which has the number of its row. Blue:"
        " above one half, orange: below; the stronger, the farther from it."
    )
    drawn = [charts.heat_map("crosstable-chart", table.title, words, rows, len(named))]
    return Section("crosstable", table.title, (), drawn if rows else (), [table])


def _predecessors(analysis: Analysis) -> Section:
    table, counted = predecessors(analysis), analysis.results.counts.followed
    effects = [
        (f"after {analysis.results.bots[bot]}", found, f"{with_error(found, 2)} {counted} a game")
        for bot in analysis.order
        if (found := effect(analysis, bot)).mean is not None
    ]
    words = (
        f"How many more {counted} a game those have who sit right after a bot than with it"
        " elsewhere at the table. The bars are 95 % intervals."
    )
    unit = f"{counted} more"
    rows = charts.interval_rows(effects)
    drawn = [charts.intervals("predecessors-chart", table.title, words, unit, rows, 0)]
    return Section("predecessors", table.title, (), drawn if rows else (), [table])


def _seats(analysis: Analysis) -> Section:
    table = seats(analysis)
    shares = [
        (f"seat {seat}", score, f"{with_error(score, 2, 100)}% of the wins")
        for seat, (score, _) in enumerate(analysis.seats, start=1)
    ]
    rows = charts.interval_rows(shares, 100)
    words = "Share of the wins of each seat, in percent. The dashed line is an even share."
    even = 100 / analysis.results.players
    drawn = [charts.intervals("seats-chart", "Seats", words, "wins, %", rows, even)]
    said, table = table.notes, replace(table, notes=())
    return Section("seats", "First-player advantage", said, drawn if rows else (), [table])


# How sure it is -----------------------------------------------------------------------------


def _convergence(analysis: Analysis, past: Sequence[Past]) -> Section:
    moments = [*past, Past(analysis.ratings.deals, analysis)]
    rows: list[Row] = []
    for name, bot in labels(analysis)[: charts.MOST_LINES]:
        rows += _line(name, analysis.results.bots[bot], moments)
    columns = [number("deals"), Column("bot", "bot"), ELO]
    table = Table(
        "convergence",
        "Elo after so many deals",
        columns,
        [
            (moment.deals, analysis.results.bots[bot], _elo(moment, analysis.results.bots[bot]))
            for moment in moments
            for bot in analysis.order
        ],
    )
    title = "Rating convergence"
    few = "the first eight bots" if len(analysis.order) > charts.MOST_LINES else "each bot"
    words = f"Elo of {few} after so many deals, with 95% intervals. Labels show the rank."
    axes = "deals", "Elo"
    drawn = [charts.lines("convergence-chart", title, words, axes, rows)] if rows else []
    said = [] if past else ["There are too few deals, or too many games, to look back."]
    return Section("convergence", title, said, drawn, [table])


def _line(name: str, bot: str, moments: Sequence[Past]) -> list[Row]:
    rows: list[Row] = []
    for moment in moments:
        elo = _elo(moment, bot)
        if elo is None or elo.mean is None or elo.low is None or elo.high is None:
            continue
        label = name.partition(" ")[0] if moment is moments[-1] else None
        told = f"{name} after {moment.deals:,} deals: Elo {with_error(elo, 1)}"
        ends = {"mean": elo.mean, "low": elo.low, "high": elo.high}
        rows.append({"name": name, "x": moment.deals, "label": label, HOVER: told, **ends})
    return rows


def _fit(analysis: Analysis) -> Section:
    table, title = fit(analysis), "Model fit"
    if table.rows or table.notes:
        return Section("fit", title, tables=[table])
    return Section("fit", title, ["There are too few bots to tell."])


def _elo(moment: Past, bot: str) -> Estimate | None:
    bots = moment.analysis.results.bots
    return moment.analysis.elo[bots.index(bot)] if bot in bots else None


def _faults(analysis: Analysis) -> Section:
    table = faults(analysis)
    if not table.rows:
        return Section("faults", "Faults", ["No bot misbehaved.", *table.notes])
    return Section("faults", "Faults", (), (), [table], open=True)
