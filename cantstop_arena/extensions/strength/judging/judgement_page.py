"""Pages of judgements: what each bot loses and by what, and its worst decisions, drawn."""

import shlex
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path

from markupsafe import Markup

from cantstop_arena.extensions.strength.exact.regret import KINDS, SIZES, Judgement, Mistake
from cantstop_arena.extensions.strength.judging.judge_plan import JudgeTask
from cantstop_arena.extensions.strength.judging.judge_process import Judgements
from cantstop_arena.extensions.strength.judging.judged_runs import StoredJudgements, stored_in
from cantstop_arena.extensions.strength.judging.judgement_report import (
    LARGE,
    headers,
    headline,
    mistake_scene,
    mistake_text,
    regret_estimate,
    rows,
)
from cantstop_arena.extensions.strength.judging.situations_section import situations_section
from cantstop_arena.extensions.strength.judging.verdicts import (
    loss_scale,
    loss_unit,
    loss_unit_text,
    short_unit,
)
from cantstop_arena.games.cantstop.rules import RuleSet
from cantstop_arena.pages.axes import Axis, axis_around
from cantstop_arena.pages.document import Document, Fact, Figure, Listing, Section, as_html
from cantstop_arena.pages.elements import element, hidden, join_markup
from cantstop_arena.pages.html_table import Cell, Head, HtmlRow, name_cell, row_table
from cantstop_arena.pages.marks import block, drawing, grid, number, scale
from cantstop_arena.pages.number_text import error_of, percent, plain, with_error
from cantstop_arena.tables.column import Column, Table, Value
from cantstop_arena.tables.column import number as number_column
from cantstop_arena.texts import how_many
from cantstop_arena.tournaments.tournament import RESOLVED
from cantstop_arena.views.cantstop.animated_board import draw_stage
from cantstop_arena.views.cantstop.page_replay import board_style

TITLE, KEY = "What decisions lose", "judged"
MAX_FACTS = 4  # bots with a fact
MAX_PICTURES = 3  # decisions of a bot that are drawn
_ROW = 34
_COLOURS = dict(zip(KINDS, ("k1", "k2", "k3"), strict=True))
_VERBS = {"roll": "roll on", "stop": "stop"}


def judgements_page(judgements: Judgements, planned: JudgeTask, command: str) -> str:
    """The page of `arena judge`: the losses first, then the worst decisions of each bot.

    `command` judges the same decisions again.
    """
    rules, players = planned.bots.rules, planned.bots.players
    about = f"Can't Stop, {rules.name} rules, {how_many(players, 'player')}"
    if planned.rival and players > 1:
        about += f", against {planned.rival}"
    deals = how_many(planned.deals, "deal")
    document = Document(
        title=" and ".join(judgements) if len(judgements) < 3 else TITLE,
        about=about,
        answer=[f"{deals} of each bot, judged by {planned.judge.name}: {_about(judgements)}"],
        sections=[
            _losses_section(judgements, planned.rival),
            _sizes_section(judgements),
            *_worst_sections(judgements, rules, planned.file),
            *_where(judgements),
            _origin(planned, command),
        ],
        headline=headline(judgements),
        facts=list(_facts(judgements)),
    )
    return as_html(document)


def _about(judgements: Judgements) -> str:
    """What losses are, and their unit."""
    seats = next(iter(judgements.values())).seats
    return f"losses are against play without mistakes, in {loss_unit_text(seats)}."


def _origin(planned: JudgeTask, command: str) -> Section:
    """The command, and the tournament file of the games."""
    file = planned.file
    return Section(
        "origin",
        "Reproducing these results",
        [
            f"Decisions depend on the bots, the deals and the seed ({planned.bots.seed}) alone."
            " This command judges the same ones again:"
        ],
        listings=[
            Listing("The command", command),
            Listing(f"The games: {file}", file.read_text("utf-8"), folded=True),
        ],
        finding="One command judges the same decisions again",
        folded=True,
    )


def _where(judgements: Judgements) -> Iterator[Section]:
    """Where mistakes happen, for the bots that have facts."""
    if section := situations_section(_extremes(judgements)):
        yield section


