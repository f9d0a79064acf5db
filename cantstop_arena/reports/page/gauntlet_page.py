"""The page of a gauntlet: the challenger's rank, and its score against each opponent."""

from collections.abc import Iterator, Sequence
from functools import partial

import msgspec
from markupsafe import Markup

from cantstop_arena.games.registry import game_named
from cantstop_arena.pages.axes import Axis, axis_around
from cantstop_arena.pages.document import Document, Fact, Figure, Section
from cantstop_arena.pages.html_table import Cell, Head, HtmlRow, name_cell, row_table, slot
from cantstop_arena.pages.marks import dot, drawing, grid, interval, scale
from cantstop_arena.pages.number_text import (
    error_of,
    number_with_error,
    number_word,
    percent,
    plain,
)
from cantstop_arena.ratings.estimate import Estimate
from cantstop_arena.reports.headline import headline
from cantstop_arena.reports.page import games_section
from cantstop_arena.reports.page.facts import MIDDLE, marked_axis, origin, source
from cantstop_arena.reports.page.faults_section import faults_section
from cantstop_arena.reports.page.games_section import Recorded
from cantstop_arena.reports.page.tournament_page import COMMAND, seed_text
from cantstop_arena.tables.analysis import Analysis
from cantstop_arena.tables.notes import GAUNTLET, SINGLE_RATING, about_standings
from cantstop_arena.tables.styles import styles
from cantstop_arena.texts import how_many, ordinal
from cantstop_arena.tournaments.tournament import RESOLVED

BEATS, OPEN, LOSES = "beats", "open", "loses to"
_SIGNS = {BEATS: "\u25b2", OPEN: "?", LOSES: "\u25bc"}
_KINDS = {BEATS: "best", OPEN: "hollow", LOSES: "less"}
_ORDER = {BEATS: 1.0, OPEN: 0.0, LOSES: -1.0}
_ROW, _MAX_NAMED = 30, 3


class Opponent(msgspec.Struct, frozen=True):
    """An opponent, the challenger's score against it, and the verdict after Holm's correction."""

    bot: int
    name: str
    score: Estimate
    verdict: str


def opponents(analysis: Analysis, challenger: int) -> list[Opponent]:
    """The opponents that the challenger has met, the strongest first."""
    met_opponents = []
    for bot in analysis.order:
        score = analysis.against[challenger][bot]
        if bot == challenger or score is None or score.mean is None:
            continue
        verdict = OPEN
        if analysis.decided[challenger][bot]:
            verdict = BEATS if score.mean > 0.5 else LOSES
        met_opponents.append(Opponent(bot, analysis.results.bots[bot], score, verdict))
    return met_opponents


def document(
    analysis: Analysis,
    challenger: int,
    recorded: Sequence[Recorded],
    stored_sections: Sequence[Section],
    configuration: str,
) -> Document:
    """The page of a gauntlet; the arguments are as for a tournament's page."""
    results, game = analysis.results, game_named(analysis.results.game)
    seed, met = seed_text(analysis), opponents(analysis, challenger)
    sections = [_opponents_section(analysis, challenger, met)]
    if results.counts.rates and analysis.forfeits < analysis.games:
        sections.append(_style_section(analysis, challenger))
    if recorded:
        sections.append(games_section.section(game, recorded))
    sections += stored_sections
    sections.append(faults_section(analysis))
    sections.append(origin(COMMAND, RESOLVED, configuration, [("seed", seed)]))
    return Document(
        title=results.name,
        about=f"{game.title}, {results.rules.get('name', '')} rules, {results.players} players",
        answer=_answer(analysis, challenger, met),
        sections=sections,
        headline=headline(analysis),
        facts=list(_facts(analysis, challenger, met)),
        source=source(results.name, seed, how_many(analysis.games, "game")),
    )


