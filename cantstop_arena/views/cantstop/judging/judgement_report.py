"""Reports on judgements: a table, and the worst decisions with their boards."""

import json
import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from tabulate import tabulate

from cantstop_arena.games.cantstop.exact.regret import KINDS, SIZES, Judgement, Mistake, RegretMean
from cantstop_arena.games.cantstop.rules import RULES, RuleSet
from cantstop_arena.pages.document import Document, Listing, Section, as_html
from cantstop_arena.ratings.distributions import student_quantile
from cantstop_arena.tables.column import Column, Table, number
from cantstop_arena.texts import how_many
from cantstop_arena.tournaments.tournament import RESOLVED
from cantstop_arena.views.cantstop.drawing import LEGEND, dice_text, draw_board
from cantstop_arena.views.cantstop.judging.judge_plan import PERFECT, JudgeTask
from cantstop_arena.views.cantstop.judging.judge_process import Judgements
from cantstop_arena.views.cantstop.judging.judged_runs import StoredJudgements, stored_in
from cantstop_arena.views.cantstop.judging.verdicts import (
    loss_scale,
    loss_unit,
    loss_unit_text,
    short_unit,
)
from cantstop_arena.views.cantstop.scenes import BoardScene

_LARGE = 2  # index in SIZES: the table counts the mistakes above this size


def text(judgements: Judgements, planned: JudgeTask, max_boards: int) -> str:
    """The table, and below it at most `max_boards` of the worst decisions of each bot.

    Those of a run are left out, as its page has them.
    """
    lines = [f"{headline(judgements)}.\n", _heading(planned), table(judgements, planned.rival)]
    if planned.rival and max_boards:
        lines.append(f"\n{LEGEND}")
        for bot, judgement in judgements.items():
            mistakes = worst(bot, judgement, planned.bots.rules, planned.file)
            lines += worst_decisions_text(bot, mistakes[:max_boards], len(mistakes))
    return "\n".join(lines)


def _heading(planned: JudgeTask) -> str:
    """The heading: the unit of the numbers, rules, players, deals and judge."""
    players, rules = planned.bots.players, planned.bots.rules
    unit = loss_unit_text(players)
    deals = how_many(planned.deals, "deal") + " of each bot" * (not planned.rival)
    where = f"rules {rules.name}; {how_many(players, 'player')}; {deals}"
    return f"What decisions lose, in {unit}\n{where}; judged by {planned.judge.name}\n"


def headline(judgements: Judgements) -> str:
    """A sentence on the bots whose decisions lose most and least."""
    lost = {
        bot: loss_scale(judgement.seats) * judgement.lost().mean
        for bot, judgement in judgements.items()
    }
    poorest, best = (choose(lost, key=lambda bot: lost[bot]) for choose in (max, min))
    unit = loss_unit(judgements[best].seats)
    text = f"{poorest} loses {lost[poorest]:.1f} {unit} a game by its decisions"
    return text + f", {best} {lost[best]:.1f}" * (best != poorest)


def table(judgements: Judgements, rival: str) -> str:
    """The table of losses by bot and kind of mistake; see `rows`."""
    cells, names = rows(judgements, rival), headers(judgements, rival)
    sides = ["left", *["right"] * (len(names) - 1)]
    return tabulate(cells, headers=names, colalign=sides, disable_numparse=True)


def headers(judgements: Judgements, rival: str) -> list[str]:
    """The headers of the table."""
    seats = next(iter(judgements.values())).seats
    large = f"mistakes > {loss_scale(seats) * SIZES[_LARGE]:g} {short_unit(seats)}"
    results = ["by results"] if _has_results_column(judgements, rival) else []
    return ["bot", "loss per game", *KINDS, large, *results]


def rows(judgements: Judgements, rival: str) -> list[list[str]]:
    """A row of the table for each bot; `rival` is empty when the bots met several opponents."""
    results = _has_results_column(judgements, rival)
    return [_row(bot, judgement, results) for bot, judgement in judgements.items()]