def _extremes(judgements: Judgements) -> list[tuple[str, Judgement]]:
    """The bots, the one that loses most first; of many those that lose most and least."""
    bots = _by_loss(judgements)
    if len(bots) > MAX_FACTS:
        bots = [*bots[: MAX_FACTS // 2], *bots[-MAX_FACTS // 2 :]]
    return bots


def _by_loss(judgements: Judgements) -> list[tuple[str, Judgement]]:
    """The bots, the one that loses most first."""
    return sorted(judgements.items(), key=lambda item: -item[1].lost().mean)


def _facts(judgements: Judgements) -> Iterator[Fact]:
    """A fact for each bot; of many for those that lose most and least."""
    for bot, judgement in _extremes(judgements):
        scale_, lost = loss_scale(judgement.seats), judgement.lost()
        large = scale_ * SIZES[LARGE]
        note = (
            f"{plain(judgement.mistakes(LARGE), 1)} mistakes above {large:g}"
            f" {short_unit(judgement.seats)} a game"
        )
        if judgement.share_best is not None:
            note += f"; {percent(judgement.share_best)} of the decisions are best"
        error = error_of(regret_estimate(lost, scale_), 1)
        yield Fact(f"{bot} loses", plain(scale_ * lost.mean), error, note)


# Losses --------------------------------------------------------------------------------------


def _losses_section(judgements: Judgements, rival: str) -> Section:
    """A bar for each bot, stacked by kind of mistake, with the interval of all at its end."""
    bots = _by_loss(judgements)
    seats = bots[0][1].seats
    by, unit = loss_scale(seats), loss_unit(seats)
    ends = [by * (each.lost().mean + each.lost().half_width) for _, each in bots]
    axis = axis_around([0, *ends], pad=1, max_ticks=6)
    ticks = axis.ticks(6)
    heads = [
        Head("Bot", "bot", sorts=False),
        Head(f"Loss a game in {unit}", "plot", sorts=False, axis=scale(axis, ticks)),
        Head("Loss", sorts=False),
        *(Head(kind.capitalize(), sorts=False) for kind in KINDS),
    ]
    table_rows = []
    for bot, judgement in bots:
        lost = judgement.lost()
        marks, start = grid(axis, ticks, _ROW, 0), 0.0
        for kind in KINDS:
            size = by * judgement.lost(kind).mean
            marks.append(block(axis, start, start + size, 8, 18, _COLOURS[kind]))
            start += size
        half = by * lost.half_width
        low, high = (f"{number(axis.at(start + sign * half))}%" for sign in (-1, 1))
        marks.append(element("line", class_="whisker", x1=low, x2=high, y1=17, y2=17))
        table_rows.append(
            HtmlRow(
                [
                    name_cell(bot),
                    Cell(drawing(_ROW, *marks), "plot"),
                    Cell(with_error(regret_estimate(lost, by), 1), label="Loss"),
                    *(
                        Cell(plain(by * judgement.lost(kind).mean), label=kind.capitalize())
                        for kind in KINDS
                    ),
                ]
            )
        )
    key = element(
        "ul",
        *(
            element("li", element("span", class_=f"swatch {_COLOURS[kind]}"), kind)
            for kind in KINDS
        ),
        class_="keys-row",
    )
    caption = "Bars: the loss by kind of mistake; line: 95% interval of all of it."
    figure = Figure(join_markup(key, row_table("rows losses", TITLE, heads, table_rows)), caption)
    return Section(
        "lost", TITLE, (), [figure], [table_of(judgements, rival)], finding=_overlap(bots)
    )


def _overlap(bots: Sequence[tuple[str, Judgement]]) -> str:
    """What the bot that loses most loses most by, and whether it is behind the next."""
    bot, judgement = bots[0]
    largest = max(KINDS, key=lambda kind: judgement.lost(kind).mean)
    total = judgement.lost().mean
    if not total:
        return "No decision lost anything"
    share = percent(judgement.lost(largest).mean / total, 0)
    text = f"{share} of what {bot} loses is lost by {largest}"
    if len(bots) > 1:
        second = bots[1][1].lost()
        low = judgement.lost().mean - judgement.lost().half_width
        if low < second.mean + second.half_width:
            return f"{text}; its interval and that of {bots[1][0]} overlap"
    return text


def table_of(judgements: Judgements, rival: str = "") -> Table:
    """The table of losses for a page."""
    names = headers(judgements, rival)
    numbers = [number_column(f"column{at}", name) for at, name in enumerate(names[1:], start=1)]
    return Table(
        "judgements", TITLE, [Column("column0", names[0]), *numbers], rows(judgements, rival)
    )


def _sizes_section(judgements: Judgements) -> Section:
    """How many mistakes of each size a game has."""
    bots = _by_loss(judgements)
    seats = bots[0][1].seats
    by, unit = loss_scale(seats), short_unit(seats)
    ends = [f"{by * size:g}" for size in SIZES]
    names = [f"{low} to {high} {unit}" for low, high in pairwise(ends)]
    names.append(f"above {ends[-1]} {unit}")
    columns = [Column("bot", "bot")]
    columns += [number_column(f"size{at}", name, 2) for at, name in enumerate(names)]
    cells: list[list[Value]] = [
        [bot, *(each.sizes[at] / each.games for at in range(len(SIZES)))] for bot, each in bots
    ]
    table = Table("sizes", "Mistakes a game by size", columns, cells)
    worst, judgement = bots[0]
    finding = (
        f"{worst} makes {plain(judgement.mistakes(0))} mistakes a game,"
        f" {plain(judgement.mistakes(LARGE))} of them above {by * SIZES[LARGE]:g} {unit}"
    )
    return Section("sizes", "Sizes", tables=[table], open=True, finding=finding, folded=True)


# The worst decisions -------------------------------------------------------------------------


def _worst_sections(judgements: Judgements, rules: RuleSet, file: Path) -> Iterator[Section]:
    for index, (bot, judgement) in enumerate(_by_loss(judgements)):
        key, title = f"worst{index}", f"Worst of {bot}"
        if not judgement.worst:
            yield Section(key, title, finding=f"{bot} makes no mistake")
            continue
        unit = loss_unit(judgement.seats)
        lost = plain(loss_scale(judgement.seats) * judgement.worst[0].loss)
        figures = [
            _decision(f"{key}-{at}", bot, judgement, mistake, rules, file)
            for at, mistake in enumerate(judgement.worst[:MAX_PICTURES])
        ]
        listings = []
        if more := judgement.worst[MAX_PICTURES:]:
            text = "\n".join(_line(bot, judgement, mistake, file) for mistake in more)
            listings = [Listing(f"{len(more)} more", text, folded=True)]
        finding = f"The worst decision of {bot} loses {lost} {unit}"
        yield Section(key, title, (), figures, listings=listings, finding=finding, folded=index > 0)


def _line(bot: str, judgement: Judgement, mistake: Mistake, file: Path) -> str:
    lost = plain(loss_scale(judgement.seats) * mistake.loss, 2)
    return f"{lost}: {mistake_text(mistake)}\n  $ {_command(bot, judgement, mistake, file)}"


def _command(bot: str, judgement: Judgement, mistake: Mistake, file: Path) -> str:
    return shlex.join(
        [
            "arena",
            "replay",
            str(file),
            *_seats(bot, judgement, mistake),
            "--deal",
            str(mistake.deal),
        ]
    )


def _seats(bot: str, judgement: Judgement, mistake: Mistake) -> list[str]:
    names = [bot, mistake.rival] if mistake.seat == 0 else [mistake.rival, bot]
    return names[: judgement.seats]


def _decision(
    key: str, bot: str, judgement: Judgement, mistake: Mistake, rules: RuleSet, file: Path
) -> Figure:
    """A decision: the board beside its options."""
    seats = _seats(bot, judgement, mistake)
    stage = Markup(draw_stage(mistake_scene(mistake, rules, seats), key))
    by, unit = loss_scale(judgement.seats), loss_unit(judgement.seats)
    title = element("h3", f"Loses {plain(by * mistake.loss)} {unit}")
    text = element("p", f"{bot} {mistake_text(mistake)}.", class_="note")
    options = _options(mistake) if judgement.seats > 1 and mistake.options else ""
    command = element("pre", _command(bot, judgement, mistake, file), tabindex=0)
    side = element("div", title, text, options, command)
    board = element("div", stage, class_="stage")
    html = element("div", board, side, class_="decision")
    return Figure(html, "", style=board_style())


def _options(mistake: Mistake) -> Markup:
    """The options of a decision with their winning probabilities, the best on top."""
    axis = Axis(0, 100, 0)
    items = []
    for text, value in sorted(mistake.options, key=lambda option: -option[1]):
        is_taken = text == mistake.taken
        tags = [element("span", "played", class_="tag taken")] if is_taken else []
        if text == mistake.best:
            tags.append(element("span", "best", class_="tag best"))
        kind = "played" if is_taken else "filled best" if text == mistake.best else "filled"
        name = _VERBS.get(text, f"take {text}")
        items.append(
            HtmlRow(
                [
                    Cell(join_markup(name, *tags), "bot", heads_row=True),
                    Cell(drawing(18, block(axis, 0, 100 * value, 3, 12, kind)), "plot"),
                    Cell(percent(value), label=""),
                ]
            )
        )
    heads = [
        Head("Option", "bot", sorts=False),
        Head(hidden("Winning probability"), "plot", sorts=False),
        Head("Wins", sorts=False),
    ]
    return row_table("rows options-of", "Options", heads, items)


# Sections of a run's page --------------------------------------------------------------------


def run_sections(folder: Path) -> Iterator[Section]:
    """Sections with the losses and the worst decisions, if `arena judge` has stored them for a run;
    with a remedy when the file is damaged."""
    try:
        stored = stored_in(folder)
    except ValueError as error:
        command = shlex.join(["arena", "judge", str(folder)])
        yield Section(KEY, TITLE, [f"{error}; {command} writes it again."])
        return
    if stored and stored.judgements:
        yield _losses(stored)
        yield from _where(stored.judgements)
        yield _worst(stored)


def _losses(stored: StoredJudgements) -> Section:
    deals = how_many(stored.deals, "deal")
    paragraph = f"{deals} of each bot, judged by {stored.judge}: {_about(stored.judgements)}"
    section = _losses_section(stored.judgements, "")
    return Section(
        KEY,
        TITLE,
        [paragraph],
        section.figures,
        section.tables,
        finding=headline(stored.judgements),
    )


def _worst(stored: StoredJudgements) -> Section:
    paragraphs = ["Commands replay their games in the folder of these results."]
    listings = [
        Listing(
            f"The worst decisions of {bot}",
            "\n".join(
                _line(bot, judgement, mistake, Path(RESOLVED)) for mistake in judgement.worst
            ),
            folded=True,
        )
        for bot, judgement in stored.judgements.items()
        if judgement.worst
    ]
    return Section(
        f"{KEY}-worst",
        "The worst decisions",
        paragraphs,
        listings=listings,
        finding="Ten of each bot",
        folded=True,
    )
