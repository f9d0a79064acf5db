"""Judgements in words: a table, and the worst decisions drawn."""

import json
import shlex
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from tabulate import tabulate

from cantstop_arena.games.cantstop.exact.regret import KINDS, SIZES, Judgement, Mistake, RegretMean
from cantstop_arena.games.cantstop.rules import RuleSet
from cantstop_arena.pages.document import Document, Listing, Section, as_html
from cantstop_arena.tables.column import Column, Table, number
from cantstop_arena.texts import how_many
from cantstop_arena.views.cantstop.drawing import dice_text, draw_board
from cantstop_arena.views.cantstop.judging.judge_task import PERFECT, JudgeTask
from cantstop_arena.views.cantstop.scenes import BoardScene

_LARGE = 2  # the number of the size from which on mistakes are counted in the table

Judgements = Mapping[str, Judgement]


def _unit(judgement: Judgement) -> float:
    """Losses are told in points of a hundred; alone in turns."""
    return 100 if judgement.seats > 1 else 1


def text(result: Judgements, planned: JudgeTask) -> str:
    """What was found: the table, and the worst decisions unless they are on the page of a run."""
    lines = [_heading(planned), table(result, planned.rival)]
    if planned.rival:
        for bot, judgement in result.items():
            items = worst(bot, judgement, planned.bots.rules, planned.file)
            lines += worst_decisions_text(bot, items)
    return "\n".join(lines)


def _heading(planned: JudgeTask) -> str:
    """What was judged, by whom, and what the numbers are."""
    players, rules = planned.bots.players, planned.bots.rules
    unit = "points of winning probability" if players > 1 else "turns"
    deals = how_many(planned.deals, "deal") + " of each bot" * (not planned.rival)
    where = f"rules {rules.name}; {how_many(players, 'player')}; {deals}"
    return f"What decisions lose, in {unit}\n{where}; judged by {planned.judge.name}\n"


def best_and_worst(result: Judgements) -> str:
    """Whose decisions lose least, and whose most."""
    lost = {bot: _unit(judgement) * judgement.lost().mean for bot, judgement in result.items()}
    best, worst_bot = (choose(lost, key=lambda bot: lost[bot]) for choose in (min, max))
    unit = "points" if result[best].seats > 1 else "turns"
    message = f"{best} loses {lost[best]:.1f} {unit} a game by its decisions"
    return message + f", {worst_bot} {lost[worst_bot]:.1f}" * (best != worst_bot)


def table(result: Judgements, rival: str) -> str:
    """What each bot loses, by kinds of mistakes; see `rows`."""
    texts, names = rows(result, rival), headers(result, rival)
    sides = ["left", *["right"] * (len(names) - 1)]
    return tabulate(texts, headers=names, colalign=sides, disable_numparse=True)


def headers(result: Judgements, rival: str) -> list[str]:
    """The columns of the table."""
    unit = _unit(next(iter(result.values())))
    large = f"mistakes > {unit * SIZES[_LARGE]:g}"
    results = ["by results"] if _has_results_column(result, rival) else []
    return ["bot", "lost a game", *KINDS, large, *results]


def rows(result: Judgements, rival: str) -> list[list[str]]:
    """A row of the table for each bot, judged against a rival, or against several without name."""
    results = _has_results_column(result, rival)
    return [_row(bot, judgement, results) for bot, judgement in result.items()]


def _has_results_column(result: Judgements, rival: str) -> bool:
    """Whether results tell the same loss: who plays alone, or against perfect play."""
    return rival == PERFECT or all(judgement.seats == 1 for judgement in result.values())


def _row(bot: str, judgement: Judgement, results: bool) -> list[str]:
    unit = _unit(judgement)
    kinds = [f"{unit * judgement.lost(kind).mean:.2f}" for kind in KINDS]
    large = f"{judgement.mistakes(_LARGE):.2f}"
    texts = [_mean_text(judgement.measured(), unit)] if results else []
    return [bot, _mean_text(judgement.lost(), unit), *kinds, large, *texts]


def _mean_text(mean: RegretMean, unit: float) -> str:
    return f"{unit * mean.mean:.2f} ± {unit * mean.half:.2f}"


class MistakeText(NamedTuple):
    """A mistake in words, as a picture, and the command that replays its game."""

    text: str
    board: str
    command: str