def _has_results_column(judgements: Judgements, rival: str) -> bool:
    """Whether results measure the same loss: in solo games, and against perfect play."""
    return rival == PERFECT or all(judgement.seats == 1 for judgement in judgements.values())


def _row(bot: str, judgement: Judgement, results: bool) -> list[str]:
    scale = loss_scale(judgement.seats)
    kinds = [f"{scale * judgement.lost(kind).mean:.2f}" for kind in KINDS]
    large = f"{judgement.mistakes(_LARGE):.2f}"
    by_results = [_mean_text(judgement.measured(), scale)] if results else []
    return [bot, _mean_text(judgement.lost(), scale), *kinds, large, *by_results]


def _half_width(mean: RegretMean) -> float:
    """Half the width of the 95% interval."""
    return student_quantile(mean.deals - 1) * mean.error


def _mean_text(mean: RegretMean, scale: float) -> str:
    return f"{scale * mean.mean:.2f} ± {scale * _half_width(mean):.2f}"


class MistakeText(NamedTuple):
    """A mistake as text, its board as text, and the command that replays its game."""

    text: str
    board: str
    command: str


def worst(bot: str, judgement: Judgement, rules: RuleSet, file: Path) -> list[MistakeText]:
    """The worst decisions of a bot; `file` is the tournament file that replays its games."""
    texts = []
    scale, unit = loss_scale(judgement.seats), loss_unit(judgement.seats)
    for index, mistake in enumerate(judgement.worst, start=1):
        names = [bot, mistake.rival] if mistake.seat == 0 else [mistake.rival, bot]
        seats = names[: judgement.seats]
        board = draw_board(_scene(mistake, rules, seats))
        command = shlex.join(["arena", "replay", str(file), *seats, "--deal", str(mistake.deal)])
        texts.append(
            MistakeText(
                f"{index}. Loses {scale * mistake.loss:.2f} {unit}: {_mistake_text(mistake)}",
                board,
                command,
            )
        )
    return texts


def worst_decisions_text(bot: str, mistakes: Sequence[MistakeText], count: int) -> Iterator[str]:
    """The lines on the worst decisions of a bot; `count` of them can be shown."""
    hidden = f" ({len(mistakes)} of {count}; see --worst)" if len(mistakes) < count else ""
    yield f"\nThe worst decisions of {bot}{hidden}:" if mistakes else f"\n{bot} makes no mistake."
    for mistake in mistakes:
        yield f"\n{mistake.text}\n{mistake.board}\n  $ {mistake.command}"


def _mistake_text(mistake: Mistake) -> str:
    """A mistake as text: the decision, the best one, and the position in the game."""
    verbs = {"roll": ("rolls", "rolling"), "stop": ("stops", "stopping")}
    taken, _ = verbs.get(mistake.taken, (f"takes {mistake.taken}", ""))
    _, best = verbs.get(mistake.best, ("", mistake.best))
    position = (
        f"deal {mistake.deal}, seat {mistake.seat + 1}, turn {mistake.turn}, roll {mistake.roll}"
    )
    return f"{taken} instead of {best} after {dice_text(mistake.dice)} ({position})"


def _scene(mistake: Mistake, rules: RuleSet, seats: list[str]) -> BoardScene:
    opening = {"event": "game", "rules": RULES.as_dict(rules), "seats": seats}
    event = {"event": "roll"}
    return BoardScene(
        opening,
        event,
        mistake.markers,
        mistake.runners,
        {},
        mistake.turn,
        mistake.seat,
        mistake.roll,
    )


def judgements_json(judgements: Judgements) -> str:
    """All judgements as JSON."""
    return json.dumps({bot: _as_dict(judgement) for bot, judgement in judgements.items()})


