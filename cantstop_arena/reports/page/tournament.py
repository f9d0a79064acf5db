"""The page of a tournament: the answer, the tables, and the charts in front of them."""

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from cantstop_arena.reports.analysis import TURNS, Analysis
from cantstop_arena.reports.crosstable import crosstable
from cantstop_arena.reports.faults import faults
from cantstop_arena.reports.fit import fit
from cantstop_arena.reports.harmless import printable
from cantstop_arena.reports.lengths import Lengths, all_lengths, lengths, over
from cantstop_arena.reports.model import Column, Estimate, Table, Value, number
from cantstop_arena.reports.page import charts, games
from cantstop_arena.reports.page.answer import answer, with_error
from cantstop_arena.reports.page.document import Chart, Document, Section
from cantstop_arena.reports.page.games import Recorded
from cantstop_arena.reports.page.origin import origin
from cantstop_arena.reports.page.vega import HOVER, Row
from cantstop_arena.reports.seats import seats
from cantstop_arena.reports.standings import ELO, standings
from cantstop_arena.reports.styles import counted, styles
from cantstop_arena.tournament.config import RESOLVED

COMMAND = shlex.join(["arena", "run", RESOLVED, "--results", "again"])
BUSTS, COLUMNS = "busts", "columns"
BUST_RATE, SPACES = "bust_rate", "spaces_per_turn"


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
    bots = "1 bot" if len(results.bots) == 1 else f"{len(results.bots)} bots"
    return Document(
        title=results.name,
        about=f"Can't Stop, {results.rules.get('name', '')} rules: {bots}, {seats_told},"
        f" {analysis.games:,} games.",
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
    if analysis.games:
        yield _lengths(analysis)
        yield _outcomes(analysis)
        yield _styles(analysis)
    if recorded:
        yield games.section(recorded)
    if analysis.games and not analysis.alone:
        yield _convergence(analysis, past)
        yield Section("fit", "Is one number enough?", tables=[fit(analysis)])
    yield _faults(analysis)
    seed = "several" if analysis.results.seed is None else str(analysis.results.seed)
    yield origin(COMMAND, RESOLVED, configuration, [("seed", seed)])


def labels(analysis: Analysis) -> list[tuple[str, int]]:
    """What the bots are called in charts, which no two share, and their numbers; in order."""
    return [
        (f"{place} {printable(analysis.results.bots[bot])}", bot)
        for place, bot in enumerate(analysis.order, start=1)
    ]


# Who is ahead -------------------------------------------------------------------------------


def _standings(analysis: Analysis) -> Section:
    found, decimals = (analysis.turns, 3) if analysis.alone else (analysis.elo, 1)
    unit = "turns per game" if analysis.alone else "Elo"
    played = [(name, bot) for name, bot in labels(analysis) if bot not in analysis.idle]
    rows = charts.interval_rows(
        (name, found[bot], f"{unit} {with_error(found[bot], decimals)}") for name, bot in played
    )
    words = f"{unit[0].upper()}{unit[1:]} of each bot. The bars are 95 % intervals."
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
                told = f"{rivals}: {with_error(cell, 1, 100)} %"
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


def _seats(analysis: Analysis) -> Section:
    table = seats(analysis)
    shares = [
        (f"seat {seat}", score, f"{with_error(score, 2, 100)} % of the wins")
        for seat, (score, _) in enumerate(analysis.seats, start=1)
    ]
    rows = charts.interval_rows(shares, 100)
    words = "Share of the wins of each seat, in percent. The dashed line is an even share."
    even = 100 / analysis.results.players
    drawn = [charts.intervals("seats-chart", "Seats", words, "wins, %", rows, even)]
    return Section("seats", "What a seat is worth", table.notes, drawn if rows else (), [table])


# How they play ------------------------------------------------------------------------------


def _lengths(analysis: Analysis) -> Section:
    table = lengths(analysis)
    names = {bot: name for name, bot in labels(analysis)}
    named = [(names[told.bot], told) for told in all_lengths(analysis)]
    drawn = [_spreads(named), _curves(named)] if named else []
    return Section("lengths", table.title, (), drawn, [table])


def _spreads(named: Sequence[tuple[str, Lengths]]) -> Chart:
    words = (
        "Turns of all seats together in the games of each bot: the median, the middle half of the"
        " games (thick), and all but the shortest and the longest twentieth of them."
    )
    rows = [_spread(name, told) for name, told in named]
    return charts.spreads("lengths-chart", "Length of games", words, "turns", rows)


def _spread(name: str, told: Lengths) -> Row:
    ends = dict(zip(("low", "from", "middle", "to", "high"), told.percentiles, strict=True))
    hover = f"{name}: half of its games have {ends['from']} to {ends['to']} turns"
    return {"name": name, **ends, HOVER: f"{hover}, the median is {ends['middle']}"}


def _curves(named: Sequence[tuple[str, Lengths]]) -> Chart:
    words = "How many of a bot's games are over after so many turns, in percent"
    if len(named) > charts.MOST_LINES:
        words = f"{words}; the first {charts.MOST_LINES} bots"
    rows: list[Row] = [
        {"name": name, "x": turns, "share": 100 * share, HOVER: name}
        for name, told in named[: charts.MOST_LINES]
        for turns, share in over(told)
    ]
    return charts.curves("over-chart", "Games over", f"{words}.", ("turns", "games over, %"), rows)


def _outcomes(analysis: Analysis) -> Section:
    totals = counted(analysis)
    rows: list[Row] = []
    table: list[Sequence[Value]] = []
    for name, bot in labels(analysis):
        turns, busts, columns = (totals[bot][count] for count in (TURNS, BUSTS, COLUMNS))
        if not turns or BUSTS not in totals[bot]:
            continue
        bust, topped = busts / turns, columns / turns
        told = f"{name}: bust in {100 * bust:.1f} % of turns, stopped in {100 * (1 - bust):.1f} %"
        told = f"{told}, {100 * topped:.1f} columns claimed in 100 turns"
        for order, (kind, share) in enumerate((("bust", bust), ("stopped", 1 - bust))):
            rows.append(
                {"name": name, "kind": kind, "order": order, "share": 100 * share, HOVER: told}
            )
        table.append((analysis.results.bots[bot], bust, 1 - bust, topped))
    words = "Of 100 turns of each bot, those that ended in a bust and those that it stopped."
    title = "How turns end"
    columns_told = [
        Column("bot", "bot"),
        number("bust", "bust %", 2, percent=True),
        number("stopped", "stopped %", 2, percent=True),
        number("columns", "columns claimed in 100 turns", 2, percent=True),
    ]
    drawn: list[Chart] = []
    if rows:
        bars = ("bust", "stopped")
        drawn = [charts.parts("outcomes-chart", title, words, "turns, %", rows, bars)]
    said = "A turn that wins counts as stopped. Columns are claimed where a bot stops on a top."
    return Section(
        "outcomes", title, [said], drawn, [Table("outcomes", title, columns_told, table)]
    )


def _styles(analysis: Analysis) -> Section:
    table = styles(analysis)
    keys = [column.key for column in table.columns]
    rows: list[Row] = []
    if BUST_RATE in keys and SPACES in keys:
        for (name, _), values in zip(labels(analysis), table.rows, strict=True):
            told = dict(zip(keys, values, strict=True))
            bust, spaces = told[BUST_RATE], told[SPACES]
            if not isinstance(bust, float) or not isinstance(spaces, float):
                continue
            label = name if len(table.rows) <= charts.MOST_LINES else name.partition(" ")[0]
            hover = f"{name}: {spaces:.2f} spaces per turn, bust in {100 * bust:.1f} % of turns"
            rows.append({"x": spaces, "y": 100 * bust, "label": label, HOVER: hover})
    words = "Spaces banked in a turn against the share of turns lost. Numbers are places."
    axes = "spaces per turn", "bust rate, %"
    drawn = [charts.scatter("styles-chart", "Styles", words, axes, rows)] if rows else []
    return Section("styles", "Styles of play", (), drawn, [table])


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
    title = "How the ratings settled"
    few = "the first eight bots" if len(analysis.order) > charts.MOST_LINES else "each bot"
    words = f"Elo of {few} after so many deals, with 95 % intervals. Numbers are places."
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


def _elo(moment: Past, bot: str) -> Estimate | None:
    bots = moment.analysis.results.bots
    return moment.analysis.elo[bots.index(bot)] if bot in bots else None


def _faults(analysis: Analysis) -> Section:
    table = faults(analysis)
    if not table.rows:
        return Section("faults", "Faults", ["No bot misbehaved.", *table.notes])
    return Section("faults", "Faults", (), (), [table], open=True)
