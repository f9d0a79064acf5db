"""Where mistakes happen: what decisions lose by columns won, runners free and lead."""

from collections.abc import Iterator, Sequence

from cantstop_arena.extensions.strength.exact.regret import Judgement
from cantstop_arena.extensions.strength.exact.situations import (
    FREE,
    KINDS_OF_SITUATION,
    WON,
    Situation,
)
from cantstop_arena.extensions.strength.judging.judgement_report import MIN_DEALS, mean_loss
from cantstop_arena.extensions.strength.judging.verdicts import short_unit
from cantstop_arena.pages.axes import axis_around
from cantstop_arena.pages.document import Figure, Section
from cantstop_arena.pages.html_table import Cell, Head, HtmlRow, row_table
from cantstop_arena.pages.marks import drawing, grid, interval, scale
from cantstop_arena.pages.number_text import plain
from cantstop_arena.texts import how_many

KEY, TITLE = "where", "Where mistakes happen"
_ROW = 28


def situations_section(bots: Sequence[tuple[str, Judgement]]) -> Section | None:
    """The section for these bots, the one that loses most first; None where nothing is stored."""
    bots = [(bot, judgement) for bot, judgement in bots if judgement.situations]
    if not bots:
        return None
    bot, judgement = bots[0]
    figures = [_figure(*pair) for pair in bots]
    return Section(KEY, TITLE, (), figures, finding=_finding(bot, judgement), folded=True)


def _finding(bot: str, judgement: Judgement) -> str:
    """The situation with the largest loss, if its interval lies above all others of its kind."""
    worst = max(_separate(judgement), key=lambda each: each.mean, default=None)
    if worst is None:
        return f"It stays open where a decision of {bot} loses most"
    return f"A decision of {bot} loses most {_with_number(worst)}"


def _separate(judgement: Judgement) -> Iterator[Situation]:
    for kind in KINDS_OF_SITUATION:
        of_kind = [each for each in judgement.situations if each.kind == kind]
        estimates = [(each, mean_loss(judgement.seats, each)) for each in of_kind]
        known = [(each, loss) for each, loss in estimates if loss.high is not None]
        if len(known) > 1:
            worst, largest = max(known, key=lambda pair: pair[0].mean)
            rest = [loss.high or 0.0 for each, loss in known if each is not worst]
            if (largest.low or 0.0) > max(rest):
                yield worst


def _with_number(situation: Situation) -> str:
    number = situation.number
    if situation.kind == WON:
        return f"with {how_many(number, 'column')} won"
    if situation.kind == FREE:
        return f"with {how_many(number, 'runner')} free"
    if not number:
        return "with as many columns won as the rival"
    return f"{how_many(abs(number), 'column')} {'ahead' if number > 0 else 'behind'}"


def _figure(bot: str, judgement: Judgement) -> Figure:
    losses = [mean_loss(judgement.seats, each) for each in judgement.situations]
    axis = axis_around([0, *(end for loss in losses for end in loss)], pad=1, max_ticks=6)
    ticks = axis.ticks(6)
    unit = short_unit(judgement.seats)
    heads = [
        Head("Situation", "bot", sorts=False),
        Head(f"{bot}: loss of a decision in {unit}", "plot", sorts=False, axis=scale(axis, ticks)),
        Head("Loss", sorts=False),
        Head("Decisions", sorts=False),
    ]
    rows = [
        HtmlRow(
            [
                Cell(_with_number(each), "bot", heads_row=True),
                Cell(drawing(_ROW, *grid(axis, ticks, _ROW, 0), interval(axis, loss, 14)), "plot"),
                Cell(plain(loss.mean or 0.0, 2), label="Loss"),
                Cell(f"{each.decisions:,}", label="Decisions"),
            ]
        )
        for each, loss in zip(judgement.situations, losses, strict=True)
    ]
    caption = (
        f"Mean loss of a decision of {bot}. Bands: 95% intervals, from at least {MIN_DEALS} deals;"
        " they are not corrected for the number of situations."
    )
    return Figure(row_table("rows where-of", f"{TITLE}: {bot}", heads, rows), caption)
