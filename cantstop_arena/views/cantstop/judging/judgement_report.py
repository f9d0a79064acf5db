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


def text(found: Judgements, planned: JudgeTask) -> str:
    """What was found: the table, and the worst decisions unless they are on the page of a run."""
    lines = [_heading(planned), table(found, planned.rival)]
    if planned.rival:
        for bot, judgement in found.items():
            shown = worst(bot, judgement, planned.bots.rules, planned.file)
            lines += worst_decisions_text(bot, shown)
    return "\n".join(lines)


def _heading(planned: JudgeTask) -> str:
    """What was judged, by whom, and what the numbers are."""
    players, rules = planned.bots.players, planned.bots.rules
    unit = "points of winning probability" if players > 1 else "turns"
    deals = how_many(planned.deals, "deal") + " of each bot" * (not planned.rival)
    where = f"rules {rules.name}; {how_many(players, 'player')}; {deals}"
    return f"What decisions lose, in {unit}\n{where}; judged by {planned.judge.name}\n"


def best_and_worst(found: Judgements) -> str:
    """Whose decisions lose least, and whose most."""
    lost = {bot: _unit(one) * one.lost().mean for bot, one in found.items()}
    least, most = (choose(lost, key=lambda bot: lost[bot]) for choose in (min, max))
    unit = "points" if found[least].seats > 1 else "turns"
    said = f"{least} loses {lost[least]:.1f} {unit} a game by its decisions"
    return said + f", {most} {lost[most]:.1f}" * (least != most)


def table(found: Judgements, rival: str) -> str:
    """What each bot loses, by kinds of mistakes; see `rows`."""
    told, names = rows(found, rival), headers(found, rival)
    sides = ["left", *["right"] * (len(names) - 1)]
    return tabulate(told, headers=names, colalign=sides, disable_numparse=True)


def headers(found: Judgements, rival: str) -> list[str]:
    """The columns of the table."""
    unit = _unit(next(iter(found.values())))
    large = f"mistakes > {unit * SIZES[_LARGE]:g}"
    results = ["by results"] if _tell_results(found, rival) else []
    return ["bot", "lost a game", *KINDS, large, *results]


def rows(found: Judgements, rival: str) -> list[list[str]]:
    """A row of the table for each bot, judged against a rival, or against several without name."""
    results = _tell_results(found, rival)
    return [_row(bot, judgement, results) for bot, judgement in found.items()]


def _tell_results(found: Judgements, rival: str) -> bool:
    """Whether results tell the same loss: who plays alone, or against perfect play."""
    return rival == PERFECT or all(judgement.seats == 1 for judgement in found.values())


def _row(bot: str, judgement: Judgement, results: bool) -> list[str]:
    unit = _unit(judgement)
    kinds = [f"{unit * judgement.lost(kind).mean:.2f}" for kind in KINDS]
    large = f"{judgement.mistakes(_LARGE):.2f}"
    told = [_spread(judgement.measured(), unit)] if results else []
    return [bot, _spread(judgement.lost(), unit), *kinds, large, *told]


def _spread(mean: RegretMean, unit: float) -> str:
    return f"{unit * mean.mean:.2f} ± {unit * mean.half:.2f}"


class DrawnMistake(NamedTuple):
    """A mistake in words, as a picture, and the command that replays its game."""

    text: str
    board: str
    command: str


def worst(bot: str, judgement: Judgement, rules: RuleSet, file: Path) -> list[DrawnMistake]:
    """The worst decisions of a bot; `file` is the tournament by which its games are replayed."""
    unit, shown = _unit(judgement), []
    for index, one in enumerate(judgement.worst, start=1):
        names = [bot, one.rival] if one.seat == 0 else [one.rival, bot]
        seats = names[: judgement.seats]
        board = draw_board(_scene(one, rules, seats))
        command = shlex.join(["arena", "replay", str(file), *seats, "--deal", str(one.deal)])
        shown.append(
            DrawnMistake(f"{index}. It loses {unit * one.loss:.2f}: {_said(one)}", board, command)
        )
    return shown


def worst_decisions_text(bot: str, mistakes: Sequence[DrawnMistake]) -> Iterator[str]:
    """The worst decisions of a bot, line by line."""
    yield f"\nThe worst decisions of {bot}:" if mistakes else f"\n{bot} makes no mistake."
    for one in mistakes:
        yield f"\n{one.text}\n{one.board}\n  $ {one.command}"


def _said(one: Mistake) -> str:
    """What was decided, where, and what would have been best."""
    deeds = {"roll": ("rolls", "rolling"), "stop": ("stops", "stopping")}
    taken, _ = deeds.get(one.taken, (f"takes {one.taken}", ""))
    _, best = deeds.get(one.best, ("", one.best))
    place = f"deal {one.deal}, seat {one.seat + 1}, turn {one.turn}, roll {one.roll}"
    return f"{taken} instead of {best} after {dice_text(one.dice)} ({place})"


def _scene(one: Mistake, rules: RuleSet, seats: list[str]) -> BoardScene:
    opening = {"event": "game", "rules": rules.as_dict(), "seats": seats}
    event = {"event": "roll"}
    return BoardScene(opening, event, one.markers, one.runners, {}, one.turn, one.seat, one.roll)


def judgements_json(found: Judgements) -> str:
    """All judgements, as JSON."""
    return json.dumps({bot: _as_dict(judgement) for bot, judgement in found.items()})


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
        "worst": [{**one.as_dict(), "loss": unit * one.loss} for one in judgement.worst],
    }


TITLE = "What decisions lose"
ABOUT = (
    "Losses a game against play without mistakes, in points of winning probability (alone, in"
    " turns); plus or minus is half of a 95% interval."
)


def judgements_page(found: Judgements, planned: JudgeTask) -> str:
    """The page: the table first, then the worst decisions of each bot."""
    rules, rival = planned.bots.rules, planned.rival
    tables = [table_of(found, rival)]
    sections = [Section("lost", TITLE, [ABOUT], tables=tables, open=True)]
    for place, (bot, judgement) in enumerate(found.items()):
        sections.append(_section(place, bot, worst(bot, judgement, rules, planned.file)))
    about = f"Can't Stop ({rules.name}), against {rival}."
    return as_html(Document(" and ".join(found), about, (), sections))


def table_of(found: Judgements, rival: str = "") -> Table:
    """What each bot loses."""
    names = headers(found, rival)
    numbers = [number(f"column{place}", name) for place, name in enumerate(names[1:], start=1)]
    columns = [Column("column0", names[0]), *numbers]
    return Table("judgements", TITLE, columns, rows(found, rival))


def _section(place: int, bot: str, shown: Sequence[DrawnMistake]) -> Section:
    listings = [Listing(one.text, f"{one.board}\n\n$ {one.command}") for one in shown]
    words = [] if shown else [f"{bot} makes no mistake."]
    return Section(f"worst{place}", f"The worst decisions of {bot}", words, listings=listings)
