"""Judgements in words: a table, and the worst decisions drawn."""

import json
import shlex
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from tabulate import tabulate

from cantstop_arena.games.cantstop.judging.regret import KINDS, SIZES, Judgement, Mean, Mistake
from cantstop_arena.games.cantstop.rules import RuleSet
from cantstop_arena.texts import how_many
from cantstop_arena.views.cantstop.drawing import dice_text, draw_board
from cantstop_arena.views.cantstop.scenes import Scene

PERFECT = "optimal"
_LARGE = 2  # the number of the size from which on mistakes are counted in the table

Judgements = Mapping[str, Judgement]


def _unit(judgement: Judgement) -> float:
    """Losses are told in points of a hundred; alone in turns."""
    return 100 if judgement.seats > 1 else 1


def heading(rules: RuleSet, judge: str, players: int, deals: int) -> str:
    """What was judged, by whom, and what the numbers are."""
    unit = "points of winning probability" if players > 1 else "turns"
    where = f"rules {rules.name}; {how_many(players, 'player')}; {how_many(deals, 'deal')}"
    return f"What decisions lose, in {unit}\n{where}; judged by {judge}\n"


def table(found: Judgements, against: str) -> str:
    """What each bot loses, by kinds of mistakes."""
    return tabulate(rows(found, against), headers=headers(found), disable_numparse=True)


def headers(found: Judgements) -> list[str]:
    """The columns of the table."""
    unit = _unit(next(iter(found.values())))
    large = f"mistakes > {unit * SIZES[_LARGE]:g}"
    return ["bot", "lost a game", *KINDS, large, "by results"]


def rows(found: Judgements, against: str) -> list[list[str]]:
    """A row of the table for each bot."""
    return [_row(bot, judgement, against) for bot, judgement in found.items()]


def _row(bot: str, judgement: Judgement, against: str) -> list[str]:
    unit = _unit(judgement)
    kinds = [f"{unit * judgement.lost(kind).mean:.3f}" for kind in KINDS]
    comparable = judgement.seats == 1 or against == PERFECT
    results = _spread(judgement.measured(), unit) if comparable else ""
    large = f"{judgement.mistakes(_LARGE):.3f}"
    return [bot, _spread(judgement.lost(), unit), *kinds, large, results]


def _spread(mean: Mean, unit: float) -> str:
    return f"{unit * mean.mean:.2f} ± {unit * mean.half:.2f}"


class Shown(NamedTuple):
    """A mistake in words, as a picture, and the command that replays its game."""

    words: str
    board: str
    command: str


def worst(bot: str, against: str, judgement: Judgement, rules: RuleSet, file: Path) -> list[Shown]:
    """The worst decisions of a bot; `file` is the tournament by which its games are replayed."""
    unit, shown = _unit(judgement), []
    for number, one in enumerate(judgement.worst, start=1):
        names = [bot, against] if one.seat == 0 else [against, bot]
        seats = names[: judgement.seats]
        board = draw_board(_scene(one, rules, seats))
        command = shlex.join(["arena", "replay", str(file), *seats, "--deal", str(one.deal)])
        shown.append(
            Shown(f"{number}. It loses {unit * one.loss:.2f}: {_said(one)}", board, command)
        )
    return shown


def told(bot: str, mistakes: Sequence[Shown]) -> Iterator[str]:
    """The worst decisions of a bot, line by line."""
    yield f"\nThe worst decisions of {bot}:" if mistakes else f"\n{bot} makes no mistake."
    for one in mistakes:
        yield f"\n{one.words}\n{one.board}\n  $ {one.command}"


def _said(one: Mistake) -> str:
    """What was decided, where, and what would have been best."""
    deeds = {"roll": "rolls", "stop": "stops"}
    taken, best = deeds.get(one.taken, f"takes {one.taken}"), one.best
    place = f"deal {one.deal}, seat {one.seat + 1}, turn {one.turn}, roll {one.roll}"
    return f"{taken} instead of {best} after {dice_text(one.dice)} ({place})"


def _scene(one: Mistake, rules: RuleSet, seats: list[str]) -> Scene:
    opening = {"event": "game", "rules": rules.as_dict(), "seats": seats}
    event = {"event": "roll"}
    return Scene(opening, event, one.markers, one.runners, {}, one.turn, one.seat, one.roll)


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
