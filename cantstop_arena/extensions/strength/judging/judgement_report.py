"""Reports on judgements: a table, and the worst decisions with their boards."""

import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path
from textwrap import fill
from typing import Any, NamedTuple

from tabulate import tabulate

from cantstop_arena.extensions.strength.exact.regret import (
    KINDS,
    SIZES,
    Judgement,
    Mistake,
    RegretMean,
)
from cantstop_arena.extensions.strength.exact.situations import Situation
from cantstop_arena.extensions.strength.judging.judge_plan import PERFECT, JudgeTask
from cantstop_arena.extensions.strength.judging.judge_process import Judgements
from cantstop_arena.extensions.strength.judging.verdicts import (
    loss_scale,
    loss_unit,
    loss_unit_text,
    short_unit,
)
from cantstop_arena.games.cantstop.rules import RULES, RuleSet
from cantstop_arena.ratings.estimate import Estimate
from cantstop_arena.ratings.significance import student_quantile
from cantstop_arena.tables.column import estimate_text
from cantstop_arena.texts import how_many, middle_shortened
from cantstop_arena.views.cantstop.drawing import LEGEND, dice_text, draw_board
from cantstop_arena.views.cantstop.scenes import BoardScene

MIN_DEALS = 10  # with decisions in a situation, for an interval of their losses
_HEADING_WIDTH = 9  # of a line of a heading in text
_MIN_NAME = 8  # letters of a name that is shortened
LARGE = 2  # index in SIZES: the table counts the mistakes above this size


def text(judgements: Judgements, planned: JudgeTask, max_boards: int, width: int = 0) -> str:
    """The table, and below it at most `max_boards` of the worst decisions of each bot.

    Those of a run are left out, as its page has them. A `width` is that of a terminal.
    """
    body = table(judgements, planned.rival, width)
    lines = [f"{headline(judgements)}.\n", _heading(planned), body]
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


def table(judgements: Judgements, rival: str, width: int = 0) -> str:
    """The table of losses by bot and kind of mistake; see `rows`.

    Its headings take several lines. On a terminal of this `width`, names are shortened to fit.
    """
    names = [fill(name, _HEADING_WIDTH) for name in headers(judgements, rival)]
    cells, sides = rows(judgements, rival), ["left", *["right"] * (len(names) - 1)]
    drawn = tabulate(cells, headers=names, colalign=sides, disable_numparse=True)
    longest = max(len(row[0]) for row in cells)
    excess = max(map(len, drawn.splitlines())) - width
    if not width or excess <= 0:
        return drawn
    room = max(_MIN_NAME, longest - excess)
    short = [[middle_shortened(name, room), *row] for name, *row in cells]
    return tabulate(short, headers=names, colalign=sides, disable_numparse=True)


def headers(judgements: Judgements, rival: str) -> list[str]:
    """The headers of the table."""
    seats = next(iter(judgements.values())).seats
    large = f"mistakes > {loss_scale(seats) * SIZES[LARGE]:g} {short_unit(seats)}"
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
    large = f"{judgement.mistakes(LARGE):.2f}"
    lost, by_results = (
        estimate_text(regret_estimate(mean, scale), 2)
        for mean in (judgement.lost(), judgement.measured())
    )
    return [bot, lost, *kinds, large, *([by_results] if results else [])]


def mean_loss(seats: int, situation: Situation) -> Estimate:
    """The mean loss of a decision in a situation with its 95% interval, in the printed unit."""
    scale = loss_scale(seats)
    mean, error = scale * situation.mean, situation.error
    if error is None or situation.deals < MIN_DEALS:
        return Estimate(mean)
    half = scale * error * student_quantile(situation.deals - 1)
    return Estimate(mean, max(0.0, mean - half), mean + half)


def regret_estimate(mean: RegretMean, scale: float) -> Estimate:
    """A mean with its 95% interval, in the printed unit."""
    low, high = mean.mean - mean.half_width, mean.mean + mean.half_width
    return Estimate(mean.mean, low, high).scaled(scale)


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
        board = draw_board(mistake_scene(mistake, rules, seats))
        command = shlex.join(["arena", "replay", str(file), *seats, "--deal", str(mistake.deal)])
        texts.append(
            MistakeText(
                f"{index}. Loses {scale * mistake.loss:.2f} {unit}: {mistake_text(mistake)}",
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


def mistake_text(mistake: Mistake) -> str:
    """A mistake as text: the decision, the best one, and the position in the game."""
    verbs = {"roll": ("rolls", "rolling"), "stop": ("stops", "stopping")}
    taken, _ = verbs.get(mistake.taken, (f"takes {mistake.taken}", ""))
    _, best = verbs.get(mistake.best, ("", mistake.best))
    position = (
        f"deal {mistake.deal}, seat {mistake.seat + 1}, turn {mistake.turn}, roll {mistake.roll}"
    )
    return f"{taken} instead of {best} after {dice_text(mistake.dice)} ({position})"


def mistake_scene(mistake: Mistake, rules: RuleSet, seats: list[str]) -> BoardScene:
    """The board before a mistake, as a scene to draw."""
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


def judgements_as_dict(judgements: Judgements) -> dict[str, Any]:
    """All judgements for programs, with the headline."""
    bots = {bot: _as_dict(judgement) for bot, judgement in judgements.items()}
    return {"headline": headline(judgements), "bots": bots}


def _as_dict(judgement: Judgement) -> dict[str, Any]:
    scale = loss_scale(judgement.seats)
    lost, measured = judgement.lost(), judgement.measured()
    sizes = range(len(SIZES))
    return {
        "games": judgement.games,
        "lost": [scale * lost.mean, scale * lost.half_width],
        **{kind: scale * judgement.lost(kind).mean for kind in KINDS},
        "by_results": [scale * measured.mean, scale * measured.half_width],
        "share_best": judgement.share_best,
        "mistakes": {f"over {scale * SIZES[size]:g}": judgement.mistakes(size) for size in sizes},
        "situations": [
            {
                "kind": each.kind,
                "number": each.number,
                "decisions": each.decisions,
                "lost": list(mean_loss(judgement.seats, each)),
            }
            for each in judgement.situations
        ],
        "worst": [
            {**mistake.as_dict(), "loss": scale * mistake.loss} for mistake in judgement.worst
        ],
    }