def _answer(analysis: Analysis, challenger: int, met: Sequence[Opponent]) -> list[str]:
    beaten = sum(each.verdict == BEATS for each in met)
    count = number_word(beaten) if beaten else "none"
    text = f"It beats {count} of {number_word(len(met))} {_noun(met)}"
    scored = percent(analysis.scores[challenger].mean or 0)
    games = how_many(analysis.games_of[challenger], "game")
    notes = [
        note
        for note in about_standings(analysis)
        if not note.startswith(GAUNTLET) and SINGLE_RATING not in note
    ]
    return [f"{text}; in {games} it scores {scored}.", *notes]


def _noun(met: Sequence[Opponent]) -> str:
    return "opponent" if len(met) == 1 else "opponents"


# Facts ---------------------------------------------------------------------------------------


def _facts(analysis: Analysis, challenger: int, met: Sequence[Opponent]) -> Iterator[Fact]:
    count = len(analysis.order)
    rank = next(rank for rank, bot in analysis.ranking if bot == challenger)
    best, worst = analysis.ranks[challenger]
    if rank is not None:
        ends = f"{ordinal(best)} to {ordinal(worst)}" if best < worst else ordinal(rank)
        plot = _ranks(count, rank, best, worst)
        yield Fact("Rank", f"{ordinal(rank)} of {count}", "", f"{ends} with 95%", plot)
    elo, score = analysis.elo[challenger], analysis.scores[challenger]
    if elo.mean is not None and not elo.low is elo.high is None:
        error = error_of(elo, 1)
        note = "1,500 scores half against this field"
        if analysis.results.anchor:
            note = "in the Elo of the anchors"
        yield Fact("Elo", plain(elo.mean), error, note, _field(analysis, challenger))
    if score.mean is not None:
        error = error_of(score, 1, 100)
        games = how_many(analysis.games_of[challenger], "game")
        yield Fact("Score", percent(score.mean), error, f"in {games}")
    counts = [sum(each.verdict == verdict for each in met) for verdict in (BEATS, OPEN, LOSES)]
    yield Fact("Opponents", " · ".join(map(str, counts)), "", "beaten · open · lost to")


def _ranks(count: int, rank: int, best: int, worst: int) -> Markup:
    """The ranks as dots, with the interval of the challenger's."""
    axis = Axis(1, max(2, count), 5)
    dots = [dot(axis, position, MIDDLE, "spot", 2.5) for position in range(1, count + 1)]
    mark = interval(axis, Estimate(rank, best, worst), MIDDLE, "best")
    return marked_axis(axis, [*dots, mark], [], "")


def _field(analysis: Analysis, challenger: int) -> Markup:
    """The Elo of the field as dots, with the interval of the challenger's."""
    elo = analysis.elo[challenger]
    rated = [bot for bot in analysis.order if bot != challenger]
    values = [analysis.elo[bot].mean for bot in rated]
    axis = axis_around([*values, *elo], pad=4, max_ticks=6)
    dots = [dot(axis, value, MIDDLE, "spot", 2.5) for value in values if value is not None]
    return marked_axis(axis, [*dots, interval(axis, elo, MIDDLE, "best")], [], "")


# Opponents -----------------------------------------------------------------------------------


def _opponents_section(analysis: Analysis, challenger: int, met: Sequence[Opponent]) -> Section:
    name, players = analysis.results.bots[challenger], analysis.results.players
    axis = Axis(0, 100, 2)
    ticks = [0.0, 25.0, 50.0, 75.0, 100.0]
    plot = Head(f"Score of {name}", "plot", sorts=False, axis=scale(axis, ticks, "%"))
    heads = [
        Head("Opponent", "bot"),
        plot,
        Head(slot("Score %")),
        Head("Verdict", "verdict-of"),
        Head(slot("Elo")),
        Head("Games", "num gm"),
    ]
    rows = [HtmlRow(_opponent_cells(analysis, each, axis, ticks)) for each in met]
    corrected = ""
    if len(met) > 1:
        corrected = f" Verdicts are corrected for {len(met)} opponents (Holm)."
    of_what = "" if players == 2 else ", of games that one of the two won"
    caption = (
        f"Score of {name} with its 95% interval{of_what}; the strongest opponent on top.{corrected}"
    )
    note = f"The opponents did not play each other: their Elo is from games with {name} alone."
    figure = Figure(row_table("rows gauntlet", "Opponents", heads, rows), caption, [note])
    return Section("opponents", "Opponents", (), [figure], finding=verdicts_text(met))


