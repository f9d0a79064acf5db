"""Judging while somebody watches: how far it is, and how long the rest takes."""

import sys
from collections.abc import Iterator

import click

from cantstop_arena.errors import BotError
from cantstop_arena.games.cantstop.exact.regret import Judgement, merge_judgements
from cantstop_arena.tournaments.preparation import prepare_bots
from cantstop_arena.views.cantstop.judging.judge_process import WORST, in_pieces, judge_all
from cantstop_arena.views.cantstop.judging.judge_task import JudgeTask
from cantstop_arena.views.cantstop.judging.judgement_report import Judgements


def judge_task_results(planned: JudgeTask) -> Judgements:
    """What comes of a plan, by bot. Raises BotError where a bot cannot be judged."""
    prepare_bots(planned.bots, _echo_compiling)
    parts: dict[str, list[Judgement]] = {}
    complaints: list[BotError] = []
    for bot, judgement in _pieces(planned):
        if isinstance(judgement, Judgement):
            parts.setdefault(bot, []).append(judgement)
        elif planned.lenient:
            complaints.append(judgement)
        else:
            raise judgement
    if not parts and complaints:
        raise complaints[0]
    for complaint in dict.fromkeys(map(str, complaints)):
        click.echo(complaint, err=True)
    return {bot: merge_judgements(own, WORST) for bot, own in parts.items()}


def _pieces(planned: JudgeTask) -> Iterator[tuple[str, Judgement | BotError]]:
    """What comes of each piece, with the bot that it is about."""
    pieces = in_pieces(planned.tasks)
    with click.progressbar(
        length=sum(len(piece.deals) for piece in pieces),
        label=f"Judging by {planned.judge.name}",
        file=sys.stderr,
        show_pos=True,
    ) as bar:
        for piece, judgement in zip(pieces, judge_all(pieces, planned.judge.tables), strict=True):
            bar.update(len(piece.deals))
            yield piece.bot, judgement


def _echo_compiling(names: list[str]) -> None:
    click.echo(f"Compiling {', '.join(names)} (only the first time) ...", err=True)