def _as_dict(judgement: Judgement) -> dict[str, Any]:
    scale = loss_scale(judgement.seats)
    lost, measured = judgement.lost(), judgement.measured()
    sizes = range(len(SIZES))
    return {
        "games": judgement.games,
        "lost": [scale * lost.mean, scale * _half_width(lost)],
        **{kind: scale * judgement.lost(kind).mean for kind in KINDS},
        "by_results": [scale * measured.mean, scale * _half_width(measured)],
        "mistakes": {f"over {scale * SIZES[size]:g}": judgement.mistakes(size) for size in sizes},
        "worst": [
            {**mistake.as_dict(), "loss": scale * mistake.loss} for mistake in judgement.worst
        ],
    }


TITLE = "What decisions lose"
ABOUT = (
    "Losses per game against play without mistakes, in percentage points of winning probability"
    " (alone, in turns); plus or minus is half of a 95% interval."
)


def judgements_page(judgements: Judgements, planned: JudgeTask) -> str:
    """The page: the table first, then the worst decisions of each bot."""
    rules, rival = planned.bots.rules, planned.rival
    tables = [table_of(judgements, rival)]
    sections = [Section("lost", TITLE, [ABOUT], tables=tables, open=True)]
    for index, (bot, judgement) in enumerate(judgements.items()):
        sections.append(_section(index, bot, worst(bot, judgement, rules, planned.file)))
    about = f"Can't Stop ({rules.name}), against {rival}."
    return as_html(Document(" and ".join(judgements), about, (), sections))


def table_of(judgements: Judgements, rival: str = "") -> Table:
    """The table of losses for a page."""
    names = headers(judgements, rival)
    numbers = [number(f"column{index}", name) for index, name in enumerate(names[1:], start=1)]
    columns = [Column("column0", names[0]), *numbers]
    return Table("judgements", TITLE, columns, rows(judgements, rival))


def _section(index: int, bot: str, mistakes: Sequence[MistakeText]) -> Section:
    listings = [
        Listing(mistake.text, f"{mistake.board}\n\n$ {mistake.command}") for mistake in mistakes
    ]
    paragraphs = [LEGEND] if mistakes else [f"{bot} makes no mistake."]
    return Section(f"worst{index}", f"The worst decisions of {bot}", paragraphs, listings=listings)


# Sections of a run's page ------------------------------------------------------------------------

KEY = "judged"


def run_sections(folder: Path) -> Iterator[Section]:
    """Sections with the table and the worst decisions, if `arena judge` has stored them for a run;
    with a remedy when the file is damaged."""
    try:
        stored = stored_in(folder)
    except ValueError as error:
        command = shlex.join(["arena", "judge", str(folder)])
        yield Section(KEY, TITLE, [f"{error}; {command} writes it again."])
        return
    if stored and stored.judgements:
        yield _losses(stored)
        yield _worst(stored)


def _losses(stored: StoredJudgements) -> Section:
    paragraphs = [f"{ABOUT} Judged by {stored.judge}, {stored.deals:,} deals of each bot."]
    tables, finding = [table_of(stored.judgements)], headline(stored.judgements)
    return Section(KEY, TITLE, paragraphs, tables=tables, open=True, finding=finding)


def _worst(stored: StoredJudgements) -> Section:
    paragraphs = [f"{LEGEND} Commands replay their games in the folder of these results."]
    listings = [listing for bot in stored.judgements for listing in _mistake_listings(bot, stored)]
    title, finding = "The worst decisions", "Ten of each bot, drawn"
    return Section(
        f"{KEY}-worst", title, paragraphs, listings=listings, finding=finding, folded=True
    )


def _mistake_listings(bot: str, stored: StoredJudgements) -> Iterator[Listing]:
    mistakes = worst(bot, stored.judgements[bot], stored.rules, Path(RESOLVED))
    if mistakes:
        text = "\n\n".join(
            f"{mistake.text}\n\n{mistake.board}\n\n$ {mistake.command}" for mistake in mistakes
        )
        yield Listing(f"The worst decisions of {bot}", text, folded=True)