def _opponent_cells(
    analysis: Analysis, each: Opponent, axis: Axis, ticks: Sequence[float]
) -> list[Cell]:
    percents = each.score.scaled(100)
    marks = [
        *grid(axis, ticks, _ROW, 50),
        interval(axis, percents, _ROW / 2, _KINDS[each.verdict]),
    ]
    elo, games = analysis.elo[each.bot], analysis.games_of[each.bot]
    return [
        name_cell(each.name),
        Cell(drawing(_ROW, *marks), "plot"),
        Cell(number_with_error(each.score, 1, 100), value=percents.mean, label="Score %"),
        Cell(f"{_SIGNS[each.verdict]} {each.verdict}", "verdict-of", _ORDER[each.verdict]),
        Cell(number_with_error(elo, 1), value=elo.mean, label="Elo"),
        Cell(f"{games:,}", "num gm", games, label="Games"),
    ]


def verdicts_text(met: Sequence[Opponent]) -> str:
    """How many opponents the challenger beats and loses to, and which stay open."""
    beaten, undecided, lost = (
        [each.name for each in met if each.verdict == verdict] for verdict in (BEATS, OPEN, LOSES)
    )
    if not met:
        return "It has met no opponent"
    if len(met) == 1:
        if undecided:
            return f"Against {met[0].name} it stays open who is stronger"
        return f"It {met[0].verdict} {met[0].name}"
    if len(undecided) == len(met):
        return f"All {number_word(len(met))} opponents stay open"
    if len(beaten) == len(met) or len(lost) == len(met):
        return f"It {'beats' if beaten else 'loses to'} all {number_word(len(met))}"
    verdicts = [
        f"{verb} {number_word(len(names))}"
        for verb, names in ((BEATS, beaten), (LOSES, lost))
        if names
    ]
    text = f"It {', '.join(verdicts)}"
    if len(undecided) == 1:
        return f"{text}; {undecided[0]} stays open"
    return f"{text}; {number_word(len(undecided))} stay open" if undecided else text


# Style ---------------------------------------------------------------------------------------


def _style_section(analysis: Analysis, challenger: int) -> Section:
    """The section of the challenger's rates among those of the field."""
    table, name = styles(analysis), analysis.results.bots[challenger]
    heads = [
        Head("Measure", "bot", sorts=False),
        Head("Least to most in the field", "plot", sorts=False),
        Head(name, "num own", sorts=False),
        Head("Field", sorts=False),
    ]
    rows, finding = [], "How it plays"
    for index, column in enumerate(table.columns[1:], start=1):
        values = {
            str(row[0]): value for row in table.rows if isinstance(value := row[index], int | float)
        }
        if name not in values or len(values) < 2:
            continue
        form = percent if column.percent else partial(plain, decimals=2)
        own = values.pop(name)
        ends = f"{form(min(values.values()))} to {form(max(values.values()))}"
        axis = axis_around([own, *values.values()], pad=2)
        marks = [
            *grid(axis, [], _ROW),
            *(dot(axis, value, _ROW / 2, "spot", 3) for value in values.values()),
            dot(axis, own, _ROW / 2, "", 5),
        ]
        heading = column.heading.removesuffix(" %").capitalize()
        rows.append(
            HtmlRow(
                [
                    Cell(heading, "bot", heads_row=True),
                    Cell(drawing(_ROW, *marks), "plot"),
                    Cell(form(own), "num own", label=name),
                    Cell(ends, "num weak", label="Field"),
                ]
            )
        )
        if column.percent and finding == "How it plays":
            finding = f"{heading} of {name}: {form(own)}, of the field {ends}"
    caption = f"Large dot: {name}; grey: the field. Each row has its own scale."
    figure = Figure(row_table("rows style-of", "Style in the field", heads, rows), caption)
    return Section("styles", "Style", (), [figure], finding=finding, folded=True)