def worst(bot: str, judgement: Judgement, rules: RuleSet, file: Path) -> list[MistakeText]:
    """The worst decisions of a bot; `file` is the tournament by which its games are replayed."""
    unit, view = _unit(judgement), []
    for index, mistake in enumerate(judgement.worst, start=1):
        names = [bot, mistake.rival] if mistake.seat == 0 else [mistake.rival, bot]
        seats = names[: judgement.seats]
        board = draw_board(_scene(mistake, rules, seats))
        command = shlex.join(["arena", "replay", str(file), *seats, "--deal", str(mistake.deal)])
        view.append(
            MistakeText(
                f"{index}. It loses {unit * mistake.loss:.2f}: {_mistake_text(mistake)}",
                board,
                command,
            )
        )
    return view


def worst_decisions_text(bot: str, mistakes: Sequence[MistakeText]) -> Iterator[str]:
    """The worst decisions of a bot, line by line."""
    yield f"\nThe worst decisions of {bot}:" if mistakes else f"\n{bot} makes no mistake."
    for mistake in mistakes:
        yield f"\n{mistake.text}\n{mistake.board}\n  $ {mistake.command}"


def _mistake_text(item: Mistake) -> str:
    """What was decided, where, and what would have been best."""
    deeds = {"roll": ("rolls", "rolling"), "stop": ("stops", "stopping")}
    taken, _ = deeds.get(item.taken, (f"takes {item.taken}", ""))
    _, best = deeds.get(item.best, ("", item.best))
    location = f"deal {item.deal}, seat {item.seat + 1}, turn {item.turn}, roll {item.roll}"
    return f"{taken} instead of {best} after {dice_text(item.dice)} ({location})"


def _scene(item: Mistake, rules: RuleSet, seats: list[str]) -> BoardScene:
    opening = {"event": "game", "rules": rules.as_dict(), "seats": seats}
    event = {"event": "roll"}
    return BoardScene(
        opening, event, item.markers, item.runners, {}, item.turn, item.seat, item.roll
    )


def judgements_json(result: Judgements) -> str:
    """All judgements, as JSON."""
    return json.dumps({bot: _as_dict(judgement) for bot, judgement in result.items()})


def _as_dict(judgement: Judgement) -> dict[str, Any]:
    unit = _unit(judgement)
    lost, measured = judgement.lost(), judgement.measured()
    sizes = range(len(SIZES))
    return {
        "games": judgement.games,
        "lost": [unit * lost.mean, unit * lost.half],
        **{kind: unit * judgement.lost(kind).mean for kind in KINDS},
        "by_results": [unit * measured.mean, unit * measured.half],
        "mistakes": {f"over {unit * SIZES[size]:g}": judgement.mistakes(size) for size in sizes},
        "worst": [
            {**mistake.as_dict(), "loss": unit * mistake.loss} for mistake in judgement.worst
        ],
    }


TITLE = "What decisions lose"
ABOUT = (
    "Losses a game against play without mistakes, in points of winning probability (alone, in"
    " turns); plus or minus is half of a 95% interval."
)


def judgements_page(result: Judgements, planned: JudgeTask) -> str:
    """The page: the table first, then the worst decisions of each bot."""
    rules, rival = planned.bots.rules, planned.rival
    tables = [table_of(result, rival)]
    sections = [Section("lost", TITLE, [ABOUT], tables=tables, open=True)]
    for index, (bot, judgement) in enumerate(result.items()):
        sections.append(_section(index, bot, worst(bot, judgement, rules, planned.file)))
    about = f"Can't Stop ({rules.name}), against {rival}."
    return as_html(Document(" and ".join(result), about, (), sections))


def table_of(result: Judgements, rival: str = "") -> Table:
    """What each bot loses."""
    names = headers(result, rival)
    numbers = [number(f"column{index}", name) for index, name in enumerate(names[1:], start=1)]
    columns = [Column("column0", names[0]), *numbers]
    return Table("judgements", TITLE, columns, rows(result, rival))


def _section(index: int, bot: str, visible: Sequence[MistakeText]) -> Section:
    listings = [
        Listing(mistake.text, f"{mistake.board}\n\n$ {mistake.command}") for mistake in visible
    ]
    arguments = [] if visible else [f"{bot} makes no mistake."]
    return Section(f"worst{index}", f"The worst decisions of {bot}", arguments, listings=listings)
